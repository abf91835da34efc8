"""Methods of turns that need several requests."""

from __future__ import annotations

import inspect  # async-only
import uuid
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import httpx

from .._operations import CANCEL_TURN, CREATE_TURN, GET_TURN
from .._request import Input
from .._settings import Options, checked_timeout
from ..errors import APITimeoutError, TurnpikeError, timed_out
from ..models import Turn, TurnEvent
from .follow import follow_turn, is_final, open_turn
from .transport import AsyncTransport

MOST_WAIT_SECONDS = 30
"""The time that the service may hold a response. It is at most half of the time limit of an attempt."""
LEAST_PAUSE_SECONDS = 1.0
"""The pause after a response that came sooner than that."""


class AsyncTurnStream:
    """A turn and its events as they happen. The first call, or the first read of the stream, sends the turn."""

    def __init__(self, turns: AsyncTurnActions, body: dict[str, Any], options: Options) -> None:
        self._turns = turns
        self._body = body
        # One key for all requests of this stream: several tasks, or a read after a lost answer, send only one turn.
        is_given = options.idempotency_key is not None
        self._options = options if is_given else replace(options, idempotency_key=str(uuid.uuid4()))
        self._turn_id: str | None = None
        self._accepted: Turn | None = None

    async def accepted(self) -> Turn:
        """The turn as it was accepted."""
        if self._accepted is None:
            # The key returns the turn if the stream has sent it already.
            self._accepted = await self._turns._send_turn(self._body, self._options)
            self._turn_id = self._accepted.turn_id
        return self._accepted

    async def result(self) -> Turn:
        """The turn after it has ended."""
        turn_id = self._turn_id or (await self.accepted()).turn_id
        return await self._turns.wait(turn_id, max_retries=self._options.max_retries)

    async def __aiter__(self) -> AsyncGenerator[TurnEvent, None]:
        transport, retries = self._turns._transport, Options(max_retries=self._options.max_retries)
        first = None
        if self._turn_id is None:
            # Only the first reader gets the response that sends the turn.
            self._turn_id, self._accepted, first = await open_turn(transport, self._body, self._options)
        events = follow_turn(transport, self._turn_id, 0, retries, first)
        try:
            async for event in events:
                yield event
        finally:
            await events.aclose()


