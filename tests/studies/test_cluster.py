"""Studies on a cluster of processes: the same bits, whoever dies; what is wrong in one sentence."""

import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import erfd
from erfd.errors import InputError
from erfd.studies import study, workers

distributed = pytest.importorskip("distributed")
KILLS = int(os.environ.get("ERFD_WORKER_KILLS", "1"))
"""How many workers are killed (`make soak-worker-kills`: 50)."""
T = 0.01 * np.arange(101)
MOTION = erfd.Trajectory(T, 0.3 * np.sin(T[:, None]) ** 2 * [1.0, 0.5])
OPTIONS: dict[str, Any] = {
    "vary": {"payload": "normal(1.5, 0.5, 0, 9)", "friction": "0.5..1.5"}, "seed": 5,
}  # fmt: skip


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """Two workers, processes of their own, which are started anew when they die."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
        with (
            distributed.LocalCluster(**options, silence_logs=60) as made,
            distributed.Client(made) as found,
        ):
            yield found


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts of 50 variants; a client's warnings, as of a dead worker, are no mistakes."""
    monkeypatch.setattr(study, "PART", 50)
    warnings.simplefilter("ignore")


def same(one: erfd.Study, two: erfd.Study) -> bool:
    """Whether two studies have the same rows, to the last bit."""
    pairs = ((one.table[name], two.table[name]) for name in one.table)
    return list(one.table) == list(two.table) and all(
        np.all((a == b) | ((a != a) & (b != b))) for a, b in pairs
    )


def kill(client: Any, which: int) -> None:
    """End the process of a worker, as the system does when there is no memory."""
    there = sorted(client.scheduler_info()["workers"])
    if there:
        client.run(os._exit, 9, workers=[there[which % len(there)]], wait=False, on_error="ignore")


def test_a_cluster_is_this_machine(client: Any, tmp_path: Path) -> None:
    """Through the scheduler, by its address, and with parts written by the workers."""
    alone = erfd.study(MOTION, "two_link", samples=530, **OPTIONS)
    assert 0 < alone.share < 1
    found = erfd.study(MOTION, "two_link", samples=530, cluster=client, **OPTIONS)
    assert same(found, alone)
    assert "2 workers, the same bits" in found.notes[0]
    assert "through the scheduler" in found.notes[0]
    address = client.scheduler.address
    written = erfd.study(MOTION, "two_link", samples=530, cluster=address, out=tmp_path, **OPTIONS)
    assert same(written, alone)
    assert "written by the workers" in written.notes[0]
    assert [path.name for path in tmp_path.iterdir()] == ["variants.parquet"]


def test_many_programs_on_a_cluster(client: Any) -> None:
    text = "program p; seq move ptp joint(mainjoint(10, -5)); endseq endprogram"
    programs = [text.replace("10", str(k)) for k in range(10)]
    alone = erfd.verify_many(programs, ["two_link"], payload=0.5)
    found = erfd.verify_many(programs, ["two_link"], payload=0.5, cluster=client)
    assert all(np.array_equal(found[name], alone[name]) for name in alone)


def test_killed_workers_cost_their_parts_only(client: Any, tmp_path: Path) -> None:
    """Nothing lost, nothing twice, and a study that was stopped goes on where it was."""
    killed = 0

    def tell(part: float, what: str) -> None:
        nonlocal killed
        done = int(what.split()[0]) if what.endswith("parts") else 0
        if killed < KILLS and done >= 2 * killed + 1:
            killed += 1
            kill(client, killed)

    samples = 50 * (2 * KILLS + 10)
    alone = erfd.study(MOTION, "two_link", samples=samples, **OPTIONS)
    found = erfd.study(MOTION, "two_link", samples=samples, cluster=client, tell=tell, **OPTIONS)
    assert killed == KILLS
    assert found.table["variant"].tolist() == list(range(samples))
    assert same(found, alone)

    def stop(part: float, what: str) -> None:
        if what.startswith("5 of"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        erfd.study(MOTION, "two_link", samples=samples, cluster=client, out=tmp_path, tell=stop,
                   **OPTIONS)  # fmt: skip
    assert len(list((tmp_path / "parts").glob("part-*.parquet"))) >= 5
    went_on = erfd.study(MOTION, "two_link", samples=samples, cluster=client, out=tmp_path,
                         resume=True, **OPTIONS)  # fmt: skip
    assert same(went_on, alone)
    assert "parts were there already" in went_on.notes[0]


def other_version(version: str) -> None:
    """Let a worker have another version of ERFD."""
    import erfd

    erfd.__version__ = version


def without_pyarrow(without: bool) -> None:
    """Take pyarrow away from a worker, or give it back."""
    import sys

    kept = sys.modules.get("kept pyarrow") or __import__("pyarrow")
    sys.modules["kept pyarrow"] = kept
    sys.modules["pyarrow"] = None if without else kept  # type: ignore[assignment]
    if not without:
        del sys.modules["kept pyarrow"]


def full_disk(full: bool) -> None:
    """Let a worker's disk be full after a kilobyte."""
    import resource

    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000 if full else most, most))


def test_what_is_wrong_is_one_sentence(
    client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(**more: Any) -> erfd.Study:
        return erfd.study(MOTION, "two_link", samples=130, cluster=client, **OPTIONS, **more)

    for function in (other_version, without_pyarrow, full_disk):
        function.__module__ = "__main__"  # sent by value: workers have no test modules
    client.run(other_version, "0.0")
    with pytest.raises(InputError, match=r"worker tcp:.*: expected erfd .* as here, found 0\.0$"):
        run()
    client.run(other_version, erfd.__version__)
    client.run(without_pyarrow, True)
    with pytest.raises(InputError, match=r"expected pyarrow .* as here, found none$"):
        run()
    client.run(without_pyarrow, False)
    client.run(full_disk, True)
    with pytest.raises(InputError, match=r"cluster: part \d+: .*parquet: cannot be written: "):
        run(out=tmp_path)
    client.run(full_disk, False)
    monkeypatch.setattr(workers, "CONNECTING", 0.2)
    with pytest.raises(InputError, match=r"expected the address of a scheduler, found 'tcp://127"):
        erfd.study(MOTION, "two_link", cluster="tcp://127.0.0.1:1", **OPTIONS)
    with pytest.raises(InputError, match="cluster: expected an address such as tcp://host:8786"):
        erfd.study(MOTION, "two_link", cluster="here", **OPTIONS)
