"""What does a person see? Tables on the terminal, plots, exports."""
