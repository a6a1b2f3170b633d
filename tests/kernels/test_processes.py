"""Kernels in a process: many threads, forks, and the settings that are in force."""

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import erfd
from erfd.errors import InputError
from erfd.kernels import kernel as kernels
from erfd.kernels.kernel import kernel
from erfd.kernels.settings import Setting
from support.arms import random_robot, random_state

pytestmark = pytest.mark.usefixtures("compiled")
LOLA = erfd.load("lola15")


def test_a_kernel_outlives_its_robot() -> None:
    ufunc = kernel(random_robot(78, "RR"), "mass_matrix").ufunc
    gc.collect()
    assert ufunc(np.zeros((50, 2))).shape == (50, 2, 2)


def test_many_threads_at_once() -> None:
    """Calls from many threads while the kernels are still being made, robot after robot."""
    q, qd, u, _ = random_state(6, 3, 40)
    for seed in range(12):
        robot = random_robot(seed, "RRR")
        start = threading.Barrier(8)

        def work(_: int, robot=robot, start=start) -> np.ndarray:
            start.wait()
            return np.array([erfd.forward_dynamics(robot, *s) for s in zip(q, qd, u, strict=True)])

        with ThreadPoolExecutor(8) as pool:
            results = list(pool.map(work, range(8)))
        assert all(np.array_equal(r, results[0]) for r in results)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_after_fork() -> None:
    """A child has kernels and threads of its own, though the parent's pool was in use."""
    q, qd, u, _ = random_state(7, 6, 40_000)
    erfd.set_threads(2)
    try:
        wanted = erfd.forward_dynamics(LOLA, q, qd, u)
        child = os.fork()
        if child == 0:
            good = np.array_equal(erfd.forward_dynamics(LOLA, q, qd, u), wanted)
            os._exit(0 if good else 1)
        assert os.waitpid(child, 0)[1] == 0
    finally:
        erfd.set_threads(None)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_forked_while_another_thread_makes_a_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """The child can make kernels, though the thread that was at it is not there."""
    begun, original = threading.Event(), kernels.build

    def slow(*given):
        begun.set()
        time.sleep(0.2)
        return original(*given)

    monkeypatch.setattr(kernels, "build", slow)
    maker = threading.Thread(target=erfd.mass_matrix, args=(random_robot(80, "RR"), np.zeros(2)))
    maker.start()
    assert begun.wait(60)
    child = os.fork()
    if child == 0:
        signal.alarm(60)  # a child that waits for ever dies
        shape = erfd.mass_matrix(random_robot(81, "RP"), np.zeros(2)).shape
        os._exit(0 if shape == (2, 2) else 1)
    assert os.waitpid(child, 0)[1] == 0
    maker.join()


def test_backends(monkeypatch: pytest.MonkeyPatch) -> None:
    sentence = "backend: expected 'compiled' or 'numpy', found 'gpu'"
    with pytest.raises(InputError, match=sentence), erfd.backend("gpu"):
        pass
    with erfd.backend("numpy"):
        assert kernel(LOLA, "bias") is None
    assert kernel(LOLA, "bias") is not None
    code = "import erfd; erfd.mass_matrix(erfd.load('two_link'), [0, 0])"
    environment = os.environ | {"ERFD_BACKEND": "gpu"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True
    )
    assert "ERFD_BACKEND: expected 'compiled' or 'numpy', found 'gpu'" in done.stderr


@pytest.mark.parametrize("text", ["many", "0", "-1", "2.5", "²"])
def test_wrong_threads(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ERFD_THREADS", text)
    sentence = f"^ERFD_THREADS: expected a whole number >= 1, found '{text}'$"
    with pytest.raises(InputError, match=sentence):
        erfd.mass_matrix(LOLA, np.zeros((9000, 6)))
    for count in (0, -1, 2.0, "2"):
        with pytest.raises(InputError, match="threads: expected a whole number >= 1 or None"):
            erfd.set_threads(count)


def test_threads_may_be_counted_by_numpy() -> None:
    try:
        erfd.set_threads(np.int64(2))
        assert kernels.thread_count() == 2
    finally:
        erfd.set_threads(None)


def test_backends_of_threads_that_overlap() -> None:
    """Whoever enters and leaves last: when all have left, it is as before."""
    first, second = erfd.backend("numpy"), erfd.backend("numpy")
    with first:
        second.__enter__()
    assert Setting.backend == "numpy"
    second.__exit__(None, None, None)
    assert Setting.backend == "compiled"
