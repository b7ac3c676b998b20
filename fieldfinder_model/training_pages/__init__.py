"""Training pages: made-up forms with targets whose places are known, drawn from a seed."""
