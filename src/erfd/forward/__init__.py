"""The arm under torques or voltages: integrators, stiction, joint stops."""
