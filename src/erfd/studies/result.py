"""`Study`: what came out of many variants of a motion."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..achieve.achievable import achievable
from ..errors import InputError
from ..ground.arguments import number_of
from ..ground.arrays import Array, Mask
from ..robot.payload import Payload
from ..run.run import Run
from ..verification.motion import verify_motion
from ..verification.result import Verification
from ..verification.verify import verify
from .distributions import Distribution
from .evaluator import Rows, VariantEvaluator, placed
from .intervals import Interval, clopper_pearson, of_replicates, sequential
from .names import VariedInput, quantities_of
from .sampling import Sampling
from .searches import Largest, failing_value, largest_override, largest_value
from .sensitivity import GEOMETRY_POINTS, POINTS, Sensitivity, sobol_indices
from .subject import PlannedMotion, joined

LOOKED_AT = 4096
"""Variants that a search for the largest value takes, at most."""
FIRST_HIGH = {"payload": 16.0, "payload.inertia": 1.0}
"""Where a search first looks for the largest value, if nothing else is known."""


@dataclass(frozen=True, slots=True)
class LimitCount:
    """How often a limit is the first one that fails: `part` of all variants."""

    limit: str
    count: int
    part: float


@dataclass(frozen=True, slots=True, eq=False)
class FeasibilityMap:
    """Margins over two parameters, all others at their medians: `margin` (len(y), len(x))."""

    x_name: str
    y_name: str
    x: Array
    y: Array
    margin: Array
    feasible: Mask


class Study:
    """What came out of a study; rows are variants in the order in which they were drawn.

    `distributions` by name (empty for a table), `draws` (V, names), `rows` their verdicts.
    """

    def __init__(
        self, evaluator: VariantEvaluator, sampling: Sampling,
        distributions: dict[str, Distribution], draws: Array, rows: Rows, *,
        confidence: float = 0.95, precision: float | None = None,
        notes: tuple[str, ...] = (),
    ):  # fmt: skip
        self.evaluator, self.sampling, self.distributions = evaluator, sampling, distributions
        self.draws, self.rows, self.confidence, self.precision = draws, rows, confidence, precision
        self.notes = notes

    def __repr__(self) -> str:
        return (
            f"Study({self.name!r}, {len(self)} variants, {int(self.rows.feasible.sum())} feasible)"
        )

    def __len__(self) -> int:
        return len(self.draws)

    @property
    def name(self) -> str:
        """The program or motion."""
        return self.evaluator.subject.name

    @property
    def names(self) -> tuple[str, ...]:
        """The names of what varies."""
        return self.evaluator.names

    @property
    def share(self) -> float:
        """The part of all variants that is feasible; one that could not be evaluated is not."""
        return float(self.rows.feasible.mean())

    @property
    def probability(self) -> float | None:
        """The estimated probability that a variant is feasible; None of a grid or a table."""
        return None if self.sampling.method in ("grid", "table") else self.share

    @property
    def interval(self) -> Interval | None:
        """What the probability lies in with the `confidence`; None of a grid or a table.

        Clopper-Pearson for independent draws, over replicates for hypercubes and Sobol points;
        one that is valid whenever one stops if the study went on up to a precision.
        """
        good, count = int(self.rows.feasible.sum()), len(self)
        if self.sampling.method in ("grid", "table"):
            return None
        if self.precision is not None:
            return sequential(good, count, self.confidence)
        if self.sampling.replicate:
            shares = self.rows.feasible.reshape(-1, self.sampling.replicate).mean(axis=1)
            return of_replicates(shares, count, self.confidence)
        return clopper_pearson(good, count, self.confidence)

    @property
    def errors(self) -> int:
        """How many variants could not be evaluated."""
        return int((self.rows.error != "").sum())

    @property
    def limits(self) -> tuple[LimitCount, ...]:
        """What fails first, and how often, the most frequent first."""
        codes, counts = np.unique(self.rows.limit[~self.rows.feasible], return_counts=True)
        found = [
            LimitCount(self.evaluator.labels[code], int(count), int(count) / len(self))
            for code, count in zip(codes.tolist(), counts, strict=True)
        ]
        return tuple(sorted(found, key=lambda row: -row.count))

    @property
    def table(self) -> dict[str, Any]:
        """All variants, a column (V,) each: what was drawn, then the verdicts (`erfd study`)."""
        from .parts import columns_of

        return columns_of(self.evaluator, 0, self.draws, self.rows)

    def to_pandas(self) -> Any:
        """The table as a pandas DataFrame."""
        from ..ground.optional import import_optional

        return import_optional("pandas", "a table", "runs").DataFrame(self.table)

    @property
    def moves(self) -> dict[str, Array]:
        """The largest part of a torque limit in each move, (V,) by move."""
        names = joined(self.evaluator.pieces)
        return {name: self.rows.moves[:, k] for k, name in enumerate(names)}

    def variant(self, k: int) -> dict[str, float]:
        """What was drawn for one variant, by name."""
        if not -len(self) <= k < len(self):
            raise InputError(f"variant: expected 0 to {len(self) - 1}, found {k}")
        return dict(zip(self.names, self.draws[k].tolist(), strict=True))

    @property
    def worst_variant(self) -> int:
        """The variant with the smallest margin, of those that could be evaluated."""
        good = self.rows.error == ""
        if not good.any():
            raise InputError(f"study of {self.name}: expected a variant with a result, found none")
        first = good & ~self.rows.feasible if (good & ~self.rows.feasible).any() else good
        return int(np.where(first, self.rows.margin, np.inf).argmin())

    @cached_property
    def worst(self) -> Run:
        """The whole run of the worst variant."""
        return self.run(self.worst_variant)

    def run(self, k: int) -> Run:
        """The whole run of variant k, as Algorithm 1 makes it."""
        values = self.variant(k)
        planned, carried = self._motion_at(values)
        if planned is None or len(set(carried)) < 2:
            return self.verification_at(values).run
        evaluator, subject = self.evaluator, self.evaluator.subject
        return achievable(
            evaluator.robot_of(values), planned.trajectory, payload=carried,
            wrench=evaluator.wrench_of(values), follow=subject.follow,
            torque_path=subject.torque_path,
        )  # fmt: skip

    def _motion_at(
        self, values: dict[str, float]
    ) -> tuple[PlannedMotion | None, list[Payload | None]]:
        """The motion of a variant and what is carried; None of a program at its own speed."""
        evaluator, subject = self.evaluator, self.evaluator.subject
        speed = values.get("speed", 1.0)
        if subject.text is not None and speed == 1.0:
            return None, []
        planned = subject.planned(placed(subject.robot, values), speed)
        payload = evaluator.payload_of(values)
        pairs = zip(planned.payloads, planned.own, strict=True)
        return planned, [p if mine else payload for p, mine in pairs]

    def verification(self, k: int) -> Verification:
        """The verification of variant k; with another speed, that of its motion."""
        return self.verification_at(self.variant(k))

    def verification_at(self, values: dict[str, float]) -> Verification:
        """The verification where these names have these values and all others their medians."""
        evaluator, subject = self.evaluator, self.evaluator.subject
        middle = dict(zip(self.names, self.sampling.median.tolist(), strict=True))
        unknown = set(values) - set(middle)
        if unknown:
            expected = ", ".join(self.names)
            raise InputError(f"variant: expected {expected}, found {sorted(unknown)[0]!r}")
        values = middle | values
        wrong = evaluator.problems(np.array([[values[name] for name in self.names]]))[0]
        if wrong:
            raise InputError(wrong)
        robot, payload = evaluator.robot_of(values), evaluator.payload_of(values)
        wrench = evaluator.wrench_of(values) if any(evaluator.wrench_of(values)) else None
        options: dict[str, Any] = {
            "name": subject.name, "wrench": wrench, "cell": subject.cell, "pause": subject.pause,
            "strict": subject.strict, "follow": subject.follow,
            "torque_path": subject.torque_path,
        }  # fmt: skip
        planned, carried = self._motion_at(values)
        if planned is None:
            assert subject.text is not None
            return verify(
                subject.text, robot, payload=payload, dt=subject.dt, q0=subject.q0,
                signals=subject.signals, turning=subject.turning, adapt=subject.adapt, **options,
            )  # fmt: skip
        if len(set(carried)) > 1:
            raise InputError(
                f"{subject.name}: expected one payload throughout, found others in the program"
                " (variants at another speed have no verification then)"
            )
        return verify_motion(planned.trajectory, robot, payload=carried[0], **options)

    @cached_property
    def sensitivity(self) -> tuple[Sensitivity, ...]:
        """The Sobol indices of the margin, the largest total first.

        Empty of a table, and where some variant has no margin.
        """
        varying = [name for name, d in self.distributions.items() if d.varies]
        if self.sampling.method == "table" or not varying:
            return ()
        middle, places = self.sampling.median, [self.names.index(name) for name in varying]

        def margins(x: Array) -> Array:
            draws = np.tile(middle, (len(x), 1))
            draws[:, places] = x
            return self.evaluator.evaluate(draws).margin

        points = GEOMETRY_POINTS if self.evaluator.geometry else POINTS
        chosen = [self.distributions[name] for name in varying]
        with suppress(InputError):
            return sobol_indices(
                margins, varying, chosen, points=points, seed=self.sampling.seed,
                confidence=self.confidence,
            )  # fmt: skip
        return ()

    def map(self, x: str, y: str, points: int = 41) -> FeasibilityMap:
        """Margins over two of the names, all others at their medians.

        Args:
            x: The name across.
            y: The name upwards.
            points: Points of each, 2 to 1000.
        """
        for name in (x, y):
            if name not in self.names or x == y:
                expected = f"two of {', '.join(self.names)}"
                raise InputError(f"map: expected {expected}, found {x!r} and {y!r}")
        if not 2 <= points <= 1000:
            raise InputError(f"points: expected 2 to 1000, found {points}")
        axes = [self._axis(name, points) for name in (x, y)]
        draws = np.tile(self.sampling.median, (len(axes[0]) * len(axes[1]), 1))
        across, up = np.meshgrid(*axes)
        draws[:, self.names.index(x)], draws[:, self.names.index(y)] = across.ravel(), up.ravel()
        rows = self.evaluator.evaluate(draws)
        shape = across.shape
        return FeasibilityMap(x, y, axes[0], axes[1], rows.margin.reshape(shape),
                              rows.feasible.reshape(shape))  # fmt: skip

    def _axis(self, name: str, points: int) -> Array:
        """The values of a name on a map: from the least to the largest that was drawn."""
        if name in self.distributions and self.distributions[name].kind == "values":
            return np.unique(self.distributions[name].grid)
        values = self.draws[:, self.names.index(name)]
        low, high = float(np.nanmin(values)), float(np.nanmax(values))
        if name in self.distributions:
            usual = self.distributions[name].usual_range
            low, high = max(low, usual[0]), min(high, usual[1])
        return np.linspace(low, high, points) if low < high else np.array([low])

    def largest(
        self, name: str, probability: float = 0.99, *, to: float | None = None,
        high: float | None = None,
    ) -> Largest:  # fmt: skip
        """The largest value of a name that holds with a probability over all else that varies.

        Args:
            name: A name of what varies, whether it did or not: "payload", "speed", "wrench.fz".
            probability: 0 to 1; the value is tried on up to 4,096 of the variants.
            to: To what size it is found; left out, a thousandth of the range (payload: 1 g).
            high: The largest value that is looked at first; left out, one that is guessed.

        Returns:
            The value, and what the true one is above with the study's confidence.
        """
        probability = number_of("probability", probability, "a probability from 0 to 1")
        if not 0 < probability < 1:
            raise InputError(f"probability: expected one from 0 to 1, found {probability:g}")
        quantity, evaluator, draws, place = self._searched(name)
        if name == "speed":

            def at_speed(speed: float) -> Mask:
                draws[:, place] = speed
                return evaluator.evaluate(draws).feasible

            return largest_override(at_speed, probability, self.confidence)

        def feasible(values: Array) -> Mask:
            draws[:, place] = values
            return evaluator.evaluate(draws).feasible

        low, top, size = self._bounds(quantity, to, high)
        return largest_value(
            feasible, len(draws), name=name, unit=quantity.unit, low=low, high=top, to=size,
            probability=probability, confidence=self.confidence, rising=high is None,
        )  # fmt: skip

    def fails_at(
        self, name: str = "payload", *, to: float = 0.01, high: float | None = None
    ) -> tuple[float, float]:
        """The value of a name up to which the motion holds, all others at their medians.

        Args:
            name: A name of what varies, whether it did or not.
            to: To what size it is found: 0.01 of a payload are 10 g.
            high: The largest value that is looked at first; left out, one that is guessed.

        Returns:
            The largest value that holds, and one at most `to` above it that fails; inf if none
            does, -inf in the first place if nothing holds.
        """
        quantity, evaluator, _, place = self._searched(name)

        def feasible(values: Array) -> Mask:
            tried = np.tile(self.sampling.median, (len(values), 1))
            tried = np.column_stack([tried, values]) if place == len(self.names) else tried
            tried[:, place] = values
            return evaluator.evaluate(tried).feasible

        low, top, _ = self._bounds(quantity, to, high)
        return failing_value(feasible, low, top, to, rising=high is None)

    def _searched(self, name: str) -> tuple[VariedInput, VariantEvaluator, Array, int]:
        """The quantity that is searched, an evaluator with it, draws of all, its column."""
        evaluator = self.evaluator
        (quantity,) = quantities_of([name], evaluator.subject.robot)
        draws = np.array(self.draws[self.rows.error == ""][:LOOKED_AT])
        if not len(draws):
            raise InputError(f"study of {self.name}: expected a variant with a result, found none")
        if name in self.names:
            return quantity, evaluator, draws, self.names.index(name)
        evaluator = VariantEvaluator(evaluator.subject, (*evaluator.quantities, quantity))
        return quantity, evaluator, np.column_stack([draws, np.zeros(len(draws))]), len(self.names)

    def _bounds(
        self, quantity: VariedInput, to: float | None, high: float | None
    ) -> tuple[float, float, float]:
        """From where to where a name is searched, and to what size."""
        name = quantity.name
        low = quantity.least if np.isfinite(quantity.least) else 0.0
        if quantity.above:
            low = 0.02
        if high is not None:
            top = number_of("high", high)
            if not top > low:
                raise InputError(f"high: expected a number > {low:g}, found {top:g}")
        elif name in self.names:
            top = max(2 * float(np.nanmax(self.draws[:, self.names.index(name)])), low + 1e-3)
        else:
            top = FIRST_HIGH.get(name, 100.0 if quantity.unit in ("N", "N m") else 4.0)
        size = (1e-3 if name == "payload" else 1e-3 * (top - low)) if to is None else to
        return low, top, number_of("to", size)

    @property
    def verdict(self) -> str:
        """The probability and the interval, or the share, in one sentence."""
        good, count = int(self.rows.feasible.sum()), len(self)
        bad = f"; {self.errors} could not be evaluated" if self.errors else ""
        interval = self.interval
        if interval is None:
            return f"{self.name}: {good} of {count} variants are feasible{bad}"
        low, high = (percent(x) for x in interval)
        return (
            f"{self.name}: feasible with a probability of {percent(self.share)} %"
            f" ({low} to {high} % with {100 * self.confidence:.3g} % confidence;"
            f" {good} of {count} variants{bad})"
        )


def percent(part: float) -> str:
    """A probability in percent, with as many digits as its distance from 0 and 1 asks for."""
    near = min(part, 1 - part)
    digits = 1 if near > 0.01 or near == 0 else 2 if near > 1e-3 else 4
    return f"{100 * part:.{digits}f}"
