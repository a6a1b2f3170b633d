"""A motion to be played: the graphic file (JSON lines) and the HTML page with the arm in 3D."""
