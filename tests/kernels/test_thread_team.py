"""The threads that share a batch: every row once, whoever computes it, whatever else goes on."""

import ctypes
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import erfd
from erfd.kernels.llvm.thread_team_text import SHARE, thread_team_text
from erfd.kernels.thread_team import LOOP_DATA, MOST_THREADS, use_threads
from support.arms import random_state

LOLA = erfd.load("lola15")
POINTER, NUMBER = ctypes.c_void_p, ctypes.c_int64
LOOP = ctypes.CFUNCTYPE(None, POINTER, POINTER, POINTER, POINTER)

pytestmark = pytest.mark.usefixtures("compiled")


@pytest.fixture(autouse=True)
def all_threads_again():
    yield
    erfd.set_threads(None)


def shared(total: int, piece) -> None:
    """`erfd_share` over one array of bytes, with a loop written in Python: piece(first, count)."""

    def loop(args, dims, steps, data) -> None:
        piece(NUMBER.from_address(args).value, NUMBER.from_address(dims).value)

    form = ctypes.CFUNCTYPE(None, POINTER, POINTER, POINTER, POINTER, POINTER, NUMBER)
    numbers = [(NUMBER * 1)(x) for x in (0, total, 1)]  # "address" 0, rows, a byte from row to row
    places = [ctypes.addressof(x) for x in numbers]
    function = LOOP(loop)
    form(LOOP_DATA[1])(*places, LOOP_DATA.buffer_info()[0], ctypes.cast(function, POINTER), 1)


@pytest.mark.parametrize("threads", [2, 3, 9])
@pytest.mark.parametrize("total", [2 * SHARE, 2 * SHARE + 1, 10 * SHARE + 77])
def test_every_row_once_and_by_several(threads: int, total: int) -> None:
    use_threads(threads)
    seen: list[tuple[int, int, int]] = []

    def piece(first: int, count: int) -> None:
        time.sleep(2e-3)  # so that everybody has time to wake up
        seen.append((first, count, threading.get_ident()))

    shared(total, piece)
    seen.sort()
    edges = [first for first, _, _ in seen] + [total]
    assert edges[0] == 0
    assert [count for _, count, _ in seen] == list(np.diff(edges))
    workers = {who for _, _, who in seen}
    assert len(workers) == min(threads, total // SHARE)
    assert threading.get_ident() in workers


def test_a_batch_inside_a_batch_runs_alone() -> None:
    use_threads(3)
    inner: list[int] = []
    outer: list[int] = []

    def piece(first: int, count: int) -> None:
        shared(5 * SHARE, lambda first, count: inner.append(count))
        outer.append(count)

    shared(4 * SHARE, piece)
    assert sum(outer) == 4 * SHARE
    assert inner == [5 * SHARE] * len(outer)


def test_a_slow_helper_is_waited_for() -> None:
    """The caller sleeps until the last piece is there, and the next batch finds everybody."""
    use_threads(2)
    main = threading.get_ident()
    for _ in range(3):
        done: list[int] = []

        def piece(first: int, count: int, done=done) -> None:
            time.sleep(0.001 if threading.get_ident() == main else 0.05)
            done.append(count)

        shared(2 * SHARE, piece)
        assert sum(done) == 2 * SHARE
        time.sleep(0.01)  # now it sleeps


def test_many_callers_and_more_threads_than_cores() -> None:
    """A thousand batches of changing length from four callers; the bits of one thread."""
    q, qd, u, _ = random_state(12, 6, 6 * SHARE)
    erfd.set_threads(1)
    wanted = erfd.forward_dynamics(LOLA, q, qd, u)
    erfd.set_threads(8)

    def work(seed: int) -> bool:
        random = np.random.default_rng(seed)
        good = True
        for _ in range(60):
            n = int(random.integers(SHARE, 6 * SHARE))
            good &= np.array_equal(erfd.forward_dynamics(LOLA, q[:n], qd[:n], u[:n]), wanted[:n])
            time.sleep(float(random.uniform(0, 3e-4)))  # some helpers sleep by then, some do not
        return good

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(4)))


def test_no_more_threads_than_there_are_inboxes() -> None:
    q, qd, u, _ = random_state(13, 6, 3 * SHARE)
    erfd.set_threads(1)
    wanted = erfd.forward_dynamics(LOLA, q, qd, u)
    erfd.set_threads(10 * MOST_THREADS)
    assert np.array_equal(erfd.forward_dynamics(LOLA, q, qd, u), wanted)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_forked_in_the_middle_of_a_batch() -> None:
    """The parent's helpers are busy; the child has none, and makes its own."""
    q, qd, u, _ = random_state(14, 6, 3 * SHARE)
    erfd.set_threads(2)
    wanted = erfd.forward_dynamics(LOLA, q, qd, u)
    children: list[int] = []

    def piece(first: int, count: int) -> None:
        time.sleep(1e-3)
        if not children and threading.get_ident() == main:
            child = os.fork()
            if child == 0:
                good = np.array_equal(erfd.forward_dynamics(LOLA, q, qd, u), wanted)
                os._exit(0 if good else 1)
            children.append(child)

    main = threading.get_ident()
    shared(2 * SHARE, piece)
    assert os.waitpid(children[0], 0)[1] == 0


def test_the_code_of_other_machines_is_sound() -> None:
    from erfd.kernels.compiler import llvm

    binding = llvm()
    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    for triple, word in (("aarch64-unknown-linux-gnu", "yield"), ("x86_64-pc-linux-gnu", "pause")):
        module = binding.parse_assembly(thread_team_text(triple))
        module.verify()
        machine = binding.Target.from_triple(triple).create_target_machine(opt=1)
        assert word in machine.emit_assembly(module)
