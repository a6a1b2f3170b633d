"""Errata 6 and 19: what the operation counts of 000 and 001 add up to, and how they grow."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np

import erfd
from erfd.kernels.count import papers_count
from erfd.robot.synthetic import general_robot
from support.errata_witness import crooked

TABLE_1 = {"M": [241, 484, 854, 1356], "A": [188, 376, 662, 1038]}  # n = 3, 4, 5, 6

# Table C1, row by row: printed total, then the entries (M multiplications, A additions); those of
# no cost are left out.
TABLE_C1 = """
109M63A: 4M2A 12M5A 12M7A 19M9A 21M12A 21M12A 9M6A 0M2A 2M3A 0M3A 2M0A 3M0A 6M2A
138M51A: 6M3A 11M6A 13M6A 36M12A 36M12A 36M12A
0M2A: 0M2A
15M8A: 3M2A 5M4A 5M2A 2M0A
23M18A: 2M4A 4M3A 4M3A 4M3A 2M2A 2M3A 3M0A 2M0A
42M22A: 0M2A 4M1A 3M1A 6M3A 2M2A 2M0A 2M0A 2M3A 3M0A 2M0A 10M7A 6M3A
70M38A: 0M2A 4M5A 3M1A 6M3A 6M3A 2M2A 2M0A 2M0A 2M3A 3M0A 10M7A 7M2A 2M0A 6M3A 9M3A 6M3A
126M65A: 0M2A 4M3A 3M2A 6M3A 6M3A 6M3A 2M2A 2M0A 2M0A 2M0A 2M0A 2M3A 3M0A 10M7A 7M2A 5M1A 2M0A
 2M1A 9M3A 18M12A 6M3A 27M15A
8M0A: 6M0A 2M0A
14M5A: 9M5A 2M0A 3M0A
26M13A: 18M13A 2M0A 3M0A 3M0A
37M26A: 26M26A 2M0A 3M0A 3M0A 3M0A
55M35A: 41M35A 2M0A 3M0A 3M0A 3M0A 3M0A
76M50A: 59M50A 2M0A 3M0A 3M0A 3M0A 3M0A 3M0A
21M11A: 6M3A 6M3A 5M3A 4M2A
26M18A: 11M9A 6M3A 5M3A 4M3A 3M0A
78M52A: 20M17A 6M3A 9M6A 2M2A 9M3A 4M2A 3M0A 19M16A 6M3A
153M113A: 32M30A 6M3A 9M6A 9M6A 2M2A 7M3A 8M3A 4M2A 3M0A 21M18A 19M16A 6M3A 21M18A 6M3A
246M176A: 56M53A 6M3A 9M6A 9M6A 9M6A 2M2A 7M3A 7M3A 6M3A 4M2A 3M0A 21M18A 19M16A 13M7A 6M3A
 21M18A 15M9A 6M3A 27M15A
