"""The rules of ERFD a second time, from docs/ alone: NumPy on Pinocchio, nothing of `erfd`."""
