"""Connections that never finish a request are closed: in time, and when there are too many."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

PATIENCE = 10.0
"""Seconds that the head of a request may take."""
MOST = 200
"""Connections at most that have not finished the head of a request; the oldest go first."""
_HALF_OPEN: OrderedDict[Connection, asyncio.TimerHandle] = OrderedDict()


class Connection(H11Protocol):
    """An HTTP connection that is closed if the head of its request does not come."""

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for the head of a request."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Take a piece: with it, the head may be there."""
        if self.cycle is not None and self.cycle.response_complete:
            self._wait()  # another request on the same connection
        super().data_received(data)
        begun = self.cycle is not None and not self.cycle.response_complete
        if begun or self.transport.get_protocol() is not self:  # a WebSocket by now
            self._waits_no_more()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._waits_no_more()
        super().connection_lost(exc)

    def _wait(self) -> None:
        if self not in _HALF_OPEN:
            _HALF_OPEN[self] = self.loop.call_later(PATIENCE, self._close_late)
            if len(_HALF_OPEN) > MOST:
                next(iter(_HALF_OPEN))._close_late()

    def _waits_no_more(self) -> None:
        timer = _HALF_OPEN.pop(self, None)
        if timer is not None:
            timer.cancel()

    def _close_late(self) -> None:
        self._waits_no_more()
        if not self.transport.is_closing():
            self.transport.abort()
