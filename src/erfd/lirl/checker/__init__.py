"""Check an L-IRL program before it runs: names, types, moves."""
