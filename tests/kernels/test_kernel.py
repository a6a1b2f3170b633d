"""Compiled kernels: equal to the NumPy path, whatever the batch, the strides and the threads."""

import pickle

import numpy as np
import pytest

import erfd
from erfd.dynamics import methods
from erfd.errors import InputError, SingularError
from erfd.kernels import kernel as kernels
from erfd.kernels import trace
from erfd.kernels.compiler import compile_object, host, llvm, load_object
from erfd.kernels.kernel import kernel
from erfd.kernels.llvm.instructions import instructions_of
from erfd.kernels.llvm.kernel_text import kernel_text
from erfd.kernels.quantities import QUANTITIES
from erfd.kernels.thread_team import LOOP_DATA
from erfd.kernels.trace import MOST_JOINTS, MOST_JOINTS_OF, quantity_trace
from erfd.kernels.ufunc import make_ufunc
from erfd.robot.synthetic import general_robot
from support.arms import BUNDLED, random_robot, random_state, reference, relative

pytestmark = pytest.mark.usefixtures("compiled")
LOLA = erfd.load("lola15")
# fused sums round once where the NumPy path rounds twice: 1e-12 of the largest value is far more
CLOSE = 1e-12

CALLS = {
    "inverse_dynamics": lambda r, q, qd, x, k: erfd.inverse_dynamics(r, q, qd, x, wrench=k),
    "bias": lambda r, q, qd, x, k: erfd.bias(r, q, qd, wrench=k),
    "mass_matrix": lambda r, q, qd, x, k: erfd.mass_matrix(r, q),
    # beside H: of one joint C is nothing but the roundings of what cancels
    "coriolis_matrix": lambda r, q, qd, x, k: (
        erfd.coriolis_matrix(r, q, qd) + erfd.mass_matrix(r, q)
    ),
    "external_torque": lambda r, q, qd, x, k: erfd.external_torque(r, q, k),
    "joint_reactions": lambda r, q, qd, x, k: erfd.joint_reactions(r, q, qd, x, wrench=k),
    "link_frames": lambda r, q, qd, x, k: erfd.link_frames(r, q),
    "forward_kinematics": lambda r, q, qd, x, k: erfd.forward_kinematics(r, q),
    "jacobian": lambda r, q, qd, x, k: erfd.jacobian(r, q),
    "energy": lambda r, q, qd, x, k: (
        erfd.kinetic_energy(r, q, qd),
        erfd.potential_energy(r, q),
    ),
}


def flat(result) -> np.ndarray:
    parts = result if isinstance(result, tuple) else (result,)
    return np.concatenate([np.ravel(part) for part in parts])


def check_robot(robot: erfd.Robot, count: int) -> None:
    """Every quantity of a robot, compiled against NumPy."""
    assert set(CALLS) | {"forward_dynamics"} == {*QUANTITIES, "external_torque"}
    q, qd, x, k = random_state(5, robot.n, count)
    for quantity, call in CALLS.items():
        found = flat(call(robot, q, qd, x, k))
        with erfd.backend("numpy"):
            wanted = flat(call(robot, q, qd, x, k))
        assert relative(found, wanted) < CLOSE, quantity
    found = erfd.forward_dynamics(robot, q, qd, x, wrench=k)
    with erfd.backend("numpy"):
        wanted = erfd.forward_dynamics(robot, q, qd, x, wrench=k)
    h = erfd.mass_matrix(robot, q)
    slack = 1e-15 * np.linalg.cond(h).max()  # rounding, magnified by H^-1
    assert relative(found, wanted) < max(CLOSE, slack)


@pytest.mark.parametrize("name", BUNDLED)
def test_bundled_robots(name: str) -> None:
    check_robot(erfd.load(name), 21)


@pytest.mark.parametrize("kinds", ["R", "P", "RP", "PPR", "RRPR", "RPRPR", "RRRRRR", "RRRRRRR"])
def test_random_robots(kinds: str) -> None:
    check_robot(random_robot(len(kinds), kinds), 13)


@pytest.mark.parametrize("method", methods.methods_for("forward_dynamics"))
def test_every_method_compiles(method: str) -> None:
    known = reference()
    found = erfd.forward_dynamics(LOLA, known["q"], known["qd"], known["u"], method=method)
    assert relative(found, known["qdd"]) < 1e-9


