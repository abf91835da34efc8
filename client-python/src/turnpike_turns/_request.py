"""Builds requests of operations."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar
from urllib.parse import quote, urlencode

from ._model import UNSET, Unset, encode
from ._settings import Options, Settings
from ._upload import Upload
from ._version import VERSION

T = TypeVar("T")


@dataclass(frozen=True)
class Operation(Generic[T]):
    """How an operation is called, and the type of its answer."""

    method: str
    path: str
    answer: Any
    once: bool = False
    """True if the service has its effect at most once for an Idempotency-Key."""


@dataclass(frozen=True)
class ListOperation(Operation[T]):
    """How a list is read. ``answer`` is the type of an item."""


@dataclass(frozen=True)
class Prepared:
    """A request that can be sent, perhaps several times."""

    method: str
    url: str
    headers: dict[str, str]
    content: bytes | None
    upload: Upload | None
    safe: bool
    """True if the request can be sent again without a second effect."""

    @property
    def replayable(self) -> bool:
        return self.upload is None or self.upload.replayable


@dataclass(frozen=True)
class Input:
    """What a call gives to an operation. Values that are ``None`` in the query, or ``UNSET``, are left out."""

    path: Mapping[str, str | int] = field(default_factory=dict)
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    upload: Upload | None = None


def given(value: T | None) -> T | Unset:
    """An optional field: ``None`` leaves it out."""
    return UNSET if value is None else value


def prepare(settings: Settings, operation: Operation[Any], request: Input, options: Options) -> Prepared:
    """The request of a call. Raises ValueError for ids that a path cannot contain."""
    headers = {
        "authorization": f"Bearer {settings.api_key}",
        "accept": "application/json",
        "user-agent": f"turnpike-python/{VERSION}",
        **request.headers,
    }
    if operation.method == "POST":
        headers["idempotency-key"] = _checked_key(options.idempotency_key) or str(uuid.uuid4())
    content = None
    if request.body is not None:
        headers["content-type"] = "application/json"
        content = json.dumps(encode(request.body), ensure_ascii=False, allow_nan=False).encode()
    return Prepared(
        method=operation.method,
        url=settings.base_url + _filled(operation.path, request.path) + _query(request.query),
        headers=headers,
        content=content,
        upload=request.upload,
        safe=operation.method != "POST" or operation.once,
    )


def _checked_key(key: str | None) -> str | None:
    if key is not None and not re.fullmatch(r"[\x20-\x7e]{1,255}", key):
        raise ValueError("Turnpike: an idempotency_key has 1 to 255 printable ASCII characters.")
    return key


def _filled(path: str, values: Mapping[str, str | int]) -> str:
    def one(match: re.Match[str]) -> str:
        value = str(values[match[1]])
        # URLs drop segments that are empty or only dots, so the path would be that of another operation.
        if value in ("", ".", ".."):
            raise ValueError(f'Turnpike: {match[1]} must not be "{value}".')
        return quote(value, safe="")

    return re.sub(r"\{(\w+)\}", one, path)


def _query(values: Mapping[str, Any]) -> str:
    # A list repeats the parameter.
    pairs = [
        (name, _text(one))
        for name, value in values.items()
        for one in (value if isinstance(value, (list, tuple)) else [value])
        if one is not None and one is not UNSET
    ]
    return f"?{urlencode(pairs, quote_via=quote)}" if pairs else ""


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(encode(value))
