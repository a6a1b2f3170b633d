"""Verifications in the background: worker processes and their jobs."""
