"""Closed-form inverse kinematics: three main joints and a spherical wrist, for batches of poses."""
