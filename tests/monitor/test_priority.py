"""Priority among the threads of a machine."""

import os
import subprocess
import sys
import threading

import pytest

from erfd.monitor.priority import TURN, raised_priority


@pytest.mark.skipif(sys.platform != "linux", reason="Linux's scheduler")
def test_priority_is_given_back() -> None:
    """All threads have it inside, none afterwards, whether it was allowed or not."""
    done = threading.Event()
    other = threading.Thread(target=done.wait)
    other.start()
    threads = (threading.get_native_id(), other.native_id)
    before = [os.sched_getscheduler(k) for k in threads]
    with raised_priority() as kind:
        wanted = [os.SCHED_RR] * 2 if kind == "real-time" else before
        assert [os.sched_getscheduler(k) for k in threads] == wanted
    assert [os.sched_getscheduler(k) for k in threads] == before
    done.set()
    other.join()


@pytest.mark.skipif(sys.platform != "linux", reason="Linux's scheduler")
def test_short_turns_are_given_back(monkeypatch):
    """Where real time is not allowed: all threads have short turns inside, none afterwards."""
    from erfd.monitor import priority

    def refused(*_: object) -> None:
        raise PermissionError

    def turns() -> list[int]:
        return [priority._ATTRIBUTES.unpack(priority._get(k))[5] for k in threads]

    monkeypatch.setattr(os, "sched_setscheduler", refused)
    done = threading.Event()
    other = threading.Thread(target=done.wait)
    other.start()
    threads = (threading.get_native_id(), other.native_id)
    before = turns()
    try:
        with raised_priority() as kind:
            assert kind in ("short turns", "normal")  # before Linux 6.12 there are none
            assert turns() == ([TURN] * 2 if kind == "short turns" else before)
        assert turns() == before
    finally:
        done.set()
        other.join()


@pytest.mark.skipif(sys.platform != "linux", reason="Linux's scheduler")
def test_the_server_comes_last():
    look = "import os; from erfd.monitor.priority import lowered_priority; lowered_priority();"
    look += "print(os.nice(0), os.sched_getscheduler(0) == os.SCHED_BATCH)"
    said = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)
    nice, batch = said.stdout.split()
    assert int(nice) >= min(19, os.nice(0) + 10)
    assert batch == "True"
