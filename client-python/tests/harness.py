"""Scripted answers and injected time for both clients, and one form of both, so that each test runs with both."""

from __future__ import annotations

import asyncio
import dataclasses
import functools
import json
import threading
import unittest
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterator
from dataclasses import dataclass, field
from typing import Any

import httpx

from turnpike_turns import AsyncTurnpike, Turnpike
from turnpike_turns.models import Turn

KEY = "turnpike_test_x"
DEADLINE = 30
"""No test waits longer for a condition, in seconds."""
START = 1_768_469_400.0
"""2026-01-15T09:30:00Z"""


class Clock:
    """A clock that jumps over every wait."""

    def __init__(self) -> None:
        self.time = START
        self.waits: list[float] = []
        self.jumps_left = 0
        self._lock = threading.Lock()

    def now(self) -> float:
        return self.time

    def monotonic(self) -> float:
        return self.time

    def random(self) -> float:
        return 0.5

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.time += seconds

    def wait(self, event: threading.Event, seconds: float) -> bool:
        if not self.jumps(seconds):
            event.wait()
        return event.is_set()

    def jumps(self, seconds: float) -> bool:
        """Jumps over the first waits for an event. Later ones end with the event only."""
        with self._lock:
            if self.jumps_left == 0:
                return False
            self.jumps_left -= 1
            Clock.sleep(self, seconds)
            return True


class AsyncClock(Clock):
    async def sleep(self, seconds: float) -> None:  # type: ignore[override]
        Clock.sleep(self, seconds)

    async def wait(self, event: asyncio.Event, seconds: float) -> bool:  # type: ignore[override]
        if not self.jumps(seconds):
            await event.wait()
        return event.is_set()


