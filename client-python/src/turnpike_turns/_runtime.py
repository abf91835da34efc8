"""The clients' source of time and randomness. Tests replace it."""

from __future__ import annotations

import asyncio
import random
import threading
import time
from contextlib import suppress
from typing import Protocol


class _Clock(Protocol):
    def now(self) -> float:
        """The current time in seconds since 1970."""

    def monotonic(self) -> float:
        """Seconds of a clock that never goes back, for time limits."""

    def random(self) -> float:
        """A random number, at least 0 and below 1."""


class Runtime(_Clock, Protocol):
    """Time and randomness of a ``Turnpike``."""

    def sleep(self, seconds: float) -> None:
        """Waits."""

    def wait(self, event: threading.Event, seconds: float) -> bool:
        """Waits until the event is set, at most so long. Returns whether it is set."""


class AsyncRuntime(_Clock, Protocol):
    """Time and randomness of an ``AsyncTurnpike``."""

    async def sleep(self, seconds: float) -> None:
        """Waits."""

    async def wait(self, event: asyncio.Event, seconds: float) -> bool:
        """Waits until the event is set, at most so long. Returns whether it is set."""


class _SystemClock:
    def now(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()

    def random(self) -> float:
        return random.random()


class SystemRuntime(_SystemClock):
    """The time of this machine."""

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)

    def wait(self, event: threading.Event, seconds: float) -> bool:
        return event.wait(seconds)


class AsyncSystemRuntime(_SystemClock):
    """The time of this machine, with the event loop of asyncio."""

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def wait(self, event: asyncio.Event, seconds: float) -> bool:
        with suppress(asyncio.TimeoutError):
            await asyncio.wait_for(event.wait(), seconds)
        return event.is_set()
