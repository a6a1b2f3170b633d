"""The public functions: dynamics, kinematics, felt loads; one state or any batch of states."""
