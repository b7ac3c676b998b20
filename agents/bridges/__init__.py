"""Bridges: sessions as other frameworks take them, one module each."""
