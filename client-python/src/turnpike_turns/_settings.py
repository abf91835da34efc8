"""The options of a client."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

import httpx


@dataclass(frozen=True)
class Settings:
    """Checked options of a client."""

    api_key: str
    base_url: str
    max_retries: int
    timeout: float

    def __repr__(self) -> str:
        return f"Settings(base_url={self.base_url!r})"


@dataclass(frozen=True)
class Options:
    """Options of one call."""

    idempotency_key: str | None = None
    max_retries: int | None = None
    timeout: float | None = None
    """The time limit of one attempt, in seconds."""
    deadline: float | None = None
    """The moment of the monotonic clock at which the call ends, with all its attempts."""


def read_settings(api_key: str | None, base_url: str | None, max_retries: int, timeout: float) -> Settings:
    """Raises ValueError for invalid options."""
    key = api_key if api_key is not None else os.environ.get("TURNPIKE_API_KEY")
    if not key:
        raise ValueError("Turnpike: pass an api_key, or set TURNPIKE_API_KEY.")
    # A header allows only these characters, and the error of httpx would contain the key.
    if not re.fullmatch(r"[\x21-\x7e]+", key):
        raise ValueError("Turnpike: the api_key contains a space or a character that HTTP headers do not allow.")
    address = base_url if base_url is not None else os.environ.get("TURNPIKE_BASE_URL")
    if not address:
        raise ValueError("Turnpike: pass a base_url, or set TURNPIKE_BASE_URL.")
    try:
        url = httpx.URL(address)
    except httpx.InvalidURL as cause:
        raise ValueError(f"Turnpike: the base_url is not a URL: {cause}") from None
    if url.scheme not in ("http", "https") or not url.host:
        raise ValueError("Turnpike: the base_url must be http or https.")
    return Settings(
        api_key=key,
        base_url=str(url.copy_with(query=None, fragment=None)).rstrip("/").removesuffix("/v1"),
        max_retries=checked_retries(max_retries),
        timeout=checked_timeout(timeout),
    )


def checked_retries(value: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError("Turnpike: max_retries must be a whole number, at least 0.")
    return value


def checked_timeout(value: float) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < float("inf"):
        raise ValueError("Turnpike: timeout must be a number of seconds above 0.")
    return float(value)
