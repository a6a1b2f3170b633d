"""Results for people: tables on the terminal, plots, curves, pages that play a motion."""
