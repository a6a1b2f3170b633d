"""Files that are read and written: folders, devices, what has no end."""

import os
import threading
from pathlib import Path

import pytest

from erfd.errors import InputError
from erfd.ground import files
from erfd.ground.files import read_bytes, read_text, write_bytes


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    for read in (read_text, read_bytes):
        with pytest.raises(InputError, match="expected a file, found a folder"):
            read(tmp_path)


def test_text_has_plain_line_ends_and_no_mark(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"\xef\xbb\xbfone\r\ntwo\rthree\n")
    assert read_text(path) == "one\ntwo\nthree\n"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="text: expected UTF-8 text, found other bytes"):
        read_text(path)


def test_a_text_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "LARGEST", 1000)
    (tmp_path / "long").write_text("x" * 1001)
    for path in (tmp_path / "long", Path("/dev/zero")):
        if path.exists():
            with pytest.raises(InputError, match="at most 1,000 bytes of text, found more"):
                read_text(path)
    (tmp_path / "just").write_text("x" * 1000)
    assert len(read_text(tmp_path / "just")) == 1000


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with a name")
def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    write_bytes(pipe, b"some bytes")
    reader.join(10)
    assert read == [b"some bytes"]
    assert pipe.is_fifo()
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]
