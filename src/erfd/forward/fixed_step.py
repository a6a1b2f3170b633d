"""The fixed-step simulation in Python: one state in floats, or a batch in NumPy.

It is the reference for `compiled_loop`, which takes the same steps, and serves the arms that cannot
be compiled.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..dynamics.vectors import Scalar
from ..ground.arrays import Array
from .integrators import (
    SCHEMES,
    TRIES,
    begin_search,
    constrained_end,
    margins,
    search_on,
    settle,
    state_after,
)
from .plant import (
    ArmEquations,
    Instant,
    Plant,
    ScalarPlant,
    applied,
    arm_equations,
    rates,
    smooth_rates,
    torque,
)
from .scalars import Batches, Floats, Numbers, Ops
from .stick_slip import ALL_AT_ONCE, ROUNDS, Modes, mode_round, start_modes
from .stops import CALM, impact_round


def most_parts(plant: Plant) -> int:
    """The number of parts into which a step may fall.

    Every rotor and joint can stop and start in it, and two joints at their stops may throw each
    other off them a few times before they come to rest.
    """
    return 16 * plant.n + 48


class PythonLoop:
    """Fixed steps of a plant with its parameters by name, by a method, of dt s."""

    def __init__(self, plant: Plant, values: dict[str, Array], method: str, dt: float):
        self.plant = plant
        self.single, self.lanes = (
            ScalarSteps(ScalarPlant.of(plant, ops, values), ops, method, float(dt))
            for ops in (Floats(), Batches())
        )

    def run(
        self, state: Array, modes: Array, given: Array, *, steps: int, every: int, fence: Array
    ) -> tuple[Array, int]:
        """Run steps: rows of every `every`-th moment, (count, plant.row, lanes), and steps done.

        `state` (size, lanes) and `modes` (4 n, lanes) are those at the beginning and, afterwards,
        at the end; `given` (steps + 1, k, lanes), or (1, k, lanes) if it stays. The run ends early
        after a step in which a joint leaves the `fence` (2, n), or is no number.
        """
        lanes = state.shape[1]
        scalar = self.single if lanes == 1 else self.lanes
        read = scalar.ops.scalars
        now, mode = read(state), Modes.of(read(modes))
        rows: list[list[Scalar]] = []
        done = 0
        with np.errstate(all="ignore"):
            for k in range(steps + 1):
                u = applied(scalar.arm, read(given[min(k, len(given) - 1)]), now)
                slopes, extra, mode = scalar.first(u, 0.0, now, mode)
                if k % every == 0:
                    n = self.plant.n
                    stop_torques = extra[:n] if self.plant.stops else []
                    rows.append([*now, *slopes[n : 2 * n], *stop_torques])
                if k == steps:
                    break
                now, mode = scalar.step(u, now, mode, slopes)
                done = k + 1
                if not self._inside(now, fence):
                    break
        state[:] = [np.broadcast_to(x, lanes) for x in now]
        modes[:] = [np.broadcast_to(x, lanes) for x in mode.values]
        return np.array([[np.broadcast_to(x, lanes) for x in row] for row in rows]), done

    def rates(
        self, state: Array, modes: Array, given: Array, *, part: float, frozen: bool
    ) -> tuple[Array, Array, Array]:
        """The derivative (size,), torques of stops and spare friction (2 n,), and the modes (4 n,).

        `given` is the input as it is applied; `frozen`: only load signs may change.
        """
        mode, flag = Modes.of(modes.tolist()), float(frozen)
        slope, extra, after = self.single.rates(
            given.tolist(), part, state.tolist(), mode, frozen=flag
        )
        return np.array(slope), np.array(extra), np.array(after.values)

    def _inside(self, state: Sequence[Scalar], fence: Array) -> bool:
        """Whether all joints are within the fence (2, n)."""
        pairs = zip(state, *fence, strict=False)
        return all(bool(np.all((q >= low) & (q <= high))) for q, low, high in pairs)


class ScalarSteps:
    """Steps of a plant over one kind of scalar, whose choices and functions are `ops`.

    An input `u` is torques or voltages, if they ramp at both ends of the step, and a wrench.
    """

    def __init__(self, arm: ScalarPlant, ops: Numbers, method: str, dt: float):
        self.arm, self.ops, self.method, self.dt = arm, ops, method, dt
        self.plant, self.scheme = arm.plant, SCHEMES[method]

    def _arm_equations(self, u: list[Scalar], state: Sequence[Scalar]) -> ArmEquations:
        """The arm's equations at a state."""
        q = state[: self.plant.n]
        turned = [*(self.ops.cos(x) for x in q), *(self.ops.sin(x) for x in q)]
        return arm_equations(self.arm, turned, state, u[-6:])

    def first(
        self, u: list[Scalar], part: Scalar, state: list[Scalar], modes: Modes
    ) -> tuple[list[Scalar], list[Scalar], Modes]:
        """The derivative at the beginning of a step, `stop` and `spare`, and the modes."""
        if self.plant.has_modes:
            modes = start_modes(self.arm, state, modes)
        return self.rates(u, part, state, modes, frozen=0.0)

    def rates(
        self, u: list[Scalar], part: Scalar, state: list[Scalar], modes: Modes, *, frozen: float
    ) -> tuple[list[Scalar], list[Scalar], Modes]:
        """The derivative at a state, `stop` and `spare`, and the modes that fit."""
        plant, w = self.plant, self.plant.cut(state)[1]
        now = Instant(self._arm_equations(u, state), torque(self.arm, u, part, w), w)
        if not plant.has_modes:
            return smooth_rates(self.arm, now), [0.0] * (2 * plant.n), modes
        for count in range(ROUNDS):
            single = float(count >= ALL_AT_ONCE)
            response, better, changed = mode_round(
                self.arm, now, modes, frozen=frozen, single=single
            )
            if not self.ops.some(changed):
                break
            modes = better
        slope = rates(self.arm, now, response.y, response.rubbing)
        return slope, [*response.stop, *response.spare], modes

    def step(
        self, u: list[Scalar], state: list[Scalar], modes: Modes, slopes: list[Scalar]
    ) -> tuple[list[Scalar], Modes]:
        """The state after dt, in as many parts as it takes."""
        arm, ops = self.arm, self.ops
        if not self.plant.has_modes:
            return self._part(u, state, modes, slopes, past=0.0, h=self.dt), modes
        past: Scalar = 0.0 * state[0]
        for count in range(most_parts(self.plant)):
            left = self.dt - past
            if count:
                slopes, _, modes = self.first(u, past / self.dt, state, modes)
            after = self._part(u, state, modes, slopes, past=past, h=left)
            before, ends = (margins(arm, x, modes) for x in (state, after))
            search = begin_search(ops, before, ends, left)
            last = count == most_parts(self.plant) - 1
            for tried in range(TRIES):
                if last or not ops.some(1.0 - search.done):
                    break
                after = self._part(u, state, modes, slopes, past=past, h=search.h)
                search = search_on(ops, search, margins(arm, after, modes), float(tried % 3 == 2))
            whole = search.h >= left
            state, modes, hit = settle(arm, search, after, modes)
            if ops.some(hit):
                state, modes = self.impact(u, state, modes, hit)
            past = self.dt + 0.0 * past if last else ops.choose(whole, self.dt, past + search.h)
            if not ops.some(self.dt - past):
                break
        return state, modes

    def _part(
        self, u: list[Scalar], state: list[Scalar], modes: Modes, first: list[Scalar], *,
        past: Scalar, h: Scalar,
    ) -> list[Scalar]:  # fmt: skip
        """The state after h, in fixed modes; `first` is the derivative at its beginning."""
        slopes = [first]
        for row, when in zip(self.scheme.rows, self.scheme.times[1:], strict=True):
            stage = state_after(state[: 2 * self.plant.n], slopes, row, h)
            part = (past + when * h) / self.dt
            slopes.append(self.rates(u, part, stage, modes, frozen=1.0)[0])
        end = state_after(state, slopes, self.scheme.weights, h)
        return constrained_end(self.arm, self.method, modes, state=state, end=end, h=h)

    def impact(
        self, u: list[Scalar], state: list[Scalar], modes: Modes, hit: Scalar
    ) -> tuple[list[Scalar], Modes]:
        """The state after inelastic impacts of the joints that have met their stops."""
        plant, ops, n = self.plant, self.ops, self.plant.n
        _, w, works = plant.cut(state)
        A = self._arm_equations(u, state)[0]
        struck = first_hits(plant, ops, w, modes)
        for count in range(ROUNDS):
            after, lost, better, changed = impact_round(
                self.arm, A, w, near=modes.near, hit=struck, single=float(count >= ALL_AT_ONCE),
                calm=CALM / self.dt,
            )  # fmt: skip
            if not ops.some(changed):
                break
            struck = better
        after = [ops.choose(hit > 0, a, b) for a, b in zip(after, w, strict=True)]
        for j in range(n):
            works[n + 2 + j] = works[n + 2 + j] + ops.choose(hit > 0, lost[j], 0.0)
        return [*state[:n], *after, *works], modes


def first_hits(plant: Plant, ops: Ops, w: Sequence[Scalar], modes: Modes) -> list[Scalar]:
    """Which joints move into a stop they are at: 1, else 0."""
    speeds = plant.joint_rates(w)
    return [
        ops.choose(speed * near > 0, 1.0, 0.0)
        for speed, near in zip(speeds, modes.near, strict=True)
    ]
