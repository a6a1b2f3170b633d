"""Read robots from MJCF, the files of MuJoCo."""
