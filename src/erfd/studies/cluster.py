"""Parts of a study on a Dask cluster: it is sent once to every worker, then numbers of parts.

A part comes back through the scheduler, or is written by its worker where the folder of the study
can be reached from there. A worker that dies costs its part, which another one takes.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..errors import ErfdError, InputError
from ..ground.arguments import text_of
from ..ground.arrays import Array
from ..ground.files import write_bytes
from ..ground.optional import import_optional
from ..kernels.compiler import host
from .evaluator import Evaluator, Rows
from .parts import PartFolder, decoded, encoded
from .sampling import Sampling

ATTEMPTS = 20
"""How many workers may die over one part before the study is given up."""
PATIENCE = 60
"""How long a cluster may be without a worker, s."""
CONNECTING = 10
"""How long a scheduler may take to answer, s."""
GONE = ("cancelled", "lost")
"""What becomes of results that died with their workers."""
AHEAD = 3
"""Parts that wait at each thread of the workers."""
ADDRESS = r"([a-z]+://)?[^\s/]+:[0-9]{1,5}"
PROBE = "shared-folder-probe"
Done = dict[int, tuple[Array, Rows]]

ASK = """
def ask():
    import platform
    try:
        import erfd
    except ImportError:
        return {"erfd": "", "python": platform.python_version()}
    found = {"erfd": erfd.__version__, "python": platform.python_version()}
    for name in ("numpy", "pyarrow", "scipy", "casadi", "llvmlite"):
        try:
            found[name] = __import__(name).__version__
        except ImportError:
            found[name] = ""
    try:
        from erfd.kernels.compiler import host
        found["machine"] = f"{host().cpu}, {host().width} lanes"
    except Exception as error:
        found["machine"] = str(error)
    return found
"""
"""What is asked of every worker: as text, since a worker may have no ERFD, or another one."""


def cluster_parts(
    evaluator: Evaluator, sampling: Sampling, size: int, key: str, folder: PartFolder | None,
    cluster: Any, missing: list[int], done: Done, report: Callable[[], None],
) -> tuple[str, ...]:  # fmt: skip
    """Work out the missing parts on a cluster, put them into `done`; what there is to note.

    Raises:
        InputError: No scheduler, no worker, workers of another version, a full disk.
        ErfdError: A worker failed.
    """
    with _client(cluster) as client:
        machines = check_workers(client)
        shared = None if folder is None else _shared(client, folder)
        brief = (evaluator.subject, evaluator.names, sampling, size, key, shared)
        if missing:
            _gather(client, brief, evaluator, key, folder, shared, missing, done, report)
    here = f"{host().cpu}, {host().width} lanes"
    others = sorted(set(machines) - {here})
    said = (
        "the same bits as on this machine (processors of one type)"
        if not others
        else f"equal within 1e-12 (processors of other types than {here}: {'; '.join(others)})"
    )
    way = "written by the workers" if shared else "through the scheduler"
    return (f"{len(machines)} workers, {said}; parts {way}",)


@contextmanager
def _client(cluster: Any) -> Iterator[Any]:
    """The client of a cluster; one that is made here is closed again."""
    distributed = import_optional("distributed", "a study on a cluster", "cluster")
    if isinstance(cluster, distributed.Client):
        yield cluster
        return
    address = text_of("cluster", cluster)
    if not re.fullmatch(ADDRESS, address):
        raise InputError(
            f"cluster: expected an address such as tcp://host:8786, found {address!r:.60}"
        )
    try:
        client = distributed.Client(address, timeout=CONNECTING, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(
            f"cluster: expected the address of a scheduler, found {address!r:.60}: {reason}"
        ) from None
    try:
        yield client
    finally:
        client.close()


def check_workers(client: Any) -> list[str]:
    """The machines of the workers, after a look at their versions.

    Raises:
        InputError: No worker, or one with another ERFD, Python or NumPy, or without a package.
    """
    space: dict[str, Any] = {"__name__": "__main__"}
    exec(ASK, space)  # of this file; sent by value, as the worker may not have it
    own = space["ask"]()
    try:
        client.wait_for_workers(1, timeout=CONNECTING)
    except TimeoutError:
        raise InputError("cluster: expected at least one worker, found none") from None
    found = client.run(space["ask"])
    for address, versions in found.items():
        for name, version in own.items():
            there = versions.get(name, "")
            if name == "machine":
                continue
            if name == "python":
                version, there = (".".join(v.split(".")[:2]) for v in (version, there))
            if version and there != version and (name in ("erfd", "python", "numpy") or not there):
                raise InputError(
                    f"cluster: worker {address}: expected {name} {version} as here,"
                    f" found {there or 'none'}"
                )
    return [versions["machine"] for versions in found.values()]


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


_BRIEFS: dict[str, Evaluator] = {}
"""The evaluator of the study that a worker is at."""


def part_on_worker(brief: Any, part: int) -> tuple[int, bytes | None, str]:
    """Work out one part on a worker: its bytes, None if they were written; or a sentence."""
    from .names import quantities_of

    subject, names, sampling, size, key, shared = brief
    try:
        if key not in _BRIEFS:
            _BRIEFS.clear()
            _BRIEFS[key] = Evaluator(subject, quantities_of(names, subject.robot))
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


def _send(client: Any, brief: Any) -> Any:
    """Send the study to every worker that is there; others fetch it from these."""
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except TimeoutError:
        raise InputError(f"cluster: expected a worker, found none in {PATIENCE} s") from None
    return client.scatter(brief, broadcast=True, hash=False)


def _gather(
    client: Any, brief: Any, evaluator: Evaluator, key: str, folder: PartFolder | None,
    shared: str | None, missing: list[int], done: Done, report: Callable[[], None],
) -> None:  # fmt: skip
    """Hand out parts, a few at a time, and take what comes back, in any order."""
    distributed = import_optional("distributed", "a study on a cluster", "cluster")
    waiting, deaths = list(reversed(missing)), dict.fromkeys(missing, 0)
    sent = _send(client, brief)
    queue = distributed.as_completed()
    parts: dict[str, int] = {}

    def hand_out() -> None:
        threads = max(sum(client.nthreads().values()), 1)
        while waiting and len(parts) < AHEAD * threads:
            part = waiting.pop()
            future = client.submit(part_on_worker, sent, part, pure=False, retries=ATTEMPTS)
            parts[future.key] = part
            queue.add(future)

    hand_out()
    for future in queue:
        part = parts.pop(future.key)
        if future.status == "finished":
            _take(future.result(), evaluator, key, folder, shared, done)
        else:
            deaths[part] += 1
            error = None if future.status in GONE else future.exception()
            died = error is None or isinstance(error, distributed.KilledWorker)
            if not died or deaths[part] > ATTEMPTS:
                raise ErfdError(f"cluster: part {part} failed: {type(error).__name__}: {error}")
            if sent.status in GONE:  # all who had the study have died
                sent = _send(client, brief)
            waiting.append(part)
        report()
        hand_out()


def _take(
    result: tuple[int, bytes | None, str], evaluator: Evaluator, key: str,
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
