"""Recordings of a stream: the journal on disk, and the run that is made of it."""
