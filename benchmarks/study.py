"""Studies beside Pinocchio, Algorithm 1's variants and Dask: `python benchmarks/study.py [--json]`.

All ratios are of one run; `--small` takes a tenth of the variants, `--no-cluster` leaves Dask out.
"""

import json
import multiprocessing
import resource
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from rich.console import Console

import erfd
from erfd.bench.machine import describe
from erfd.kernels.settings import thread_count
from erfd.report.tables.table import print_table
from erfd.studies.evaluator import VariantEvaluator

ROUNDS = 5
SMALL = "--small" in sys.argv
VARIANTS = 10_000 if SMALL else 100_000
MANY = 100_000 if SMALL else 1_000_000
PROGRAM = """program twelve;
seq
  move ptp joint(mainjoint(40, -20, 30, 20, -40, 60));
  wait 1 sec;
  move ptp joint(mainjoint(-50, 10, 0, -30, -60, -30));
  wait 1 sec;
  move ptp joint(mainjoint(30, -40, 50, 60, -20, 90));
  wait 1 sec;
  move ptp joint(mainjoint(0, 0, 0, 0, 0, 0));
  wait WAIT sec;
endseq endprogram"""
VARY = {
    "payload": "uniform(2, 12)", "friction": "uniform(0.6, 1.2)",
    **{f"wrench.{name}": "uniform(-20, 20)" for name in ("fx", "fy", "fz")},
    **{f"wrench.{name}": "uniform(-4, 4)" for name in ("mx", "my", "mz")},
}  # fmt: skip


@dataclass(frozen=True)
class Bar:
    """A ratio and what it is to be at least (or at most)."""

    name: str
    found: float
    limit: float
    least: bool = True

    @property
    def met(self) -> bool:
        """Whether the bar is reached."""
        return self.found >= self.limit if self.least else self.found <= self.limit


def program() -> str:
    """The program, of 12 s."""
    seconds = erfd.verify(PROGRAM.replace("WAIT", "0.1"), "lola15").seconds
    return PROGRAM.replace("WAIT", f"{12.1 - seconds:.2f}")


def fastest(what: Callable[[], Any], rounds: int = ROUNDS) -> float:
    """The shortest of some rounds, s: others use the machine, too."""
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        what()
        times.append(time.perf_counter() - begin)
    return min(times)


def pinocchio_ns(motion: erfd.Trajectory, threads: int) -> float | None:
    """One pin.rnea of a cycle of the motion in rneaInParallel, ns."""
    try:
        import pinocchio as pin
    except ImportError:
        return None
    from erfd.bench.models import pinocchio_model

    model = pinocchio_model(erfd.load("lola15"))
    count = 200_000
    places = np.arange(count) % len(motion)
    q, v = (np.asfortranarray(x[places].T) for x in (motion.q, motion.qd))
    a = np.asfortranarray(np.gradient(motion.qd, motion.dt, axis=0)[places].T)
    pool, out = pin.ModelPool(model, threads), np.zeros_like(q, order="F")
    return 1e9 * fastest(lambda: pin.rneaInParallel(threads, pool, q, v, a, out)) / count


