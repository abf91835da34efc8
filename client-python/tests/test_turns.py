"""Waiting for turns, following their events, and lists."""

from __future__ import annotations

import asyncio
import json
import threading
import unittest
from decimal import Decimal
from typing import Any

import httpx
import turnpike_turns as turnpike
from turnpike_turns._sse import EventStreamParser

from .harness import DEADLINE, DONE, KEY, LOST, RUNNING, SILENT, TURN, BothClients, Script, Step, failure, turn


def message(seq: int, kind: str = "text.delta", position: str | None = None) -> bytes:
    event = {"id": f"evt_{seq}", "seq": seq, "type": kind, "data": {"text": "ü"}, "created_at": "2026-01-15T09:30:00Z"}
    return f"id: {position or seq}\nevent: {kind}\ndata: {json.dumps(event, ensure_ascii=False)}\n\n".encode()


BROKEN = httpx.ReadError("reset")


class WaitingForATurn(BothClients):
    async def check_waiting_polls_at_moderate_intervals(self) -> None:
        script = self.script([RUNNING, RUNNING, DONE])
        found = await script.client.turns.wait("turn_1")
        self.assertEqual((found.state, found.billed_cost_usd), ("done", Decimal("0.000046")))
        self.assertEqual([request.url.raw_path for request in script.requests], [b"/v1/turns/turn_1?wait=30"] * 3)
        self.assertEqual(script.waits, [1, 1])

    async def check_waiting_ends_at_its_time_limit(self) -> None:
        script = self.script([Step(200, RUNNING.body, seconds=30), Step(200, RUNNING.body, seconds=15)])
        error = await self.raised(turnpike.APITimeoutError, script.client.turns.wait("turn_1", timeout=45))
        self.assertEqual(error.details, {"turn_id": "turn_1"})
        waits = [request.url.params["wait"] for request in script.requests]
        self.assertEqual(waits, ["30", "15"])

    async def check_no_retry_outlives_the_time_limit(self) -> None:
        script = self.script([failure("UNAVAILABLE", 503, retry_after="20")])
        await self.raised(turnpike.APITimeoutError, script.client.turns.wait("turn_1", timeout=30))
        self.assertEqual(script.waits, [20, 10])

    async def check_an_attempt_without_an_answer_is_not_the_time_limit_of_the_call(self) -> None:
        script = self.script([SILENT], max_retries=0)
        for timeout in (None, 90):
            error = await self.raised(turnpike.APITimeoutError, script.client.turns.wait("turn_1", timeout=timeout))
            self.assertIsInstance(error.__cause__, httpx.ReadTimeout)
            self.assertIsNone(error.details)

    async def check_running_a_turn_sends_it_and_waits(self) -> None:
        script = self.script([Step(202, turn(state="queued")), RUNNING, DONE])
        found = await script.client.turns.run(**TURN, idempotency_key="order-1")
        self.assertEqual(found.result, "Hello.")
        self.assertEqual(script.requests[0].headers["idempotency-key"], "order-1")
        self.assertEqual(json.loads(script.requests[0].content), TURN)

    async def check_a_late_turn_is_cancelled_if_the_caller_asks_for_it(self) -> None:
        for cancel in (False, True):
            late = Step(200, RUNNING.body, seconds=10)
            script = self.script([Step(202, turn(state="queued")), late, DONE])
            run = script.client.turns.run(**TURN, timeout=5, cancel_on_abort=cancel, idempotency_key="order-1")
            error = await self.raised(turnpike.APITimeoutError, run)
            self.assertEqual(error.details, {"turn_id": "turn_1"})
            paths = [request.url.path for request in script.requests]
            self.assertEqual(paths[2:], ["/v1/turns/turn_1/cancel"] if cancel else [])
            keys = [request.headers.get("idempotency-key") for request in script.requests]
            self.assertEqual(keys.count("order-1"), 1)

    async def check_an_interrupt_cancels_the_turn_if_the_caller_asks_for_it(self) -> None:
        stream = Step(200, chunks=[message(1, "turn.queued")])
        script = self.script([Step(202, turn(state="queued")), stream, DONE])

        def interrupt(event: turnpike.TurnEvent) -> None:
            raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            await script.client.turns.run(**TURN, on_event=interrupt, cancel_on_abort=True)
        self.assertEqual(script.requests[-1].url.path, "/v1/turns/turn_1/cancel")
        self.assertTrue(script.streams[0].is_closed)


    async def check_an_error_of_the_caller_does_not_cancel_the_turn(self) -> None:
        stream = Step(200, chunks=[message(1, "turn.queued")])
        script = self.script([Step(202, turn(state="queued")), stream, DONE])

        def fail(event: turnpike.TurnEvent) -> None:
            raise LookupError

        with self.assertRaises(LookupError):
            await script.client.turns.run(**TURN, on_event=fail, cancel_on_abort=True)
        self.assertEqual(len(script.requests), 2)


