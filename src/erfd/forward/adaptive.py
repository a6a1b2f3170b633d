"""Simulation with adaptive steps: SciPy's DOP853 between the moments at which modes change.

A piece has one constant (or linear) input. In it modes stay as they are until an event: a rotor
reverses, a joint meets its stop, friction can no longer hold a rotor, a stop would have to pull.
Each is located, the modes are decided anew, and the integration goes on from there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..ground.arrays import Array
from .fixed_step import ScalarSteps
from .inputs import InputSource
from .plant import ScalarPlant, applied
from .scalars import Floats
from .stick_slip import Modes, start_modes

if TYPE_CHECKING:
    from .simulate import Progress, SimulationRows, SimulationSetup

STALLS = 50
"""Events without progress in time after which something is wrong."""
REST = 1e-12
"""A joint at a stop that is slower, rad/s (and rad/s2), rests there."""
TOLD = 1000
"""Evaluations between two reports of progress."""
MOST = 30_000_000
"""Evaluations after which the tolerances ask for too much: about an hour."""
NUDGE = 1e-6
"""The part of dt to go on where modes fit, but only just."""


@dataclass(frozen=True, slots=True, eq=False)
class InputSpan:
    """A time from `start` to `end` in s with one input, both ends of it if it is linear.

    `asked` is the input (n,) or (2 n,), `inputs` the same with the wrench behind it.
    """

    start: float
    end: float
    asked: Array
    inputs: Array


Settle = Callable[[Array, float], Array]
"""What becomes of the state at an event, at its time."""


@dataclass(frozen=True, eq=False)
class Watch:
    """An event for SciPy: a function that falls through zero, and what becomes of the state."""

    function: Callable[[float, Array], float]
    settle: Settle
    terminal = True
    direction = -1.0

    def __call__(self, t: float, y: Array) -> float:
        """The value that falls through zero."""
        return self.function(t, y)


class _LastValue:
    """A function of time and state that remembers its last value."""

    def __init__(self, function: Callable[[float, Array], Array]):
        self.function, self.key, self.value = function, b"", np.zeros(0)

    def __call__(self, t: float, y: Array) -> Array:
        key = np.append(y, t).tobytes()
        if key != self.key:
            self.key, self.value = key, self.function(t, y)
        return self.value


def _element(extra: _LastValue, k: int, sign: float = 1.0) -> Callable[[float, Array], float]:
    """The function of time and state that is element k of `extra`."""
    return lambda t, y: sign * float(extra(t, y)[k])


def _room_to(k: int, side: float, bound: float) -> Callable[[float, Array], float]:
    """The function of time and state that is the way left to a bound."""
    return lambda t, y: side * (bound - float(y[k]))


def _unchanged(y: Array, t: float) -> Array:
    """The state as it is."""
    return y


class AdaptiveLoop:
    """One simulation with adaptive steps, its modes and its rows so far, at multiples of dt."""

    def __init__(
        self,
        setup: SimulationSetup,
        engine: Any,
        rtol: float,
        atol: float,
        progress: Progress | None = None,
    ):
        for name, value in (("rtol", rtol), ("atol", atol)):
            if not (np.isfinite(value) and value > 0):
                raise InputError(f"{name}: expected a number > 0, found {value!r}")
        from .simulate import SimulationRows, initial_modes

        self.setup, self.plant, self.engine = setup, setup.plant, engine
        ops = Floats()
        arm = ScalarPlant.of(setup.plant, ops, setup.values)
        self.steps = ScalarSteps(arm, ops, "rk4", setup.dt)
        self.rtol, self.atol = rtol, atol
        # an event that comes and goes within a step is not seen
        watched = self.plant.has_modes or bool(np.isfinite(setup.fence).any())
        self.longest = setup.dt if watched else np.inf
        self.modes = initial_modes(self.plant.n, 1)[:, 0]
        self.rows = SimulationRows([], [], [])
        self.evaluations, self.told, self.progress = 0, 0, progress

    def run(self, source: InputSource, state: Array) -> SimulationRows:
        """Simulate all pieces, one after the other."""
        setup, n = self.setup, self.plant.n
        end = setup.steps * setup.dt
        K_inverse: Array = np.array(self.plant.K_inverse)

        def ask(t: float) -> Array:
            return source.ask(t, state[:n].copy(), K_inverse @ state[n : 2 * n])

        stalls, asked = 0, np.zeros(n)
        for piece in pieces(setup, source, ask):
            t, stalled = piece.start, False
            while t < piece.end:
                state, now = self._until_event(piece, t, state, stalled)
                stalled = now - t < 1e-13 * max(1.0, end)
                stalls = stalls + 1 if stalled else 0
                if stalls > STALLS:
                    raise InputError(
                        f"dop853 cannot go on at t = {t:g} s: too many events at one moment;"
                        " a fixed step (rk4) can"
                    )
                t = now
            self._tell(t)
            asked = piece.asked
            last = piece
        self._record(np.array([setup.steps]), state[None], last, parts=1.0, asked=asked)
        return self.rows

    def _tell(self, t: float) -> None:
        """Say how far the simulation is; the method also looks at times before."""
        if self.progress is not None:
            self.told = max(self.told, min(round(t / self.setup.dt), self.setup.steps))
            self.progress(self.told, self.setup.steps)

    def _count(self, t: float) -> None:
        """Count an evaluation at a time (s); too many end the simulation."""
        self.evaluations += 1
        if self.evaluations % TOLD == 0:
            self._tell(t)
        if self.evaluations > MOST:
            raise InputError(
                f"dop853: expected an end after at most {MOST:,} evaluations, found t = {t:g} s of"
                f" {self.setup.steps * self.setup.dt:g} s; larger tolerances or a fixed step (rk4)"
                " take fewer"
            )

    def _rates(self, piece: InputSpan, t: float, state: Array, frozen: bool) -> Any:
        """The derivative at a state, torques of stops and spare friction, and the modes."""
        part = (t - piece.start) / (piece.end - piece.start)
        u = np.array(applied(self.steps.arm, piece.inputs.tolist(), state.tolist()))
        return self.engine.rates(state, self.modes, u, part=part, frozen=frozen)

    def _until_event(
        self, piece: InputSpan, t: float, state: Array, stalled: bool
    ) -> tuple[Array, float]:
        """The state at the next event or at the end of the piece, and when that is.

        `stalled`: the last event was at once, with modes that just fit. Go a tiny bit further
        without it, until they do not.
        """
        from scipy.integrate import solve_ivp

        if self.plant.has_modes:
            modes = Modes.of(self.modes.tolist())
            fresh = start_modes(self.steps.arm, state.tolist(), modes)
            self.modes = np.array(fresh.values)
        slope, extra, self.modes = self._rates(piece, t, state, False)
        events = self._events(piece, slope, extra, state)
        until = piece.end
        if stalled:
            events = [event for event in events if event(t, state) > 0]
            until = min(until, t + NUDGE * self.setup.dt)

        def rhs(time: float, y: Array) -> Array:
            self._count(time)
            rates: Array = self._rates(piece, time, y, True)[0]
            return rates

        solution = solve_ivp(
            rhs, (t, until), state, "DOP853", rtol=self.rtol, atol=self.atol,
            events=events, dense_output=True, max_step=self.longest,
        )  # fmt: skip
        if not solution.success or not np.isfinite(solution.y[:, -1]).all():
            raise InputError(
                f"the motion of robot {self.setup.robot.name!r} is not finite after"
                f" t = {solution.t[-1]:g} s; a smaller input may help"
            )
        end, after = float(solution.t[-1]), np.array(solution.y[:, -1])
        self._record_between(piece, t, end, solution.sol)
        if solution.status == 1:
            for event, times in zip(events, solution.t_events, strict=True):
                if len(times):
                    after = event.settle(after, float(times[-1]))
            after = self._impacts(piece, after)
        return after, end

    def _events(self, piece: InputSpan, slope: Array, first: Array, state: Array) -> list[Watch]:
        """The events that may end this part of the piece, in the modes of now."""
        n, plant, modes = self.plant.n, self.plant, Modes.of(self.modes.tolist())
        extra = _LastValue(lambda t, y: self._rates(piece, t, y, True)[1])
        watches = []
        for i in (k for k in range(n) if plant.can_stick[k]):
            if modes.slip[i] == 0:
                watches.append(Watch(_element(extra, n + i), _unchanged))
            elif state[n + i] != 0 or slope[n + i] != 0:
                watches.append(Watch(_room_to(n + i, -modes.slip[i], 0.0), self._rest(i)))
        moving = [np.abs(plant.joint_rates(x[n : 2 * n].tolist())) for x in (state, slope)]
        for i, side in plant.stop_sides:
            bound = float(self.setup.values["high" if side > 0 else "low"][i])
            if modes.held[i] == 0:
                if modes.near[i] == side and max(moving[0][i], moving[1][i]) < REST:
                    continue  # rotors that stick keep it there
                watches.append(Watch(_room_to(i, side, bound), self._arrive(i, bound)))
            elif modes.held[i] == side and first[i] != 0:
                watches.append(Watch(_element(extra, i, -side), _unchanged))
        for side, bounds in zip((-1.0, 1.0), self.setup.fence, strict=True):
            watches += [
                Watch(_room_to(i, side, bound), self._leave(i, side))
                for i, bound in enumerate(bounds.tolist())
                if np.isfinite(bound)
            ]
        return watches

    def _rest(self, i: int) -> Settle:
        """The event at which rotor i comes to rest."""

        def settle(y: Array, t: float) -> Array:
            n = self.plant.n
            for k in range(n):  # a joint that is held stops several rotors at once
                if k == i or (self.plant.can_stick[k] and abs(y[n + k]) < REST):
                    y[n + k], self.modes[k] = 0.0, 0.0
            return y

        return settle

    def _arrive(self, i: int, bound: float) -> Settle:
        """The event at which joint i arrives at its stop."""

        def settle(y: Array, t: float) -> Array:
            y[i] = bound
            return y

        return settle

    def _leave(self, i: int, side: float) -> Settle:
        """The event at which joint i leaves the fence, an error."""

        def settle(y: Array, t: float) -> Array:
            from .simulate import raise_if_outside

            beyond = y[: self.plant.n].copy()
            beyond[i] += side * 1e-12 * (1 + abs(beyond[i]))  # the event is at the fence itself
            raise_if_outside(self.setup, beyond, 0, t)
            return y

        return settle

    def _impacts(self, piece: InputSpan, state: Array) -> Array:
        """The state after inelastic impacts of all joints that moved into a stop."""
        n, plant = self.plant.n, self.plant
        low, high = self.setup.values["low"], self.setup.values["high"]
        near = np.where(state[:n] >= high, 1.0, np.where(state[:n] <= low, -1.0, 0.0))
        self.modes[3 * n :] = near
        speeds = np.array(plant.joint_rates(state[n : 2 * n].tolist()))
        if not plant.stops or not (speeds * near > 0).any():
            return state
        modes = Modes.of(self.modes.tolist())
        after, _ = self.steps.impact(piece.inputs.tolist(), state.tolist(), modes, 1.0)
        return np.array(after)

    def _record_between(self, piece: InputSpan, t: float, end: float, dense: Any) -> None:
        """Record the multiples of dt from t on, before the end."""
        dt, every = self.setup.dt, self.setup.every
        first, last = (int(np.ceil(x / (dt * every) - 1e-9)) for x in (t, end))
        if last <= first:
            return
        steps = np.arange(first, last, dtype=np.int64) * every
        states = dense(np.clip(steps * dt, t, end)).T
        n = self.plant.n
        parts = (steps * dt - piece.start) / (piece.end - piece.start)
        asked = np.broadcast_to(piece.asked[:n], (len(steps), n))
        if self.plant.ramp:
            asked = piece.asked[:n] + parts[:, None] * (piece.asked[n:] - piece.asked[:n])
        self._record(steps, states, piece, parts=parts, asked=asked)

    def _record(
        self, steps: NDArray[np.int64], states: Array, piece: InputSpan, *, parts: Any, asked: Array
    ) -> None:
        """Record some moments; the last one of all only if it is one of the every-th."""
        n, rows = self.plant.n, []
        if (steps % self.setup.every).any():
            return
        asked = np.broadcast_to(asked[..., -n:] if asked.ndim == 1 else asked, (len(steps), n))
        for part, y in zip(np.broadcast_to(parts, len(steps)), states, strict=True):
            t = piece.start + part * (piece.end - piece.start)
            slope, extra, _ = self._rates(piece, t, y, True)
            rows.append([*y, *slope[n : 2 * n], *(extra[:n] if self.plant.stops else ())])
        self.rows.moments.append(np.array(rows))
        self.rows.asked.append(np.array(asked))
        self.rows.steps.append(np.array(steps))


def pieces(
    setup: SimulationSetup, source: InputSource, ask: Callable[[float], Array]
) -> Iterator[InputSpan]:
    """Cut the simulation into pieces of one input; a controller is asked as each begins."""
    dt, total = setup.dt, setup.steps
    end = total * dt
    if source.controller is not None:
        edges = [*range(0, total, setup.period), total]
    elif source.schedule is None and source.constant and (
        setup.wrench is None or len(setup.wrench) == 1
    ):  # fmt: skip
        edges = [0, total]
    elif source.schedule is not None and (setup.wrench is None or len(setup.wrench) == 1):
        yield from _scheduled(setup, source, end)
        return
    else:
        edges = list(range(total + 1))
    for first, last in pairwise(edges):
        asked = ask(first * dt) if source.controller else source.at_steps(first, 1, dt)[0]
        inputs = setup.with_wrench(asked[None], first, 1)[0]
        yield InputSpan(first * dt, last * dt, asked, inputs)


def _scheduled(setup: SimulationSetup, source: InputSource, end: float) -> Iterator[InputSpan]:
    """Pieces between the times of a schedule, wherever they are."""
    schedule = source.schedule
    assert schedule is not None
    knots = [*(float(t) for t in schedule.t if t < end), end]
    for k, (start, stop) in enumerate(pairwise(knots)):
        asked = schedule.values[k]
        if schedule.linear:
            asked = np.concatenate([schedule.at(start), schedule.at(stop)])
        yield InputSpan(start, stop, asked, setup.with_wrench(asked[None], 0, 1)[0])
