"""The geometry of path moves: curves, rounded corners, orientation, courses."""
