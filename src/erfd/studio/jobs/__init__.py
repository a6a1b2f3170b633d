"""Verifications, repairs and fastest motions in the background: workers and their jobs."""
