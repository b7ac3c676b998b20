"""Training pages: random made-up forms with targets whose places are known."""
