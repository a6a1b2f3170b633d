"""What the commands share: the words of their options are those of the rooms that obey them."""

from erfd.achieve.achiever import FOLLOWS, POLICIES
from erfd.commands.common import CHOICES
from erfd.drives.drives import PATHS
from erfd.forward.integrators import METHODS


def test_the_words_of_options_are_those_of_the_rooms() -> None:
    found = POLICIES, FOLLOWS, PATHS, METHODS
    assert found == tuple(CHOICES[k] for k in ("policy", "follow", "torque_path", "method"))
