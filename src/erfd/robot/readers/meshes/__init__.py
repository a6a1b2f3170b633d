"""Meshes of robot files: found, read within limits, and made as small as a picture needs."""
