"""The peers: Pinocchio, MuJoCo, robotics-toolbox and CasADi, and how each computes states."""

from __future__ import annotations

from importlib import import_module
from typing import Any, ClassVar

import numpy as np

from ..ground.arrays import Array
from ..kernels.kernel import kernel
from ..kernels.trace import quantity_trace
from ..robot.model import Robot
from .measure import TimedCase
from .models import mjcf, pinocchio_model, toolbox_robot
from .peer_base import Peer
from .states import States


class Pinocchio(Peer):
    """Pinocchio: compiled C++ for any model; its batches of C++ have no Python in them."""

    name, package = "Pinocchio", "pinocchio"
    calls: ClassVar = {
        "forward_dynamics": "pin.aba",
        "inverse_dynamics": "pin.rnea",
        "mass_matrix": "pin.crba",
    }
    batches: ClassVar = {
        "forward_dynamics": "pin.abaInParallel",
        "inverse_dynamics": "pin.rneaInParallel",
    }

    def __init__(self, robot: Robot):
        super().__init__(robot)
        self.pin = self.load()
        self.model = pinocchio_model(robot)
        self.data = self.model.createData()

    def call(self, quantity: str, states: States) -> TimedCase:
        """The case of `pin.aba`, `pin.rnea` or `pin.crba`."""
        function = getattr(self.pin, self.calls[quantity].removeprefix("pin."))

        def symmetric(value: Array) -> Array:  # the lower half is not promised
            return np.triu(value) + np.triu(value, 1).T

        finish = symmetric if quantity == "mass_matrix" else np.array
        data = {"model": self.model, "data": self.data}
        return self.function_case(quantity, states, function, finish, **data)

    def batch(self, quantity: str, states: States, count: int, threads: int) -> TimedCase:
        """The case of `abaInParallel`, `rneaInParallel`: (N, n) by rows is (n, N) by columns."""
        how = self.batches[quantity]
        function = getattr(self.pin, how.removeprefix("pin."))
        pool = self.pin.ModelPool(self.model, threads)
        given = {name: a.T for name, a in states.arguments(quantity, count).items()}
        out = np.empty_like(states.results[quantity][:count]).T
        names = {"f": function, "pool": pool, **given, "out": out}

        def results() -> Array:
            out.fill(np.nan)
            function(threads, pool, *given.values(), out)
            return out.T

        statement = f"f({threads}, pool, {', '.join(given)}, out)"
        return TimedCase(self.name, how, quantity, count, threads, statement, names, results)


class MuJoCo(Peer):
    """MuJoCo on an equivalent model; the state is in place before the clock starts."""

    name, package = "MuJoCo", "mujoco"
    calls: ClassVar = {
        "forward_dynamics": "mj_forward",
        "inverse_dynamics": "mj_inverse",
        "mass_matrix": "mj_fwdPosition, mj_fullM",
    }
    batches: ClassVar = {"forward_dynamics": "rollout, one step"}

    def __init__(self, robot: Robot):
        super().__init__(robot)
        self.mj = self.load()
        self.model = self.mj.MjModel.from_xml_string(mjcf(robot))
        self.data = self.mj.MjData(self.model)

    def _set(self, quantity: str, states: States, k: int) -> None:
        """Put state k into MuJoCo's data."""
        given = states.single(quantity, k)
        data = self.data
        data.qpos[:] = given["q"]
        data.qvel[:] = given.get("qd", 0.0)
        data.qfrc_applied[:] = given.get("u", 0.0)
        data.qacc[:] = given.get("qdd", 0.0)

    def call(self, quantity: str, states: States) -> TimedCase:
        """The case of `mj_forward`, `mj_inverse`, or the position stage and `mj_fullM`."""
        mj, model, data = self.mj, self.model, self.data
        full = np.zeros((self.robot.n, self.robot.n))
        statements = {
            "forward_dynamics": "mj.mj_forward(model, data)",
            "inverse_dynamics": "mj.mj_inverse(model, data)",
            "mass_matrix": "mj.mj_fwdPosition(model, data); mj.mj_fullM(model, data, full)",
        }
        values = {
            "forward_dynamics": data.qacc,
            "inverse_dynamics": data.qfrc_inverse,
            "mass_matrix": full,
        }
        names = {"mj": mj, "model": model, "data": data, "full": full}

        def compute(k: int) -> Any:
            self._set(quantity, states, k)
            exec(statements[quantity], names)
            return values[quantity]

        return self.call_case(quantity, states, statements[quantity], names, compute)

    def batch(self, quantity: str, states: States, count: int, threads: int) -> TimedCase:
        """The case of `mujoco.rollout`: one Euler step, of which q'' is the change of q'."""
        import_module("mujoco.rollout")
        mj, n = self.mj, self.robot.n
        given = states.arguments(quantity, count)
        start = np.concatenate([np.zeros((count, 1)), given["q"], given["qd"]], axis=1)
        control = given["u"][:, np.newaxis].copy()
        roll = mj.rollout.Rollout(nthread=threads if threads > 1 else 0)
        datas = [mj.MjData(self.model) for _ in range(threads)]
        out = np.empty((count, 1, 1 + 2 * n))
        spec = int(mj.mjtState.mjSTATE_QFRC_APPLIED)
        options = {"control_spec": spec, "nstep": 1, "state": out}
        names = {"roll": roll, "model": self.model, "datas": datas, "start": start}
        names |= {"control": control, "options": options}

        def results() -> Array:
            roll.rollout(self.model, datas, start, control, **options)
            return (out[:, 0, 1 + n :] - given["qd"]) / float(self.model.opt.timestep)

        statement = "roll.rollout(model, datas, start, control, **options)"
        how = self.batches[quantity]
        return TimedCase(self.name, how, quantity, count, threads, statement, names, results)


