"""Generated code: it compiles without a warning, proves itself, and agrees with the library."""

import ast
import ctypes
import re
import shutil
import subprocess
from dataclasses import dataclass, replace
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import erfd
from erfd.codegen import references, source
from erfd.codegen.generate import generate
from erfd.codegen.source import read_casadi
from erfd.errors import InputError, MethodError, SingularError
from erfd.kernels.quantities import QUANTITIES
from erfd.robot.synthetic import general_robot
from support.arms import random_robot, random_state, relative
from support.paths import DOCS

PAGE = (DOCS / "codegen.md").read_text()
CC = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
STRICT = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O2"]
needs_cc = pytest.mark.skipif(CC is None, reason="no C compiler (cc, gcc or clang) on the path")

ROBOTS = {
    "lola15": erfd.load("lola15"),
    "stanford": erfd.load("stanford"),
    "two_link": erfd.load("two_link"),
    "random": random_robot(11, "RPRPR"),
}
CASES = [
    ("lola15", "forward_dynamics", "auto", False),
    ("lola15", "forward_dynamics", "mrnea", True),
    ("lola15", "inverse_dynamics", "auto", False),
    ("stanford", "forward_dynamics", "aba", False),
    ("stanford", "mass_matrix", "auto", False),
    ("stanford", "joint_reactions", "auto", True),
    ("two_link", "forward_dynamics", "auto", False),
    ("two_link", "bias", "auto", True),
    ("two_link", "jacobian", "auto", False),
    ("two_link", "coriolis_matrix", "auto", False),
    ("random", "forward_dynamics", "auto", True),
    ("random", "link_frames", "auto", False),
    ("random", "forward_kinematics", "auto", False),
    ("random", "energy", "auto", False),
]


@dataclass
class Built:
    """One generated quantity, compiled to an object file."""

    robot: erfd.Robot
    quantity: str
    method: str
    wrench: bool
    folder: Path
    name: str

    @property
    def object(self) -> Path:
        return self.folder / f"{self.name}.o"

    def states(self, seed: int, *batch: int) -> list[np.ndarray]:
        """Random arguments in the order of the generated function."""
        q, qd, qdd, load = random_state(seed, self.robot.n, *batch)
        if self.quantity == "forward_dynamics":
            qdd = erfd.inverse_dynamics(
                self.robot, q, qd, qdd, wrench=load if self.wrench else None
            )
        rates = {"qd": qd, "x": qdd}
        rest = [rates[key] for key in QUANTITIES[self.quantity].arguments]
        return [q, *rest, load] if self.wrench else [q, *rest]

    def public(self, arguments: list[np.ndarray]) -> tuple[np.ndarray, ...]:
        """What the library says, by NumPy."""
        with erfd.backend("numpy"):
            if self.quantity == "energy":
                q, qd = arguments
                return erfd.kinetic_energy(self.robot, q, qd), erfd.potential_energy(self.robot, q)
            options: dict[str, Any] = {} if self.method == "auto" else {"method": self.method}
            if self.wrench:
                *arguments, options["wrench"] = arguments
            found = getattr(erfd, self.quantity)(self.robot, *arguments, **options)
        return several(found)


