"""`erfd monitor` as a person and as a program see it."""

import json
import threading
from pathlib import Path

import pytest

import erfd
from erfd.cli import main
from erfd.monitor import Publisher
from erfd.monitor.recording.recorder import journal_path
from erfd.run.write import read_run
from support.recordings import batch_of, hello_of, journal_of


def test_watching(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """`erfd monitor watch`, for people and programs, of one that is there and one that is not."""
    from erfd.monitor import Publisher

    with Publisher("cell 1", n=2, dt=0.01, columns=("q",)) as publisher:
        done = threading.Event()

        def go_on() -> None:
            while not done.wait(0.01):
                publisher.publish({"q": [1, 2]})

        thread = threading.Thread(target=go_on)
        thread.start()
        urls = [publisher.url, "ws://127.0.0.1:1"]
        try:
            assert main(["monitor", "watch", *urls, "--seconds", "1.2", "--json"]) == 0
            rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
            assert rows[-1][0]["connection"] == "live"
            assert rows[-1][0]["samples"] > 0
            assert rows[-1][1]["connection"] == "lost"
            assert main(["monitor", "watch", *urls, "--seconds", "1"]) == 0
            text = capsys.readouterr().out
            assert "cell 1" in text
            assert "lost" in text
        finally:
            done.set()
            thread.join()


def test_the_commands(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """`erfd monitor record` and `recover`, as a person and as a program see them."""
    import threading

    done = threading.Event()
    with Publisher("cell", erfd.load("two_link"), dt=0.01, columns=("q",)) as publisher:

        def go_on() -> None:
            k = 0
            while not done.wait(0.01):
                publisher.publish({"q": [k, 0]}, t=0.01 * k)
                k += 1

        thread = threading.Thread(target=go_on)
        thread.start()
        try:
            path = tmp_path / "a.parquet"
            arguments = ["monitor", "record", publisher.url, "--seconds", "1", "--out", str(path)]
            assert main([*arguments, "--json"]) == 0
            data = json.loads(capsys.readouterr().out)
            assert data["written"] == [str(path)]
            assert len(read_run(path)) == data["samples"] > 0
        finally:
            done.set()
            thread.join()
    assert main(["monitor", "record", "ws://127.0.0.1:1", "--seconds", "0.3", "--out", str(path)])
    assert "no samples came" in capsys.readouterr().err
    journal = journal_path(tmp_path / "b.mcap")
    journal.write_bytes(journal_of(tmp_path, [hello_of(), batch_of(0, 20), batch_of(20, 9)])[:-5])
    assert main(["monitor", "recover", str(journal)]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"wrote {tmp_path / 'b.mcap'}\n20 samples; ")
    assert out.endswith("bytes could not be read\n")
    assert main(["monitor", "recover", str(tmp_path / "none.parquet.journal")]) == 2
    assert "cannot be read" in capsys.readouterr().err
    assert main(["monitor", "recover", str(path)]) == 2
    assert "expected a name that ends in .journal, or --out FILE" in capsys.readouterr().err
