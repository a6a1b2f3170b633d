"""Parts of a study on a Dask cluster: it is sent once to every worker, then numbers of parts.

A part comes back through the scheduler, or is written by its worker where the folder of the study
can be reached from there. A worker that dies costs its part, which another one takes.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..errors import ErfdError, InputError
from ..ground.arrays import Array
from ..ground.files import write_bytes
from .evaluator import Rows, VariantEvaluator
from .parts import PartFolder, decoded, encoded
from .sampling import Sampling
from .workers import check_workers, client_of, machine_note, on_workers

PROBE = "shared-folder-probe"
Done = dict[int, tuple[Array, Rows]]


def cluster_parts(
    evaluator: VariantEvaluator, sampling: Sampling, size: int, key: str, folder: PartFolder | None,
    cluster: Any, missing: list[int], done: Done, report: Callable[[], None],
) -> tuple[str, ...]:  # fmt: skip
    """Work out the missing parts on a cluster, put them into `done`; what there is to note.

    Raises:
        InputError: No scheduler, no worker, workers of another version, a full disk.
        ErfdError: A worker failed.
    """
    with client_of(cluster) as client:
        machines = check_workers(client)
        shared = None if folder is None else _shared(client, folder)
        brief = (evaluator.subject, evaluator.names, sampling, size, key, shared)

        def take(result: tuple[int, bytes | None, str]) -> None:
            _take(result, evaluator, key, folder, shared, done)
            report()

        on_workers(client, brief, part_on_worker, missing, take)
    way = "written by the workers" if shared else "through the scheduler"
    return (f"{machine_note(machines)}; parts {way}",)


def _shared(client: Any, folder: PartFolder) -> str | None:
    """The folder of the parts as all workers see it; None if it is not the same for all."""
    word = f"{socket.gethostname()} {folder.key}"
    probe = folder.folder.resolve() / PROBE
    write_bytes(probe, word.encode())
    try:
        seen = client.run(_sees, str(probe), word)
    finally:
        probe.unlink(missing_ok=True)
    return str(folder.folder.resolve()) if seen and all(seen.values()) else None


def _sees(path: str, word: str) -> bool:
    """Whether a worker reads what was written there, and may write beside it."""
    import os

    try:
        same = Path(path).read_text() == word
    except (OSError, UnicodeDecodeError):
        return False
    return same and os.access(Path(path).parent, os.W_OK)


_BRIEFS: dict[str, VariantEvaluator] = {}
"""The evaluator of the study that a worker is at."""


def part_on_worker(brief: Any, part: int) -> tuple[int, bytes | None, str]:
    """Work out one part on a worker: its bytes, None if they were written; or a sentence."""
    from .names import quantities_of

    subject, names, sampling, size, key, shared = brief
    try:
        if key not in _BRIEFS:
            _BRIEFS.clear()
            _BRIEFS[key] = VariantEvaluator(subject, quantities_of(names, subject.robot))
        evaluator = _BRIEFS[key]
        first = part * size
        draws = sampling.draws(first, min(first + size, sampling.total))
        data = encoded(evaluator, first, draws, evaluator.evaluate(draws), key)
        if shared is None:
            return part, data, ""
        write_bytes(Path(shared) / f"part-{part:06d}.parquet", data)
        return part, None, ""
    except ErfdError as error:
        return part, None, str(error)


def _take(
    result: tuple[int, bytes | None, str], evaluator: VariantEvaluator, key: str,
    folder: PartFolder | None, shared: str | None, done: Done,
) -> None:  # fmt: skip
    """Put a part that came back in its place."""
    part, data, wrong = result
    if wrong:
        raise InputError(f"cluster: part {part}: {wrong}")
    if folder is not None and shared is not None:
        found = folder.read(evaluator, part)
        if found is None:
            raise InputError(f"{folder.path(part)}: expected what a worker has written, found none")
        done[part] = found
        return
    decoded_part = decoded(evaluator, data or b"", key)
    if decoded_part is None:
        raise InputError(f"cluster: part {part}: expected a part of this study, found another")
    done[part] = decoded_part[1:]
    if folder is not None:
        folder.write(part, data or b"")
