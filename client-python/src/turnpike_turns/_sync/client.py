# Generated from _async/client.py by scripts/generate-client.ts: npm run client:types.
"""The client."""

from __future__ import annotations

from types import TracebackType

import httpx

from .._runtime import Runtime
from .._settings import read_settings
from .resources import Account
from .transport import Transport


class Turnpike(Account):
    """
    The client of all operations below ``/v1``, for your server.

    It uses the field names and values of the HTTP API. Amounts are US dollars as ``Decimal``, with at most 7 decimals.
    Times are ``datetime`` in UTC.

    Args:
        api_key: ``turnpike_live_…`` or ``turnpike_test_…``. Default: TURNPIKE_API_KEY of the environment.
        base_url: The service's URL, with or without ``/v1``. Default: TURNPIKE_BASE_URL of the environment.
        max_retries: The maximum number of retries of a request. 0 disables retries.
        timeout: The time limit of one attempt in seconds: until a JSON response is complete, or until the headers of
            a stream.
        http_client: Your own client of httpx, for proxies or certificates. It is not closed with this client.
        runtime: The source of time and randomness, for tests.

    Raises:
        ValueError: An option is missing or invalid.

    Example:
        with Turnpike() as turnpike:
            turn = turnpike.turns.run(space="spc_…", end_user_ref="customer-42", text="Where is my order?")
    """

    def __init__(
        self,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        max_retries: int = 3,
        timeout: float = 60.0,
        http_client: httpx.Client | None = None,
        runtime: Runtime | None = None,
    ) -> None:
        settings = read_settings(api_key, base_url, max_retries, timeout)
        super().__init__(Transport(settings, http_client, runtime))

    def close(self) -> None:
        """Closes the connections, unless you passed ``http_client``."""
        self._transport.close()

    def __enter__(self) -> Turnpike:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}(base_url={self._transport.settings.base_url!r})"
