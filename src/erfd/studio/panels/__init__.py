"""The parts of the studio's page, one a file; they show what the library works out."""
