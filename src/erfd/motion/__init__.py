"""Where the robot should go: moves, kinematics, profiles, paths, trajectories."""
