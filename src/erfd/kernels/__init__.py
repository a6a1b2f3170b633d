"""How does it run fast? Traces a formulation for one robot and counts it."""
