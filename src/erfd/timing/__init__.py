"""How fast can a path be run, and what holds it back?"""
