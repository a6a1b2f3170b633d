"""The start of the studio's server: its port, and what it says."""

import pytest

from erfd.errors import InputError
from erfd.studio.server.serve import free_port


def test_a_port_in_use_is_passed_over():
    import socket

    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        one.listen()
        taken = one.getsockname()[1]
        assert free_port("127.0.0.1", taken) != taken
    with pytest.raises(InputError, match="--port: expected a number"):
        free_port("127.0.0.1", 70000)
    with pytest.raises(InputError, match=r"--host 203\.0\.113\.7: cannot be used"):
        free_port("203.0.113.7", 8077)


def test_what_is_said_at_the_start(tmp_path, monkeypatch):
    """The port that was taken instead, of the usual one, too; a given token is asked for."""
    pytest.importorskip("nicegui")
    from erfd.studio.server import serve as server

    secrets = []

    def run(studio, host, port, show, tokens):
        secrets.append(tokens[0].secret if tokens else None)

    monkeypatch.setattr(server, "_run", run)
    monkeypatch.setattr(server, "free_port", lambda host, port: port + 1)

    def said(**how):
        lines: list[str] = []
        server.serve(folder=tmp_path, say=lines.append, **how)
        return "\n".join(lines), secrets[-1]

    assert "port 8077 is in use, taking 8078" in said()[0]
    assert "port 9000 is in use, taking 9001" in said(port=9000)[0]
    assert said()[1] is None
    text, secret = said(token="mine")
    assert secret == "mine"
    assert "mine" not in text
    assert "this token can be guessed" in text
    text, secret = said(local_token=True)
    assert len(secret) > 20
    assert text.count(secret) == 1
    (tmp_path / "who").write_text("ana view 123456789012\n")
    text, secret = said(host="0.0.0.0", tokens=tmp_path / "who")
    assert secret == "123456789012"
    assert secret not in text
    assert "token: those of who" in text
    text, secret = said(host="0.0.0.0")
    assert len(secret) > 20
    assert text.count(secret) == 1
