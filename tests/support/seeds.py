"""Seeds of random inputs: always the same, unless ERFD_SEED asks for others (`make soak` does)."""

import os

SEED = int(os.environ.get("ERFD_SEED", "0"))
APART = 1_000_003
"""More than any seed that a test has of its own, so that no two trials are the same."""


def seeded(own: int) -> int:
    """A test's own seed, moved by ERFD_SEED."""
    return own + APART * SEED
