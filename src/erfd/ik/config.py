"""CONFIG, the number of a branch: 1 shoulder back, 2 elbow down, 4 wrist flipped (erratum 24)."""

STAY = 8
"""Stay on the branch of the position before."""
