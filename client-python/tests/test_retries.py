"""Which requests are sent again, and when."""

from __future__ import annotations

import io
import json
from email.utils import format_datetime
from datetime import datetime, timezone
from typing import Any

import turnpike_turns as turnpike
from turnpike_turns._retry import is_worth_retrying

from .harness import DONE, LOST, SILENT, START, TURN, BothClients, Step, failure


class RequestsAreSentAgain(BothClients):
    async def check_a_transient_failure_is_retried_with_the_same_key_and_body(self) -> None:
        transient = [
            LOST,
            SILENT,
            failure("INTERNAL", 500),
            Step(502, "<h1>Bad gateway</h1>"),
            failure("UNAVAILABLE", 503),
            Step(504),
            Step(408),
            failure("IDEMPOTENCY_IN_FLIGHT", 409),
            failure("QUOTA_EXCEEDED", 429, retry_after="2"),
            failure("QUOTA_EXCEEDED", 429, retry_after="30"),
            Step(429, "Too many requests"),
        ]
        for step in transient:
            with self.subTest(step=step):
                script = self.script([step, step, DONE])
                self.assertEqual((await script.client.turns.create(**TURN)).turn_id, "turn_1")
                self.assertEqual(len(script.requests), 3)
                self.assertEqual(len({request.headers["idempotency-key"] for request in script.requests}), 1)
                self.assertEqual(len({request.content for request in script.requests}), 1)

    async def check_waits_double_and_retries_are_limited(self) -> None:
        script = self.script([failure("INTERNAL", 500)], max_retries=6)
        await self.raised(turnpike.ServerError, script.client.turns.get("turn_1"))
        self.assertEqual(len(script.requests), 7)
        self.assertEqual(script.waits, [0.375, 0.75, 1.5, 3, 6, 6])
        many = self.script([failure("INTERNAL", 500)], max_retries=1100)
        await self.raised(turnpike.ServerError, many.client.turns.get("turn_1"))
        self.assertEqual(many.waits[-1], 6)

    async def check_retry_after_is_a_number_or_a_date(self) -> None:
        date = format_datetime(datetime.fromtimestamp(START + 20, timezone.utc), usegmt=True)
        steps = [failure("UNAVAILABLE", 503, retry_after=date), failure("UNAVAILABLE", 503, retry_after="7"), DONE]
        script = self.script(steps)
        await script.client.turns.get("turn_1")
        self.assertEqual(script.waits, [20, 7])

    async def check_a_long_retry_after_is_left_to_the_caller(self) -> None:
        script = self.script([failure("QUOTA_EXCEEDED", 429, retry_after="7200")])
        error = await self.raised(turnpike.TurnpikeError, script.client.turns.create(**TURN))
        self.assertEqual((error.retry_after, error.code, len(script.requests)), (7200, "QUOTA_EXCEEDED", 1))
        soon = self.script([failure("QUOTA_EXCEEDED", 429, retry_after=one) for one in ("30", "31")])
        error = await self.raised(turnpike.TurnpikeError, soon.client.turns.create(**TURN))
        self.assertEqual((error.retry_after, soon.waits), (31, [30]))

    async def check_a_request_that_could_have_two_effects_is_sent_again_only_if_nothing_was_done(self) -> None:
        lost = turnpike.APIConnectionError("lost", code="CONNECTION_FAILED")
        failed = turnpike.ServerError("failed", code="INTERNAL", status=500)
        refused = turnpike.TurnpikeError("later", code="QUOTA_EXCEEDED", status=429, retryable=True)
        for error, safe, unsafe in ((lost, True, False), (failed, True, False), (refused, True, True)):
            self.assertEqual(is_worth_retrying(error, safe=True), safe)
            self.assertEqual(is_worth_retrying(error, safe=False), unsafe)

    async def check_a_file_is_read_again_from_where_it_was(self) -> None:
        file = io.BytesIO(b"skip,Order A-1")
        file.seek(5)
        script = self.script([LOST, Step(201, _FILE)])
        await script.client.files.upload("spc_1", name="a.txt", data=file)
        self.assertEqual([request.content for request in script.requests], [b"Order A-1"] * 2)


