# Generated from _async/call_actions.py by scripts/generate-client.ts: npm run client:types.
"""Work on calls of tools without a request."""

from __future__ import annotations

import threading
import json
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from .._crew import Crew, Repeating
from .._model import encode
from .._operations import RENEW_CALL, SEND_CALL_RESULT, TAKE_CALLS
from .._request import Input
from .._settings import Options, checked_retries, checked_timeout
from ..errors import ConflictError, NotFoundError, TurnpikeError, ValidationError
from ..models import TakenCall
from .transport import Transport

MOST_WAIT_SECONDS = 30
"""The time that the service may hold a response. It is at most half of the time limit of an attempt."""
RENEW_SECONDS = 20.0
"""A taken call is renewed this often while its handler runs."""
PAUSE_SECONDS = 1.0
"""The pause after a response without a call that came sooner than that."""
MOST_ERROR_LENGTH = 2000
"""A longer error is cut. The service accepts at most 4,096 units of UTF-16."""


@dataclass(frozen=True)
class Job:
    """The arguments of ``work``."""

    handler: Callable[[TakenCall], Any]
    on_error: Callable[[Exception], object]
    query: dict[str, Any]
    options: Options


class CallActions:
    """The part of ``calls`` that is written by hand."""

    _transport: Transport

    def work(
        self,
        handler: Callable[[TakenCall], Any],
        *,
        concurrency: int = 1,
        space: str | None = None,
        tools: Sequence[str] | None = None,
        stop: threading.Event | None = None,
        on_error: Callable[[Exception], object] | None = None,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> None:
        """
        Works on calls of tools without a request until ``stop`` is set.

        The handler's return value is the result, and an exception that it raises is the error that the agent reads.
        If the service rejects a result, for example because it is too large, the agent reads why. A call can come
        again after a crash: its ``turn_id`` and ``call`` identify it. After ``stop``, the handlers that run are
        awaited and their results are sent. ``stop`` is also set if an interrupt or an error ends the work.

        Args:
            handler: Called with each call. It is renewed while the handler runs.
            concurrency: The most calls that are worked on at the same time.
            space: Only calls of this space.
            tools: Only calls of these tools.
            stop: Ends the work. Default: only an interrupt ends it.
            on_error: Called with each error that is not one of the handler. Default: it is logged, and the work
                continues.
            max_retries: Overrides the client's ``max_retries`` for requests that take calls.
            timeout: Overrides the client's ``timeout`` of one such attempt, in seconds.

        Raises:
            ValueError: An argument is invalid.

        Example:
            turnpike.calls.work(lambda call: shelf[call.tool](call.input), stop=stop)
        """
        if isinstance(concurrency, bool) or not isinstance(concurrency, int) or concurrency < 1:
            raise ValueError("Turnpike: concurrency must be a whole number, at least 1.")
        if max_retries is not None:
            checked_retries(max_retries)
        limit = self._transport.settings.timeout if timeout is None else checked_timeout(timeout)
        wait = min(MOST_WAIT_SECONDS, int(limit / 2))
        query = {"wait": wait, "limit": 1, "space": space, "tool": tools}
        options = Options(max_retries=max_retries, timeout=timeout)
        job = Job(handler, _log if on_error is None else on_error, query, options)
        crew = Crew(stop)
        crew.run(concurrency, lambda: self._work(job, crew))

    def _work(self, job: Job, crew: Crew) -> None:
        runtime = self._transport.runtime
        take = Input(query=job.query)
        while not crew.stop.is_set():
            asked = runtime.monotonic()
            try:
                taken = crew.unless_stopped(lambda: self._transport.call(TAKE_CALLS, take, job.options))
            except Exception as error:
                if crew.stop.is_set():
                    return
                job.on_error(error)
                taken = None
            for call in taken.data if taken is not None else []:
                with crew.working() as is_open:
                    if not is_open:
                        return
                    self._answer(call, job)
            if (taken is None or not taken.data) and runtime.monotonic() - asked < PAUSE_SECONDS:
                runtime.wait(crew.stop, PAUSE_SECONDS)

    def _answer(self, call: TakenCall, job: Job) -> None:
        path = {"turn_id": call.turn_id, "call": call.call}

        def renew() -> None:
            with suppress(TurnpikeError):
                self._transport.call(RENEW_CALL, Input(path=path, body={"takes": call.takes}), Options())

        try:
            with Repeating(self._transport.runtime, RENEW_SECONDS, renew):
                body = self._result(call, job)
                try:
                    self._transport.call(SEND_CALL_RESULT, Input(path=path, body=body), Options())
                except ValidationError as error:
                    # Without a result the call would come again, and its result would be rejected again.
                    body = {"error": _cut(error.message or error.code)}
                    self._transport.call(SEND_CALL_RESULT, Input(path=path, body=body), Options())
        except (ConflictError, NotFoundError):
            # The turn has ended, or another worker was faster.
            return
        except Exception as error:
            job.on_error(error)

    def _result(self, call: TakenCall, job: Job) -> dict[str, Any]:
        try:
            output = job.handler(call)
            # A value that is not JSON in UTF-8 is an error of the handler.
            text = json.dumps(encode(output), ensure_ascii=False, allow_nan=False).encode()
            return {"output": json.loads(text)}
        except Exception as error:
            return {"error": _text_of(error)}


def _text_of(error: Exception) -> str:
    """The text that the agent reads. It is never empty."""
    try:
        text = str(error)
    except Exception:
        text = ""
    return _cut(text or type(error).__name__)


def _cut(text: str) -> str:
    return text[:MOST_ERROR_LENGTH].encode("utf-8", "replace").decode()


def _log(error: Exception) -> None:
    logging.getLogger("turnpike_turns").warning("calls.work continues after an error: %s", error)