def compile_with(*arguments: object) -> None:
    done = subprocess.run([*map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


def run(program: Path) -> tuple[int, str]:
    done = subprocess.run([program], capture_output=True, text=True, timeout=10)
    return done.returncode, done.stdout


@pytest.fixture(scope="module", params=CASES, ids=lambda case: "-".join(map(str, case)))
def built(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Built:
    if CC is None:
        pytest.skip("no C compiler (cc, gcc or clang) on the path")
    key, quantity, method, wrench = request.param
    folder = tmp_path_factory.mktemp("code") / "new" / "folder"
    paths = generate(ROBOTS[key], quantity, method=method, wrench=wrench, out=folder)
    name = paths[0].stem
    assert sorted(paths) == sorted(folder.iterdir())
    made = Built(ROBOTS[key], quantity, method, wrench, folder, name)
    compile_with(CC, *STRICT, "-fPIC", "-c", folder / f"{name}.c", "-o", made.object)
    return made


def test_names(built: Built) -> None:
    assert built.name == f"{built.robot.name}_{built.quantity}"
    found = {path.name for path in built.folder.iterdir() if path.suffix in (".c", ".h", ".py")}
    assert found == {f"{built.name}{end}" for end in (".c", ".h", "_test.c", ".py")}


def test_self_test_passes(built: Built) -> None:
    program = built.folder / "program"
    compile_with(
        CC, *STRICT, built.object, built.folder / f"{built.name}_test.c", "-lm", "-o", program
    )
    code, said = run(program)
    assert code == 0, said
    pattern = rf"{built.name}: 10 states, largest relative error \d\.\de[-+]\d+\n"
    assert re.fullmatch(pattern, said)


def test_object_has_one_function_and_no_data(built: Built) -> None:
    nm = shutil.which("nm")
    if nm is None:
        pytest.skip("no nm (binutils) on the path")
    listed = subprocess.run([nm, built.object], capture_output=True, text=True, check=True).stdout
    rows = [line.split()[-2:] for line in listed.splitlines()]
    assert [name.lstrip("_") for kind, name in rows if kind == "T"] == [built.name]
    needed = {name.strip("_") for kind, name in rows if kind == "U"}
    assert needed <= {"sin", "cos", "sincos", "sincos_stret", "GLOBAL_OFFSET_TABLE"}
    assert {kind for kind, _ in rows} <= {"T", "U", "r"}  # r: constants of the compiler


def test_c_agrees_with_the_library(built: Built) -> None:
    """100 states through ctypes; the largest value of a result is the measure of its errors."""
    library = built.folder / "library.so"
    compile_with(CC, "-shared", built.object, "-lm", "-o", library)
    function = ctypes.CDLL(str(library))[built.name]
    function.restype = None
    double = ctypes.POINTER(ctypes.c_double)
    states = built.states(5, 100)
    wanted = built.public(states)
    found = [np.full(w.shape, np.nan) for w in wanted]
    for k in range(100):
        rows = [np.ascontiguousarray(a[k]) for a in states]
        results = [np.full(w.shape[1:] or (1,), np.nan) for w in wanted]
        function(*(a.ctypes.data_as(double) for a in (*rows, *results)))
        for into, result in zip(found, results, strict=True):
            into[k] = result if into.ndim > 1 else result[0]
    for f, w in zip(found, wanted, strict=True):
        assert relative(f.reshape(1, -1), w.reshape(1, -1)) < 1e-12
    if built.quantity == "forward_dynamics":  # qdd in the place of u
        place = states[2][7].copy()
        rows = [states[0][7], states[1][7], place, *(a[7] for a in states[3:]), place]
        function(*(a.ctypes.data_as(double) for a in rows))
        assert (place == found[0][7]).all()


def several(found: Any) -> tuple[Any, ...]:
    return found if isinstance(found, tuple) else (found,)


def module(path: Path) -> Any:
    spec = spec_from_file_location(path.stem, path)
    loaded = module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def test_python_agrees_with_the_library(built: Built) -> None:
    function = getattr(module(built.folder / f"{built.name}.py"), built.name)
    for batch in ((), (7,), (3, 4)):
        states = built.states(6, *batch)
        for f, w in zip(several(function(*states)), built.public(states), strict=True):
            assert f.shape == w.shape
            assert relative(f.reshape(1, -1), w.reshape(1, -1)) < 1e-12
    first, *rest = built.states(8, 4)
    mixed = [first[:, None], *(a[None] for a in rest)]
    for f, w in zip(several(function(*mixed)), built.public(mixed), strict=True):
        assert f.shape[:2] == (4, 4 if rest else 1)
        wide = np.broadcast_to(w, f.shape)  # potential energy does not look at qd
        assert relative(f.reshape(1, -1), wide.reshape(1, -1)) < 1e-12
    with pytest.raises(ValueError, match=r"q: expected shape \(\.\.\., \d\), found \(1,\)"):
        function([0.0], *rest)


def test_python_imports_only_numpy(built: Built) -> None:
    tree = ast.parse((built.folder / f"{built.name}.py").read_text())
    imports = [ast.unparse(x) for x in ast.walk(tree) if isinstance(x, ast.Import | ast.ImportFrom)]
    assert imports == ["import numpy as np"]
    names = {x.id for x in ast.walk(tree) if isinstance(x, ast.Name)}
    assert not names & {"open", "exec", "eval", "globals", "print"}
    assert ast.get_docstring(tree)
    (function,) = (x for x in tree.body if isinstance(x, ast.FunctionDef))
    assert ast.get_docstring(function)


@needs_cc
def test_header_serves_cpp(tmp_path: Path) -> None:
    cpp = shutil.which("g++") or shutil.which("clang++")
    if cpp is None:
        pytest.skip("no C++ compiler (g++ or clang++) on the path")
    code, header, *_ = generate(ROBOTS["two_link"], "energy", out=tmp_path)
    compile_with(CC, *STRICT, "-c", code, "-o", tmp_path / "code.o")
    include = f'#include "{header.name}"\n' * 2
    call = "double q[2] = {0, 0}, kinetic, potential; two_link_energy(q, q, &kinetic, &potential);"
    main = tmp_path / "main.cpp"
    main.write_text(f"{include}int main() {{ {call} return kinetic != 0.0; }}\n")
    flags = ["-Wall", "-Wextra", "-Werror", "-pedantic"]
    compile_with(cpp, *flags, main, tmp_path / "code.o", "-lm", "-o", tmp_path / "main")
    assert run(tmp_path / "main")[0] == 0


def test_header_documents(built: Built) -> None:
    text = (built.folder / f"{built.name}.h").read_text()
    comment = text.partition("*/")[0]
    assert f"{built.quantity} of robot {built.robot.name}" in comment
    assert f"erfd {erfd.__version__}" in comment
    assert re.search(r"\d+ multiplications, \d+ additions, \d+ sines and cosines", comment)
    given = re.findall(r"(?:const )?double (\w+)\[", text)
    assert re.findall(r"^ \*   (\w+) \(", comment, re.M) == given
    if built.robot.name == "stanford":
        assert "q (6): joint positions, rad (m at joint 3)" in comment
    if built.method != "auto":
        assert f"by method {built.method}" in comment


@needs_cc
@pytest.mark.parametrize("wrong", ["1.5", "(0.0 / 0.0)"])
def test_wrong_reference_fails(tmp_path: Path, wrong: str) -> None:
    """A number that differs, and one that is none."""
    generate(ROBOTS["two_link"], "bias", out=tmp_path, name="arm")
    path = tmp_path / "arm_test.c"
    text, count = re.subn(
        r"(want_u\[10\]\[2\] = \{\s*\{)[^,]+,", rf"\g<1>{wrong},", path.read_text()
    )
    assert count == 1
    path.write_text(text)
    program = tmp_path / "program"
    compile_with(CC, "-std=c99", tmp_path / "arm.c", path, "-lm", "-o", program)
    code, said = run(program)
    assert code == 1
    assert "arm: failed, expected up to 1.0e-12\n" in said


@needs_cc
def test_strange_robot_names(tmp_path: Path) -> None:
    """A name that would end the comment, the docstring or the line."""
    robot = replace(ROBOTS["two_link"], name='7 axes */ /* """ \\ ??/ ü')
    paths = generate(robot, "mass_matrix", out=tmp_path)
    assert paths[0].stem == "robot_7_axes_mass_matrix"
    program = tmp_path / "program"
    compile_with(CC, *STRICT, paths[0], paths[2], "-lm", "-o", program)
    assert run(program)[0] == 0
    assert module(paths[3]).robot_7_axes_mass_matrix([0.0, 0.0]).shape == (2, 2)


@needs_cc
def test_unused_arguments(tmp_path: Path) -> None:
    """One sliding joint: H does not depend on q."""
    robot = random_robot(4, "P")
    for quantity in ("mass_matrix", "jacobian", "bias"):
        paths = generate(robot, quantity, out=tmp_path)
        compile_with(CC, *STRICT, paths[0], paths[2], "-lm", "-o", tmp_path / "program")
        assert run(tmp_path / "program")[0] == 0


def test_same_again(tmp_path: Path) -> None:
    """Another run, over the first, whichever backend is on: the same bytes."""
    paths = generate(ROBOTS["two_link"], out=tmp_path)
    before = [path.read_bytes() for path in paths]
    with erfd.backend("numpy"):
        again = generate(ROBOTS["two_link"], out=str(tmp_path))
    assert again == paths
    assert [path.read_bytes() for path in paths] == before


@pytest.mark.parametrize(
    ("quantity", "options", "kind", "sentence"),
    [
        ("momentum", {}, MethodError, "quantity: expected one of inverse_dynamics, .*'momentum'"),
        ("bias", {"method": "mrneo"}, MethodError, "method: expected one of .* mean 'mrnea'"),
        ("bias", {"method": "wo4"}, MethodError, "method 'wo4' does not define bias; these do"),
        ("energy", {"method": "fast"}, MethodError, "method: energy has one definition, 'auto'"),
        ("jacobian", {"wrench": True}, InputError, "wrench: jacobian does not depend on it"),
        ("bias", {"name": "2fast"}, InputError, "name: expected a C identifier .* '2fast'"),
        ("bias", {"name": "a-b"}, InputError, "such as 'two_link_bias', found 'a-b'"),
        ("bias", {"name": ""}, InputError, "name: expected a C identifier"),
        ("bias", {"name": "x" * 64}, InputError, "name: expected a C identifier of up to 63"),
        ("bias", {"name": "double"}, InputError, "name: 'double' has a meaning in C"),
        ("bias", {"name": "sin"}, InputError, "name: 'sin' has a meaning in C"),
        ("bias", {"name": "numpy"}, InputError, "name: 'numpy' has a meaning in C"),
        ("bias", {"name": "fmax"}, InputError, "name: 'fmax' has a meaning in C"),
        ("bias", {"name": "cosl"}, InputError, "name: 'cosl' has a meaning in C"),
        ("bias", {"name": "puts"}, InputError, "name: 'puts' has a meaning in C"),
        ("bias", {"name": "NULL"}, InputError, "name: 'NULL' has a meaning in C"),
        ("bias", {"name": "in_q"}, InputError, "name: 'in_q' has a meaning in C"),
        ("bias", {"name": "want_u"}, InputError, "name: 'want_u' has a meaning in C"),
    ],
)
def test_mistakes(
    tmp_path: Path, quantity: str, options: dict[str, Any], kind: type, sentence: str
) -> None:
    with pytest.raises(kind, match=sentence):
        generate(ROBOTS["two_link"], quantity, out=tmp_path / "out", **options)
    assert list(tmp_path.iterdir()) == []


def test_robots_that_cannot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Singular, too long, no robot at all, not accurate enough: nothing is left behind."""
    robot = ROBOTS["two_link"]
    loose = replace(robot, links=(robot.links[0], erfd.Link("none", 0.0)))
    with pytest.raises(SingularError, match="'two_link': H is singular"):
        generate(loose, out=tmp_path / "out")
    with pytest.raises(InputError, match=r"robot: expected an erfd\.Robot"):
        generate(("two_link",), out=tmp_path / "out")  # type: ignore[arg-type]
    with monkeypatch.context() as patch:
        patch.setattr(source, "MOST_INSTRUCTIONS", 10)
        with pytest.raises(InputError, match="instructions, expected up to 10: choose another"):
            generate(robot, out=tmp_path / "out")
    with pytest.raises(InputError, match="13 joints, expected up to 12 by method lagrange: choose"):
        generate(general_robot(13), method="lagrange", out=tmp_path / "out")
    with monkeypatch.context() as patch:
        patch.setattr(references, "TOLERANCE", 0.0)
        with pytest.raises(MethodError, match=r"errs by .* choose another method"):
            generate(ROBOTS["lola15"], out=tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    taken = tmp_path / "file"
    taken.write_text("mine")
    with pytest.raises(InputError, match="file: cannot be made a folder"):
        generate(ROBOTS["two_link"], out=taken)
    assert taken.read_text() == "mine"
    (tmp_path / "out" / "two_link_bias_test.c").mkdir(parents=True)
    with pytest.raises(InputError, match=r"two_link_bias_test\.c: cannot be written"):
        generate(ROBOTS["two_link"], "bias", out=tmp_path / "out")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["two_link_bias_test.c"]


def test_unknown_statements_are_refused() -> None:
    """Should another CasADi write something else, it is not guessed at."""
    frame = (
        "static int casadi_f0(const casadi_real** arg) {\n  casadi_real a0;\n  %s\n  return 0;\n}"
    )
    assert len(read_casadi(frame % "a0=(a0+a0);")) == 1
    with pytest.raises(AssertionError, match=r"unknown form: a0=tan\(a0\);"):
        read_casadi(frame % "a0=tan(a0);")
    with pytest.raises(AssertionError, match="no function"):
        read_casadi("int main(void) { return 0; }")


def test_page(tmp_path: Path) -> None:
    """docs/codegen.md: argument order of every quantity, and the numbers of Lola 15."""
    for quantity in QUANTITIES:
        wrench = QUANTITIES[quantity].takes_wrench
        generate(ROBOTS["lola15"], quantity, wrench=wrench, out=tmp_path)
        text = (tmp_path / f"lola15_{quantity}.h").read_text()
        _, _, prototype = text.partition("\nvoid ")
        ins = re.findall(r"const double (\w+)", prototype)
        outs = re.findall(r"(?<!const )double (\w+)", prototype)
        shown = ", ".join(f"[{name}]" if name == "wrench" else name for name in ins)
        assert f"| `{quantity}` | `{shown}` | `{', '.join(outs)}`" in PAGE
    generate(ROBOTS["lola15"], out=tmp_path)
    text = (tmp_path / "lola15_forward_dynamics.h").read_text()
    assert re.search(r"\d+ multiplications, \d+ additions, \d+ sines and cosines", text)[0] in PAGE
