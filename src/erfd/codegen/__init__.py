"""Code for controllers: one quantity of one robot as C99 and as NumPy, with its own test."""
