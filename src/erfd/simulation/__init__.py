"""What will the robot do? Drives, Algorithm 1, and the record of a run."""
