"""Readers of robot files: TOML (also written) and URDF; mistakes are named by file and key."""
