# Generated from _async/pager.py by scripts/generate-client.ts: npm run client:types.
"""Lists that load their pages."""

from __future__ import annotations

from collections.abc import Iterator, Callable
from typing import Generic, TypeVar

from .._page import Page

T = TypeVar("T")


class Pager(Generic[T]):
    """
    A list that loads its pages as you iterate. Nothing is sent before that, and every iteration starts again.

    Example:
        for turn in turnpike.turns.list(end_user_ref="customer-42"):
            print(turn.turn_id)
    """

    def __init__(self, load: Callable[[str | None], Page[T]]) -> None:
        self._load = load

    def page(self, cursor: str | None = None) -> Page[T]:
        """Loads one page: the first, or the page of another page's ``next_cursor``. Its size is the ``limit``."""
        return self._load(cursor)

    def to_list(self, most: int | None = None) -> list[T]:
        """The items as a list, at most ``most`` items."""
        items: list[T] = []
        if most is not None and most <= 0:
            return items
        for item in self:
            items.append(item)
            if most is not None and len(items) >= most:
                break
        return items

    def __iter__(self) -> Iterator[T]:
        cursor: str | None = None
        while True:
            page = self._load(cursor)
            for item in page.data:
                yield item
            if not page.has_more or page.next_cursor is None:
                return
            cursor = page.next_cursor