class FollowingATurn(BothClients):
    async def check_events_come_once_over_broken_connections(self) -> None:
        script = self.script(
            [
                Step(200, chunks=[message(1), message(2)[:20], BROKEN]),
                LOST,
                Step(200, chunks=[message(1), message(2), b"retry: 3000\n\n"]),
                Step(200, chunks=[message(3)[:9], message(3)[9:], message(4, "turn.done"), message(5)]),
            ]
        )
        seqs = [event.seq async for event in script.client.turns.events("turn_1")]
        self.assertEqual(seqs, [1, 2, 3, 4])
        sent = [request.headers.get("last-event-id") for request in script.requests]
        self.assertEqual(sent, [None, "1", "1", "2"])
        self.assertEqual(script.waits, [0.375, 0.75, 3])
        self.assertTrue(all(stream.is_closed for stream in script.streams))

    async def check_pieces_of_text_come_once_and_a_stream_continues_after_the_last_one(self) -> None:
        script = self.script(
            [
                Step(200, chunks=[message(1), message(1, position="1.4"), message(1, position="1.12"), BROKEN]),
                Step(200, chunks=[message(1, position="1.12"), message(1, position="1.15"), message(2, "turn.done")]),
            ]
        )
        seqs = [event.seq async for event in script.client.turns.events("turn_1")]
        self.assertEqual(seqs, [1, 1, 1, 1, 2])
        self.assertEqual([request.headers.get("last-event-id") for request in script.requests], [None, "1.12"])

    async def check_a_stream_without_news_ends_if_the_turn_has_ended(self) -> None:
        script = self.script([Step(200, chunks=[]), DONE])
        self.assertEqual([event async for event in script.client.turns.events("turn_1", after_seq=4)], [])
        self.assertEqual(script.requests[0].headers["last-event-id"], "4")

    async def check_too_many_failures_in_a_row_are_raised(self) -> None:
        script = self.script([LOST], max_retries=2)
        await self.raised(turnpike.APIConnectionError, _all(script.client.turns.events("turn_1")))
        self.assertEqual(len(script.requests), 3)
        absent = self.script([failure("NOT_FOUND", 404)])
        await self.raised(turnpike.NotFoundError, _all(absent.client.turns.events("turn_1")))

    async def check_a_new_event_ends_a_row_of_failures(self) -> None:
        last = Step(200, chunks=[message(2, "turn.done")])
        script = self.script([LOST, Step(200, chunks=[message(1), BROKEN]), last], max_retries=1)
        self.assertEqual(len(await _all(script.client.turns.events("turn_1"))), 2)

    async def check_a_stream_may_be_silent_for_a_while_whatever_the_time_limit_of_an_attempt(self) -> None:
        for timeout in (10.0, 60.0):
            script = self.script([Step(200, chunks=[message(1, "turn.done")])], timeout=timeout)
            await _all(script.client.turns.events("turn_1"))
            limits = script.requests[0].extensions["timeout"]
            self.assertEqual((limits["connect"], limits["read"]), (timeout, 45))

    async def check_a_stream_ends_at_the_time_limit_of_the_call(self) -> None:
        script = self.script([Step(202, turn(state="queued")), SILENT])
        run = script.client.turns.run(**TURN, timeout=5, on_event=lambda event: None, cancel_on_abort=False)
        await self.raised(turnpike.APITimeoutError, run)
        self.assertEqual(script.requests[1].extensions["timeout"]["read"], 5)

    async def check_leaving_a_stream_closes_its_connection(self) -> None:
        script = self.script([Step(202, turn(state="queued")), Step(200, chunks=[message(1), message(2)]), DONE])
        stream = script.client.turns.stream(**TURN)
        accepted = await stream.accepted()
        self.assertEqual(accepted.turn_id, "turn_1")
        events = stream.__aiter__()
        self.assertEqual((await events.__anext__()).seq, 1)
        await events.aclose()
        self.assertEqual(len(script.requests), 2)
        self.assertTrue(script.streams[0].is_closed)

    async def check_a_stream_sends_its_turn_once(self) -> None:
        script = self.script([Step(202, turn(state="queued")), Step(200, chunks=[message(1, "turn.done")]), DONE])
        stream = script.client.turns.stream(**TURN)
        kinds, result, again = [event.type async for event in stream], await stream.result(), await stream.accepted()
        self.assertEqual((kinds, result.state, again.turn_id), (["turn.done"], "done", "turn_1"))
        self.assertEqual([request.method for request in script.requests], ["POST", "GET", "GET"])

    async def check_a_stream_sends_its_turn_again_with_the_same_key(self) -> None:
        sent, stream = Step(202, turn(state="queued")), Step(200, chunks=[message(1, "turn.done")])
        script = self.script([LOST, sent, stream], max_retries=0)
        lost = script.client.turns.stream(**TURN)
        await self.raised(turnpike.APIConnectionError, _all(lost))
        self.assertEqual([event.seq for event in await _all(lost)], [1])
        other = self.script([sent])
        await other.client.turns.stream(**TURN).accepted()
        given = self.script([LOST, sent], max_retries=0)
        own = given.client.turns.stream(**TURN, idempotency_key="order-1")
        await self.raised(turnpike.APIConnectionError, own.accepted())
        await own.accepted()
        keys = [_keys(one) for one in (script, other, given)]
        self.assertEqual([len(set(one)) for one in keys], [1, 1, 1])
        self.assertEqual((len(keys[0]), keys[2]), (2, ["order-1", "order-1"]))
        self.assertEqual(len({one[0] for one in keys}), 3)
        await self.raised(ValueError, given.client.turns.stream(**TURN, idempotency_key="").accepted())

    async def check_the_callback_gets_each_event(self) -> None:
        steps = [Step(202, turn(state="queued")), Step(200, chunks=[message(1), message(2, "turn.done")]), DONE]
        seen: list[int] = []
        script = self.script(steps)
        await script.client.turns.run(**TURN, on_event=lambda event: seen.append(event.seq))
        self.assertEqual(seen, [1, 2])
        if self.is_async:

            async def later(event: turnpike.TurnEvent) -> None:
                await asyncio.sleep(0)
                seen.append(-event.seq)

            await self.script(steps).client.turns.run(**TURN, on_event=later)
            self.assertEqual(seen, [1, 2, -1, -2])

    async def check_the_callback_gets_a_turn_that_waits(self) -> None:
        waiting: dict[str, Any] = {"for": "approval", "since": "2026-01-15T09:30:00Z", "expires_at": "2026-01-16T09:30:00Z"}
        waiting = {**waiting, "limit": None, "calls": []}
        stream = [message(1, "turn.waiting"), message(2, "turn.waiting"), message(3, "turn.done")]
        waits, resumed = Step(200, turn(state="running", waiting=waiting)), Step(200, turn(state="running", waiting=None))
        steps = [Step(202, turn(state="queued")), Step(200, chunks=[*stream]), waits, resumed, DONE]
        told: list[Any] = []
        script = self.script(steps)
        found = await script.client.turns.run(**TURN, on_waiting=lambda one: told.append(one.waiting.for_))
        self.assertEqual((found.state, told), ("done", ["approval"]))
        self.assertEqual(len(script.requests), 5)
        if self.is_async:

            async def later(one: turnpike.Turn) -> None:
                await asyncio.sleep(0)
                told.append(one.turn_id)

            await self.script(steps).client.turns.run(**TURN, on_waiting=later)
            self.assertEqual(told, ["approval", "turn_1"])


