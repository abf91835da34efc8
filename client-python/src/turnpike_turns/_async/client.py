"""The client."""

from __future__ import annotations

from types import TracebackType

import httpx

from .._runtime import AsyncRuntime
from .._settings import read_settings
from .resources import AsyncAccount
from .transport import AsyncTransport


class AsyncTurnpike(AsyncAccount):
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
        async with AsyncTurnpike() as turnpike:
            turn = await turnpike.turns.run(space="spc_…", end_user_ref="customer-42", text="Where is my order?")
    """

    def __init__(
        self,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        max_retries: int = 3,
        timeout: float = 60.0,
        http_client: httpx.AsyncClient | None = None,
        runtime: AsyncRuntime | None = None,
    ) -> None:
        settings = read_settings(api_key, base_url, max_retries, timeout)
        super().__init__(AsyncTransport(settings, http_client, runtime))

    async def aclose(self) -> None:
        """Closes the connections, unless you passed ``http_client``."""
        await self._transport.aclose()

    async def __aenter__(self) -> AsyncTurnpike:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    def __repr__(self) -> str:
        return f"{type(self).__name__}(base_url={self._transport.settings.base_url!r})"
