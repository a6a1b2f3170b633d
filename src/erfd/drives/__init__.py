"""What can the motors give? Gears, rotor inertia, friction, torque limits, DC motors."""