class SharingAStream(unittest.TestCase):
    """A stream that several tasks or threads use has one key, so its turn is billed once."""

    def test_tasks_send_one_key(self) -> None:
        async def run() -> list[str]:
            keys: list[str] = []

            async def answer(request: httpx.Request) -> httpx.Response:
                keys.append(request.headers["idempotency-key"])
                await asyncio.sleep(0)
                return httpx.Response(202, json=turn(state="queued"))

            handler: Any = answer
            http = httpx.AsyncClient(transport=httpx.MockTransport(handler))
            async with turnpike.AsyncTurnpike(api_key=KEY, base_url="https://api.test", http_client=http) as client:
                stream = client.turns.stream(space="spc_1", end_user_ref="customer-1", text="hello")
                await asyncio.gather(stream.accepted(), stream.accepted())
            return keys

        self.assertEqual(len(set(asyncio.run(run()))), 1)

    def test_threads_send_one_key(self) -> None:
        keys: list[str] = []
        both = threading.Barrier(2)

        def answer(request: httpx.Request) -> httpx.Response:
            keys.append(request.headers["idempotency-key"])
            both.wait(DEADLINE)
            return httpx.Response(202, json=turn(state="queued"))

        http = httpx.Client(transport=httpx.MockTransport(answer))
        client = turnpike.Turnpike(api_key=KEY, base_url="https://api.test", http_client=http)
        stream = client.turns.stream(space="spc_1", end_user_ref="customer-1", text="hello")
        threads = [threading.Thread(target=stream.accepted) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(DEADLINE)
        self.assertEqual((len(keys), len(set(keys))), (2, 1))


class ParsingAStream(BothClients):
    async def check_a_stream_is_the_same_however_it_is_cut(self) -> None:
        text = "\ufeffid: 1\rdata: a\r\ndata: b\n\n: note\nevent: x\ndata:  ü €\r\rdata\n\ndata: never".encode()
        expected = [("message", "a\nb", "1"), ("x", " ü €", "1"), ("message", "", "1")]
        for first in range(len(text)):
            for second in range(first, len(text), 7):
                parser = EventStreamParser()
                chunks = (text[:first], text[first:second], text[second:])
                found = [(one.event, one.data, one.id) for chunk in chunks for one in parser.feed(chunk)]
                self.assertEqual(found, expected)


class ListsLoadTheirPages(BothClients):
    def pages(self) -> Script:
        first = {"data": [turn(turn_id="turn_1"), turn(turn_id="turn_2")], "has_more": True, "next_cursor": "c 1"}
        last = {"data": [turn(turn_id="turn_3")], "has_more": False, "next_cursor": None}
        return self.script([Step(200, first), Step(200, last)])

    async def check_an_iteration_reads_all_pages(self) -> None:
        script = self.pages()
        found = [one.turn_id async for one in script.client.turns.list(state="done", limit=2)]
        self.assertEqual(found, ["turn_1", "turn_2", "turn_3"])
        queries = [request.url.query for request in script.requests]
        self.assertEqual(queries, [b"limit=2&state=done", b"limit=2&state=done&cursor=c%201"])

    async def check_a_part_of_a_list_reads_no_further_page(self) -> None:
        script = self.pages()
        self.assertEqual(len(await script.client.turns.list().to_list(2)), 2)
        self.assertEqual(len(script.requests), 1)
        self.assertEqual(await script.client.turns.list().to_list(0), [])

    async def check_a_page_has_its_cursor(self) -> None:
        page = await self.pages().client.turns.list().page()
        self.assertEqual((page.has_more, page.next_cursor, page.data[1].turn_id), (True, "c 1", "turn_2"))

    async def check_a_last_page_ends_the_list_also_if_it_has_a_cursor(self) -> None:
        script = self.script([Step(200, {"data": [turn()], "has_more": False, "next_cursor": "c"})])
        self.assertEqual(len(await script.client.turns.list().to_list()), 1)

    async def check_a_later_field_of_the_service_is_kept(self) -> None:
        found = await self.script([Step(200, turn(added_later={"by": 1}, state="paused"))]).client.turns.get("turn_1")
        self.assertEqual((found.extra, found.state), ({"added_later": {"by": 1}}, "paused"))
        self.assertEqual(found.to_dict()["added_later"], {"by": 1})


class DownloadsAreRead(BothClients):
    async def check_a_download_is_read_whole_or_in_part(self) -> None:
        script = self.script([Step(206, chunks=[b"Order ", b"A-1"], headers={"content-type": "text/plain"})])
        download = await script.client.files.content("file_1", start=6, end=8)
        self.assertEqual((download.status, download.media_type), (206, "text/plain"))
        self.assertEqual(await download.read(), b"Order A-1")
        self.assertEqual(script.requests[0].headers["range"], "bytes=6-8")
        self.assertTrue(script.streams[0].is_closed)

    async def check_a_broken_download_is_an_error(self) -> None:
        script = self.script([Step(200, chunks=[b"Order ", BROKEN])])
        download = await script.client.files.content("file_1")
        await self.raised(turnpike.APIConnectionError, download.text())
        self.assertTrue(script.streams[0].is_closed)


def _keys(script: Script) -> list[str]:
    """The Idempotency-Keys of the turns that were sent."""
    return [request.headers["idempotency-key"] for request in script.requests if request.method == "POST"]


async def _all(items: Any) -> list[Any]:
    return [item async for item in items]