class RequestsAreNotSentAgain(BothClients):
    async def check_a_final_answer_is_raised_at_once(self) -> None:
        final: list[Step] = [
            failure("INVALID_API_KEY", 401),
            failure("INSUFFICIENT_CREDITS", 402),
            refusal(429, code="QUOTA_EXCEEDED", details=CAP),
            failure("SCOPE_DENIED", 403),
            failure("NOT_FOUND", 404),
            failure("CONFLICT", 409),
            failure("VALIDATION_FAILED", 422),
            Step(301, headers={"location": "https://elsewhere.test/"}),
        ]
        for step in final:
            with self.subTest(step=step):
                script = self.script([step, DONE])
                await self.raised(turnpike.TurnpikeError, script.client.turns.create(**TURN))
                self.assertEqual(len(script.requests), 1)

    async def check_an_upload_of_chunks_is_sent_once(self) -> None:
        script = self.script([LOST, DONE])
        await self.raised(
            turnpike.APIConnectionError, script.client.files.upload("spc_1", name="a.txt", data=iter([b"a"]))
        )
        self.assertEqual(len(script.requests), 1)

    async def check_max_retries_of_the_client_or_the_call_can_be_0(self) -> None:
        script = self.script([LOST], max_retries=0)
        await self.raised(turnpike.APIConnectionError, script.client.me())
        other = self.script([LOST])
        await self.raised(turnpike.APIConnectionError, other.client.me(max_retries=0))
        self.assertEqual((len(script.requests), len(other.requests)), (1, 1))


class ErrorsHaveTheirDetails(BothClients):
    async def check_a_refusal_of_a_cap_has_the_cap(self) -> None:
        script = self.script([refusal(429, code="QUOTA_EXCEEDED", details=CAP)])
        error = await self.raised(turnpike.QuotaExceededError, script.client.turns.create(**TURN))
        self.assertEqual(str(error.details.left_usd), "0.1")
        self.assertEqual((error.details.cap, error.retry_after, error.retryable), ("key_daily", None, False))
        self.assertIn("[QUOTA_EXCEEDED, req_1]", str(error))
        count = {"cap": "open_test_turns", "limit": 5, "used": 5}
        script = self.script([refusal(429, code="QUOTA_EXCEEDED", details=count)])
        error = await self.raised(turnpike.CountExceededError, script.client.turns.create(**TURN))
        self.assertEqual(error.details.used, 5)
        foreign = self.script([Step(429, "slow down")], max_retries=0)
        error = await self.raised(turnpike.TurnpikeError, foreign.client.turns.create(**TURN))
        self.assertNotIsInstance(error, turnpike.QuotaExceededError)
        self.assertEqual((error.code, error.status, error.retryable), ("UNEXPECTED_ANSWER", 429, True))

    async def check_a_refusal_of_the_balance_has_the_balance(self) -> None:
        details = {"balance_usd": 0.25, "held_usd": 0.25, "available_usd": 0}
        script = self.script([refusal(402, code="INSUFFICIENT_CREDITS", details=details)])
        error = await self.raised(turnpike.InsufficientCreditsError, script.client.turns.create(**TURN))
        self.assertEqual((error.details.available_usd, error.details.needed_usd), (0, None))
        self.assertTrue(error.hint)

    async def check_an_error_has_param_hint_and_request_id(self) -> None:
        script = self.script([refusal(422, code="VALIDATION_FAILED", param="text", details=[{"param": "text"}])])
        error = await self.raised(turnpike.ValidationError, script.client.turns.create(**TURN))
        self.assertEqual((error.param, error.request_id, error.details), ("text", "req_1", [{"param": "text"}]))
        self.assertTrue(error.hint)
        self.assertEqual(script.requests[0].headers["content-type"], "application/json")
        later = self.script([refusal(422, code="ADDED_LATER", request_id="req_2")])
        error = await self.raised(turnpike.ValidationError, later.client.turns.create(**TURN))
        self.assertEqual((error.code, error.hint, error.request_id), ("ADDED_LATER", None, "req_2"))

    async def check_silence_and_broken_connections_differ(self) -> None:
        error = await self.raised(turnpike.APITimeoutError, self.script([SILENT], max_retries=0).client.me())
        self.assertEqual((error.code, error.retryable), ("TIMEOUT", True))
        error = await self.raised(turnpike.APIConnectionError, self.script([LOST], max_retries=0).client.me())
        self.assertEqual((error.code, str(error.__cause__)), ("CONNECTION_FAILED", "refused"))
        self.assertNotIn("turnpike_test_x", str(error))

    async def check_an_answer_that_is_not_of_the_service_names_the_likely_cause(self) -> None:
        for body in ("<html>", "[]", '{"key": 1}'):
            error = await self.raised(turnpike.TurnpikeError, self.script([Step(200, body)]).client.me())
            self.assertEqual(error.code, "UNEXPECTED_ANSWER")
            self.assertIn("base_url", str(error))
        moved = self.script([Step(308, headers={"location": "https://new.test/"})])
        self.assertIn("https://new.test/", str(await self.raised(turnpike.TurnpikeError, moved.client.me())))


