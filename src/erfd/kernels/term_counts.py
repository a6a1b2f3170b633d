"""Operation counts of mRNEA term by term, laid out as Table C1 of 001."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..dynamics import mrnea
from ..dynamics.chain import chain_of, placed_links
from ..dynamics.linear import accelerations
from ..dynamics.vectors import Scalar, Vector, mat_vec
from ..robot.model import Robot
from .count import count_instructions
from .trace import TraceInputs, casadi, scalars


@dataclass(frozen=True, slots=True)
class TermCount:
    """A row of the table: which terms of which links, their equations, and what they cost.

    `multiplications`, `additions` are what these terms add to all terms above them: what two terms
    share is counted where it is needed first. `printed` is the total of the same row of Table C1,
    for six joints, else None.
    """

    links: str
    terms: str
    equations: str
    multiplications: int
    additions: int
    printed: tuple[int, int] | None


PRINTED: dict[str, tuple[tuple[int, int], ...]] = {
    "placed": ((247, 114),),  # two rows: 109 M 63 A, and 138 M 51 A for the tensors
    "b": ((0, 2), (15, 8), (23, 18), (42, 22), (70, 38), (126, 65)),
    "e": ((8, 0), (14, 5), (26, 13), (37, 26), (55, 35), (76, 50)),
    "d": ((0, 0), (21, 11), (26, 18), (78, 52), (153, 113), (246, 176)),
    "n_ic": ((52, 78),),
    "n_ia1": ((112, 155),),
    "n_ia2": ((42, 65),),
    "n_ia3": ((34, 29),),
    "u": ((127, 97),),
    "solution": ((106, 91),),
}
"""The totals of the rows of Table C1 as they are printed (erratum 19: some do not add up)."""


def term_counts(robot: Robot) -> list[TermCount]:
    """Count the terms of mRNEA forward dynamics in the order of Table C1 (001, Appendix C).

    Args:
        robot: The robot, its constants folded.

    Returns:
        The rows of the table. Their sum is what it costs to form all of these terms, a little more
        than `operation_count` finds, which leaves out components that no joint axis takes. b_ikj
        and d_ikj are not in it, because e_i and d_i come from the recursion (B.1) instead; n'_ia3
        is not, because H is taken from its lower half (erratum 5).
    """
    ca, chain = casadi(), chain_of(robot)
    inputs = TraceInputs.of(chain.n)
    motions, load = inputs.motions(chain), inputs.load()
    links = placed_links(chain, motions)
    lever = mat_vec(links[-1].rotation, chain.tool)
    values = mrnea.terms(chain, motions, scalars(inputs.qd), load, links, lever)
    h = mrnea.mass_matrix(chain, motions, values, links)
    rest = mrnea.bias(chain, motions, scalars(inputs.qd), load, values, links)
    placed = [x for a in links for x in (*a.center, *_flat(a.inertia), *a.step, *a.axis)]
    lower = [h[i][k] for i in range(chain.n) for k in range(i + 1)]
    n, several = chain.n, f"1 to {chain.n}"
    rows: list[tuple[str, str, str, str, int, list[Scalar]]] = [
        (several, "r_cm, p*, p_e, I_cm", "(4), (11), (19)", "placed", 0, [*placed, *lever])
    ]
    for name, terms, equations, columns in (
        ("b", "b_ik", "(5)", values.b),
        ("e", "e_i, e_ik", "(13), (15)", _beside(values.ec, values.e)),
        ("d", "d_i, d_ik", "(17), (9)", _beside(values.dc, values.d)),
    ):
        rows += [
            (str(i + 1), terms, equations, name, i, _flat(row)) for i, row in enumerate(columns)
        ]
    inward = f"{n} to 1"
    rows += [
        (inward, "n'_ic", "(28)", "n_ic", 0, _flat([*values.n_ic, *values.Ec])),
        (inward, "n'_ia1", "(29)", "n_ia1", 0, _lower(values.n_ia1)),
        (inward, "n'_ia2, E_ik", "(30), (25)", "n_ia2", 0, _lower(values.n_ia2)),
        (inward, "n'_ia3", "(31)", "n_ia3", 0, []),
        (inward, "H, u'", "(35), (36)", "u", 0, [*lower, *rest]),
        ("", "q'' by elimination", "(34)", "solution", 0,
         list(accelerations(h, scalars(inputs.x), rest))),
    ]  # fmt: skip
    free = [getattr(inputs, name) for name in TraceInputs.__slots__]
    above: tuple[int, int] = (0, 0)
    counted, result = [], []
    for where, terms, equations, name, i, expressions in rows:
        counted += expressions
        total = _count(ca, free, counted)
        printed = PRINTED[name][i] if n == 6 else None
        own = (total[0] - above[0], total[1] - above[1])
        result.append(TermCount(where, terms, equations, *own, printed))
        above = total
    return result


def _count(ca: Any, free: list[Any], expressions: list[Scalar]) -> tuple[int, int]:
    return count_instructions(ca.Function("terms", free, [ca.cse(ca.vertcat(*expressions))]))


def _beside(vectors: Sequence[Vector], columns: mrnea.Columns) -> mrnea.Columns:
    """Row i: the vector of link i, then its columns."""
    return [[vector, *row] for vector, row in zip(vectors, columns, strict=True)]


def _flat(rows: Sequence[Vector]) -> list[Scalar]:
    return [x for row in rows for x in row]


def _lower(columns: mrnea.Columns) -> list[Scalar]:
    """The columns k <= i of row i: those that the lower half of H needs."""
    return [x for i, row in enumerate(columns) for column in row[: i + 1] for x in column]