def test_every_batch_size_gives_the_same_bits() -> None:
    """Tails of every length, one state, blocks: a state's result never depends on its company."""
    q, qd, u, _ = random_state(1, 6, 70)
    ufunc = kernel(LOLA, "forward_dynamics").ufunc
    whole = ufunc(q, qd, u)
    for count in range(1, 71):
        assert np.array_equal(ufunc(q[:count], qd[:count], u[:count]), whole[:count])
    for k in range(70):
        assert np.array_equal(erfd.forward_dynamics(LOLA, q[k], qd[k], u[k]), whole[k])
    angles = q.copy()
    angles[13, 2] = 3e5  # its block is computed lane by lane, with the C library's sine
    mixed = ufunc(angles, qd, u)
    others = np.arange(70) != 13
    assert np.array_equal(mixed[others], whole[others])
    assert np.array_equal(mixed[13], ufunc(angles[13], qd[13], u[13]))


def test_threads_give_the_same_bits() -> None:
    q, qd, u, _ = random_state(2, 6, 50_000)
    whole = kernel(LOLA, "forward_dynamics").ufunc(q, qd, u)
    try:
        for count in (1, 2, 3, 7, None):
            erfd.set_threads(count)
            assert np.array_equal(erfd.forward_dynamics(LOLA, q, qd, u), whole)
            out = np.empty_like(q)
            assert erfd.forward_dynamics(LOLA, q, qd, u, out=out) is out
            assert np.array_equal(out, whole)
            h = erfd.mass_matrix(LOLA, q)
            assert h.shape == (50_000, 6, 6)
            forces, moments = erfd.joint_reactions(LOLA, q, qd, u)
            assert forces.shape == moments.shape == (50_000, 6, 3)
        with pytest.raises(InputError, match="threads: expected a whole number >= 1 or None"):
            erfd.set_threads(0)
    finally:
        erfd.set_threads(None)


def test_strides_dtypes_broadcasting_and_empty_batches() -> None:
    q, qd, u, _ = random_state(3, 6, 9)
    whole = erfd.forward_dynamics(LOLA, q, qd, u)
    wide = np.zeros((9, 12))
    wide[:, ::2] = q
    assert np.array_equal(erfd.forward_dynamics(LOLA, wide[:, ::2], qd, u), whole)
    assert np.array_equal(erfd.forward_dynamics(LOLA, np.asfortranarray(q), qd, u), whole)
    assert np.array_equal(erfd.forward_dynamics(LOLA, q[::-1], qd[::-1], u[::-1]), whole[::-1])
    backwards = np.ascontiguousarray(q[:, ::-1])[:, ::-1]
    assert np.array_equal(erfd.forward_dynamics(LOLA, backwards, qd, u), whole)
    out = np.zeros((6, 9)).T  # a transposed result
    erfd.forward_dynamics(LOLA, q, qd, u, out=out)
    assert np.array_equal(out, whole)
    assert np.array_equal(erfd.forward_dynamics(LOLA, q.tolist(), qd, u), whole)
    small = q.astype(np.float32)
    assert np.array_equal(
        erfd.forward_dynamics(LOLA, small, qd, u),
        erfd.forward_dynamics(LOLA, small.astype(float), qd, u),
    )
    assert np.array_equal(erfd.forward_dynamics(LOLA, q.astype(object), qd, u), whole)
    assert np.array_equal(erfd.forward_dynamics(LOLA, q.astype(np.longdouble), qd, u), whole)
    assert erfd.forward_dynamics(LOLA, q[:, None], qd[None], u[0]).shape == (9, 9, 6)
    one = erfd.forward_dynamics(LOLA, q[4], qd[7], u[0])
    assert np.array_equal(erfd.forward_dynamics(LOLA, q[:, None], qd[None], u[0])[4, 7], one)
    none = np.zeros((0, 6))
    assert erfd.forward_dynamics(LOLA, none, none, none).shape == (0, 6)
    assert erfd.mass_matrix(LOLA, np.zeros((3, 0, 6))).shape == (3, 0, 6, 6)
    h = np.zeros((6, 6, 9)).transpose(2, 1, 0)  # both core axes strided
    erfd.mass_matrix(LOLA, q, out=h)
    assert np.array_equal(h, erfd.mass_matrix(LOLA, q))


