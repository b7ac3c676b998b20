"""Policies: networks that point at named targets, trained by cloning and by reward (Stable-Baselines3)."""
