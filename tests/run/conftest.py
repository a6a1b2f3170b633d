"""A run for the tests of the files in which runs are kept."""

import pytest

import erfd
from support.written_runs import make_run


@pytest.fixture
def run() -> erfd.Run:
    return make_run("lola15")