def memory_of(text: str, pipe: Any) -> None:
    """In a process of its own: the largest memory of a whole study, bytes."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = erfd.study(text, "lola15", vary=VARY, samples=VARIANTS)
    pipe.send((1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, 1024 * before,
               found.share))  # fmt: skip


def measure() -> dict[str, Any]:
    """All figures of one run."""
    text, robot, threads = program(), erfd.load("lola15"), thread_count()
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=memory_of, args=(text, there))
    process.start()
    memory, _, share = here.recv()
    process.join()
    found = erfd.study(text, robot, vary=VARY, samples=64)
    evaluator: VariantEvaluator = found.evaluator
    motion = evaluator._motion(()).planned.trajectory
    cycles = len(motion) - 1
    count = 16_384
    draws = found.sampling.__class__("random", found.sampling.distributions, count).draws(0, count)
    data: dict[str, Any] = {"cycles": cycles, "threads": threads, "share": share, "memory": memory}

    def per_cycle(seconds: float) -> float:
        return 1e9 * seconds / (count * cycles)

    data["study"] = per_cycle(fastest(lambda: evaluator.evaluate(draws)))
    data["pinocchio"] = pinocchio_ns(motion, threads)
    weak = erfd.study(text, robot, vary=VARY | {"torque": "0.3..0.9"}, samples=64).evaluator
    factors = _third(weak, draws)
    data["short share"] = 1 - float(weak.evaluate(factors).feasible.mean())
    data["short"] = per_cycle(fastest(lambda: weak.evaluate(factors)))
    erfd.set_threads(1)
    data["one core"] = per_cycle(fastest(lambda: evaluator.evaluate(draws)))
    few, columns = 4096, evaluator.columns(draws[:4096])
    names = ("load_friction", "coulomb", "viscous")
    usual = {name: np.array([getattr(drive, name) for drive in robot.drives]) for name in names}
    friction = {name: columns["friction"][:, None] * values for name, values in usual.items()}
    wrench = draws[:few, 2:8]

    def bare() -> erfd.Variants:
        return erfd.achievable_variants(robot, motion, payload=columns["payload"], wrench=wrench,
                                        **friction)  # fmt: skip

    assert bare().feasible.all()
    data["bare"] = 1e9 * fastest(bare) / (few * cycles)
    erfd.set_threads(None)
    return data


def _third(evaluator: VariantEvaluator, draws: np.ndarray) -> np.ndarray:
    """The draws with a torque factor at which a third of them is short."""
    low, high = 0.05, 1.0
    for _ in range(12):
        middle = (low + high) / 2
        tried = np.column_stack([draws[:2048], np.full(2048, middle)])
        if evaluator.evaluate(tried).feasible.mean() < 2 / 3:
            low = middle
        else:
            high = middle
    return np.column_stack([draws, np.full(len(draws), high)])


def cluster_seconds(text: str, workers: int) -> tuple[float, float]:
    """A study on so many Dask workers, s: of few variants (a part each), and of many."""
    from distributed import Client, LocalCluster

    warnings.simplefilter("ignore")
    options = {"n_workers": workers, "threads_per_worker": 1, "dashboard_address": None}
    with LocalCluster(**options, env={"ERFD_THREADS": "1"}) as made, Client(made) as client:

        def study(samples: int) -> erfd.Study:
            return erfd.study(text, "lola15", vary=VARY, samples=samples, cluster=client)

        study(8192 * workers)  # every worker has planned it
        return fastest(lambda: study(1), 3), fastest(lambda: study(MANY), 3)


def bars(data: dict[str, Any]) -> list[Bar]:
    """What the figures are to be."""
    rows = [
        Bar("memory of 1e5 variants, GB", data["memory"] / 1e9, 1.0, False),
        Bar("of the bare variants kernel, one core", data["bare"] / data["one core"], 0.6),
        Bar(f"with {100 * data['short share']:.0f} % short, of that without",
            data["study"] / data["short"], 0.25),
    ]  # fmt: skip
    if data["pinocchio"]:
        ratio = data["pinocchio"] / data["study"]
        rows.insert(0, Bar("times pin.rneaInParallel, all cores", ratio, 20.0))
    if "two workers" in data:
        rows.append(
            Bar("two Dask workers, times one", data["one worker"] / data["two workers"], 1.8)
        )
    return rows


def main() -> None:
    data = measure()
    if "--no-cluster" not in sys.argv:
        text = program()
        data["one part, s"], data["one worker"] = cluster_seconds(text, 1)
        _, data["two workers"] = cluster_seconds(text, 2)
    rows = bars(data)
    if "--json" in sys.argv:
        found = [{"bar": r.name, "found": r.found, "limit": r.limit, "met": r.met} for r in rows]
        print(json.dumps({**describe(), **data, "bars": found}, indent=1))
        return
    for name in ("study", "one core", "short", "bare", "pinocchio"):
        print(f"{name}: {data[name]:.2f} ns a cycle" if data[name] else f"{name}: not measured")
    for name in ("one part, s", "one worker", "two workers"):
        if name in data:
            print(f"{name}: {data[name]:.2f} s")
    table = [(r.name, f"{r.found:.2f}", f"{'>=' if r.least else '<='} {r.limit:g}",
              "yes" if r.met else "NO") for r in rows]  # fmt: skip
    title = f"{VARIANTS:,} variants of a program of 12 s"
    print_table(Console(), title, ("", "found", "bar", "met"), table, left=(0, 2, 3))


if __name__ == "__main__":
    main()
