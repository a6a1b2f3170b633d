"""`study.toml`: a study that is longer than a command line."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..ground.files import read_text
from .distributions import Distribution, distribution_of, in_degrees
from .names import TURNS

KEYS = ("program", "robot", "vary", "setup", "samples", "seed", "sampling", "confidence",
        "precision", "require", "probability")  # fmt: skip
"""What a study file may say."""
SETUP = ("base", "tip", "drives", "tool", "mount", "wrench", "payload", "signals", "dt", "turning",
         "adapt", "pause", "strict", "start", "cell", "follow", "torque_path")  # fmt: skip
"""What its table `[setup]` may say, as the options of the command do."""
FILES = ("signals", "cell", "drives")
"""Of these, what are files: beside the study file if they are not absolute."""


def read_study_file(path: Path) -> dict[str, Any]:
    """What a study file says: `KEYS` by name, `vary` and `setup` as dicts of texts.

    Raises:
        InputError: No such file, no TOML, or a key that is none.
    """
    import tomllib

    try:
        data = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path}: expected TOML, found {error}") from None
    _known(path, "", data, KEYS)
    for key in ("vary", "setup"):
        if not isinstance(data.get(key, {}), Mapping):
            raise InputError(f"{path}: expected a table [{key}], found {data[key]!r:.60}")
    if "program" in data:
        data["program"] = _beside(path, "program", data["program"])
    if isinstance(data.get("robot"), str) and Path(data["robot"]).suffix:
        data["robot"] = _beside(path, "robot", data["robot"])
    vary = data.get("vary", {})
    data["vary"] = {key: _text(value) for key, value in _flat("", vary).items()}
    setup = data.get("setup", {})
    _known(path, "setup.", setup, SETUP)
    data["setup"] = {
        key: _beside(path, key, value) if key in FILES else value for key, value in setup.items()
    }
    return data


def typed_distributions(vary: Mapping[str, str], said: str) -> dict[str, Distribution]:
    """Distributions as people type them: angles in degrees.

    Args:
        vary: Texts by name.
        said: What a sentence calls the place: "--vary".
    """
    found = {}
    for name, text in vary.items():
        distribution = distribution_of(f"{said} {name}", text)
        found[name] = in_degrees(distribution) if name.split(".")[-1] in TURNS else distribution
    return found


def _flat(prefix: str, table: Mapping[str, Any]) -> dict[str, Any]:
    """Keys with dots, however the file writes them: `link.3.mass`, `[vary.link.3]`."""
    flat: dict[str, Any] = {}
    for key, value in table.items():
        if isinstance(value, Mapping):
            flat |= _flat(f"{prefix}{key}.", value)
        else:
            flat[prefix + key] = value
    return flat


def _known(path: Path, table: str, data: Mapping[str, Any], known: tuple[str, ...]) -> None:
    for key in data:
        if key not in known:
            expected = ", ".join(known)
            raise InputError(f"{path}: expected {expected}, found {table}{key}")


def _beside(path: Path, key: str, value: Any) -> str:
    if not isinstance(value, str):
        raise InputError(f"{path}: {key}: expected the path of a file, found {value!r:.60}")
    found = path.parent / value
    return str(found) if found.exists() else value


def _text(value: Any) -> str:
    """A value as the command line has it."""
    if isinstance(value, list):
        return f"[{', '.join(str(x) for x in value)}]"
    return str(value)
