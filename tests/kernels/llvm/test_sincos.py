"""Sine and cosine of the kernels against 50 digits, at the hard points, too."""

import array

import mpmath
import numpy as np
import pytest

from erfd.kernels.compiler import compile_object, host, load_object
from erfd.kernels.llvm import sincos
from erfd.kernels.llvm.instructions import Instruction, InstructionList
from erfd.kernels.llvm.kernel_text import Layout, kernel_text
from erfd.kernels.ufunc import make_ufunc
from support.ulps import ulps

BAD = array.array("q", [0, 0, 0])
mpmath.mp.dps = 50


@pytest.fixture(scope="module", params=["vector", "scalar"])
def sin_cos(request):
    """A ufunc x -> (sin x, cos x), with the host's lanes or one at a time."""
    lines = (Instruction("INPUT", place=(0, 0)), Instruction("INPUT", place=(1, 0)))
    layout = Layout(((1,),), ((2,),), ((0, "sin"), (0, "cos")))
    width = host().width if request.param == "vector" else 1
    engine = load_object(
        compile_object(kernel_text(InstructionList(lines, (0, 1)), layout, width, True))
    )
    address = engine.get_function_address("erfd_loop")
    made, keep = make_ufunc(address, BAD.buffer_info()[0], 1, 1, "sincos", "", layout.signature)

    def run(x):
        x = np.asarray(x, dtype=float)
        found = made(x[:, None])
        return found[:, 0], found[:, 1]

    yield run
    del keep, engine


def hard_points() -> np.ndarray:
    """The doubles next to multiples of pi/2, where the reduced angle is tiny."""
    rng = np.random.default_rng(1)
    k = np.unique(np.concatenate([np.arange(1, 400), rng.integers(1, 63661, 1500)]))
    x = np.array([float(mpmath.pi / 2 * int(i)) for i in k])
    beside = [x, np.nextafter(x, 0), np.nextafter(x, 1e9)]
    return np.concatenate([*beside, *(-b for b in beside)])


@pytest.mark.parametrize("where", ["small", "uniform", "hard", "quarters", "edge"])
def test_within_one_and_a_half_ulp(sin_cos, where: str) -> None:
    rng = np.random.default_rng(2)
    x = {
        "small": 10.0 ** rng.uniform(-300, 0, 1000) * rng.choice([-1, 1], 1000),
        "uniform": rng.uniform(-sincos.LARGEST, sincos.LARGEST, 4000),
        "hard": hard_points(),
        "quarters": np.array([float(mpmath.pi / 4 * i) for i in range(-1001, 1001, 2)]),
        "edge": np.array([1e5, -1e5, np.nextafter(1e5, 0), np.nextafter(1e5, 2e5)] * 3),
    }[where]
    sine, cosine = sin_cos(x)
    exact = [mpmath.mpf(float(value)) for value in x]
    assert ulps(sine, [mpmath.sin(value) for value in exact]).max() < 1.5
    assert ulps(cosine, [mpmath.cos(value) for value in exact]).max() < 1.5


def test_beyond_the_fast_range(sin_cos) -> None:
    """Right up to the largest double; the C library is within 1 ulp."""
    rng = np.random.default_rng(3)
    x = np.concatenate([10.0 ** rng.uniform(5, 300, 500), [1e22, 1.7e308, 2.0**1023]])
    mpmath.mp.dps = 400
    exact = [mpmath.mpf(float(value)) for value in x]
    sine, cosine = sin_cos(x)
    assert ulps(sine, [mpmath.sin(value) for value in exact]).max() < 1.5
    assert ulps(cosine, [mpmath.cos(value) for value in exact]).max() < 1.5
    mpmath.mp.dps = 50


def test_zero_infinity_and_nan(sin_cos) -> None:
    sine, cosine = sin_cos([0.0, -0.0, 5e-324, -5e-324])
    assert np.array_equal(np.signbit(sine), [False, True, False, True])
    assert np.array_equal(sine, [0.0, -0.0, 5e-324, -5e-324])
    assert np.array_equal(cosine, [1.0] * 4)
    before = BAD[0]
    sine, cosine = sin_cos([1.0, np.inf, -np.inf, np.nan, 2.0])
    assert np.isnan(sine[1:4]).all()
    assert np.isnan(cosine[1:4]).all()
    assert sine[0] == pytest.approx(np.sin(1.0))
    assert sine[4] == pytest.approx(np.sin(2.0))
    assert BAD[0] > before
