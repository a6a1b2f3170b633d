"""A client of the studio that speaks the protocol of its page without a browser."""

import asyncio
import re
import secrets
import time
from typing import Any

import aiohttp
import socketio


class StudioClient:
    """One page: it comes, verifies when it is told to, and knows the verdict that is shown."""

    def __init__(self, url: str):
        self.url = url
        self.elements: dict[int, dict[str, Any]] = {}
        self.socket = socketio.AsyncClient(reconnection=False)

    async def come(self) -> None:
        """Open the page and wait until it has its buttons."""
        headers = {"Origin": self.url.rstrip("/")}
        self.http = aiohttp.ClientSession(
            headers=headers, cookie_jar=aiohttp.CookieJar(unsafe=True)
        )
        async with self.http.get(self.url) as answer:
            text = await answer.text()
        self.id = re.search(r"client_id[\"']?\s*[:=]\s*[\"']([^\"']+)", text)[1]
        self.socket.on("update", self._update)
        query = {
            "client_id": self.id, "tab_id": secrets.token_hex(8), "document_id": "d",
            "next_message_id": "0", "implicit_handshake": "true",
        }  # fmt: skip
        address = self.url + "?" + "&".join(f"{k}={v}" for k, v in query.items())
        cookie = "; ".join(f"{c.key}={c.value}" for c in self.http.cookie_jar)
        await self.socket.connect(
            address, headers=headers | {"Cookie": cookie}, transports=["websocket"],
            socketio_path="_nicegui_ws/socket.io", wait_timeout=60,
        )  # fmt: skip
        await self.until(lambda: self._button("Verify") is not None)

    def _update(self, changes: dict[str, Any]) -> None:
        for key, element in changes.items():
            if str(key).lstrip("-").isdigit() and isinstance(element, dict):
                self.elements[int(key)] = element  # whole: what is empty is left out

    def _button(self, label: str) -> tuple[int, dict[str, Any]] | None:
        for number, element in self.elements.items():
            if (element.get("props") or {}).get("label") == label and element.get("events"):
                return number, element
        return None

    def texts(self, kind: str) -> list[str]:
        """The texts of all elements with a class that are seen."""
        found = [e for e in self.elements.values() if kind in (e.get("class") or [])]
        return [e.get("text", "") for e in found if "hidden" not in e["class"]]

    async def until(self, holds, seconds: float = 900.0) -> None:
        """Wait for it."""
        end = time.monotonic() + seconds
        while not holds():
            assert time.monotonic() < end, (self.texts("verdict"), self.texts("stage"))
            await asyncio.sleep(0.05)

    async def press(self, label: str) -> None:
        """Press a button."""
        number, button = self._button(label)
        (listener,) = [e["listener_id"] for e in button["events"] if e["type"] == "click"]
        event = {"id": number, "client_id": self.id, "listener_id": listener, "args": [None]}
        await self.socket.emit("event", event)

    async def verify(self) -> str:
        """Press Verify, wait for the verdict, and leave the advice: the verdict."""
        await self.press("Verify")
        await self.until(lambda: not self.texts("verdict"))
        await self.until(lambda: self.texts("verdict"))
        verdict = self.texts("verdict")[0]
        if self.texts("stage"):
            await self.press("Cancel")
            await self.until(lambda: not self.texts("stage"))
        return verdict

    async def ping(self) -> float:
        """The seconds that a small request takes."""
        start = time.monotonic()
        async with self.http.get(f"{self.url}erfd/run/none/path") as answer:
            await answer.read()
        return time.monotonic() - start

    async def leave(self) -> None:
        """Close the page."""
        await self.socket.disconnect()
        await self.http.close()
