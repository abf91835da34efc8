"""Follows the events of a turn."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable
from typing import Any

import httpx

from .._model import decode
from .._operations import CREATE_TURN, GET_TURN, LIST_TURN_EVENTS
from .._request import Input, Operation
from .._retry import is_worth_retrying, wait_before
from .._settings import Options
from .._sse import EventStreamParser, StreamMessage
from ..errors import TurnpikeError, broken
from ..models import Turn, TurnEvent
from .transport import AsyncTransport

SILENCE_SECONDS = 45.0
"""The service sends something at least every 15 s. After this time without data the connection counts as dead."""

END_EVENTS = {"turn.done", "turn.failed", "turn.cancelled"}

_STREAM: Operation[Any] = Operation(LIST_TURN_EVENTS.method, LIST_TURN_EVENTS.path, None)


def is_final(turn: Turn) -> bool:
    """True if the turn has ended."""
    return turn.state in ("done", "failed", "cancelled")


async def open_turn(
    transport: AsyncTransport, body: dict[str, Any], options: Options
) -> tuple[str, Turn | None, httpx.Response | None]:
    """
    Sends a turn, and opens its events with the same request. Returns the turn's id, and the response with the events.
    A service without this form answers with the turn.
    """
    given = Input(body=body, headers={"accept": "text/event-stream"})
    response = await transport.open(CREATE_TURN, given, options, read_timeout=SILENCE_SECONDS)
    if response.headers.get("content-type", "").startswith("text/event-stream"):
        return response.headers.get("location", "").rsplit("/", 1)[-1], None, response
    text = b""
    try:
        async for chunk in response.aiter_bytes():
            text += chunk
        turn: Turn = decode(Turn, json.loads(text))
    except (TypeError, ValueError, KeyError) as cause:
        raise TurnpikeError("The response has an unexpected form.", code="UNEXPECTED_ANSWER") from cause
    except (httpx.HTTPError, httpx.StreamError) as cause:
        raise broken("The response broke off.") from cause
    finally:
        await response.aclose()
    return turn.turn_id, turn, None


async def follow_turn(
    transport: AsyncTransport, turn_id: str, after_seq: int, options: Options, first: httpx.Response | None = None
) -> AsyncGenerator[TurnEvent, None]:
    """
    The events of a turn after ``after_seq``, each once, up to the last. Several pieces of text can have the same
    ``seq``. A broken connection is opened again with Last-Event-ID. The error is raised after ``max_retries`` failures in a row without a new event.
    ``first``: the response of the request that sent the turn, if it has its events from the first one.
    """
    most = transport.settings.max_retries if options.max_retries is None else options.max_retries
    last, failures, pause = str(after_seq), 0, 1.0

    def on_retry(seconds: float) -> None:
        nonlocal pause
        pause = seconds

    while True:
        before = last
        messages = _messages(transport, turn_id, last, options, on_retry, first)
        first = None
        try:
            async for message in messages:
                event = _event_of(message)
                position = message.id or str(event.seq)
                if _order(position) <= _order(last):
                    continue
                last, failures = position, 0
                yield event
                if event.type in END_EVENTS:
                    return
            # The stream ended normally. Connect again, unless the turn has ended and `last` is its last event.
            if last == before and is_final(await transport.call(GET_TURN, Input(path={"turn_id": turn_id}), options)):
                return
            rest = pause
        except TurnpikeError as error:
            wait = wait_before(error, failures, transport.runtime.random())
            if transport.is_over(options) or failures >= most or wait is None:
                raise
            if not is_worth_retrying(error, safe=True):
                raise
            failures, rest = failures + 1, wait
        finally:
            await messages.aclose()
        await transport.sleep(rest, options)


def _order(position: str) -> tuple[int, int]:
    """The order of ids such as ``7``, ``7.120`` and ``7.120~5.30``: an event, and the text of each call shown since."""
    own, *others = position.split("~")
    seq, _, text = own.partition(".")
    return int(seq), int(text or 0) + sum(int(other.partition(".")[2]) for other in others)


def _event_of(message: StreamMessage) -> TurnEvent:
    try:
        event: TurnEvent = decode(TurnEvent, json.loads(message.data))
    except (TypeError, ValueError, KeyError) as cause:
        raise TurnpikeError("The stream has an unexpected form.", code="UNEXPECTED_ANSWER", details=message) from cause
    return event


async def _messages(
    transport: AsyncTransport,
    turn_id: str,
    last: str,
    options: Options,
    on_retry: Callable[[float], None],
    first: httpx.Response | None,
) -> AsyncGenerator[StreamMessage, None]:
    headers = {"accept": "text/event-stream"}
    if last != "0":
        headers["last-event-id"] = last
    given = Input(path={"turn_id": turn_id}, headers=headers)
    once = Options(max_retries=0, timeout=options.timeout, deadline=options.deadline)
    response = first or await transport.open(_STREAM, given, once, read_timeout=SILENCE_SECONDS)
    parser = EventStreamParser()
    try:
        async for chunk in response.aiter_bytes():
            messages = parser.feed(chunk)
            if parser.retry is not None:
                on_retry(parser.retry)
            for message in messages:
                yield message
            transport.check_time(options)
    except (httpx.HTTPError, httpx.StreamError) as cause:
        raise broken("The event stream broke off.") from cause
    finally:
        await response.aclose()
