"""Functions over rows: the same numbers alone and in any company, and nothing beside them."""

import os
import time
from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from erfd.kernels import machine_code
from erfd.kernels.machine_code import Assembly, MachineCode
from erfd.kernels.row_function import RowFunction


@lru_cache(maxsize=1)
def functions() -> tuple[Any, RowFunction]:
    """A function as CasADi has it, and compiled."""
    import casadi as ca

    x, y = ca.SX.sym("x", 3), ca.SX.sym("y", 2)
    rows = ca.sin(x[0]) * y[1] + x[2], ca.sqrt(ca.fabs(x[1] * y[0])), x[2]
    function = ca.Function("f", [x, y], [ca.vertcat(*rows)])
    return function, RowFunction(
        function, {"robot": "-", "n": 0, "quantity": "test", "method": "-"}
    )


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 41), st.booleans(), st.integers(0, 2**32 - 1))
def test_any_number_of_rows(count: int, one: bool, seed: int) -> None:
    """Each row is what it is alone to the last bit, and CasADi agrees to rounding."""
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(count, 3)), rng.normal(size=2 if one else (count, 2))
    function, mapped = functions()
    found = mapped(a, b)
    for k in range(count):
        second = b if one else b[k]
        assert np.array_equal(found[k], mapped(a[k : k + 1], second)[0])
        assert np.allclose(found[k], np.array(function(a[k], second))[:, 0], rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize("count", [1, 7, 8, 9, 17])
def test_nothing_is_written_beside_the_rows(count: int) -> None:
    """Lanes that are left over in the last block stay within it."""
    rng = np.random.default_rng(count)
    whole = np.full((count + 8, 5), 7.0)
    inputs = rng.normal(size=(count, 3)), rng.normal(size=(count, 2))
    _, mapped = functions()
    mapped(*inputs, out=whole[4 : 4 + count, 1:4])
    assert np.array_equal(whole[4 : 4 + count, 1:4], mapped(*inputs))
    whole[4 : 4 + count, 1:4] = 7.0
    assert (whole == 7.0).all()


def test_a_failure_reaches_who_needs_the_code(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(text: str, effort: int) -> bytes:
        raise RuntimeError(f"no code for {text}")

    monkeypatch.setattr(machine_code, "compile_object", fail)
    made = MachineCode("fails", lambda: Assembly({}, "nothing"), background=True)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="no code for nothing"):
            _ = made.engine


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_process_forked_while_something_compiles_has_it() -> None:
    terms = "\n".join(f"  %x{k + 1} = fmul double %x{k}, {k}.5" for k in range(3000))
    text = f"define double @f(double %x0) {{\n{terms}\n  ret double %x3000\n}}"
    parts = ("forked while compiling", time.time())  # nothing that the disk has
    made = MachineCode(parts, lambda: Assembly({"quantity": "test"}, text), background=True)
    child = os.fork()
    if child == 0:
        os._exit(0 if made.engine.get_function_address("f") else 1)
    assert os.waitpid(child, 0)[1] == 0
