# Generated from _async/download.py by scripts/generate-client.ts: npm run client:types.
"""Downloads."""

from __future__ import annotations

import os
from collections.abc import Iterator
from types import TracebackType

import httpx

from ..errors import broken, timed_out


class Download:
    """
    A download whose body is not read yet. ``read``, ``text``, ``save`` and a whole iteration close it. Otherwise
    close it yourself, or use it in a ``with`` block.

    Example:
        with turnpike.files.content("file_…") as download:
            for chunk in download.iter_bytes():
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

    def iter_bytes(self, chunk_bytes: int | None = None) -> Iterator[bytes]:
        """
        The content in chunks, of ``chunk_bytes`` bytes each if given.

        Raises:
            APITimeoutError: Nothing came within the time limit of an attempt.
            APIConnectionError: The download broke off.
        """
        try:
            for chunk in self._response.iter_bytes(chunk_bytes):
                yield chunk
        except httpx.TimeoutException as cause:
            raise timed_out("The download was not complete in time.") from cause
        except (httpx.HTTPError, httpx.StreamError) as cause:
            raise broken("The download broke off.") from cause
        finally:
            self._response.close()

    def read(self) -> bytes:
        """The whole content."""
        return b"".join([chunk for chunk in self.iter_bytes()])

    def text(self) -> str:
        """The whole content as text in UTF-8."""
        return self.read().decode("utf-8", "replace")

    def save(self, path: str | os.PathLike[str]) -> int:
        """Writes the content to a file, which is replaced. Returns the number of bytes."""
        size = 0
        with open(path, "wb") as file:
            for chunk in self.iter_bytes():
                size += file.write(chunk)
        return size

    def close(self) -> None:
        """Ends the download."""
        self._response.close()

    def __enter__(self) -> Download:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
