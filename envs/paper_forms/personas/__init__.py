"""Endless users, made from seeds."""