def test_in_place() -> None:
    """The result may go where an argument is."""
    q, qd, u, _ = random_state(4, 6, 11)
    whole = erfd.forward_dynamics(LOLA, q, qd, u)
    assert erfd.forward_dynamics(LOLA, q, qd, u, out=u) is u
    assert np.array_equal(u, whole)


@pytest.mark.parametrize("place", range(3))
def test_an_argument_that_the_result_took_the_place_of(place: int) -> None:
    """What overflows is not blamed on an argument that nobody can look at any more."""
    arguments = [np.zeros((4, 6)), np.zeros((4, 6)), np.full((4, 6), 1e308)]
    name = ("q", "qd", "qdd")[place]
    with pytest.raises(InputError, match=f"^{name}: it, or the result that out put in its place"):
        erfd.inverse_dynamics(LOLA, *arguments, out=arguments[place])
    arguments = [np.zeros((4, 6)) for _ in range(3)]
    arguments[place - 1][2, 3] = np.nan
    other = ("q", "qd", "qdd")[place - 1]
    with pytest.raises(InputError, match=rf"^{other}: expected finite .* nan at \[2, 3\]"):
        erfd.inverse_dynamics(LOLA, *arguments, out=arguments[place])


class Marked(np.ndarray):
    """A subclass, as units and records have."""


@pytest.mark.parametrize("wrap", [np.ma.array, np.matrix, lambda a: a.view(Marked)])
@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
def test_subclasses_are_numbers_and_results_are_plain(wrap) -> None:
    """A matrix has two axes always, a mask the shape of q: neither has anything to say of H."""
    q, qd, x, k = random_state(15, 6, 5)
    for quantity, call in CALLS.items():
        found = call(LOLA, *map(wrap, (q, qd, x, k)))
        wanted = call(LOLA, q, qd, x, k)
        pairs = zip(found, wanted, strict=True) if isinstance(found, tuple) else [(found, wanted)]
        for a, b in pairs:
            assert type(a) is np.ndarray, quantity
            assert np.array_equal(a, b), quantity


class Table(np.lib.mixins.NDArrayOperatorsMixin):
    """Rows with labels, which come in the order of the labels when something is computed."""

    def __init__(self, rows: np.ndarray, labels: np.ndarray):
        self.rows, self.labels = rows, labels

    def __array__(self, dtype=None, copy=None) -> np.ndarray:
        return np.array(self.rows, dtype=dtype)

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        plain = [i.rows[np.argsort(i.labels)] if isinstance(i, Table) else i for i in inputs]
        return Table(ufunc(*plain, **kwargs), np.sort(self.labels))


class Lazy(Table):
    """What computes later, as Dask's arrays."""

    def __dask_graph__(self) -> None: ...


def test_tables_are_rows_by_their_places() -> None:
    """As over NumPy; sorted by labels, the rows of q and q' would meet others."""
    q, qd, u, _ = random_state(17, 6, 4)
    wanted = erfd.forward_dynamics(LOLA, q, qd, u)
    labels = np.arange(4)[::-1]
    found = erfd.forward_dynamics(LOLA, Table(q, labels), Table(qd, labels[::-1]), u)
    assert type(found) is np.ndarray
    assert np.array_equal(found, wanted)
    later = erfd.forward_dynamics(LOLA, Lazy(q, labels[::-1]), qd, u)
    assert type(later) is Table
    assert np.array_equal(later.rows, wanted)


@pytest.mark.parametrize("shape", [(6,), (9, 6), (20_000, 6)])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_never_becomes_a_number(shape: tuple, value: float) -> None:
    """Even where nothing depends on it: forward dynamics of Lola 15 does not read q1."""
    good = np.full(shape, 0.3)
    for place in range(3):
        for joint in (0, 5):
            arguments = [good.copy() for _ in range(3)]
            arguments[place][..., joint].flat[-1] = value
            arguments[place].reshape(-1, 6)[-1, joint] = value
            name = ("q", "qd", "u")[place]
            with pytest.raises(InputError, match=f"{name}: expected finite numbers, found"):
                erfd.forward_dynamics(LOLA, *arguments)
    assert np.isfinite(erfd.forward_dynamics(LOLA, good, good, good)).all()


