"""Verification of requests to tools and MCP servers (``Turnpike-Identity``)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import os
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

import httpx

from .errors import ToolRequestError
from .models import TakenCall
from .webhooks import WebhookHeaders, header_pairs, header_text

_HEADER = "turnpike-identity"
_TYPE = "turnpike-identity+jwt"
_KEEP = 3600
# A key that is not known may be new, so the keys are fetched again, but not for each forged token.
_AGAIN = 30
_kept: dict[str, tuple[list[dict[str, Any]], float]] = {}


@dataclass(frozen=True)
class ToolIdentity:
    """For whom, and in which turn, a tool is called."""

    end_user_ref: str | None
    """Your own id of the end user. None: a member of the space talks in its web chat."""
    space: str
    config_version: int | None
    agent: str | None
    """The sub-agent that makes the call. None: the space's own agent."""
    turn_id: str | None
    conversation: str | None
    call: str | None
    """The call as "step.call". None for requests to an MCP server that call no tool."""
    test: bool
    id: str
    """The ``Idempotency-Key`` of the call: the same for each repeat."""


def verify_tool_request(
    body: str | bytes | bytearray,
    headers: WebhookHeaders,
    *,
    audience: str | Sequence[str],
    issuer: str | None = None,
    mode: str | None = None,
    tolerance: float = 60,
    keys: Sequence[Mapping[str, Any]] | None = None,
    now: datetime | None = None,
) -> ToolIdentity:
    """
    Verifies ``Turnpike-Identity`` of a request to a tool, and returns for whom it is made. Needs the package
    ``cryptography`` (``turnpike-turns[identity]``).

    Args:
        body: The raw body, as the server received it. Empty for a request without one.
        headers: The headers of the request.
        audience: The origin of your tool's URL, such as ``https://api.example.com``, or several.
        issuer: The origin of the Turnpike service. Default: that of ``TURNPIKE_BASE_URL``.
        mode: ``"live"`` or ``"test"`` to accept only calls of such turns. Default: both.
        tolerance: The maximum difference between the clocks, in seconds.
        keys: The public keys of the issuer. Default: they are fetched, and kept for an hour.
        now: The current time, with a time zone. Default: the time of this machine.

    Raises:
        ToolRequestError: The token is missing, expired, not signed by the service, or made for another server, call
            or body.
        TypeError: The body is not the raw body.

    Example:
        identity = verify_tool_request(await request.body(), request.headers, audience="https://api.example.com")
        return orders_of(identity.end_user_ref)
    """
    if not isinstance(body, (str, bytes, bytearray)):
        raise TypeError(
            "verify_tool_request: pass the raw body as text or bytes. The token does not cover a parsed body."
        )
    raw = body.encode() if isinstance(body, str) else bytes(body)
    token = _header(headers, _HEADER)
    if not token:
        raise _refused(f"the header {_HEADER} is missing")
    claims = _valid_claims(token, audience=audience, issuer=issuer, mode=mode, tolerance=tolerance, keys=keys, now=now)
    key = _header(headers, "idempotency-key")
    if key is not None and key != claims.get("jti"):
        raise _refused("its token belongs to another call")
    if claims.get("body") != base64.urlsafe_b64encode(hashlib.sha256(raw).digest()).rstrip(b"=").decode():
        raise _refused("its token is for another body: pass the body as it was received")
    return _identity(claims)


def verify_taken_call(
    call: TakenCall,
    *,
    issuer: str | None = None,
    mode: str | None = None,
    tolerance: float = 60,
    keys: Sequence[Mapping[str, Any]] | None = None,
    now: datetime | None = None,
) -> ToolIdentity:
    """
    Verifies the ``identity`` of a call that a worker has taken, and returns for whom it is made. A service to which your
    worker passes the call need not trust the worker then. Takes the arguments of :func:`verify_tool_request`.

    Raises:
        ToolRequestError: The token is missing, expired, not signed by the service, or made for another call.

    Example:
        identity = verify_taken_call(call)
        return orders_of(identity.end_user_ref)
    """
    if not call.identity:
        raise _refused("the call has no identity")
    service = _service(issuer)
    claims = _valid_claims(
        call.identity, audience=service, issuer=service, mode=mode, tolerance=tolerance, keys=keys, now=now
    )
    if claims.get("turn") != call.turn_id or claims.get("call") != call.call:
        raise _refused("its token belongs to another call")
    return _identity(claims)


def _service(issuer: str | None) -> str:
    service = issuer or os.environ.get("TURNPIKE_BASE_URL")
    if not service:
        raise ValueError("verify_tool_request: pass the issuer, or set TURNPIKE_BASE_URL.")
    return _origin(service)


