"""The public functions of dynamics and kinematics, for one state or any batch of states."""
