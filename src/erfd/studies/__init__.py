"""How sure is a verdict? Many variants of a motion: probability, worst case, what matters."""