52M78A: 12M12A 6M9A 6M9A 12M24A 12M18A 4M6A
112M155A: 34M34A 28M43A 22M34A 16M25A 10M16A 2M3A
42M65A: 22M33A 16M24A 4M8A
34M29A: 8M7A 18M13A 8M9A
127M97A: 6M9A 20M22A 20M20A 27M15A 27M15A 27M15A
106M91A: 106M91A
"""


def pairs(text: str) -> np.ndarray:
    return np.array(re.findall(r"(\d+)M(\d+)A", text), dtype=int)


def table_c1() -> tuple[np.ndarray, np.ndarray]:
    """Printed row totals, and what the entries of each row add up to."""
    rows = [row.split(":") for row in TABLE_C1.strip().replace("\n ", " ").splitlines()]
    return pairs(" ".join(row[0] for row in rows)), np.array([pairs(row[1]).sum(0) for row in rows])


def test_6_table_1_does_not_grow_linearly() -> None:
    for counts in TABLE_1.values():
        second, third = np.diff(counts, 2), np.diff(counts, 3)
        assert (second > 89).all()  # O(n) would leave zero
        assert (abs(third) < 0.1 * second[0]).all()  # O(n^2) leaves it nearly constant
        line = np.polyfit([3, 4, 5, 6], counts, 1)
        assert np.abs(np.polyval(line, [3, 4, 5, 6]) - counts).max() > 45
    assert np.diff(TABLE_1["M"], 2).tolist() == [127, 132]


def test_6_measured_growth() -> None:
    """Arms of 3 to 8 links: H by mRNEA costs one constant more each time, Newton-Euler does not."""

    def second_differences(method: str, quantity: str) -> list[int]:
        arms = [crooked(n) for n in range(3, 9)]
        counts = [erfd.operation_count(arm, method, quantity).multiplications for arm in arms]
        return np.diff(counts, 2).tolist()

    growth = second_differences("mrnea", "mass_matrix")
    assert growth[0] > 0
    assert len(set(growth)) == 1  # quadratic
    assert set(second_differences("mrnea", "bias")) == {0}  # the columns are what costs
    assert set(second_differences("ne_link", "inverse_dynamics")) == {0}  # O(n)


def test_19_table_c1_does_not_add_up() -> None:
    totals, sums = table_c1()
    assert len(totals) == 25  # of 26 rows; that of d_1 is all zero
    printed = np.array([1735, 1275])
    assert totals.sum(0).tolist() == [1736, 1281]
    assert sums.sum(0).tolist() == [1741, 1279]
    wrong = [i for i in range(25) if (totals[i] != sums[i]).any()]
    assert totals[wrong].tolist() == [[109, 63], [70, 38], [26, 18], [127, 97]]
    assert sums[wrong].tolist() == [[111, 63], [70, 37], [29, 18], [127, 96]]
    inputs = totals[:2].sum(0)  # r^cm, p_e, I^cm, but also l_i and p*_i, which stay computed
    assert inputs.tolist() == [247, 114]
    assert (printed - inputs).tolist() == [1488, 1161]  # printed: 1480, 1152


def test_27_recursive_lagrangian_grows_linearly() -> None:
    counts = [
        erfd.operation_count(general_robot(n), "hollerbach", "inverse_dynamics")
        for n in range(4, 13)
    ]
    steps = {
        (b.multiplications - a.multiplications, b.additions - a.additions)
        for a, b in pairwise(counts)
    }
    assert len(steps) == 1  # second differences vanish; O(n^3) would leave third ones
    products, sums = steps.pop()
    assert products < 412
    assert sums < 320


def test_29_mrnea_is_not_the_most_efficient() -> None:
    """Counted alike: traces of one kind, of Lola 15 and of an arm in which nothing vanishes."""
    rivals = ("wo1", "wo2", "wo3", "aba", "denoc")

    def counts(robot: erfd.Robot) -> dict[str, tuple[int, int]]:
        found = {name: erfd.operation_count(robot, name) for name in ("mrnea", *rivals)}
        return {name: (c.multiplications, c.additions) for name, c in found.items()}

    lola = counts(erfd.load("lola15"))
    assert lola == {
        "mrnea": (1061, 819), "wo1": (642, 477), "wo2": (642, 477), "wo3": (607, 469),
        "aba": (644, 480), "denoc": (671, 485),
    }  # fmt: skip
    for name in rivals:
        assert lola[name] < lola["mrnea"], name
        assert lola[name][1] < lola["mrnea"][1], name
    general = counts(general_robot(6))
    assert general == {
        "mrnea": (1476, 1249), "wo1": (1652, 1261), "wo2": (1652, 1261), "wo3": (1378, 1041),
        "aba": (1279, 970), "denoc": (1432, 1057),
    }  # fmt: skip
    behind = {name for name in rivals if sum(general[name]) < sum(general["mrnea"])}
    assert behind == {"wo3", "aba", "denoc"}
    # with r_cm, I_cm and p_e as inputs, as the papers count theirs and not the others': still so
    own = papers_count(erfd.load("lola15"))
    assert (own.multiplications, own.additions) == (887, 750)
    assert all(sum(lola[name]) < own.total for name in rivals)
    cycle = erfd.operation_count(erfd.load("lola15"), "mrnea", "cycle")
    assert cycle.total - sum(lola["mrnea"]) == 72  # what holds: the torques cost next to nothing
