"""Files of motions: CSV, Parquet, NPZ, ROS 2 YAML and bags, read into a `Trajectory`."""
