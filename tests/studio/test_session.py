"""Settings of a session."""

import pytest

from erfd.errors import InputError
from erfd.studio.session import Setup


@pytest.mark.parametrize(
    "wrong",
    [{"dt": 0}, {"dt": "x"}, {"wrench": [1, 2]}, {"mount": [0, 0, 0, 0, 0, None]}, {"robot": 3},
     {"more": 1}, {"payload": [float("nan"), 0, 0, 0]}],
)  # fmt: skip
def test_settings_that_somebody_changed_are_a_sentence(wrong):
    with pytest.raises(InputError, match=f"settings: {next(iter(wrong))}"):
        Setup.of(wrong)
