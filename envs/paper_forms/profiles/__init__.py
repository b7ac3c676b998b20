"""Users: their facts, the sentences that state them, and random personas."""
