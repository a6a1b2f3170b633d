"""The loads of a motion, point by point: the wrench at the tool, and what the arm carries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from ..ground.arrays import Array, as_numbers
from ..robot.payload import Payload, PayloadLike, payload_numbers, payload_of


@dataclass(frozen=True, eq=False)
class Loads:
    """A wrench (N, 6) in N and N m, or None, and N payloads, for the cycle that ends at a point."""

    wrench: Array | None
    payloads: Sequence[Payload | None]

    @classmethod
    def of(
        cls,
        size: int,
        wrench: ArrayLike | None,
        payload: PayloadLike | Sequence[PayloadLike | None] | None,
    ) -> Loads:
        """The loads of `size` points from one or `size` wrenches and payloads, checked."""
        if isinstance(payload, np.ndarray):
            payload = payload.tolist()
        if isinstance(payload, Sequence) and not isinstance(payload, str):
            payloads = [payload_of(one) for one in payload]
        else:
            payloads = [payload_of(payload)] * size
        if len(payloads) != size:
            raise InputError(f"payload: expected one or {size}, one a point, found {len(payloads)}")
        return cls(None if wrench is None else spread_wrench(wrench, size), payloads)

    def first(self, count: int) -> Loads:
        """The loads of the first points."""
        wrench = None if self.wrench is None else self.wrench[:count]
        return Loads(wrench, self.payloads[:count])

    @cached_property
    def payload_rows(self) -> Array | None:
        """Ten numbers for each payload, (N, 10), None if there are no payloads."""
        distinct = set(self.payloads)
        if distinct == {None}:
            return None
        numbers = {payload: payload_numbers(payload) for payload in distinct}
        return np.array([numbers[payload] for payload in self.payloads])


def spread_wrench(wrench: ArrayLike, size: int) -> Array:
    """Check a wrench (6,) or (size, 6), and spread it to one for each point, (size, 6)."""
    array = as_numbers("wrench", wrench)
    if array.shape not in ((6,), (size, 6)) or not np.isfinite(array).all():
        raise InputError(f"wrench: expected finite (6,) or ({size}, 6), found {array.shape}")
    return np.broadcast_to(array, (size, 6))
