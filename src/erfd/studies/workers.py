"""Work on a Dask cluster: its client, what its workers have, and parts of work for them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..errors import ErfdError, InputError
from ..ground.arguments import text_of
from ..ground.optional import import_optional
from ..kernels.compiler import host

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


@contextmanager
def client_of(cluster: Any) -> Iterator[Any]:
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


def machine_note(machines: Sequence[str]) -> str:
    """How many workers there were, and whether their processors are of one type with this one."""
    here = f"{host().cpu}, {host().width} lanes"
    others = sorted(set(machines) - {here})
    if not others:
        return f"{len(machines)} workers, the same bits as on this machine (processors of one type)"
    return (
        f"{len(machines)} workers, equal within 1e-12 (processors of other types than {here}:"
        f" {'; '.join(others)})"
    )


def _send(client: Any, brief: Any) -> Any:
    """Send the study to every worker that is there; others fetch it from these."""
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except TimeoutError:
        raise InputError(f"cluster: expected a worker, found none in {PATIENCE} s") from None
    return client.scatter(brief, broadcast=True, hash=False)


def on_workers(
    client: Any, brief: Any, function: Callable[[Any, int], Any], missing: Sequence[int],
    take: Callable[[Any], None],
) -> None:  # fmt: skip
    """Hand out parts, a few at a time, and take what comes back, in any order.

    Args:
        client: The client of a cluster.
        brief: What all parts need; it is sent once to every worker.
        function: From the brief and the number of a part to its result, on a worker.
        missing: The numbers of the parts.
        take: Called here with every result.

    Raises:
        ErfdError: A part failed, or too many workers died over it.
    """
    if not missing:
        return
    distributed = import_optional("distributed", "a study on a cluster", "cluster")
    waiting, deaths = list(reversed(missing)), dict.fromkeys(missing, 0)
    sent = _send(client, brief)
    queue = distributed.as_completed(loop=client.loop)
    parts: dict[str, int] = {}

    def hand_out() -> None:
        threads = max(sum(client.nthreads().values()), 1)
        while waiting and len(parts) < AHEAD * threads:
            part = waiting.pop()
            future = client.submit(function, sent, part, pure=False, retries=ATTEMPTS)
            parts[future.key] = part
            queue.add(future)

    hand_out()
    for future in queue:
        part = parts.pop(future.key)
        if future.status == "finished":
            take(future.result())
        else:
            deaths[part] += 1
            error = None if future.status in GONE else future.exception()
            died = error is None or isinstance(error, distributed.KilledWorker)
            if not died or deaths[part] > ATTEMPTS:
                raise ErfdError(f"cluster: part {part} failed: {type(error).__name__}: {error}")
            if sent.status in GONE:  # all who had the study have died
                sent = _send(client, brief)
            waiting.append(part)
        hand_out()
