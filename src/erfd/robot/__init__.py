"""What is this machine? The robot's data, its file formats and the bundled robots."""
