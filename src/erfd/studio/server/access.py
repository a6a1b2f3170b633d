"""Who may do what: named tokens with a right each.

view: look at runs and live robots; run: also verify, keep and delete; command: also move a robot.
"""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass, field
from pathlib import Path

from ...errors import InputError
from ...ground.files import read_text

RIGHTS = ("view", "run", "command")
"""Each has those before it."""
SHORT = 12
"""Characters below which a token can be guessed."""


@dataclass(frozen=True, slots=True)
class AccessToken:
    """A token and whose it is; `cookie` is what a browser keeps: not the token, new each start."""

    name: str
    right: str
    secret: str = field(repr=False)
    cookie: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)


def may(right: str, wanted: str) -> bool:
    """Whether somebody with a right may do what takes another.

    >>> may("run", "view"), may("run", "command")
    (True, False)
    """
    return RIGHTS.index(right) >= RIGHTS.index(wanted)


def token_of(tokens: tuple[AccessToken, ...], secret: str) -> AccessToken | None:
    """The token that somebody has given; as long for a wrong one as for a right one."""
    found = None
    for token in tokens:
        if hmac.compare_digest(token.secret.encode(), secret.encode()):
            found = token
    return found


def logged_in(tokens: tuple[AccessToken, ...], cookie: str) -> AccessToken | None:
    """The token whose cookie this is."""
    found = None
    for token in tokens:
        if hmac.compare_digest(token.cookie.encode(), cookie.encode()):
            found = token
    return found


def read_tokens(path: Path) -> tuple[AccessToken, ...]:
    """The tokens in a file: a name, a right and a token on each line; # begins a comment."""
    tokens: list[AccessToken] = []
    for number, line in enumerate(read_text(path).splitlines(), 1):
        words = line.split("#", 1)[0].split()
        if not words:
            continue
        where = f"{path.name}: line {number}"
        if len(words) != 3:
            raise InputError(f"{where}: expected a name, a right and a token, found {len(words)}")
        name, right, secret = words
        if right not in RIGHTS:
            expected = ", ".join(RIGHTS)
            raise InputError(f"{where}: right: expected one of {expected}, found {right!r:.20}")
        if len(secret) < SHORT:
            raise InputError(f"{where}: token: expected at least {SHORT} characters")
        if any(name == token.name or secret == token.secret for token in tokens):
            raise InputError(f"{where}: expected each name and each token once")
        tokens.append(AccessToken(name, right, secret))
    if not tokens:
        raise InputError(f"{path.name}: expected a line with a name, a right and a token")
    return tuple(tokens)
