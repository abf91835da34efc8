"""Reads server-sent events (WHATWG HTML, section 9.2.6)."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass


@dataclass(frozen=True)
class StreamMessage:
    """One server-sent event."""

    event: str
    data: str
    id: str | None


class EventStreamParser:
    """Reads a stream that comes in chunks. An incomplete event at the end is dropped, as the standard requires."""

    retry: float | None = None
    """The seconds that the server asks clients to wait before they connect again."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""
        self._started = False
        self._event = ""
        self._data: list[str] = []
        self._id: str | None = None

    def feed(self, chunk: bytes) -> list[StreamMessage]:
        """The events that are complete with this chunk."""
        text = self._decoder.decode(chunk)
        if text and not self._started:
            self._started = True
            text = text.removeprefix("\ufeff")
        text = self._rest + text
        # A CR at the end can be the first half of a CRLF.
        end = len(text) - 1 if text.endswith("\r") else len(text)
        *lines, last = re.split(r"\r\n|\n|\r", text[:end])
        self._rest = last + text[end:]
        return [message for message in map(self._line, lines) if message is not None]

    def _line(self, line: str) -> StreamMessage | None:
        if line == "":
            message = StreamMessage(self._event or "message", "\n".join(self._data), self._id) if self._data else None
            self._event, self._data = "", []
            return message
        name, _colon, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "event":
            self._event = value
        elif name == "data":
            self._data.append(value)
        elif name == "id" and "\0" not in value:
            self._id = value
        elif name == "retry" and value.isascii() and value.isdigit():
            self.retry = int(value) / 1000
        return None
