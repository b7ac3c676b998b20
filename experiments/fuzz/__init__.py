"""Fuzzing: random and hostile actions over all environments, and what must hold after each of them."""