def test_overflow_and_singular_poses_are_reported() -> None:
    big = np.full(6, 1e308)
    with pytest.raises(InputError, match=r"the inverse_dynamics of robot 'lola15' overflows"):
        erfd.inverse_dynamics(LOLA, np.zeros(6), np.zeros(6), big)
    joints = (erfd.Joint("swing", alpha=np.pi / 2), erfd.Joint("slide", "prismatic"))
    bead = erfd.Robot("bead", joints, (erfd.Link("rod", 0.0), erfd.Link("bead", 1.0)))
    with pytest.raises(SingularError, match=r"singular or overflows at state \[1\]"):
        erfd.forward_dynamics(bead, [[0, 0.5], [0, 0]], [0, 0], [1, 1])
    with pytest.raises(SingularError, match=r"'bead': H is singular or overflows$"):
        erfd.forward_dynamics(bead, np.zeros(2), np.zeros(2), np.ones(2))
    thin = erfd.Robot("thin", (erfd.Joint("j"),), (erfd.Link("l", 0.0),))
    with pytest.raises(SingularError, match="joint 1 moves no inertia"):
        erfd.forward_dynamics(thin, [0], [0], [0])


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((np.zeros(5), np.zeros(6), np.zeros(6)), r"q: expected shape \(..., 6\) for robot"),
        ((np.zeros((2, 6)), np.zeros((3, 6)), np.zeros(6)), "do not broadcast"),
        ((["a"] * 6, np.zeros(6), np.zeros(6)), "q: expected numbers"),
        ((np.zeros(6) * 1j, np.zeros(6), np.zeros(6)), "q: expected numbers"),
    ],
)
def test_wrong_arguments(arguments: tuple, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        erfd.forward_dynamics(LOLA, *arguments)
    with pytest.raises(InputError, match="out: "):
        erfd.mass_matrix(LOLA, np.zeros(6), out=np.zeros((5, 5)))


def test_robots_with_kernels_are_copied_pickled_and_compared_by_value() -> None:
    erfd.mass_matrix(LOLA, np.zeros(6))
    copy = pickle.loads(pickle.dumps(LOLA))
    assert copy == LOLA
    assert hash(copy) == hash(LOLA)
    assert copy.memo.keys() == {"hash"}
    assert np.array_equal(erfd.mass_matrix(copy, np.zeros(6)), erfd.mass_matrix(LOLA, np.zeros(6)))


def test_long_chains() -> None:
    """The count chooses the formulation; what is too long to unroll goes to NumPy with a note."""
    robot = general_robot(16)
    assert kernel(robot, "forward_dynamics").header["method"] == "aba"
    q, qd, u, _ = random_state(8, 16, 5)
    found = erfd.inverse_dynamics(robot, q, qd, erfd.forward_dynamics(robot, q, qd, u))
    assert relative(found, u) < 1e-6  # 16 links in a row: H has a condition number of 1e8 and more
    snake = general_robot(MOST_JOINTS + 1)
    with pytest.warns(UserWarning, match="65 joints, more than the 64 that are unrolled: NumPy"):
        assert erfd.inverse_dynamics(snake, *np.zeros((3, 65))).shape == (65,)


def test_the_warning_points_at_the_line_of_the_caller() -> None:
    """However deep in the package the kernel is asked for: directly, or two public calls down."""
    snake = general_robot(MOST_JOINTS + 1)
    zero = np.zeros(snake.n)
    for call in (
        lambda: kernel(snake, "bias"),
        lambda: erfd.link_frames(snake, zero),
        lambda: erfd.forward_kinematics(snake, zero),
        lambda: erfd.felt_load(general_robot(MOST_JOINTS + 1), zero, zero, zero),
    ):
        with pytest.warns(UserWarning, match="NumPy computes, which is slower") as caught:
            call()
        assert {warning.filename for warning in caught} == {__file__}


def test_what_is_counted_is_not_traced_again(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    """`auto` traces each candidate once, and compiles the trace that it has counted."""
    monkeypatch.setenv("ERFD_CACHE_DIR", str(tmp_path))
    traced: list[str] = []
    original = trace.finish
    monkeypatch.setattr(trace, "finish", lambda *a: traced.append("") or original(*a))
    assert kernel(random_robot(91, "RRPR"), "forward_dynamics") is not None
    assert len(traced) == len(methods.CANDIDATES)


@pytest.mark.parametrize(
    ("joints", "method"),
    [(150, "auto"), *((n + 1, m) for m, n in MOST_JOINTS_OF.items() if m in methods.METHODS)],
)
def test_nothing_is_traced_that_would_take_minutes(
    joints: int, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither to be compiled, nor to be counted, nor to be refused afterwards."""

    def fail(*given):
        raise AssertionError("traced")

    monkeypatch.setattr(trace, "finish", fail)
    robot = general_robot(joints)
    q, qd, u, _ = random_state(16, joints)
    with pytest.warns(UserWarning, match=f"{joints} joints, more than the .*: NumPy computes"):
        found = erfd.forward_dynamics(robot, q, qd, u, method=method)
    with erfd.backend("numpy"):
        assert np.array_equal(found, erfd.forward_dynamics(robot, q, qd, u, method=method))


def test_the_coriolis_matrix_of_a_long_chain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its trace grows with the cube of the joints."""
    monkeypatch.setattr(kernels, "build", None)
    n = MOST_JOINTS_OF["coriolis_matrix"] + 1
    q, qd, _, _ = random_state(18, n)
    with pytest.warns(UserWarning, match=f"{n} joints, more than .* for coriolis_matrix: NumPy"):
        assert erfd.coriolis_matrix(general_robot(n), q, qd).shape == (n, n)


@pytest.mark.parametrize("width", [1, 2, 4, 8])
def test_every_width_gives_the_same_bits(width: int) -> None:
    """Machines with other lanes: this one computes them, too, if not as fast."""
    layout = kernels.layout_of(LOLA, "forward_dynamics", False)
    program = instructions_of(quantity_trace(LOLA, "forward_dynamics", "fast"))
    engine = load_object(compile_object(kernel_text(program, layout, width, host().fused)))
    address = engine.get_function_address("erfd_loop")
    counter = LOOP_DATA.buffer_info()[0]
    ufunc, keep = make_ufunc(address, counter, 3, 1, "wide", "", layout.signature)
    q, qd, u, _ = random_state(11, 6, 37)
    wanted = kernel(LOLA, "forward_dynamics", "fast").ufunc(q, qd, u)
    assert np.array_equal(ufunc(q, qd, u), wanted)
    del keep


@pytest.mark.parametrize(
    ("triple", "cpu", "width"),
    [
        ("x86_64-unknown-linux-gnu", "x86-64", 2),
        ("x86_64-unknown-linux-gnu", "skylake-avx512", 8),
        ("aarch64-unknown-linux-gnu", "cortex-a72", 2),
        ("aarch64-apple-darwin", "apple-m1", 2),
    ],
)
def test_the_code_of_other_machines(triple: str, cpu: str, width: int) -> None:
    """What they would run is compiled here; fused sums are instructions where they exist."""
    binding = llvm()
    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    layout = kernels.layout_of(LOLA, "inverse_dynamics", False)
    program = instructions_of(quantity_trace(LOLA, "inverse_dynamics", "fast"))
    fused = cpu != "x86-64"
    module = binding.parse_assembly(kernel_text(program, layout, width, fused))
    target = binding.Target.from_triple(triple)
    text = target.create_target_machine(cpu=cpu, opt=2).emit_assembly(module)
    instruction = {"x86-64": "mulpd", "skylake-avx512": "zmm"}.get(cpu, "fmla")
    assert text.count(instruction) > 50


def test_repr_names_what_it_is() -> None:
    text = repr(kernel(LOLA, "forward_dynamics"))
    assert text == "Kernel(forward_dynamics of 'lola15' by fast, (6),(6),(6)->(6))"
    assert host().width in (2, 4, 8)
