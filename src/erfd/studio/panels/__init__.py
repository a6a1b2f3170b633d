"""The panels of the studio's main page, one a file."""
