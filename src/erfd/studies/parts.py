"""Parts of a study as Parquet: written beside their place, and read again to go on."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from .. import __version__
from ..errors import InputError
from ..ground.arrays import Array
from ..ground.files import read_bytes, write_bytes
from ..ground.optional import import_optional
from .evaluator import Rows, VariantEvaluator
from .sampling import Sampling

PARTS = "parts"
"""The folder of the parts in that of the study."""


def columns_of(evaluator: VariantEvaluator, first: int, draws: Array, rows: Rows) -> dict[str, Any]:
    """All variants from `first` on, a column (V,) each."""
    columns: dict[str, Any] = {"variant": np.arange(first, first + len(draws))}
    columns |= {name: draws[:, k] for k, name in enumerate(evaluator.names)}
    columns |= {"feasible": rows.feasible, "margin": rows.margin}
    columns["limit"] = np.array(evaluator.labels, dtype=object)[rows.limit]
    columns["time"] = rows.time
    for name, values in (("torque", rows.torque), ("rms", rows.rms), ("move", rows.moves)):
        columns |= {f"{name} {k + 1}": values[:, k] for k in range(values.shape[1])}
    columns |= {f"load {k + 1}": rows.loads[:, k] for k in range(rows.loads.shape[1])}
    columns["error"] = rows.error
    return columns


def encoded(evaluator: VariantEvaluator, first: int, draws: Array, rows: Rows, key: str) -> bytes:
    """A part of a study as the bytes of a Parquet file; `key` says of which study."""
    pyarrow = import_optional("pyarrow", "a study in a folder", "runs")
    parquet = import_optional("pyarrow.parquet", "a study in a folder", "runs")
    columns = columns_of(evaluator, first, draws, rows)
    columns["limit"] = pyarrow.DictionaryArray.from_arrays(rows.limit, list(evaluator.labels))
    said = list(dict.fromkeys(rows.error.tolist()))
    place = {text: k for k, text in enumerate(said)}
    codes = np.zeros(len(rows), dtype=np.int32)
    if len(said) > 1:
        codes[:] = [place[text] for text in rows.error.tolist()]
    columns["error"] = pyarrow.DictionaryArray.from_arrays(codes, said)
    table = pyarrow.table(columns)
    loads = [f"{motor}: {quantity}" for motor, quantity, _ in evaluator.loads]
    words = {"erfd.study": key, "erfd.version": __version__, "erfd.loads": "\n".join(loads)}
    buffer = io.BytesIO()
    # numbers that are drawn do not repeat, and do not compress
    parquet.write_table(table.replace_schema_metadata(words), buffer, compression="none",
                        use_dictionary=["limit", "error"], write_statistics=False)  # fmt: skip
    return buffer.getvalue()


def decoded(evaluator: VariantEvaluator, data: bytes, key: str) -> tuple[int, Array, Rows] | None:
    """A part again: the first variant, draws and rows; None if it is no part of this study."""
    pyarrow = import_optional("pyarrow", "a study in a folder", "runs")
    parquet = import_optional("pyarrow.parquet", "a study in a folder", "runs")
    try:
        table = parquet.read_table(pyarrow.BufferReader(data))
    except (pyarrow.ArrowException, OSError):
        return None
    if (table.schema.metadata or {}).get(b"erfd.study", b"").decode() != key:
        return None
    columns = {name: table[name].to_numpy(zero_copy_only=False)
               for name in table.column_names if name not in ("limit", "error")}  # fmt: skip
    limits, errors = (table[name].combine_chunks().dictionary_encode()
                      for name in ("limit", "error"))  # fmt: skip
    code = {label: k for k, label in enumerate(evaluator.labels)}
    known = np.array([code[label] for label in limits.dictionary.to_pylist()], dtype=np.int16)
    said = np.array(errors.dictionary.to_pylist(), dtype=object)

    def block(name: str) -> Array:
        found = [values for key_, values in columns.items() if key_.split(" ")[0] == name]
        return np.column_stack(found) if found else np.zeros((table.num_rows, 0))

    draws = np.column_stack([columns[name] for name in evaluator.names])
    rows = Rows(
        columns["feasible"].astype(bool), columns["margin"], known[limits.indices.to_numpy()],
        columns["time"],
        block("torque"), block("rms"), block("load"), block("move"),
        said[errors.indices.to_numpy()],
    )  # fmt: skip
    return int(columns["variant"][0]), draws, rows


def study_key(evaluator: VariantEvaluator, sampling: Sampling, size: int) -> str:
    """What a study is, as a digest: the same whoever works it out, of one version of ERFD."""
    subject = evaluator.subject
    digest = hashlib.sha256(f"{__version__} {size} {sampling.total}".encode())
    robot = subject.robot
    parts: list[Any] = [getattr(robot, f.name) for f in fields(robot) if f.compare]
    parts += [evaluator.names, sampling.method, sampling.seed, sampling.distributions]
    for field in fields(subject):
        value = getattr(subject, field.name)
        if field.name == "trajectory" and value is not None:
            digest.update(value.t.tobytes() + value.q.tobytes() + value.qd.tobytes())
        elif field.name != "robot":
            parts.append(value)
    digest.update(repr(parts).encode())
    if sampling.rows is not None:
        digest.update(np.ascontiguousarray(sampling.rows).tobytes())
    return digest.hexdigest()


class PartFolder:
    """The parts of a study in a folder.

    Raises:
        InputError: Another study was begun there and is not finished.
    """

    def __init__(self, folder: Path, key: str, *, resume: bool):
        from ..report.output_folder import make_folder

        self.folder, self.key = folder / PARTS, key
        make_folder(self.folder)
        begun = sorted(self.folder.glob("part-*.parquet"))
        if begun and not resume:
            raise InputError(
                f"{folder}: expected a folder without an unfinished study, or resume (--resume) to"
                f" go on with it, found {len(begun)} parts"
            )
        if begun and self._key_of(begun[0]) not in (key, ""):
            raise InputError(
                f"{folder}: expected the study that was begun there, found another program, robot,"
                " set-up, seed or version"
            )

    def _key_of(self, path: Path) -> str:
        """The key in a part, empty if it is damaged."""
        pyarrow = import_optional("pyarrow", "a study in a folder", "runs")
        parquet = import_optional("pyarrow.parquet", "a study in a folder", "runs")
        try:
            found = parquet.read_schema(path).metadata or {}
        except (pyarrow.ArrowException, OSError):
            return ""
        return str(found.get(b"erfd.study", b"").decode())

    def path(self, part: int) -> Path:
        """The file of a part."""
        return self.folder / f"part-{part:06d}.parquet"

    def write(self, part: int, data: bytes) -> None:
        """Put a part down, whole or not at all."""
        write_bytes(self.path(part), data)

    def done(self, evaluator: VariantEvaluator, count: int) -> Iterator[tuple[int, Array, Rows]]:
        """The parts that are there and whole: number, draws and rows."""
        for part in range(count):
            found = self.read(evaluator, part)
            if found is not None:
                yield part, *found

    def read(self, evaluator: VariantEvaluator, part: int) -> tuple[Array, Rows] | None:
        """A part, None if it is not there or damaged."""
        if not self.path(part).exists():
            return None
        found = decoded(evaluator, read_bytes(self.path(part)), self.key)
        return None if found is None else found[1:]

    def remove(self) -> None:
        """Take the parts away: the whole table is there."""
        for pattern in ("part-*.parquet", ".part-*.part"):
            for path in self.folder.glob(pattern):
                path.unlink(missing_ok=True)
        if not any(self.folder.iterdir()):
            self.folder.rmdir()
