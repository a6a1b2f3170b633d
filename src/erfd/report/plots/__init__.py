"""Figures with Matplotlib: robots, runs and simulations."""
