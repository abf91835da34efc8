# Generated from _async/file_actions.py by scripts/generate-client.ts: npm run client:types.
"""Methods whose bodies are not JSON: files and reports as CSV."""

from __future__ import annotations

from typing import Any

from .._operations import GET_FILE_CONTENT, GET_USAGE, UPLOAD_FILE
from .._request import Input
from .._settings import Options
from .._upload import UploadData, Upload
from ..models import FileInfo
from .download import Download
from .transport import Transport


class FileActions:
    """The part of ``files`` that is written by hand."""

    _transport: Transport

    def upload(
        self,
        space_id: str,
        *,
        name: str,
        data: UploadData,
        media_type: str | None = None,
        idempotency_key: str | None = None,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> FileInfo:
        """
        Uploads a file of at most 100 MB to a space. Attach it to a turn with ``files=[file.file_id]``.

        Args:
            space_id: The space, ``spc_…``.
            name: The name of the file.
            data: Bytes, a text, a file that is open in binary mode, or chunks. Chunks can be sent only once, so
                their upload is never retried.
            media_type: Default: the type of the name's extension.
            idempotency_key: One value per logical request. Default: a new UUID for all attempts of the call.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds.

        Raises:
            ValidationError: The file is too large, or its name is invalid.
            ConflictError: The space is archived, or a limit is reached (``LIMIT_REACHED``).
            NotFoundError: There is no such space, or this key cannot access it.

        Example:
            with open("order.pdf", "rb") as file:
                uploaded = turnpike.files.upload("spc_…", name="order.pdf", data=file)
        """
        headers = {} if media_type is None else {"content-type": media_type}
        given = Input(path={"space_id": space_id}, query={"name": name}, headers=headers, upload=Upload(data))
        return self._transport.call(UPLOAD_FILE, given, Options(idempotency_key, max_retries, timeout))

    def content(
        self,
        file_id: str,
        *,
        start: int | None = None,
        end: int | None = None,
        max_retries: int | None = None,
        timeout: float | None = None,
    ) -> Download:
        """
        Downloads a file. Its body is not read yet: ``…content(file_id).read()`` reads all of it.

        Args:
            file_id: The file, ``file_…``.
            start: The first byte, counted from 0. Default: the whole file.
            end: The last byte, inclusive. Default: the end of the file.
            max_retries: Overrides the client's ``max_retries``.
            timeout: Overrides the client's ``timeout`` of one attempt, in seconds, until the headers.

        Raises:
            NotFoundError: There is no such file, or this key cannot access it.
            ValidationError: The file is shorter than ``start`` (416).

        Example:
            content = turnpike.files.content("file_…").read()
        """
        headers = {"accept": "*/*"}
        if start is not None or end is not None:
            headers["range"] = f"bytes={start or 0}-{'' if end is None else end}"
        given = Input(path={"file_id": file_id}, headers=headers)
        options = Options(max_retries=max_retries, timeout=timeout)
        return Download(self._transport.open(GET_FILE_CONTENT, given, options))


class UsageActions:
    """The part of ``usage`` that is written by hand."""

    _transport: Transport

    def _csv(self, query: dict[str, Any], options: Options) -> Download:
        given = Input(query={**query, "format": "csv"}, headers={"accept": "text/csv"})
        return Download(self._transport.open(GET_USAGE, given, options))
