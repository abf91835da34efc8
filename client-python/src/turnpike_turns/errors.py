"""The errors of the clients."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ._codes import HINTS
from ._model import ApiObject, decode
from .models import CountState, CreditsDetails, QuotaDetails


class TurnpikeError(Exception):
    """
    The base of all errors that methods raise, except ValueError and TypeError for wrong arguments.

    Example:
        try:
            turnpike.turns.create(space=space_id, end_user_ref="customer-42", text="Hello")
        except InsufficientCreditsError:
            ask_for_top_up()
        except TurnpikeError as error:
            print(error.code, error.hint, error.request_id)
    """

    def __init__(
        self,
        message: str,
        *,
        code: str,
        status: int | None = None,
        param: str | None = None,
        details: Any = None,
        retryable: bool = False,
        request_id: str | None = None,
        retry_after: int | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        """What is wrong, for people. It can change."""
        self.code = code
        """The stable code of the error (``ErrorCode``). A later version of the service can send other codes."""
        self.hint: str | None = HINTS.get(code)
        """What to do about it."""
        self.status = status
        """The HTTP status. None if there was no response."""
        self.param = param
        """The field or parameter that is wrong."""
        self.details = details
        """Details, such as all validation errors of a body, or the cap that was reached."""
        self.retryable = retryable
        """True if the same request can succeed later."""
        self.request_id = request_id
        """The request's id. Include it when you report a problem."""
        self.retry_after = retry_after
        """The number of seconds to wait before you try again."""

    def __str__(self) -> str:
        parts = [self.message, self.hint, f"[{self.code}{f', {self.request_id}' if self.request_id else ''}]"]
        return " ".join(part for part in parts if part)

    def __reduce__(self) -> tuple[Any, ...]:
        # The default of exceptions calls the class without its keyword arguments.
        return (_rebuilt, (type(self), self.message, dict(self.__dict__)))


def _rebuilt(kind: type[TurnpikeError], message: str, fields: dict[str, Any]) -> TurnpikeError:
    error = kind(message, code=fields["code"])
    error.__dict__.update(fields)
    return error


class AuthenticationError(TurnpikeError):
    """401: the key is missing, mistyped, unknown, revoked or expired."""


class InsufficientCreditsError(TurnpikeError):
    """402: the available balance is too low for this turn. Top up, or wait for running turns to end."""

    details: CreditsDetails
    """The balance, the held part of it, and the least amount that the turn needs, in USD."""


class PermissionDeniedError(TurnpikeError):
    """403: the key's scope does not cover this operation, or the end user is blocked."""


class NotFoundError(TurnpikeError):
    """404: the object does not exist, or this key cannot access it."""


class ConflictError(TurnpikeError):
    """409: the state of the object does not allow the request."""


class QuotaExceededError(TurnpikeError):
    """
    429 QUOTA_EXCEEDED: a cap is reached. ``retry_after`` is the number of seconds until it resets; the client waits
    for up to 30 seconds by itself. If ``retryable`` is false, the cap is too small for this turn at any time.
    """

    details: QuotaDetails
    """The cap that resets last: its limit, the amounts spent, reserved and left, and its reset."""


class CountExceededError(TurnpikeError):
    """429 QUOTA_EXCEEDED: the limit of a count is reached, such as of open test turns."""

    details: CountState
    """The counted limit, its value, and its usage."""


class ValidationError(TurnpikeError):
    """400, 405, 413, 415, 416, 422: the request is invalid. ``param`` names the field."""


class ServerError(TurnpikeError):
    """5xx: the service failed, also after the client's retries."""


class APIConnectionError(TurnpikeError):
    """There was no complete response: CONNECTION_FAILED, or the subclass APITimeoutError."""


class APITimeoutError(APIConnectionError):
    """
    TIMEOUT: no response in time. After ``turns.run`` and ``turns.wait``, ``details["turn_id"]`` is the id of the turn,
    which continues to run.
    """


class WebhookVerificationError(TurnpikeError):
    """The message is not signed with this secret, was changed, or is too old. Respond with 400 and ignore it."""


class ToolRequestError(TurnpikeError):
    """The request to a tool carries no valid ``Turnpike-Identity``. Respond with 401."""


_FAMILIES: dict[int, type[TurnpikeError]] = {
    401: AuthenticationError,
    # Without the service's body, the response comes from a proxy, so balance and cap are unknown.
    402: TurnpikeError,
    403: PermissionDeniedError,
    404: NotFoundError,
    408: APITimeoutError,
    409: ConflictError,
    429: TurnpikeError,
}


def error_of(status: int, headers: Mapping[str, str], text: str, retry_after: int | None) -> TurnpikeError:
    """The error of a response. A response without the service's error body comes from a proxy."""
    other = ServerError if status >= 500 else ValidationError if status >= 400 else TurnpikeError
    family = _FAMILIES.get(status, other)
    request_id = headers.get("x-request-id")
    error = _body_of(text)
    if error is None:
        redirect = f", to {headers.get('location')}: check base_url" if 300 <= status < 400 else ""
        return family(
            f"HTTP {status}{redirect}",
            code="UNEXPECTED_ANSWER",
            status=status,
            details=text[:1000],
            retryable=status == 429 or status >= 500,
            request_id=request_id,
            retry_after=retry_after,
        )
    kind, details = _detailed(family, error)
    return kind(
        error["message"],
        code=error["code"],
        status=status,
        param=error.get("param"),
        details=details,
        retryable=error.get("retryable") is True,
        request_id=error.get("request_id") or request_id,
        retry_after=retry_after,
    )


def timed_out(message: str, details: Mapping[str, Any] | None = None) -> APITimeoutError:
    """The error of a call or a part of it that took too long."""
    return APITimeoutError(message, code="TIMEOUT", retryable=True, details=details)


def broken(message: str) -> APIConnectionError:
    """The error of a connection that failed or broke off."""
    return APIConnectionError(message, code="CONNECTION_FAILED", retryable=True)


_DETAILED: dict[str, tuple[tuple[type[TurnpikeError], type[ApiObject]], ...]] = {
    "INSUFFICIENT_CREDITS": ((InsufficientCreditsError, CreditsDetails),),
    "QUOTA_EXCEEDED": ((QuotaExceededError, QuotaDetails), (CountExceededError, CountState)),
}


def _detailed(family: type[TurnpikeError], error: Mapping[str, Any]) -> tuple[type[TurnpikeError], Any]:
    """The class of the code, with the details in its type. Details of another form stay as they are."""
    details = error.get("details")
    for kind, form in _DETAILED.get(error["code"], ()):
        try:
            return kind, decode(form, details)
        except (TypeError, ValueError, KeyError):
            continue
    return family, details


def _body_of(text: str) -> dict[str, Any] | None:
    try:
        error = json.loads(text)["error"]
        return error if isinstance(error["code"], str) and isinstance(error["message"], str) else None
    except (ValueError, TypeError, KeyError):
        return None
