"""The bytes of an upload."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from typing import Any, BinaryIO, Union

CHUNK_BYTES = 64 * 1024

UploadData = Union[bytes, bytearray, str, BinaryIO, Iterable[bytes]]
"""Bytes, a text (sent as UTF-8), a file that is open in binary mode, or chunks."""
AsyncUploadData = Union[UploadData, AsyncIterable[bytes]]
"""As ``UploadData``, or chunks of an asynchronous iterator."""


class Upload:
    """Data that is sent once, or several times if it can be read again."""

    def __init__(self, data: AsyncUploadData) -> None:
        # `Any`, since a file is told apart by its method `read`.
        self._data: Any = data.encode() if isinstance(data, str) else data
        if isinstance(data, (bytearray, memoryview)):
            self._data = bytes(data)
        self._is_file = hasattr(self._data, "read")
        self._start: int | None = self._data.tell() if self._is_file and self._data.seekable() else None

    @property
    def replayable(self) -> bool:
        """False for chunks, and for a file that cannot be read again: they are sent at most once."""
        return isinstance(self._data, bytes) or self._start is not None

    def stream(self) -> bytes | Iterator[bytes]:
        """The body of one attempt."""
        if isinstance(self._data, bytes):
            return self._data
        if isinstance(self._data, AsyncIterable):
            raise TypeError("Turnpike: an asynchronous iterator needs AsyncTurnpike.")
        return self._chunks()

    def stream_async(self) -> bytes | AsyncIterator[bytes]:
        """The body of one attempt of an asynchronous client."""
        return self._data if isinstance(self._data, bytes) else self._async_chunks()

    def _chunks(self) -> Iterator[bytes]:
        if not self._is_file:
            yield from self._data
            return
        if self._start is not None:
            self._data.seek(self._start)
        while chunk := self._data.read(CHUNK_BYTES):
            if not isinstance(chunk, bytes):
                raise TypeError('Turnpike: open the file in binary mode ("rb").')
            yield chunk

    async def _async_chunks(self) -> AsyncIterator[bytes]:
        if isinstance(self._data, AsyncIterable):
            async for chunk in self._data:
                yield chunk
        else:
            for chunk in self._chunks():
                yield chunk
