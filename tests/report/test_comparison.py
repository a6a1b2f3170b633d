"""Comparison of runs."""

from erfd.report.comparison import differences


def test_a_run_does_not_differ_from_itself(hard_run_file):
    rows = differences(hard_run_file, hard_run_file)
    assert len(rows) == 6 + 2 * 6
    assert all(float(row["difference"].split()[0]) == 0 for row in rows)
