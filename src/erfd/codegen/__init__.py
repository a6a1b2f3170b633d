"""Code generation for controllers: a quantity of one robot as C99 and NumPy, with its test."""
