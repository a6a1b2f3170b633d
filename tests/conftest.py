"""The formulations are tested over NumPy; tests of kernels compile, into a cache of their own.

Without this every random arm of every law would be compiled for every method.
"""

import os
import tempfile
from collections.abc import Iterator

os.environ["ERFD_BACKEND"] = "numpy"
if "PYTEST_XDIST_WORKER" not in os.environ:  # workers share the cache of who starts them
    _CACHE = tempfile.TemporaryDirectory(prefix="erfd-test-cache-")
    os.environ["ERFD_CACHE_DIR"] = _CACHE.name

import pytest

import erfd


@pytest.fixture
def compiled() -> Iterator[None]:
    """Compute with kernels inside this test."""
    with erfd.backend("compiled"):
        yield


@pytest.fixture
def users_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """For subprocesses: what a user has, but for the cache folder."""
    monkeypatch.delenv("ERFD_BACKEND")
