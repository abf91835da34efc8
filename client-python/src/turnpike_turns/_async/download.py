"""Downloads."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from types import TracebackType

import httpx

from ..errors import broken, timed_out


class AsyncDownload:
    """
    A download whose body is not read yet. ``read``, ``text``, ``save`` and a whole iteration close it. Otherwise
    close it yourself, or use it in a ``with`` block.

    Example:
        async with await turnpike.files.content("file_…") as download:
            async for chunk in download.iter_bytes():
                target.write(chunk)
    """

    def __init__(self, response: httpx.Response) -> None:
        self._response = response

    @property
    def status(self) -> int:
        """200, or 206 for a part of the file."""
        return self._response.status_code

    @property
    def headers(self) -> httpx.Headers:
        """The headers, such as ``etag`` and ``content-range``."""
        return self._response.headers

    @property
    def media_type(self) -> str:
        """The type of the content."""
        return str(self._response.headers.get("content-type", "application/octet-stream"))

    async def iter_bytes(self, chunk_bytes: int | None = None) -> AsyncIterator[bytes]:
        """
        The content in chunks, of ``chunk_bytes`` bytes each if given.

        Raises:
            APITimeoutError: Nothing came within the time limit of an attempt.
            APIConnectionError: The download broke off.
        """
        try:
            async for chunk in self._response.aiter_bytes(chunk_bytes):
                yield chunk
        except httpx.TimeoutException as cause:
            raise timed_out("The download was not complete in time.") from cause
        except (httpx.HTTPError, httpx.StreamError) as cause:
            raise broken("The download broke off.") from cause
        finally:
            await self._response.aclose()

    async def read(self) -> bytes:
        """The whole content."""
        return b"".join([chunk async for chunk in self.iter_bytes()])

    async def text(self) -> str:
        """The whole content as text in UTF-8."""
        return (await self.read()).decode("utf-8", "replace")

    async def save(self, path: str | os.PathLike[str]) -> int:
        """Writes the content to a file, which is replaced. Returns the number of bytes."""
        size = 0
        with open(path, "wb") as file:
            async for chunk in self.iter_bytes():
                size += file.write(chunk)
        return size

    async def aclose(self) -> None:
        """Ends the download."""
        await self._response.aclose()

    async def __aenter__(self) -> AsyncDownload:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
