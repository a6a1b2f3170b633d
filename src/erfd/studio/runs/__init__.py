"""Runs in the studio: kept on disk, open in a page, recorded live, set-ups restored."""