@dataclass
class Step:
    """An answer: of a status, or an exception."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    error: Callable[[httpx.Request], Exception] | None = None
    chunks: list[bytes | Exception] | None = None
    seconds: float = 0
    """The time that passes before the answer."""


LOST = Step(error=lambda request: httpx.ConnectError("refused", request=request))
SILENT = Step(error=lambda request: httpx.ReadTimeout("silent", request=request))


class Chunks(httpx.SyncByteStream, httpx.AsyncByteStream):
    """A body in chunks, which can break."""

    def __init__(self, chunks: list[bytes | Exception]) -> None:
        self._chunks = chunks
        self.is_closed = False

    def __iter__(self) -> Iterator[bytes]:
        for chunk in self._chunks:
            if isinstance(chunk, Exception):
                raise chunk
            yield chunk

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self:
            yield chunk

    def close(self) -> None:
        self.is_closed = True

    async def aclose(self) -> None:
        self.is_closed = True


def failure(code: str, status: int, **headers: str) -> Step:
    """An error of the service."""
    error = {"code": code, "message": f"because of {code}", "retryable": status >= 429, "request_id": "req_1"}
    return Step(status, {"error": error}, {name.replace("_", "-"): value for name, value in headers.items()})


def turn(**fields: Any) -> dict[str, Any]:
    """A turn as the service sends it. A field that is not named here is null, so a new one does not break the tests."""
    usage = {"model_calls": 1, "tool_calls": 0, "tokens_input": 11, "tokens_cached": 0, "tokens_output": 7, "tokens_reasoning": 0}
    return {
        **dict.fromkeys(one.name for one in dataclasses.fields(Turn) if one.name != "extra"),
        "turn_id": "turn_1",
        "space": "spc_1",
        "end_user_ref": "customer-1",
        "conversation": "conv_1",
        "state": "done",
        "text": "hello",
        "result": "Hello.",
        "truncated": False,
        "files": [],
        "outputs": [], "warnings": [], "calls": [], "store": True,
        "billed_cost_usd": 0.000046,
        "refunded_usd": 0,
        "held_usd": 0,
        "usage": usage,
        "model": "rehearsal/standard",
        "metadata": {},
        "test": False,
        "created_at": "2026-01-15T09:30:00.000Z",
        "started_at": "2026-01-15T09:30:00.010Z",
        "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        **fields,
    }


DONE = Step(200, turn())
RUNNING = Step(200, turn(state="running", result=None, billed_cost_usd=0))
TURN = {"space": "spc_1", "end_user_ref": "customer-1", "text": "hello"}


class Script:
    """A client against scripted answers, of which the last one repeats, or against a function that answers."""

    def __init__(self, is_async: bool, steps: list[Step] | Callable[[httpx.Request], Step], **options: Any) -> None:
        self.requests: list[httpx.Request] = []
        self.streams: list[Chunks] = []
        self._steps = steps
        self.clock = AsyncClock() if is_async else Clock()
        settings: dict[str, Any] = {"api_key": KEY, "base_url": "https://api.test", "runtime": self.clock, **options}
        transport = httpx.MockTransport(self._answer)
        self.client: Any = (
            AsyncTurnpike(http_client=httpx.AsyncClient(transport=transport), **settings)
            if is_async
            else Lifted(Turnpike(http_client=httpx.Client(transport=transport), **settings))
        )

    @property
    def waits(self) -> list[float]:
        return self.clock.waits

    def _answer(self, request: httpx.Request) -> httpx.Response:
        steps = self._steps
        step = steps(request) if callable(steps) else steps[min(len(self.requests), len(steps) - 1)]
        self.requests.append(request)
        self.clock.time += step.seconds
        if step.error is not None:
            raise step.error(request)
        headers = {"x-request-id": "req_1", **step.headers}
        if step.chunks is not None:
            self.streams.append(Chunks(step.chunks))
            return httpx.Response(step.status, headers=headers, stream=self.streams[-1])
        text = step.body if isinstance(step.body, str) else json.dumps(step.body if step.body is not None else {})
        return httpx.Response(step.status, headers=headers, content=text.encode())


class Lifted:
    """An object of the synchronous client in the form of the asynchronous one."""

    def __init__(self, value: Any) -> None:
        self._value = value

    @property
    def unlifted(self) -> Any:
        """The object of the synchronous client, for another thread."""
        return self._value

    def __getattr__(self, name: str) -> Any:
        own = {"aclose": "close"}.get(name, name)
        one = getattr(self._value, own)
        is_plain = one is None or isinstance(one, (str, int, bytes, list, dict, httpx.Headers))
        return one if is_plain else Lifted(one)

    def __call__(self, *given: Any, **named: Any) -> Call:
        return Call(lambda: self._value(*given, **named))

    def __repr__(self) -> str:
        return repr(self._value)

    async def __aiter__(self) -> AsyncIterator[Any]:
        for item in self._value:
            yield item

    async def __aenter__(self) -> Lifted:
        self._value.__enter__()
        return self

    async def __aexit__(self, *error: Any) -> None:
        self._value.__exit__(*error)


class Call:
    """A call that is made when its result is used."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = functools.cache(make)

    def __await__(self) -> Generator[Any, None, Any]:
        async def made() -> Any:
            value = self._make()
            return Lifted(value) if type(value).__module__.startswith("turnpike_turns._sync") else value

        return made().__await__()

    def __getattr__(self, name: str) -> Any:
        return getattr(Lifted(self._make()), name)

    async def __aiter__(self) -> AsyncIterator[Any]:
        for item in self._make():
            yield item


class BothClients(unittest.TestCase):
    """Runs each coroutine that begins with ``check_`` with the synchronous and the asynchronous client."""

    is_async = False

    def __init_subclass__(cls) -> None:
        for name in [name for name in vars(cls) if name.startswith("check_")]:
            for is_async in (False, True):
                setattr(cls, f"test_{'async' if is_async else 'sync'}_{name[6:]}", _test_of(name, is_async))

    def script(self, steps: list[Step] | Callable[[httpx.Request], Step], **options: Any) -> Script:
        return Script(self.is_async, steps, **options)

    async def raised(self, kind: type[BaseException], made: Awaitable[Any]) -> Any:
        """The exception of a call."""
        with self.assertRaises(kind) as caught:
            await made
        return caught.exception


def _test_of(name: str, is_async: bool) -> Callable[[BothClients], None]:
    def test(self: BothClients) -> None:
        self.is_async = is_async
        asyncio.run(getattr(self, name)())

    return test
