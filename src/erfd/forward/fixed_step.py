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
    end_state,
    margins,
    search_on,
    settle,
    stage_state,
)
from .plant import (
    PARAMETERS,
    ArmEquations,
    Plant,
    arm_equations,
    limited,
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
        self.plant, self.method, self.dt = plant, method, float(dt)
        self.scheme = SCHEMES[method]
        self.p: dict[str, list[Scalar]] = {name: values[name].tolist() for name in PARAMETERS}

    def run(
        self, state: Array, modes: Array, given: Array, steps: int, every: int, fence: Array
    ) -> tuple[Array, int]:
        """Run steps: rows of every `every`-th moment, (count, plant.row, lanes), and steps done.

        `state` (size, lanes) and `modes` (4 n, lanes) are those at the beginning and, afterwards,
        at the end; `given` (steps + 1, k, lanes), or (1, k, lanes) if it stays. The run ends early
        after a step in which a joint leaves the `fence` (2, n), or is no number.
        """
        lanes = state.shape[1]
        ops: Numbers = Floats() if lanes == 1 else Batches()
        now, mode = ops.scalars(state), Modes.of(ops.scalars(modes))
        rows: list[list[Scalar]] = []
        done = 0
        with np.errstate(all="ignore"):
            for k in range(steps + 1):
                last = ops.scalars(given[min(k, len(given) - 1)])
                u = self._input(ops, last, now)
                slopes, extra, mode = self._first(ops, u, 0.0, now, mode)
                if k % every == 0:
                    n = self.plant.n
                    stop_torques = extra[:n] if self.plant.stops else []
                    rows.append([*now, *slopes[n : 2 * n], *stop_torques])
                if k == steps:
                    break
                now, mode = self._step(ops, u, now, mode, slopes)
                done = k + 1
                if not self._inside(now, fence):
                    break
        state[:] = [np.broadcast_to(x, lanes) for x in now]
        modes[:] = [np.broadcast_to(x, lanes) for x in mode.values]
        return np.array([[np.broadcast_to(x, lanes) for x in row] for row in rows]), done

    def rates(
        self, state: Array, modes: Array, given: Array, part: float, frozen: bool
    ) -> tuple[Array, Array, Array]:
        """The derivative (size,), torques of stops and spare friction (2 n,), and the modes (4 n,).

        `given` is the input as it is applied; `frozen`: only load signs may change.
        """
        now, u = state.tolist(), given.tolist()
        mode, frozen_flag = Modes.of(modes.tolist()), 1.0 if frozen else 0.0
        slope, extra, after = self._rates(Floats(), u, part, now, mode, frozen_flag)
        return np.array(slope), np.array(extra), np.array(after.values)

    def _inside(self, state: Sequence[Scalar], fence: Array) -> bool:
        """Whether all joints are within the fence (2, n)."""
        pairs = zip(state, *fence, strict=False)
        return all(bool(np.all((q >= low) & (q <= high))) for q, low, high in pairs)

    def _input(self, ops: Numbers, given: list[Scalar], state: Sequence[Scalar]) -> list[Scalar]:
        """Torques or voltages within their limits, at the beginning and, if they ramp, the end."""
        n, w = self.plant.n, self.plant.cut(state)[1]
        ends = 2 if self.plant.ramp else 1
        parts = [given[k * n : (k + 1) * n] for k in range(ends)]
        inside = [x for part in parts for x in limited(self.plant, ops, part, w, self.p)]
        return [*inside, *given[ends * n :]]

    def _torque(self, u: list[Scalar], part: Scalar, w: Sequence[Scalar]) -> list[Scalar]:
        """Motor torques at a part (0 to 1) of the step."""
        n = self.plant.n
        now = u[:n]
        if self.plant.ramp:
            now = [a + (b - a) * part for a, b in zip(now, u[n : 2 * n], strict=True)]
        return torque(self.plant, now, w, self.p)

    def _arm_equations(
        self, ops: Numbers, u: list[Scalar], state: Sequence[Scalar]
    ) -> ArmEquations:
        """The arm's equations at a state."""
        q, w, _ = self.plant.cut(state)
        turned = [*(ops.cos(x) for x in q), *(ops.sin(x) for x in q)]
        return arm_equations(self.plant, turned, q, w, u[-6:], self.p)

    def _first(
        self, ops: Numbers, u: list[Scalar], part: Scalar, state: list[Scalar], modes: Modes
    ) -> tuple[list[Scalar], list[Scalar], Modes]:
        """The derivative at the beginning of a step, `stop` and `spare`, and the modes."""
        q, w, _ = self.plant.cut(state)
        if self.plant.has_modes:
            modes = start_modes(self.plant, ops, q, w, self.p, modes)
        return self._rates(ops, u, part, state, modes, 0.0)

    def _rates(
        self, ops: Numbers, u: list[Scalar], part: Scalar, state: list[Scalar], modes: Modes,
        frozen: float,
    ) -> tuple[list[Scalar], list[Scalar], Modes]:  # fmt: skip
        """The derivative at a state, `stop` and `spare`, and the modes that fit."""
        plant, p = self.plant, self.p
        w = plant.cut(state)[1]
        equations, tau = self._arm_equations(ops, u, state), self._torque(u, part, w)
        if not plant.has_modes:
            return smooth_rates(plant, equations, tau, w, p), [0.0] * (2 * plant.n), modes
        for count in range(ROUNDS):
            single = float(count >= ALL_AT_ONCE)
            response, better, changed = mode_round(
                plant, ops, equations, tau, w, p, modes, frozen, single
            )
            if not ops.some(changed):
                break
            modes = better
        slope = rates(plant, equations, tau, w, p, response.y, response.rubbing)
        return slope, [*response.stop, *response.spare], modes

    def _step(
        self, ops: Numbers, u: list[Scalar], state: list[Scalar], modes: Modes, slopes: list[Scalar]
    ) -> tuple[list[Scalar], Modes]:
        """The state after dt, in as many parts as it takes."""
        plant, p = self.plant, self.p
        if not plant.has_modes:
            return self._part(ops, u, state, modes, slopes, 0.0, self.dt), modes
        past: Scalar = 0.0 * state[0]
        for count in range(most_parts(plant)):
            left = self.dt - past
            if count:
                slopes, _, modes = self._first(ops, u, past / self.dt, state, modes)
            after = self._part(ops, u, state, modes, slopes, past, left)
            before, ends = (margins(plant, ops, x, modes, p) for x in (state, after))
            search = begin_search(ops, before, ends, left)
            last = count == most_parts(plant) - 1
            for tried in range(TRIES):
                if last or not ops.some(1.0 - search.done):
                    break
                after = self._part(ops, u, state, modes, slopes, past, search.h)
                ends = margins(plant, ops, after, modes, p)
                search = search_on(ops, search, ends, float(tried % 3 == 2))
            whole = search.h >= left
            state, modes, hit = settle(plant, ops, search, after, modes, p)
            if ops.some(hit):
                state, modes = self.impact(ops, u, state, modes, hit)
            past = self.dt + 0.0 * past if last else ops.choose(whole, self.dt, past + search.h)
            if not ops.some(self.dt - past):
                break
        return state, modes

    def _part(
        self, ops: Numbers, u: list[Scalar], state: list[Scalar], modes: Modes, first: list[Scalar],
        past: Scalar, h: Scalar,
    ) -> list[Scalar]:  # fmt: skip
        """The state after h, in fixed modes; `first` is the derivative at its beginning."""
        slopes = [first]
        for row, when in zip(self.scheme.rows, self.scheme.times[1:], strict=True):
            stage = stage_state(self.plant, state, slopes, row, h)
            part = (past + when * h) / self.dt
            slopes.append(self._rates(ops, u, part, stage, modes, 1.0)[0])
        end = end_state(self.plant, self.method, state, slopes, h)
        return constrained_end(self.plant, ops, self.method, state, end, h, modes, self.p)

    def impact(
        self, ops: Numbers, u: list[Scalar], state: list[Scalar], modes: Modes, hit: Scalar
    ) -> tuple[list[Scalar], Modes]:
        """The state after inelastic impacts of the joints that have met their stops."""
        plant, n = self.plant, self.plant.n
        _, w, works = plant.cut(state)
        A = self._arm_equations(ops, u, state)[0]
        struck = first_hits(plant, ops, w, modes)
        for count in range(ROUNDS):
            single = float(count >= ALL_AT_ONCE)
            after, lost, better, changed = impact_round(
                plant, ops, A, self.p["inertia"], w, modes.near, struck, single, CALM / self.dt
            )
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
