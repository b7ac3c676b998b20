"""Policies that point at named targets, trained with Stable-Baselines3."""
