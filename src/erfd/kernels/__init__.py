"""Kernels: a formulation traced for one robot, counted, compiled, cached and called from NumPy."""
