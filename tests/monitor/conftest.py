"""A publisher for the tests of streams over real sockets."""

from collections.abc import Iterator

import pytest

import erfd
from erfd.monitor import Publisher


@pytest.fixture
def publisher() -> Iterator[Publisher]:
    with Publisher("cell 1", erfd.load("two_link"), dt=0.01, columns=("q", "qd")) as found:
        yield found
