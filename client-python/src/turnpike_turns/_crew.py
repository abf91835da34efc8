"""Work in parallel until an event is set: threads of the synchronous client, tasks of the asynchronous one."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from ._runtime import AsyncRuntime, Runtime

T = TypeVar("T")


class Crew:
    """Threads that work until ``stop`` is set. An error of one stops all of them."""

    def __init__(self, stop: threading.Event | None) -> None:
        self.stop = stop if stop is not None else threading.Event()
        self._changed = threading.Condition()
        self._busy = 0
        self._is_closed = False
        self._error: BaseException | None = None

    def run(self, number: int, work: Callable[[], None]) -> None:
        """Returns when ``stop`` is set and no thread is ``working``. Raises the first error of ``work``."""

        def one() -> None:
            try:
                work()
            except BaseException as error:
                self._error = self._error or error
                self.stop.set()

        for _ in range(number):
            # A thread that waits for a response is left behind, so it must not keep the process alive.
            threading.Thread(target=one, name="turnpike-work", daemon=True).start()
        try:
            self.stop.wait()
        finally:
            self.stop.set()
            with self._changed:
                self._changed.wait_for(lambda: self._busy == 0)
                self._is_closed = True
        if self._error is not None:
            raise self._error

    def unless_stopped(self, ask: Callable[[], T]) -> T | None:
        """The answer. A thread cannot be interrupted, but ``run`` does not wait for it."""
        return ask()

    @contextmanager
    def working(self) -> Iterator[bool]:
        """``run`` waits for the end of this block. False: ``run`` has ended already."""
        with self._changed:
            is_open = not self._is_closed
            self._busy += 1
        try:
            yield is_open
        finally:
            with self._changed:
                self._busy -= 1
                self._changed.notify_all()


class AsyncCrew:
    """Tasks that work until ``stop`` is set. An error of one stops all of them."""

    def __init__(self, stop: asyncio.Event | None) -> None:
        self.stop = stop if stop is not None else asyncio.Event()

    async def run(self, number: int, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Returns when all tasks have ended. Raises the first error of ``work``. A cancellation cancels the tasks."""

        async def one() -> None:
            try:
                await work()
            finally:
                self.stop.set()

        tasks = [asyncio.create_task(one()) for _ in range(number)]
        try:
            await asyncio.wait(tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        for task in tasks:
            task.result()

    async def unless_stopped(self, ask: Callable[[], Coroutine[Any, Any, T]]) -> T | None:
        """The answer. None: ``stop`` was set before it came."""
        asked = asyncio.create_task(ask())
        stopped = asyncio.create_task(self.stop.wait())
        try:
            await asyncio.wait({asked, stopped}, return_when=asyncio.FIRST_COMPLETED)
            return asked.result() if asked.done() else None
        finally:
            for task in (asked, stopped):
                task.cancel()
            await asyncio.gather(asked, stopped, return_exceptions=True)

    @contextmanager
    def working(self) -> Iterator[bool]:
        """``run`` waits for each task, so it has not ended."""
        yield True


class Repeating:
    """Repeats an action in a thread, at intervals, until the block ends."""

    def __init__(self, runtime: Runtime, seconds: float, act: Callable[[], object]) -> None:
        self._runtime = runtime
        self._seconds = seconds
        self._act = act
        self._ended = threading.Event()

    def __enter__(self) -> None:
        threading.Thread(target=self._repeat, name="turnpike-renew", daemon=True).start()

    def __exit__(self, *error: object) -> None:
        self._ended.set()

    def _repeat(self) -> None:
        while not self._runtime.wait(self._ended, self._seconds):
            self._act()


class AsyncRepeating:
    """Repeats an action in a task, at intervals, until the block ends."""

    def __init__(self, runtime: AsyncRuntime, seconds: float, act: Callable[[], Awaitable[object]]) -> None:
        self._runtime = runtime
        self._seconds = seconds
        self._act = act
        self._ended = asyncio.Event()

    async def __aenter__(self) -> None:
        self._task = asyncio.create_task(self._repeat())

    async def __aexit__(self, *error: object) -> None:
        self._ended.set()
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def _repeat(self) -> None:
        while not await self._runtime.wait(self._ended, self._seconds):
            await self._act()
