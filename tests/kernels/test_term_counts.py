"""Counts of the terms of mRNEA, laid out as Table C1."""

import pytest

import erfd
from erfd.kernels.term_counts import PRINTED, term_counts
from support.arms import BUNDLED


@pytest.mark.parametrize("name", BUNDLED)
def test_rows_add_up_to_a_little_more_than_the_whole(name: str) -> None:
    """All components of all terms, where the count of the whole has only those that are used."""
    robot = erfd.load(name)
    whole = erfd.operation_count(robot, "mrnea", wrench=True)
    rows = term_counts(robot)
    formed = sum(row.multiplications + row.additions for row in rows)
    assert whole.total <= formed
    if robot.n == 6:  # planar arms leave most components unused
        assert formed <= 1.1 * whole.total
    assert all(row.multiplications >= 0 and row.additions >= 0 for row in rows)


def test_printed_rows_are_those_of_table_c1() -> None:
    """Erratum 19: the printed row totals add up to 1736 and 1281, not to what is printed below."""
    rows = [row for group in PRINTED.values() for row in group]
    assert (sum(m for m, _ in rows), sum(a for _, a in rows)) == (1736, 1281)
    shown = [row.printed for row in term_counts(erfd.load("lola15"))]
    assert shown == rows
    assert all(row.printed is None for row in term_counts(erfd.load("sdt4")))


def test_link_1_turns_about_a_vertical_axis() -> None:
    """As in the table: no product for b_11, none for d_1."""
    rows = {(row.links, row.terms): row for row in term_counts(erfd.load("lola15"))}
    assert rows["1", "b_ik"].multiplications == 0
    assert (rows["1", "d_i, d_ik"].multiplications, rows["1", "d_i, d_ik"].additions) == (0, 0)