class AsyncTurnActions:
    """The part of ``turns`` that is written by hand."""

    _transport: AsyncTransport

    async def wait(self, turn_id: str, *, timeout: float | None = None, max_retries: int | None = None) -> Turn:
        """
        Waits until a turn is ``done``, ``failed`` or ``cancelled``, with as many long polls as necessary.

        Args:
            turn_id: The turn, ``turn_…``.
            timeout: The time limit in seconds. Default: no limit.
            max_retries: Overrides the client's ``max_retries`` for each request.

        Raises:
            APITimeoutError: The turn has not ended in time. ``details["turn_id"]`` is its id. It continues to run.
            NotFoundError: There is no such turn, or this key cannot access it.

        Example:
            turn = await turnpike.turns.wait("turn_…", timeout=60)
        """
        options = Options(max_retries=max_retries, deadline=self._deadline(timeout))
        try:
            return await self._wait(turn_id, options)
        except APITimeoutError as error:
            if not self._transport.is_over(options):
                raise
            raise _late(timeout, turn_id) from error

    def events(
        self, turn_id: str, *, after_seq: int = 0, max_retries: int | None = None
    ) -> AsyncGenerator[TurnEvent, None]:
        """
        A turn's events as they happen, from the first or after ``after_seq``, up to the last. Each event comes once
        and in order, even if the connection breaks.

        Args:
            turn_id: The turn, ``turn_…``.
            after_seq: Only events with a higher ``seq``.
            max_retries: The number of failures in a row, without a new event between them, that is accepted.

        Raises:
            NotFoundError: There is no such turn, or this key cannot access it.
            APIConnectionError: The connection broke too often.

        Example:
            async for event in turnpike.turns.events("turn_…"):
                print(event.seq, event.type)
        """
        return follow_turn(self._transport, turn_id, after_seq, Options(max_retries=max_retries))

    async def _run(
        self,
        body: dict[str, Any],
        options: Options,
        timeout: float | None,
        on_event: Callable[[TurnEvent], Awaitable[None] | None] | None,
        on_waiting: Callable[[Turn], Awaitable[None] | None] | None,
        cancel_on_abort: bool,
    ) -> Turn:
        limited = Options(
            idempotency_key=options.idempotency_key,
            max_retries=options.max_retries,
            deadline=self._deadline(timeout),
        )
        turn_id: str | None = None
        try:
            if on_event is not None or on_waiting is not None:
                turn_id, _, first = await open_turn(self._transport, body, limited)
                await self._report(turn_id, limited, on_event, on_waiting, first)
            else:
                # Without a limit the request itself runs the turn. Otherwise the turn's id is needed before its end.
                wait = 0 if cancel_on_abort or timeout is not None else self._most_wait()
                turn = await self._send_turn(body, limited, wait)
                if is_final(turn):
                    return turn
                turn_id = turn.turn_id
            return await self._wait(turn_id, limited)
        except BaseException as error:
            # A KeyboardInterrupt and a cancelled task of asyncio are no Exception.
            is_aborted = not isinstance(error, Exception) or self._transport.is_over(limited)
            if turn_id is not None and cancel_on_abort and is_aborted:
                # Without the caller's idempotency_key, which belongs to the request that sent the turn.
                cancel = Options(max_retries=options.max_retries)
                with suppress(TurnpikeError):
                    await self._transport.call(CANCEL_TURN, Input(path={"turn_id": turn_id}), cancel)
            if isinstance(error, TurnpikeError) and self._transport.is_over(limited):
                raise _late(timeout, turn_id) from error
            raise

    async def _report(
        self,
        turn_id: str,
        options: Options,
        on_event: Callable[[TurnEvent], Awaitable[None] | None] | None,
        on_waiting: Callable[[Turn], Awaitable[None] | None] | None,
        first: httpx.Response | None,
    ) -> None:
        events = follow_turn(self._transport, turn_id, 0, options, first)
        try:
            async for event in events:
                if on_event is not None:
                    done = on_event(event)
                    if inspect.isawaitable(done):  # async-only
                        await done  # async-only
                if on_waiting is None or event.type != "turn.waiting":
                    continue
                turn = await self._transport.call(GET_TURN, Input(path={"turn_id": turn_id}), options)
                if turn.waiting is not None:
                    done = on_waiting(turn)
                    if inspect.isawaitable(done):  # async-only
                        await done  # async-only
        finally:
            await events.aclose()

    def _stream(self, body: dict[str, Any], options: Options) -> AsyncTurnStream:
        return AsyncTurnStream(self, body, options)

    async def _send_turn(self, body: dict[str, Any], options: Options, wait: int = 0) -> Turn:
        query = {"wait": wait} if wait > 0 else {}
        return await self._transport.call(CREATE_TURN, Input(query=query, body=body), options)

    def _most_wait(self) -> int:
        return min(MOST_WAIT_SECONDS, int(self._transport.settings.timeout / 2))

    async def _wait(self, turn_id: str, options: Options) -> Turn:
        runtime = self._transport.runtime
        while True:
            asked = runtime.monotonic()
            left = MOST_WAIT_SECONDS if options.deadline is None else int(options.deadline - asked)
            wait = max(0, min(self._most_wait(), left))
            given = Input(path={"turn_id": turn_id}, query={"wait": wait})
            turn = await self._transport.call(GET_TURN, given, options)
            if is_final(turn):
                return turn
            self._transport.check_time(options)
            if runtime.monotonic() - asked < LEAST_PAUSE_SECONDS:
                await self._transport.sleep(LEAST_PAUSE_SECONDS, options)

    def _deadline(self, timeout: float | None) -> float | None:
        return None if timeout is None else self._transport.runtime.monotonic() + checked_timeout(timeout)


def _late(timeout: float | None, turn_id: str | None) -> APITimeoutError:
    return timed_out(f"The turn has not ended within {timeout:g} s.", {"turn_id": turn_id})