def _valid_claims(
    token: str,
    *,
    audience: str | Sequence[str],
    issuer: str | None,
    mode: str | None,
    tolerance: float,
    keys: Sequence[Mapping[str, Any]] | None,
    now: datetime | None,
) -> dict[str, Any]:
    """The claims of a token that is valid now, for this audience and mode."""
    service = _service(issuer)
    moment = time.time() if now is None else now.timestamp()
    claims = _claims(token, service, keys, moment)
    if claims.get("iss") != service:
        raise _refused("another service has made its token")
    if claims.get("aud") not in [_origin(one) for one in ([audience] if isinstance(audience, str) else audience)]:
        raise _refused(f"its token is for {claims.get('aud')!r}, which is not your audience")
    if not claims.get("exp", 0) + tolerance > moment:
        raise _refused("its token has expired")
    if not claims.get("iat", moment) - tolerance <= moment:
        raise _refused("its token was made in the future: check your clock")
    if mode is not None and claims.get("test") is not (mode == "test"):
        raise _refused(f"it is a call of a {'test' if claims.get('test') else 'live'} turn")
    return claims


def _identity(claims: Mapping[str, Any]) -> ToolIdentity:
    act = claims["act"]
    return ToolIdentity(
        end_user_ref=claims.get("sub"),
        space=act["space"],
        config_version=act.get("config_version"),
        agent=act.get("agent"),
        turn_id=claims.get("turn"),
        conversation=claims.get("conv"),
        call=claims.get("call"),
        test=claims["test"],
        id=claims["jti"],
    )


def _claims(token: str, issuer: str, keys: Sequence[Mapping[str, Any]] | None, moment: float) -> dict[str, Any]:
    """The claims of a token (RFC 7519) with a signature (EdDSA, RFC 8037) by a published key for identities."""
    try:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ImportError as cause:
        raise ImportError("verify_tool_request needs cryptography: pip install 'turnpike-turns[identity]'") from cause
    parts = token.split(".")
    header = _parsed(parts[0])
    # The type comes first: a token of another kind may be valid, but it means something else (RFC 8725, section 3.11).
    if len(parts) != 3 or header.get("typ") != _TYPE or header.get("alg") != "EdDSA" or "crit" in header:
        raise _refused("its token has another type")
    key = _key(str(header.get("kid")), issuer, keys, moment)
    try:
        public = Ed25519PublicKey.from_public_bytes(_decoded(str(key.get("x"))) or b"")
        public.verify(_decoded(parts[2]) or b"", f"{parts[0]}.{parts[1]}".encode())
    except (InvalidSignature, ValueError) as cause:
        raise _refused("its token is not signed by the service") from cause
    return _parsed(parts[1])


def _key(kid: str, issuer: str, keys: Sequence[Mapping[str, Any]] | None, moment: float) -> Mapping[str, Any]:
    def find(known: Iterable[Mapping[str, Any]]) -> Mapping[str, Any] | None:
        return next((one for one in known if one.get("kid") == kid and one.get("purpose") == "identity"), None)

    if keys is not None:
        found = find(keys)
    else:
        known, fetched_at = _kept.get(issuer, ([], float("-inf")))
        age = abs(moment - fetched_at)
        found = find(known)
        if age > _KEEP or (found is None and age > _AGAIN):
            try:
                answer = httpx.get(f"{issuer}/.well-known/jwks.json")
                answer.raise_for_status()
            except httpx.HTTPError as cause:
                raise _refused("the keys of the service cannot be fetched") from cause
            _kept[issuer] = (answer.json()["keys"], moment)
            found = find(_kept[issuer][0])
    if found is None:
        raise _refused("its token is signed by a key that the service does not publish")
    return found


def _header(headers: WebhookHeaders, name: str) -> str | None:
    for key, value in header_pairs(headers):
        if header_text(key).lower() == name:
            return header_text(value[0] if isinstance(value, (list, tuple)) and len(value) == 1 else value)
    return None


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}".lower()


def _decoded(text: str) -> bytes | None:
    try:
        return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except (binascii.Error, ValueError):
        return None


def _parsed(part: str) -> dict[str, Any]:
    try:
        value = json.loads(_decoded(part) or b"null")
    except ValueError:
        value = None
    return value if isinstance(value, dict) else {}


def _refused(reason: str) -> ToolRequestError:
    return ToolRequestError(f"The tool's request is not verified: {reason}.", code="TOOL_REQUEST_REFUSED")
