"""The angle of a vector in the kernels against 50 digits, at the hard points, too."""

import array

import mpmath
import numpy as np
import pytest

from erfd.kernels.compiler import compile_object, host, load_object
from erfd.kernels.llvm.instructions import Instruction, InstructionList
from erfd.kernels.llvm.kernel_text import Layout, kernel_text
from erfd.kernels.ufunc import make_ufunc
from support.ulps import ulps

BAD = array.array("q", [0, 0, 0])


@pytest.fixture(scope="module", params=["vector", "scalar"])
def atan2(request):
    """A ufunc (y, x) -> angle, with the host's lanes or one at a time."""
    lines = (
        Instruction("INPUT", place=(0, 0)),
        Instruction("INPUT", place=(0, 1)),
        Instruction("ATAN2", (0, 1)),
    )
    layout = Layout(((2,),), ((1,),), ((0, ""),))
    width = host().width if request.param == "vector" else 1
    engine = load_object(
        compile_object(kernel_text(InstructionList(lines, (2,)), layout, width, True))
    )
    address = engine.get_function_address("erfd_loop")
    made, keep = make_ufunc(address, BAD.buffer_info()[0], 1, 1, "atan2", "", layout.signature)

    def run(y, x):
        return made(np.stack([np.asarray(y, float), np.asarray(x, float)], axis=-1))[:, 0]

    yield run
    del keep, engine


@pytest.mark.parametrize("where", ["anywhere", "axes", "eighths", "sizes"])
def test_within_two_and_a_half_ulp(atan2, where: str) -> None:
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=(2, 4000))
    if where == "axes":  # next to the axes and the diagonals
        x, y = (v.copy() for v in (x, y))
        y[:1000] = x[:1000] * 10.0 ** rng.uniform(-300, -1, 1000)
        x[1000:2000] = y[1000:2000] * 10.0 ** rng.uniform(-300, -1, 1000)
        y[2000:] = x[2000:] * (1 + rng.choice([-1, 1], 2000) * 10.0 ** rng.uniform(-16, -1, 2000))
    elif where == "eighths":  # where the polynomial changes sides: multiples of pi/8
        angle = np.repeat(np.arange(-15, 16) * np.pi / 8, 40) + rng.uniform(-1e-15, 1e-15, 1240)
        x, y = np.cos(angle), np.sin(angle)
    elif where == "sizes":
        x, y = x * 10.0 ** rng.uniform(-150, 150, 4000), y * 10.0 ** rng.uniform(-150, 150, 4000)
    exact = [
        mpmath.atan2(mpmath.mpf(float(b)), mpmath.mpf(float(a))) for b, a in zip(y, x, strict=True)
    ]
    assert ulps(atan2(y, x), exact).max() < 2.5


def test_zeros_keep_their_signs(atan2) -> None:
    y = np.array([0.0, -0.0, 0.0, -0.0, 0.0, -0.0, 0.0, -0.0, 1.0, -1.0])
    x = np.array([1.0, 1.0, -1.0, -1.0, 0.0, 0.0, -0.0, -0.0, 0.0, 0.0])
    found = atan2(y, x)
    assert np.array_equal(found, np.arctan2(y, x))
    assert np.array_equal(np.signbit(found), np.signbit(np.arctan2(y, x)))
    assert np.isnan(atan2([np.nan, 1.0], [1.0, np.nan])).all()
