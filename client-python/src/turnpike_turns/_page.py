"""Pages of lists."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from .errors import TurnpikeError

T = TypeVar("T")


@dataclass(frozen=True)
class Page(Generic[T]):
    """One page of a list."""

    data: list[T]
    has_more: bool
    next_cursor: str | None
    """Pass it to ``page()`` to get the next page. None on the last page."""
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """The other fields of the page, as JSON values, such as ``image_models`` of the list of models."""

    @staticmethod
    def of(value: Any, read: Callable[[Any], list[T]]) -> Page[T]:
        """The page of a response. Raises TurnpikeError for a response that is no page."""
        if not isinstance(value, dict) or not isinstance(value.get("data"), list):
            raise TurnpikeError("The response is not a list.", code="UNEXPECTED_ANSWER", details=value)
        rest = {name: one for name, one in value.items() if name not in ("data", "has_more", "next_cursor")}
        return Page(read(value["data"]), value.get("has_more") is True, value.get("next_cursor"), rest)
