"""The studio's web server: start, routes, access."""
