"""Forward simulation: the arm under torques or voltages, with stiction and joint stops."""
