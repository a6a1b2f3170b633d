"""`erfd.study`: how sure is the verdict on a program, if what it was told varies?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ..cell.reader import CellLike
from ..errors import InputError
from ..ground.arguments import choice_of, flag_of, number_of, text_of
from ..ground.arrays import Array
from ..lirl import SignalSchedule
from ..planning.trajectory import Trajectory
from ..robot.library import RobotLike
from ..robot.model import Turning
from ..robot.payload import PayloadLike
from ..robot.pose import Pose
from .campaign import run_campaign, write_table
from .distributions import Distribution, distribution_of
from .evaluator import Rows, VariantEvaluator
from .intervals import sequential
from .names import quantities_of
from .result import Study
from .sampling import MOST, SAMPLINGS, Sampling
from .subject import subject_of
from .variant_table import is_table, read_table

PART, GEOMETRY_PART = 32_768, 32
"""Variants of a part at most: of numbers alone, and where every one is planned."""
LEAST_PART, PARTS = 1024, 64
"""A study has about so many parts, but none smaller than this."""


def study(
    what: str | Path | Trajectory,
    robot: RobotLike,
    *,
    vary: Mapping[str, Any] | str | Path,
    samples: int = 1000,
    seed: int = 0,
    sampling: str = "random",
    confidence: float = 0.95,
    precision: float | None = None,
    cluster: Any = None,
    out: str | Path | None = None,
    resume: bool = False,
    name: str = "",
    tool: Pose | None = None,
    wrench: ArrayLike | None = None,
    payload: PayloadLike | None = None,
    dt: float | None = None,
    q0: ArrayLike | None = None,
    signals: SignalSchedule | str | Path | None = None,
    cell: CellLike | None = None,
    turning: Turning | None = None,
    adapt: Literal["axes"] | None = None,
    follow: str = "velocity",
    torque_path: str = "virtual-work",
    pause: float = 0.0,
    strict: bool = False,
    tell: Callable[[float, str], None] = lambda part, what: None,
) -> Study:
    """Evaluate many variants of a program or a motion, each with the whole verdict.

    Args:
        what: An L-IRL program, the path of its file, or a `Trajectory`.
        robot: The arm, with a drive for every joint.
        vary: What varies by name (`payload`, `friction`, `link.3.mass`, ...): a distribution such
            as "normal(5, 0.3)", a range "1..5", a list or a number each; or a CSV or Parquet file
            with a column for each name and a row for each variant. Angles in rad.
        samples: How many variants are drawn; the most, if there is a `precision`.
        seed: What the draws depend on: the same one gives the same variants.
        sampling: "random" (independent draws), "lhs", "sobol" or "grid" (no probability).
        confidence: Of the intervals.
        precision: Stop as soon as the interval of the probability reaches no further than this to
            either side; it is one that may be looked at while it narrows.
        cluster: A `dask.distributed.Client`, or the address of its scheduler; left out, the threads
            of this machine.
        out: A folder in which parts are kept as they are done, so that `resume` can go on.
        resume: Go on with the study that was begun in `out`.
        name: The name of the program in the verdict; left out, that of its file.
        tool: A tool frame instead of the robot's own.
        wrench: Force (N), then moment (N m), on the environment at the tool point, (6,).
        payload: What the robot carries where the program says nothing else.
        dt: The step of the computation, s, as `verify` takes it.
        q0: Joint positions at the start, (n,), rad (m).
        signals: The inputs that the program reads, over time.
        cell: What stands around the robot.
        turning: How the tool turns, "even" or "smooth".
        adapt: "axes": paths are run slower where an axis would be too fast.
        follow: What the arm follows after a shortfall, for the runs of single variants.
        torque_path: How joint torques come to the rotors.
        pause: The time between two repetitions of the program, s, for the continuous load.
        strict: Whether acceleration limits, and what could not be checked, count.
        tell: Called with the part that is done (0 to 1) and a word for what is being done.

    Returns:
        The `Study`: probability, interval, worst variant, limits, sensitivities, the table.

    Raises:
        InputError: An argument does not fit, or a draw is no robot.
        ProgramError: The program has mistakes.

    >>> import erfd
    >>> text = 'program p; seq move ptp joint(mainjoint(10)); endseq endprogram'
    >>> erfd.study(text, "lola15", vary={"payload": "normal(5, 0.3)"}, samples=100).probability
    1.0
    """
    setup = {
        "tool": tool, "wrench": wrench, "payload": payload, "dt": dt, "q0": q0, "signals": signals,
        "cell": cell, "turning": turning, "adapt": adapt, "follow": follow,
        "torque_path": torque_path, "pause": pause, "strict": strict,
    }  # fmt: skip
    subject = subject_of(what, robot, text_of("name", name), setup)
    choice_of("sampling", sampling, SAMPLINGS)
    flag_of("resume", resume)
    _check_numbers(samples, seed, confidence, precision, sampling)
    tell(0.0, "planning")
    names, distributions, drawn = _sampling_of(vary, sampling, samples, seed)
    evaluator = VariantEvaluator(subject, quantities_of(names, subject.robot))
    if drawn.rows is None:
        check_draws(evaluator, drawn)
    size = GEOMETRY_PART
    if not evaluator.geometry:
        size = min(PART, max(LEAST_PART, -(-drawn.total // PARTS)))
    options: dict[str, Any] = {"confidence": confidence}
    if precision is not None:
        if cluster is not None or resume:
            raise InputError("precision: expected it without a cluster and resume, found both")
        draws, rows = _until_precise(evaluator, drawn, precision, confidence, tell)
        if out is not None:
            write_table(evaluator, drawn, draws, rows, out)
        return Study(evaluator, drawn, distributions, draws, rows, precision=precision, **options)
    if cluster is None and out is None:
        draws, rows = _here(evaluator, drawn, size, tell)
        return Study(evaluator, drawn, distributions, draws, rows, **options)
    draws, rows, notes = run_campaign(evaluator, drawn, size, cluster, out, resume, tell)
    return Study(evaluator, drawn, distributions, draws, rows, notes=notes, **options)


def _check_numbers(samples: Any, seed: Any, confidence: Any, precision: Any, sampling: str) -> None:
    for name, value, least, most in (("samples", samples, 1, MOST), ("seed", seed, 0, 2**63 - 1)):
        whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
        if not whole or not least <= value <= most:
            raise InputError(
                f"{name}: expected a whole number from {least} to {most:,}, found {value!r:.40}"
            )
    if not 0.5 <= number_of("confidence", confidence, "a part from 0.5 to 1") < 1:
        raise InputError(f"confidence: expected a part from 0.5 to below 1, found {confidence}")
    if precision is None:
        return
    if not 0 < number_of("precision", precision, "a size above 0") < 0.5:
        raise InputError(f"precision: expected a size from 0 to 0.5, found {precision}")
    if sampling != "random":
        raise InputError(f"precision: expected random sampling to go with it, found {sampling}")


def _sampling_of(
    vary: Any, method: str, samples: int, seed: int
) -> tuple[tuple[str, ...], dict[str, Distribution], Sampling]:
    """The names, their distributions (none of a table), and what is drawn."""
    if is_table(vary):
        names, rows = read_table(vary)
        return names, {}, Sampling.of_table(rows)
    if not isinstance(vary, Mapping) or not vary:
        raise InputError(f"vary: expected what varies by name, or a table, found {vary!r:.60}")
    if not all(isinstance(key, str) for key in vary):
        raise InputError(f"vary: expected names, found {next(iter(vary))!r:.60}")
    found = {key: distribution_of(f"vary {key}", value) for key, value in vary.items()}
    return tuple(found), found, Sampling.of(method, tuple(found.values()), samples, seed)


def check_draws(evaluator: VariantEvaluator, sampling: Sampling) -> None:
    """Refuse distributions of which a draw is no robot, before anything is computed.

    Raises:
        InputError: The first such draw, and how to truncate its distribution.
    """
    for first in range(0, sampling.total, 1 << 20):
        last = min(first + (1 << 20), sampling.total)
        draws = sampling.draws(first, last)
        suspects = _doubtful(evaluator, draws)
        for k, wrong in zip(suspects.tolist(), evaluator.problems(draws[suspects]), strict=True):
            if wrong:
                raise InputError(
                    f"variant {first + k}: {wrong}; bounds keep a distribution from it:"
                    " normal(mean, deviation, low, high)"
                )


def _doubtful(evaluator: VariantEvaluator, draws: Array) -> Any:
    """The rows of the least and largest values, and of the largest products of factors."""
    places = {int(f(draws[:, k])) for k in range(draws.shape[1]) for f in (np.argmin, np.argmax)}
    friction = [k for k, q in enumerate(evaluator.quantities) if q.parts[0] == "friction"]
    if friction:
        whole = [k for k in friction if len(evaluator.quantities[k].parts) == 1]
        for k in friction:
            both = [k, *[j for j in whole if j != k]]
            places.add(int(np.argmax(draws[:, both].prod(axis=1))))
    return np.array(sorted(places), dtype=np.intp)


def _here(
    evaluator: VariantEvaluator, sampling: Sampling, size: int, tell: Callable[[float, str], None]
) -> tuple[Array, Rows]:
    """All variants, part by part, by the threads of this machine."""
    draws, rows = [], []
    for first in range(0, sampling.total, size):
        tell(0.05 + 0.95 * first / sampling.total, f"{first} of {sampling.total} variants")
        draws.append(sampling.draws(first, min(first + size, sampling.total)))
        rows.append(evaluator.evaluate(draws[-1]))
    tell(1.0, f"{sampling.total} variants")
    return np.concatenate(draws), Rows.joined(rows)


def _until_precise(
    evaluator: VariantEvaluator, sampling: Sampling, precision: float, confidence: float,
    tell: Callable[[float, str], None],
) -> tuple[Array, Rows]:  # fmt: skip
    """Batches of variants until the interval is narrow enough, or all are used up."""
    draws, rows, done, good = [], [], 0, 0
    batch = GEOMETRY_PART if evaluator.geometry else 512
    while done < sampling.total:
        draws.append(sampling.draws(done, min(done + batch, sampling.total)))
        rows.append(evaluator.evaluate(draws[-1]))
        done, good = done + len(draws[-1]), good + int(rows[-1].feasible.sum())
        low, high = sequential(good, done, confidence)
        share = good / done
        reach = max(high - share, share - low)
        tell(min(precision / reach, 1.0), f"{done} variants, +- {100 * reach:.2g} %")
        if reach <= precision:
            break
        batch = min(2 * batch, 8192, max(done // 2, 1))
    return np.concatenate(draws), Rows.joined(rows)
