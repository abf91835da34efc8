"""Lists that load their pages."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Generic, TypeVar

from .._page import Page

T = TypeVar("T")


class AsyncPager(Generic[T]):
    """
    A list that loads its pages as you iterate. Nothing is sent before that, and every iteration starts again.

    Example:
        async for turn in turnpike.turns.list(end_user_ref="customer-42"):
            print(turn.turn_id)
    """

    def __init__(self, load: Callable[[str | None], Awaitable[Page[T]]]) -> None:
        self._load = load

    async def page(self, cursor: str | None = None) -> Page[T]:
        """Loads one page: the first, or the page of another page's ``next_cursor``. Its size is the ``limit``."""
        return await self._load(cursor)

    async def to_list(self, most: int | None = None) -> list[T]:
        """The items as a list, at most ``most`` items."""
        items: list[T] = []
        if most is not None and most <= 0:
            return items
        async for item in self:
            items.append(item)
            if most is not None and len(items) >= most:
                break
        return items

    async def __aiter__(self) -> AsyncIterator[T]:
        cursor: str | None = None
        while True:
            page = await self._load(cursor)
            for item in page.data:
                yield item
            if not page.has_more or page.next_cursor is None:
                return
            cursor = page.next_cursor
