"""Running an L-IRL program: expressions, statements, input signals -> moves for the planner."""
