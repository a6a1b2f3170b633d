"""The benchmark: everybody agrees, gaps are named, bars follow from numbers."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from rich.console import Console

import erfd
from erfd.bench import erfd_cases, peers, run, startup
from erfd.bench.loops import peak_flops, scalar_loop
from erfd.bench.measure import QUICK, agree, difference
from erfd.bench.models import mjcf
from erfd.bench.peers import PEERS, CasADi, MuJoCo, Peer, Pinocchio, Toolbox
from erfd.bench.roofline import sincos_flops
from erfd.bench.startup import memory
from erfd.bench.states import BENCHED_QUANTITIES, random_states
from erfd.bench.table import markdown, print_bench
from erfd.cli import main
from erfd.errors import InputError
from erfd.kernels.kernel import kernel
from erfd.kernels.settings import Setting
from erfd.robot.synthetic import general_robot
from support.arms import random_robot
from support.paths import DOCS

PAGE = DOCS / "benchmark.md"


@pytest.fixture(scope="module")
def lola() -> erfd.Robot:
    return erfd.load("lola15")


@pytest.fixture(scope="module")
def data(lola: erfd.Robot) -> dict[str, Any]:
    return run.run(lola, quick=True)


def rows(data: dict[str, Any], **wanted: Any) -> list[dict[str, Any]]:
    return [row for row in data["rows"] if all(row[k] == v for k, v in wanted.items())]


def test_a_quick_run_has_every_row(data: dict[str, Any]) -> None:
    threads = {1, data["machine"]["cores"]}
    for quantity in BENCHED_QUANTITIES:
        found = rows(data, quantity=quantity, who="ERFD", how=erfd_cases.BATCH)
        assert {(row["states"], row["threads"]) for row in found} == {
            (n, t) for n in QUICK.sizes for t in threads
        }
        for how in (erfd_cases.SINGLE, erfd_cases.SCALAR):
            assert len(rows(data, quantity=quantity, who="ERFD", how=how)) == 1
        for peer in PEERS:
            for ways in (peer.calls, peer.batches):
                if quantity in ways:
                    assert rows(data, quantity=quantity, who=peer.name, how=ways[quantity])
    for name in ("forward_dynamics", "inverse_dynamics"):
        batch = rows(data, quantity=name, how=Pinocchio.batches[name])
        assert {row["threads"] for row in batch} == threads
    assert [row["n"] for row in data["chains"]] == list(QUICK.joints)
    assert [row["quantity"] for row in data["roofline"]["rows"]] == list(BENCHED_QUANTITIES)
    assert data["startup"]["cold"]["casadi loaded"]
    assert not data["startup"]["cached"]["casadi loaded"]
    assert "import erfd" in data["startup"]["imports"]
    assert "extra" in data["memory"]
    assert len(data["bars"]) == 8
    assert all(bar["met"] is not None for bar in data["bars"] if data["machine"]["cores"] > 1)


def test_everybody_agrees(data: dict[str, Any]) -> None:
    measured = [row for row in data["rows"] if row["status"] != "gap"]
    assert {"ERFD", "Pinocchio", "CasADi"} <= {row["who"] for row in measured}
    for row in measured:
        assert row["status"] == "ok", row
        assert row["difference"] <= 1e-8
        assert row["ns"] > 0
    for row in data["chains"]:
        assert row["forward_dynamics"]["agrees"]
        assert row["inverse_dynamics"]["agrees"]


def test_ratios_are_to_pinocchio(data: dict[str, Any]) -> None:
    for quantity, how in run.UNITS.items():
        found = rows(data, quantity=quantity, how=how, threads=1)
        unit = max(found, key=lambda row: row["states"])
        assert unit["ratio"] == 1.0
        mine = rows(data, quantity=quantity, how=erfd_cases.SINGLE)[0]
        assert mine["ratio"] == pytest.approx(unit["ns"] / mine["ns"])


def test_the_callers_settings_stay(lola: erfd.Robot, data: dict[str, Any]) -> None:
    assert data["robot"] == lola.name
    assert Setting.backend == "numpy"  # of tests/conftest.py
    assert Setting.threads is None


def test_saved_printed_and_put_into_a_page(data: dict[str, Any], tmp_path: Path) -> None:
    run.save(data, tmp_path / "bench.json")
    assert json.loads((tmp_path / "bench.json").read_text()) == json.loads(json.dumps(data))
    console = Console(record=True, width=200, file=(tmp_path / "out.txt").open("w"))
    print_bench(data, console)
    console.file.close()
    text = console.export_text()
    for word in ("Forward dynamics", "Roofline", "Cost against n", "cached kernel", "pin.crba"):
        assert word in text
    page = tmp_path / "page.md"
    page.write_text(f"before\n{run.BEGIN}\nlast year\n{run.END}\nafter\n")
    run.update_docs(data, page)
    once = page.read_text()
    assert once.startswith("before\n")
    assert once.endswith("\nafter\n")
    assert "last year" not in once
    assert "pin.abaInParallel" in once
    assert data["date"][:10] not in once
    run.update_docs(data, page)
    assert page.read_text() == once
    for line in re.findall(r"^\|.*\|$", once, re.M):
        assert line.count("|") >= 3


def test_a_page_without_markers(data: dict[str, Any], tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("nothing here\n")
    with pytest.raises(InputError, match="expected the markers"):
        run.update_docs(data, page)
    assert page.read_text() == "nothing here\n"


def test_the_page_has_its_markers() -> None:
    text = PAGE.read_text()
    assert text.count(run.BEGIN) == text.count(run.END) == 1


def test_missing_peers_are_gaps(lola: erfd.Robot, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without any peer the run goes on; what cannot be said is null, and the table says why."""

    def missing(cls: type[Peer]) -> str:
        return f"{cls.package} is not installed"

    monkeypatch.setattr(Peer, "missing", classmethod(missing))
    monkeypatch.setattr(run, "startup", lambda *_: {"cold": {"gap": "no"}, "cached": {"gap": "no"},
                                                    "imports": {}})  # fmt: skip
    monkeypatch.setattr(run, "memory", lambda *_: {"gap": "no"})
    data = run.run(lola, quick=True)
    gaps = rows(data, status="gap")
    for peer in PEERS:
        found = [row for row in gaps if row["who"] == peer.name]
        assert {row["quantity"] for row in found} == set(BENCHED_QUANTITIES)
        assert all(row["note"] == f"{peer.package} is not installed" for row in found)
    own_rows = rows(data, who="ERFD")
    assert own_rows
    assert all(row["ratio"] is None for row in own_rows)
    known = {bar["bar"] for bar in data["bars"] if bar["met"] is not None}
    assert all(name.startswith("all ") for name in known)
    json.dumps(data, allow_nan=False)
    text = markdown(data)
    assert "gap: mujoco is not installed" in text
    assert "not measured" in text


