# Generated from _async/transport.py by scripts/generate-client.ts: npm run client:types.
"""Sends operations: retries if that is safe, and raises failures as a TurnpikeError."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TypeVar

import httpx

from .._model import decode
from .._request import Input, ListOperation, Operation, Prepared, prepare
from .._retry import is_worth_retrying, parse_retry_after, wait_before
from .._runtime import Runtime, SystemRuntime
from .._settings import Options, Settings, checked_retries, checked_timeout
from ..errors import TurnpikeError, broken, error_of, timed_out
from .._page import Page
from .pager import Pager

T = TypeVar("T")


class Transport:
    """Sends the requests of one client."""

    def __init__(self, settings: Settings, http: httpx.Client | None, runtime: Runtime | None) -> None:
        self.settings = settings
        self.runtime: Runtime = runtime if runtime is not None else SystemRuntime()
        self._http = http if http is not None else httpx.Client()
        self._is_own = http is None

    def close(self) -> None:
        """Closes the connections, unless the caller passed the HTTP client."""
        if self._is_own:
            self._http.close()

    def call(self, operation: Operation[T], given: Input, options: Options) -> T:
        """The operation's JSON response."""
        answer: T = _decoded(operation.answer, self._answer(operation, given, options))
        return answer

    def pages(self, operation: ListOperation[T], given: Input, options: Options) -> Pager[T]:
        """The operation's list. It loads the pages."""

        def load(cursor: str | None) -> Page[T]:
            query = given.query if cursor is None else {**given.query, "cursor": cursor}
            page = Input(path=given.path, query=query, headers=given.headers)
            value = self._answer(operation, page, options)
            return Page.of(value, lambda data: [_decoded(operation.answer, one) for one in data])

        return Pager(load)

    def open(
        self, operation: Operation[Any], given: Input, options: Options, *, read_timeout: float | None = None
    ) -> httpx.Response:
        """The response with an unread body. ``read_timeout`` limits each wait for a part of the body, in seconds."""
        request = prepare(self.settings, operation, given, options)
        return self._send(request, options, read_timeout)

    def is_over(self, options: Options) -> bool:
        """True if the time limit of the whole call is over."""
        return options.deadline is not None and self.runtime.monotonic() >= options.deadline

    def sleep(self, seconds: float, options: Options) -> None:
        """Waits, at most until the deadline. Raises APITimeoutError there."""
        left = seconds if options.deadline is None else options.deadline - self.runtime.monotonic()
        self.runtime.sleep(max(0.0, min(seconds, left)))
        self.check_time(options)

    def check_time(self, options: Options) -> None:
        """Raises APITimeoutError if the time limit of the whole call is over."""
        if self.is_over(options):
            raise timed_out("The time limit of the call is over.")

    def _answer(self, operation: Operation[Any], given: Input, options: Options) -> Any:
        request = prepare(self.settings, operation, given, options)
        text = self._send_and_read(request, options)
        try:
            return json.loads(text)
        except ValueError as cause:
            raise _unexpected("The response is not JSON.", text) from cause

    def _send(self, request: Prepared, options: Options, read_timeout: float | None) -> httpx.Response:
        attempt = 0
        while True:
            try:
                return self._attempt(request, options, read_timeout)
            except TurnpikeError as error:
                self._pause(error, attempt, request, options)
            attempt += 1

    def _send_and_read(self, request: Prepared, options: Options) -> str:
        attempt = 0
        while True:
            try:
                deadline = self.runtime.monotonic() + self._limit(options)
                response = self._attempt(request, options, None)
                return self._body(response, deadline)
            except TurnpikeError as error:
                self._pause(error, attempt, request, options)
            attempt += 1

    def _pause(self, error: TurnpikeError, attempt: int, request: Prepared, options: Options) -> None:
        """Waits before the next attempt. Raises the error if there is none."""
        most = self.settings.max_retries if options.max_retries is None else checked_retries(options.max_retries)
        wait = wait_before(error, attempt, self.runtime.random())
        if self.is_over(options) or attempt >= most or wait is None or not request.replayable:
            raise error
        if not is_worth_retrying(error, safe=request.safe):
            raise error
        self.sleep(wait, options)

    def _limit(self, options: Options) -> float:
        """The time limit of an attempt that starts now, in seconds."""
        limit = self.settings.timeout if options.timeout is None else checked_timeout(options.timeout)
        if options.deadline is None:
            return limit
        return max(0.001, min(limit, options.deadline - self.runtime.monotonic()))

    def _attempt(self, request: Prepared, options: Options, read_timeout: float | None) -> httpx.Response:
        limit = self._limit(options)
        # A stream is silent for longer than an attempt may take to begin.
        read = limit if read_timeout is None else read_timeout
        if options.deadline is not None:
            read = min(read, max(0.001, options.deadline - self.runtime.monotonic()))
        try:
            sent = self._http.build_request(
                request.method,
                request.url,
                headers=request.headers,
                content=request.upload.stream() if request.upload else request.content,
                timeout=httpx.Timeout(limit, read=read),
            )
            response = self._http.send(sent, stream=True, auth=None, follow_redirects=False)
        except httpx.TimeoutException as cause:
            raise timed_out(f"No response within {limit:g} s.") from cause
        except httpx.HTTPError as cause:
            raise broken(f"No response from {self.settings.base_url}.") from cause
        if response.is_success:
            return response
        text = self._body(response, self.runtime.monotonic() + limit)
        retry_after = parse_retry_after(response.headers.get("retry-after"), self.runtime.now())
        raise error_of(response.status_code, response.headers, text, retry_after)

    def _body(self, response: httpx.Response, deadline: float) -> str:
        parts = []
        try:
            for chunk in response.iter_bytes():
                parts.append(chunk)
                if self.runtime.monotonic() > deadline:
                    raise timed_out("The response was not complete in time.")
        except httpx.TimeoutException as cause:
            raise timed_out("The response was not complete in time.") from cause
        except (httpx.HTTPError, httpx.StreamError) as cause:
            raise broken("The response broke off.") from cause
        finally:
            response.close()
        return b"".join(parts).decode("utf-8", "replace")


def _decoded(kind: Any, value: Any) -> Any:
    try:
        return decode(kind, value)
    except (TypeError, ValueError, KeyError, AttributeError) as cause:
        raise _unexpected("The response has an unexpected form.", value) from cause


def _unexpected(message: str, details: Mapping[str, Any] | str) -> TurnpikeError:
    shown = details[:1000] if isinstance(details, str) else details
    return TurnpikeError(message, code="UNEXPECTED_ANSWER", details=shown)
