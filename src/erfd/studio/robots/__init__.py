"""Robots that the user brings: unpacked within limits, read in a worker, kept in a library."""
