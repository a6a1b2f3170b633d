"""Robots: their data, their file formats and the bundled ones."""
