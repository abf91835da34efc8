"""Verification of requests to tools."""

from __future__ import annotations

import base64
import hashlib
import json
import unittest
from datetime import datetime, timedelta, timezone
from email.message import Message
from typing import Any
from unittest.mock import patch

import httpx
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from turnpike_turns import ToolIdentity, ToolRequestError, tool_requests, verify_taken_call, verify_tool_request
from turnpike_turns.models import TakenCall

NOW = datetime(2026, 1, 15, 9, 30, tzinfo=timezone.utc)
SECRET = Ed25519PrivateKey.from_private_bytes(b"0123456789abcdef0123456789abcdef")
BODY = '{"id":"A-1"}'
ISSUER = "https://turnpike.example.com"
SHOP = "https://api.example.com"


def text(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()


KEY = {
    "kid": "key-1",
    "x": text(SECRET.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)),
    "purpose": "identity",
}
CLAIMS = {
    "iss": ISSUER,
    "aud": SHOP,
    "sub": "ada",
    "act": {"space": "support", "config_version": 3, "agent": None},
    "turn": "turn_1",
    "conv": "conv_1",
    "call": "0.0",
    "test": False,
    "iat": int(NOW.timestamp()),
    "exp": int(NOW.timestamp()) + 70,
    "jti": "turn_1.0.0",
    "body": text(hashlib.sha256(BODY.encode()).digest()),
}


def token(secret: Ed25519PrivateKey = SECRET, header: dict[str, Any] | None = None, **changed: Any) -> str:
    head = {"alg": "EdDSA", "typ": "turnpike-identity+jwt", "kid": "key-1", **(header or {})}
    signed = ".".join(text(json.dumps(part).encode()) for part in (head, {**CLAIMS, **changed}))
    return f"{signed}.{text(secret.sign(signed.encode()))}"


def verify(given: str | None = None, body: Any = BODY, seconds: float = 0, **more: Any) -> ToolIdentity:
    headers = {"Turnpike-Identity": given or token(), "Idempotency-Key": "turn_1.0.0"}
    options: dict[str, Any] = {"audience": SHOP, "issuer": ISSUER, "keys": [KEY], **more}
    return verify_tool_request(body, headers, now=NOW + timedelta(seconds=seconds), **options)


class VerifyingAToolsRequest(unittest.TestCase):
    def refused(self, why: str, *given: Any, **named: Any) -> None:
        with self.assertRaisesRegex(ToolRequestError, why):
            verify(*given, **named)

    def test_it_says_for_whom_and_in_which_turn_the_tool_is_called(self) -> None:
        whole = ToolIdentity("ada", "support", 3, None, "turn_1", "conv_1", "0.0", False, "turn_1.0.0")
        for body in (BODY, BODY.encode(), bytearray(BODY.encode())):
            self.assertEqual(verify(body=body, mode="live", audience=[SHOP, "https://other.example.com"]), whole)
        message = Message()
        message["Turnpike-Identity"] = token()
        self.assertEqual(verify_tool_request(BODY, message, audience=SHOP, issuer=ISSUER, keys=[KEY], now=NOW), whole)
        pairs = [(b"turnpike-identity", token().encode())]
        self.assertEqual(verify_tool_request(BODY, pairs, audience=SHOP, issuer=ISSUER, keys=[KEY], now=NOW), whole)
        self.assertIsNone(verify(token(sub=None)).end_user_ref)

    def test_a_token_of_another_service_server_call_body_mode_or_time_is_refused(self) -> None:
        self.refused("another service", issuer="https://other.example.com")
        self.refused("not your audience", audience="https://api.example.com.evil.example")
        self.refused("another call", token(jti="turn_2.0.0"))
        self.refused("another body", body=BODY + " ")
        self.refused("live turn", mode="test")
        verify(seconds=129)
        self.refused("expired", seconds=131)
        self.refused("check your clock", seconds=-61)
        with self.assertRaises(TypeError):
            verify(body={"id": "A-1"})

    def test_a_forged_token_is_refused(self) -> None:
        self.refused("not signed", token(Ed25519PrivateKey.generate()))
        head, payload, signature = token().split(".")
        other = text(json.dumps({**CLAIMS, "sub": "bob"}).encode())
        self.refused("not signed", f"{head}.{other}.{signature}")
        self.refused("not signed", f"{head}.{payload}.")
        self.refused("another type", "x")
        headers: list[dict[str, Any]] = [{"alg": "none"}, {"alg": "HS256"}, {"typ": "JWT"}, {"crit": ["b64"]}]
        for header in headers:
            self.refused("another type", token(header=header))
        self.refused("does not publish", token(header={"kid": "key-2"}))
        self.refused("does not publish", keys=[{**KEY, "purpose": "receipts"}])

    def test_the_token_of_a_taken_call_is_for_that_call_only(self) -> None:
        def taken(**changed: Any) -> TakenCall:
            call: dict[str, Any] = {
                **{"turn_id": "turn_1", "call": "0.0", "conversation": "conv_1", "space": "support", "tool": "pick"},
                **{"end_user_ref": "ada", "metadata": {}, "identity": token(aud=ISSUER, body=None), "input": {}},
                **{"takes": 1, "taken_until": datetime(2026, 1, 15, 9, 31, tzinfo=timezone.utc), **changed},
            }
            return TakenCall(**call)

        def check(call: TakenCall) -> ToolIdentity:
            return verify_taken_call(call, issuer=ISSUER, keys=[KEY], now=NOW)

        self.assertEqual(check(taken()).end_user_ref, "ada")
        wrong: list[tuple[str, TakenCall]] = [
            ("another call", taken(call="0.1")),
            ("another call", taken(turn_id="turn_2")),
            ("no identity", taken(identity=None)),
            ("not your audience", taken(identity=token(body=None))),
        ]
        for why, call in wrong:
            with self.assertRaisesRegex(ToolRequestError, why):
                check(call)
        self.refused("another body", token(body=None))

    def test_the_keys_are_fetched_once_and_again_for_a_new_key(self) -> None:
        shown: list[Any] = []
        request = httpx.Request("GET", ISSUER)
        tool_requests._kept.clear()
        with patch.object(httpx, "get", side_effect=lambda url: httpx.Response(200, json={"keys": shown}, request=request)) as get:
            self.refused("does not publish", keys=None)
            shown.append(KEY)
            self.refused("does not publish", keys=None)
            self.assertEqual(get.call_count, 1)
            for _ in range(3):
                verify(seconds=31, keys=None)
            self.assertEqual(get.call_count, 2)
        get.assert_called_with(f"{ISSUER}/.well-known/jwks.json")
