"""The controller's side of a stream: the publisher, and the process that serves its viewers."""
