"""Which failed requests are sent again, and when."""

from __future__ import annotations

from email.utils import parsedate_to_datetime
import math

from .errors import APIConnectionError, TurnpikeError

FIRST_WAIT = 0.5
"""The wait before the first retry, in seconds. Each further one is twice as long."""
LONGEST_WAIT = 8.0
LONGEST_RETRY_AFTER = 30.0
"""A longer Retry-After is left to the caller, because a cap may reset only after hours."""

_TRANSIENT = {408, 500, 502, 503, 504}


def is_worth_retrying(error: TurnpikeError, *, safe: bool) -> bool:
    """``safe``: the request has its effect at most once, however often it is sent."""
    if error.code == "IDEMPOTENCY_IN_FLIGHT":
        return True
    # Nothing was done, so this holds even for a request without an Idempotency-Key.
    if error.status == 429:
        return error.retryable
    return safe and (isinstance(error, APIConnectionError) or error.status in _TRANSIENT)


def wait_before(error: TurnpikeError, attempt: int, random: float) -> float | None:
    """
    The seconds to wait after attempt ``attempt`` (from 0): Retry-After, or exponential backoff with jitter.
    None if the wait is too long for a call.
    """
    backoff = min(FIRST_WAIT * 2.0 ** min(attempt, 9), LONGEST_WAIT) * (0.5 + random / 2)
    if error.retry_after is None:
        return backoff
    return None if error.retry_after > LONGEST_RETRY_AFTER else max(error.retry_after, backoff)


def parse_retry_after(header: str | None, now: float) -> int | None:
    """Retry-After in seconds. RFC 9110 section 10.2.3 allows a number of seconds or a date."""
    text = (header or "").strip()
    if text.isascii() and text.isdigit():
        return int(text)
    try:
        return max(0, math.ceil(parsedate_to_datetime(text).timestamp() - now))
    except (ValueError, TypeError, IndexError):
        return None
