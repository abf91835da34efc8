"""Verification of webhooks (Standard Webhooks)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from email.message import Message
from typing import Any, Union

from ._model import decode
from .errors import WebhookVerificationError
from .models import FeedEvent

WebhookHeaders = Union[Mapping[str, Any], Message, Iterable[tuple[Union[str, bytes], Union[str, bytes]]]]
"""The headers of a request: a mapping, those of ``http.server``, or pairs, as of ASGI. Case does not matter."""


def verify_webhook(
    body: str | bytes | bytearray,
    headers: WebhookHeaders,
    secret: str | Sequence[str],
    *,
    tolerance: float = 300,
    now: datetime | None = None,
) -> FeedEvent:
    """
    The event of a message that is signed with one of the secrets (scheme v1: HMAC-SHA256 of ``id.timestamp.body``).

    Args:
        body: The raw body, as the server received it. A body that was parsed and written again has other bytes.
        headers: The headers of the request.
        secret: The signing secret, ``whsec_…``. For a rotation, a list of secrets.
        tolerance: The maximum difference in seconds between the message's time and the current time.
        now: The current time, with a time zone. Default: the time of this machine.

    Raises:
        WebhookVerificationError: The message is not signed with a secret, was changed, or is too old.
        ValueError: A secret is not a secret, or there is none.
        TypeError: The body is not the raw body.

    Example:
        event = verify_webhook(await request.body(), request.headers, os.environ["TURNPIKE_WEBHOOK_SECRET"])
        if isinstance(event, TurnStateEvent) and event.type == "turn.done":
            reply(event.data.turn.end_user_ref, event.data.turn.result)
    """
    if not isinstance(body, (str, bytes, bytearray)):
        raise TypeError(
            "verify_webhook: pass the raw body as text or bytes. The signature does not cover a parsed body."
        )
    raw = body.encode() if isinstance(body, str) else bytes(body)
    secrets = [secret] if isinstance(secret, str) else list(secret)
    keys = [_key_of(one) for one in secrets]
    if not keys:
        raise ValueError("verify_webhook: pass at least one secret.")
    message_id, timestamp, signatures = _signed_headers(headers)
    moment = time.time() if now is None else now.timestamp()
    if not re.fullmatch(r"[0-9]{1,12}", timestamp) or not abs(moment - int(timestamp)) <= tolerance:
        raise _refused("webhook-timestamp is too far from the current time")
    signed = f"{message_id}.{timestamp}.".encode() + raw
    given = [one for one in map(_signature, signatures.split(" ")) if one]
    wanted = [hmac.new(key, signed, hashlib.sha256).digest() for key in keys]
    # Compares in constant time.
    if not any(hmac.compare_digest(one, ours) for one in given for ours in wanted):
        raise _refused("no signature matches this secret and this body")
    try:
        event: FeedEvent = decode(FeedEvent, json.loads(raw))
    except (ValueError, TypeError, KeyError, AttributeError) as cause:
        raise _refused("the body is not an event in JSON") from cause
    return event


class WebhookVerifier:
    """The method ``webhooks.verify`` of both clients."""

    verify = staticmethod(verify_webhook)


def header_pairs(headers: WebhookHeaders) -> Iterable[tuple[Any, Any]]:
    """The names and values of headers of any kind."""
    return headers.items() if isinstance(headers, (Mapping, Message)) else headers


def _signed_headers(headers: WebhookHeaders) -> list[str]:
    found: dict[str, list[str]] = {}
    for name, value in header_pairs(headers):
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is not None:
                found.setdefault(header_text(name).lower(), []).append(header_text(one))
    values = []
    for name in ("webhook-id", "webhook-timestamp", "webhook-signature"):
        given = found.get(name, [])
        if len(given) != 1 or not given[0]:
            raise _refused(f"the header {name} is missing" if len(given) < 2 else f"the header {name} is repeated")
        values.append(given[0])
    return values


def header_text(value: Any) -> str:
    """The text of a header's name or value."""
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


def _key_of(secret: str) -> bytes:
    key = _decoded(secret.strip().removeprefix("whsec_"))
    if not key:
        raise ValueError("verify_webhook: this is not a secret. A secret is whsec_ and base64.")
    return key


def _signature(entry: str) -> bytes | None:
    return _decoded(entry.removeprefix("v1,")) if entry.startswith("v1,") else None


def _decoded(text: str) -> bytes | None:
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError):
        return None


def _refused(reason: str) -> WebhookVerificationError:
    return WebhookVerificationError(f"The webhook is not verified: {reason}.", code="WEBHOOK_VERIFICATION_FAILED")
