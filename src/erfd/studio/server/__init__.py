"""The studio's web server: start, routes, and who may talk to it."""