class RequestsHaveTheirForm(BothClients):
    async def check_an_id_is_one_segment_of_the_path(self) -> None:
        script = self.script([DONE])
        await script.client.turns.get("../me?x=1#y")
        self.assertEqual(script.requests[0].url.raw_path, b"/v1/turns/..%2Fme%3Fx%3D1%23y")
        for wrong in ("", ".", ".."):
            await self.raised(ValueError, script.client.turns.get(wrong))

    async def check_a_list_repeats_its_parameter_and_none_is_left_out(self) -> None:
        report = {"from": "2026-01-01T00:00:00Z", "to": "2026-02-01T00:00:00Z", "group_by": "day", "data": []}
        sums = {"billed_usd": 0, "end_user_charge_usd": None, "margin_usd": None, "charged_turns_billed_usd": None, "refunded_usd": 0, "net_usd": 0, "turns": 0, "model_calls": 0, "tokens_input": 0, "tokens_cached": 0, "tokens_output": 0}
        script = self.script([Step(200, {**report, "total": sums, "has_more": False, "next_cursor": None})])
        found = await script.client.usage.get(from_="2026-01-01", space=["spc_1", "spc_2"], model=None)
        self.assertEqual(script.requests[0].url.query, b"from=2026-01-01&space=spc_1&space=spc_2")
        self.assertEqual(found.from_, datetime(2026, 1, 1, tzinfo=timezone.utc))
        self.assertEqual(found.to_dict()["group_by"], "day")

    async def check_none_is_null_only_where_null_is_a_value(self) -> None:
        space = self.script([failure("NOT_FOUND", 404)])
        await self.raised(turnpike.NotFoundError, space.client.spaces.update("spc_1", title="A", model=None))
        await self.raised(turnpike.NotFoundError, space.client.spaces.update("spc_1", title=None))
        self.assertEqual([json.loads(one.content) for one in space.requests], [{"title": "A", "model": None}, {}])

    async def check_times_and_amounts_are_sent_as_the_api_wants_them(self) -> None:
        script = self.script([failure("NOT_FOUND", 404)])
        moment = datetime(2026, 1, 15, 10, 30, tzinfo=timezone.utc)
        await self.raised(turnpike.NotFoundError, script.client.turns.list(created_after=moment).page())
        self.assertEqual(script.requests[0].url.params["created_after"], "2026-01-15T10:30:00.000Z")
        naive = datetime(2026, 1, 15)
        await self.raised(ValueError, script.client.turns.list(created_after=naive).page())
        await self.raised(ValueError, script.client.turns.create(**TURN, max_cost_usd=float("nan")))

    async def check_options_are_checked(self) -> None:
        wrong: list[dict[str, Any]] = [
            {"api_key": ""},
            {"api_key": "a b"},
            {"base_url": ""},
            {"base_url": "ftp://x"},
            {"max_retries": -1},
            {"timeout": 0},
        ]
        for options in wrong:
            with self.subTest(options=options), self.assertRaises(ValueError):
                self.script([DONE], **options)
        script = self.script([DONE], base_url="https://api.test/turnpike/v1/")
        await script.client.turns.get("turn_1")
        self.assertEqual(str(script.requests[0].url), "https://api.test/turnpike/v1/turns/turn_1")
        self.assertNotIn("turnpike_test_x", repr(script.client))


CAP = {
    "cap": "key_daily",
    "source": "key",
    "limit_usd": 1,
    "spent_usd": 0.9,
    "reserved_usd": 0,
    "left_usd": 0.1,
    "resets_at": "2026-01-16T00:00:00.000Z",
    "needed_usd": 0.2,
    "exceeded": [],
}

_FILE = {
    "file_id": "file_1",
    "space": "spc_1",
    "turn": None,
    "name": "a.txt",
    "media_type": "text/plain",
    "bytes": 9,
    "sha256": "00",
    "created_at": "2026-01-15T09:30:00.000Z",
}


def refusal(status: int, **error: Any) -> Step:
    return Step(status, {"error": {"message": "no", "retryable": False, "request_id": "req_1", **error}})