class Toolbox(Peer):
    """robotics-toolbox-python: its `DHRobot`, whose Newton-Euler is compiled C."""

    name, package = "robotics-toolbox", "roboticstoolbox"
    calls: ClassVar = {
        "forward_dynamics": "DHRobot.accel",
        "inverse_dynamics": "DHRobot.rne",
        "mass_matrix": "DHRobot.inertia",
    }
    batches: ClassVar = {"inverse_dynamics": "DHRobot.rne, (N, n)"}
    parallel = False

    def __init__(self, robot: Robot):
        super().__init__(robot)
        self.load()
        self.arm = toolbox_robot(robot)

    def call(self, quantity: str, states: States) -> TimedCase:
        """The case of `accel`, `rne` or `inertia`."""
        function = getattr(self.arm, self.calls[quantity].removeprefix("DHRobot."))
        return self.function_case(quantity, states, function)

    def batch(self, quantity: str, states: States, count: int, threads: int) -> TimedCase:
        """The case of `rne` of a whole trajectory, which loops in C."""
        given = states.arguments(quantity, count)

        def results() -> Array:
            return np.asarray(self.arm.rne(*given.values())).reshape(count, -1)

        names = {"f": self.arm.rne, **given}
        statement = f"f({', '.join(given)})"
        how = self.batches[quantity]
        return TimedCase(self.name, how, quantity, count, threads, statement, names, results)


class CasADi(Peer):
    """CasADi's virtual machine on the very equations that ERFD compiles."""

    name, package = "CasADi", "casadi"
    calls: ClassVar = dict.fromkeys(
        ("forward_dynamics", "inverse_dynamics", "mass_matrix"), "Function, called"
    )
    batches: ClassVar = dict.fromkeys(calls, "Function.map, buffers")
    parallel = False

    def __init__(self, robot: Robot):
        super().__init__(robot)
        self.load()

    def function(self, quantity: str) -> Any:
        """The equations with sines and cosines of q, by the method that ERFD takes."""
        ca: Any = self.load()
        compiled = kernel(self.robot, quantity)
        method = compiled.header["method"] if compiled else "auto"
        trace = quantity_trace(self.robot, quantity, method)
        q, qd, x = (ca.SX.sym(name, self.robot.n) for name in ("q", "qd", "x"))
        zero = ca.SX.zeros
        out = trace(ca.cos(q), ca.sin(q), q, qd, x, zero(self.robot.n), zero(6))
        given = [q] if quantity == "mass_matrix" else [q, qd, x]
        return ca.Function(quantity, given, [out])

    def _shaped(self, quantity: str, values: Any) -> Array:
        """Results as arrays (N, n) or (N, n, n)."""
        shape = (self.robot.n,) * (2 if quantity == "mass_matrix" else 1)
        return np.asarray(values, dtype=np.float64).reshape(-1, *shape)

    def call(self, quantity: str, states: States) -> TimedCase:
        """The case of a function called with NumPy arrays."""
        function = self.function(quantity)
        return self.function_case(
            quantity, states, function, lambda value: self._shaped(quantity, value)[0]
        )

    def batch(self, quantity: str, states: States, count: int, threads: int) -> TimedCase:
        """The case of a function mapped over the states, on our memory, without copies."""
        mapped = self.function(quantity).map(count)
        buffer, run = mapped.buffer()
        out = np.empty(states.results[quantity][:count].shape)
        given = states.arguments(quantity, count)
        for k, array in enumerate(given.values()):
            buffer.set_arg(k, array.data)
        buffer.set_res(0, out.data)

        def results() -> Array:
            out.fill(np.nan)
            run()
            return self._shaped(quantity, out)

        names = {"run": run, "keep": (mapped, buffer, given, out)}
        how = self.batches[quantity]
        return TimedCase(self.name, how, quantity, count, threads, "run()", names, results)


PEERS: tuple[type[Peer], ...] = (Pinocchio, MuJoCo, Toolbox, CasADi)
