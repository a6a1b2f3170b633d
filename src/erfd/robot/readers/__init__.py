"""Robot files: TOML (read and written) and URDF (read); mistakes named by file and key."""
