"""The public functions: arrays in, arrays out, for one state or any batch of states.

Joint vectors have shape (..., n), wrenches (..., 6); leading axes broadcast. SI units and radians.
Compiled kernels compute by default; over NumPy (`ERFD_BACKEND=numpy`) one state runs on floats and
a batch on arrays. The text of the formulation is the same everywhere.
"""
