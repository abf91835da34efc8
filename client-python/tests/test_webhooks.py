"""Verification of webhooks."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import unittest
from datetime import datetime, timedelta, timezone
from typing import Any

from turnpike_turns import EndUserBalanceEvent, Turnpike, TurnStateEvent, UnknownEvent, WebhookVerificationError, verify_webhook

from .harness import turn

SECRET = "whsec_" + base64.b64encode(b"0123456789abcdef0123456789abcdef").decode()
OTHER = "whsec_" + base64.b64encode(b"another secret of thirty-two byt").decode()
NOW = datetime(2026, 1, 15, 9, 30, tzinfo=timezone.utc)
EVENT = {"id": "evt_1", "type": "turn.done", "created_at": "2026-01-15T09:30:00Z", "seq": 3}
BODY = json.dumps({**EVENT, "data": {"turn": turn(text="ü €")}}, ensure_ascii=False)


def signature(body: str = BODY, secret: str = SECRET, message_id: str = "evt_1") -> str:
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{message_id}.{int(NOW.timestamp())}.{body}".encode()
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()


def signed(body: str = BODY, secret: str = SECRET) -> dict[str, Any]:
    timestamp = str(int(NOW.timestamp()))
    return {"webhook-id": "evt_1", "webhook-timestamp": timestamp, "webhook-signature": signature(body, secret)}


def verify(body: Any = BODY, headers: Any = None, secret: Any = SECRET, seconds: float = 0, **more: Any) -> Any:
    given = signed() if headers is None else headers
    return verify_webhook(body, given, secret, now=NOW + timedelta(seconds=seconds), **more)


class VerifyingAWebhook(unittest.TestCase):
    def refused(self, *given: Any, **named: Any) -> None:
        with self.assertRaises(WebhookVerificationError):
            verify(*given, **named)

    def test_a_signed_message_is_accepted_with_any_kind_of_headers_and_body(self) -> None:
        upper = {name.upper(): [value] for name, value in signed().items()}
        pairs = [(name.encode(), value.encode()) for name, value in signed().items()]
        for headers in (signed(), upper, pairs):
            for body in (BODY, BODY.encode(), bytearray(BODY.encode())):
                event = verify(body, headers)
                self.assertIsInstance(event, TurnStateEvent)
                self.assertEqual((event.type, event.data.turn.text), ("turn.done", "ü €"))
        client = Turnpike(api_key="x", base_url="https://api.test")
        self.assertIsInstance(client.webhooks.verify(BODY, signed(), SECRET, now=NOW), TurnStateEvent)

    def test_each_type_of_event_has_its_own_data(self) -> None:
        data = {"end_user_ref": "c-1", "balance_usd": 0, "held_usd": 0, "available_usd": 0, "threshold_usd": 0.5}
        body = json.dumps({**EVENT, "type": "end_user.depleted", "seq": None, "data": data})
        event = verify(body, signed(body))
        assert isinstance(event, EndUserBalanceEvent)
        self.assertEqual((event.data.end_user_ref, str(event.data.threshold_usd)), ("c-1", "0.5"))

    def test_an_event_of_a_later_type_is_an_unknown_event(self) -> None:
        body = json.dumps({**EVENT, "type": "added.later", "data": {"by": 1}})
        event = verify(body, signed(body))
        self.assertIsInstance(event, UnknownEvent)
        self.assertEqual((event.type, event.data), ("added.later", {"by": 1}))

    def test_during_a_rotation_either_secret_and_either_signature_is_accepted(self) -> None:
        both = {**signed(), "webhook-signature": f"{signature(secret=OTHER)} v1a,xx v1,! {signature()}"}
        for secret in (SECRET, OTHER, [SECRET, OTHER], SECRET.removeprefix("whsec_")):
            verify(headers=both, secret=secret)
        verify(secret=[OTHER, SECRET])

    def test_a_difference_of_up_to_five_minutes_is_accepted(self) -> None:
        for seconds in (-300, 0, 300):
            verify(seconds=seconds)
        for seconds in (-301, 301):
            self.refused(seconds=seconds)
        verify(seconds=900, tolerance=900)

    def test_any_change_is_refused(self) -> None:
        self.refused(BODY.replace("3", "4", 1))
        self.refused(BODY + " ")
        self.refused(headers={**signed(), "webhook-id": "evt_2"})
        self.refused(headers={**signed(), "webhook-timestamp": str(int(NOW.timestamp()) + 1)})
        self.refused(secret=OTHER)
        right = signature()
        for wrong in ("", "v1,", "v1,AAAA", "v1", right[3:], right.replace("v1", "v2"), right.lower()):
            self.refused(headers={**signed(), "webhook-signature": wrong})

    def test_missing_repeated_and_malformed_headers_are_refused(self) -> None:
        for name in ("webhook-id", "webhook-timestamp", "webhook-signature"):
            self.refused(headers={key: value for key, value in signed().items() if key != name})
            self.refused(headers={**signed(), name: ["a", "b"]})
        self.refused(headers={**signed(), "webhook-id": "", "webhook-signature": signature(message_id="")})
        for timestamp in ("now", "-1", "1e9", "NaN", "9" * 13, "١"):
            self.refused(headers={**signed(), "webhook-timestamp": timestamp})
        self.refused("not JSON", signed("not JSON"))
        self.refused("[]", signed("[]"))

    def test_a_malformed_secret_is_the_mistake_of_the_caller(self) -> None:
        for secret in ("", "whsec_", "whsec_!!!", []):
            with self.assertRaises(ValueError):
                verify(secret=secret)

    def test_a_parsed_body_is_the_mistake_of_the_caller(self) -> None:
        with self.assertRaisesRegex(TypeError, "pass the raw body"):
            verify(json.loads(BODY))
