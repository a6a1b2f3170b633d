"""Times of a recording: units, epoch, repeats; backwards is an error."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...errors import InputError
from ...ground.arrays import Array
from .columns import JointColumns
from .titles import scale_of

EPOCH = 1e8
"""Seconds beyond which a first time is a date (3 March 1973), not the age of a recording."""
_EPOCHS = ((1e17, 1e-9, "ns"), (1e14, 1e-6, "us"), (1e11, 1e-3, "ms"), (EPOCH, 1.0, "s"))


def with_times(name: str, motion: JointColumns) -> JointColumns:
    """The motion with times in s that rise, and notes on what was done to them.

    A date becomes the time since the first row. Of rows with the same time the last one counts.
    """
    t, notes = motion.t, list(motion.notes)
    if len(t) < 2:
        raise InputError(f"{name}: expected at least two rows of numbers, found {len(t)}")
    scale = scale_of("t", motion.time_unit, None) if motion.time_unit else 1.0
    assert scale is not None  # units were looked at with the titles
    unit = motion.time_unit or "s"
    if not motion.time_unit:
        scale, unit = next(((s, u) for least, s, u in _EPOCHS if t[0] >= least), (1.0, "s"))
    if t[0] * scale >= EPOCH:
        notes.append(f"times since 1970 in {unit}: counted from the first row")
        t = t - t[0]  # before scaling: differences of large numbers are exact
    elif motion.time_unit and scale != 1.0:
        notes.append(f"times in {unit}, as the title says")
    t = t * scale
    rounding = float(np.spacing(np.abs(motion.t).max())) * scale
    back = np.diff(t) < 0
    if back.any():
        k = int(back.argmax())
        raise InputError(
            f"{name}: expected rising times, found t = {t[k + 1]:g} s in row {k + 2}"
            f" after {t[k]:g} s"
        )
    keep = np.append(np.diff(t) > 0, True)
    if keep.sum() < 2:
        raise InputError(f"{name}: expected at least two different times, found {t[0]:g} s alone")
    if not keep.all():
        notes.append(_repeats(t, motion.q, keep))
    parts = [None if x is None else x[keep] for x in (motion.qd, motion.qdd)]
    return replace(
        motion, t=t[keep], q=motion.q[keep], qd=parts[0], qdd=parts[1], notes=tuple(notes),
        time_rounding=rounding,
    )  # fmt: skip


def _repeats(t: Array, q: Array, keep: Array) -> str:
    """The note on rows with the time of the next one."""
    dropped = np.flatnonzero(~keep.astype(bool))
    gap = float(np.abs(q[dropped + 1] - q[dropped]).max())
    rows = f"{len(dropped)} row{'s' if len(dropped) > 1 else ''} with the time of the next one"
    return f"{rows} left out, the first at t = {t[dropped[0]]:g} s; they differ by up to {gap:.3g}"
