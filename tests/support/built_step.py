"""Generated cycles of Algorithm 1, compiled and called: what their tests share."""

import ctypes
import re
import shutil
import subprocess
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import erfd
from erfd.codegen.cycle.generate import generate_step

CC = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
STRICT = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O1"]
needs_cc = pytest.mark.skipif(CC is None, reason="no C compiler (cc, gcc or clang) on the path")
DT = 0.01
LOADED = {"wrench": True, "payload": True}

LOLA = erfd.load("lola15")


def curved() -> erfd.Robot:
    """Lola 15 with torque-speed curves, and a rotor that turns with a later joint, too."""
    drives = [
        replace(d, curve=((0.0, 1.2 * d.torque_max), (0.4 * d.speed_max, 0.5 * d.torque_max)))
        for d in LOLA.drives
    ]
    drives[3] = replace(drives[3], coupling=(0.0, 0.0, 0.0, 0.0, 9.0, 0.0))
    return replace(LOLA, name="curved", drives=tuple(drives))


def unlimited() -> erfd.Robot:
    """Stanford's arm (a sliding joint) without any limit but those of three torques."""
    robot = erfd.load("stanford")
    ends = {"position_min": -np.inf, "position_max": np.inf, "velocity_max": np.inf}
    joints = tuple(replace(joint, **ends, acceleration_max=np.inf) for joint in robot.joints)
    drives = [replace(d, coulomb=0.1, load_friction=0.2) for d in robot.drives]
    drives[1:4] = [replace(d, torque_max=np.inf) for d in drives[1:4]]
    return replace(robot, name="unlimited", joints=joints, drives=tuple(drives))


ROBOTS = {
    "lola15": LOLA,
    "sdt4": erfd.load("sdt4"),
    "two_link": erfd.load("two_link"),
    "curved": curved(),
    "unlimited": unlimited(),
}
CASES: list[tuple[str, dict[str, Any]]] = [
    ("lola15", {}),
    ("lola15", {"follow": "position", **LOADED}),
    ("lola15", {"policy": "printed", **LOADED}),
    ("lola15", {"torque_path": "diagonal", "wrench": True}),
    ("sdt4", {"payload": True}),
    ("two_link", {"policy": "printed", "follow": "position"}),
    ("curved", LOADED),
    ("unlimited", {"follow": "position", "payload": True}),
]


def compile_with(*arguments: object) -> None:
    done = subprocess.run([*map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


def run(program: Path) -> tuple[int, str]:
    done = subprocess.run([program], capture_output=True, text=True, timeout=10)
    return done.returncode, done.stdout


@dataclass
class Built:
    """One generated cycle, compiled and loaded; its structs are read from the header."""

    robot: erfd.Robot
    options: dict[str, Any]
    folder: Path
    name: str

    @property
    def header(self) -> str:
        return (self.folder / f"{self.name}.h").read_text()

    @property
    def object(self) -> Path:
        return self.folder / f"{self.name}.o"

    @property
    def prefix(self) -> str:
        return self.name.removesuffix("_achievable_step")

    @cached_property
    def library(self) -> ctypes.CDLL:
        path = self.folder / f"{self.name}.so"
        compile_with(CC, "-shared", self.object, "-lm", "-o", path)
        return ctypes.CDLL(str(path))

    @cached_property
    def structs(self) -> dict[str, type[ctypes.Structure]]:
        found = {}
        for body, name in re.findall(r"typedef struct \{\n(.*?)\} (\w+);", self.header, re.S):
            members = re.findall(r"^  (double|int) (\w+)(?:\[(\d+)\])?;", body, re.M)
            kinds = {"double": ctypes.c_double, "int": ctypes.c_int}
            fields = [(m, kinds[k] * int(size) if size else kinds[k]) for k, m, size in members]
            found[name.removeprefix(f"{self.prefix}_")] = type(
                name, (ctypes.Structure,), {"_fields_": fields}
            )
        return found

    def parameters(self) -> Any:
        made = self.structs["parameters"]()
        self.library[f"{self.prefix}_parameters_init"](ctypes.byref(made))
        return made

    def state(self, q: np.ndarray, qd: np.ndarray) -> Any:
        made = self.structs["state"]()
        made.q[:], made.qd[:] = q.tolist(), qd.tolist()
        made.qd_given[:] = qd.tolist()
        return made

    def step(self, state: Any, *vectors: Any, parameters: Any, cycle: Any = None) -> Any:
        """(returned, cycle) of one call; `vectors` in the order of the prototype."""
        cycle = self.structs["cycle"]() if cycle is None else cycle
        rows = [(ctypes.c_double * len(v))(*v) for v in vectors]
        last = (ctypes.byref(parameters), ctypes.byref(cycle))
        return self.library[self.name](ctypes.byref(state), *rows, *last), cycle


def built_of(key: str, options: dict[str, Any], folder: Path) -> Built:
    paths = generate_step(ROBOTS[key], DT, out=folder, **options)
    assert sorted(paths) == sorted(folder.iterdir())
    made = Built(ROBOTS[key], options, folder, paths[0].stem)
    compile_with(CC, *STRICT, "-fPIC", "-c", paths[0], "-o", made.object)
    return made


def refused(built: Built, code: int, state: Any, given: list[list[float]], parameters: Any) -> None:
    """The call returns `code` and leaves state and cycle as they were, to the last bit."""
    cycle = built.structs["cycle"]()
    cycle.q[0], cycle.side[0] = 7.0, 5
    before = bytes(state), bytes(cycle), bytes(parameters)
    assert built.step(state, *given, parameters=parameters, cycle=cycle)[0] == code
    assert (bytes(state), bytes(cycle), bytes(parameters)) == before