def test_a_peer_that_fails_is_a_gap_and_one_that_differs_has_no_ratio(
    lola: erfd.Robot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(self: Peer, robot: erfd.Robot) -> None:
        raise RuntimeError("no such thing\nand more")

    class Wrong(Pinocchio):
        """Computes another robot."""

        def __init__(self, robot: erfd.Robot):
            super().__init__(replace(robot, gravity=(0.0, 0.0, -1.62)))

    monkeypatch.setattr(CasADi, "__init__", broken)
    monkeypatch.setattr(peers, "PEERS", (Wrong, CasADi))
    states = random_states(lola, QUICK.sizes[-1])
    with erfd.backend("compiled"):
        found = run._rows(lola, "forward_dynamics", states, QUICK, 1, lambda: None)
    erfd.set_threads(None)
    gaps = [row for row in found if row["who"] == "CasADi"]
    assert gaps
    assert all(row["note"] == "RuntimeError: no such thing" for row in gaps)
    theirs = [row for row in found if row["who"] == "Pinocchio"]
    assert all(row["status"] == "disagrees" and row["ratio"] is None for row in theirs)
    assert all(row["status"] == "ok" for row in found if row["who"] == "ERFD")


def test_a_place_that_cannot_be_written_is_known_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    """Not after three minutes of measuring."""

    def measure(*given: Any, **options: Any) -> None:
        raise AssertionError("measured")

    monkeypatch.setattr("erfd.bench.run.run", measure)
    for place in (tmp_path, tmp_path / "none" / "bench.json"):
        assert main(["bench", "two_link", "--out", str(place)]) == 2
        assert "cannot be written, expected a file in a folder" in capsys.readouterr().err


def test_a_robot_that_is_not_compiled() -> None:
    with pytest.raises(InputError, match=r"'general65': expected up to 64 joints, .* found 65"):
        run.run(general_robot(65), quick=True)


@pytest.mark.parametrize("quantity", BENCHED_QUANTITIES)
def test_the_scalar_function_has_the_same_bits(quantity: str, lola: erfd.Robot) -> None:
    states = random_states(lola, 30)
    with erfd.backend("compiled"):
        compiled = kernel(lola, quantity)
        assert compiled is not None
        loop, one = scalar_loop(compiled)
    given = list(states.arguments(quantity, 30).values())
    out = np.empty_like(states.results[quantity])
    loop(one, *(a.ctypes.data for a in given), out.ctypes.data, 30)
    np.testing.assert_array_equal(out, compiled.ufunc(*given))


def test_states_are_seeded_and_consistent(lola: erfd.Robot) -> None:
    states = random_states(lola, 50)
    np.testing.assert_array_equal(states.q, random_states(lola, 50).q)
    np.testing.assert_allclose(states.results["forward_dynamics"], states.qdd, rtol=0, atol=1e-10)


def test_peak_and_operations_are_counted() -> None:
    assert peak_flops(repeats=1, count=1000) > 0
    assert 30 < sincos_flops() < 100  # two polynomials of six terms each, and the reduction


def test_a_process_that_fails_is_a_gap(lola: erfd.Robot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(startup, "_MEMORY", "raise SystemExit('no memory')")
    assert memory(lola, QUICK) == {"gap": "no memory"}


def test_the_mujoco_model_has_all_masses() -> None:
    robot = random_robot(3, "RPRR")
    root = ElementTree.fromstring(mjcf(robot))
    masses = [float(body.attrib["mass"]) for body in root.iter("inertial")]
    assert masses == [link.mass for link in robot.links]
    kinds = [joint.attrib["type"] for joint in root.iter("joint")]
    assert kinds == ["hinge", "slide", "hinge", "hinge"]


@pytest.mark.parametrize("peer", PEERS, ids=lambda peer: peer.package)
@pytest.mark.parametrize("name", ["lola15", "puma560", "stanford", "random"])
def test_peers_compute_the_same_robot(peer: type[Peer], name: str) -> None:
    """With prismatic joints, mounts and any gravity, too."""
    if peer.missing():
        pytest.skip(peer.missing())
    robot = random_robot(5, "RPRRP") if name == "random" else erfd.load(name)
    states = random_states(robot, 12)
    with erfd.backend("compiled"):
        try:
            contender = peer(robot)
        except ValueError as error:
            assert peer in (MuJoCo, Toolbox)  # they cannot take every robot
            pytest.skip(str(error))
        for quantity in BENCHED_QUANTITIES:
            for case in contender.cases(quantity, states, (1, 12), (1, 2)):
                error = difference(case.results(), states.results[quantity])
                assert agree(error), (case.who, case.how, case.states, error)
