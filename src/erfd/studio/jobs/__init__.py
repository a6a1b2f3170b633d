"""Verifications in the background: worker processes and what they do."""
