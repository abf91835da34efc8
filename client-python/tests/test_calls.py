"""Work on calls of tools without a request."""

from __future__ import annotations

import asyncio
import json
import threading
import time
import unittest
from collections.abc import Callable
from typing import Any

import httpx
import turnpike_turns as turnpike

from .harness import DEADLINE, KEY, LOST, BothClients, Script, Step, failure

PATH = "/v1/turns/turn_1/calls"
EMPTY = Step(200, {"data": []})
COUNTED = Step(200, {"turn_id": "turn_1", "call": "0.0", "outcome": "taken"})
KEPT = Step(200, {"taken_until": "2026-01-15T09:32:00Z"})


def taken(call: str, tool: str = "pick") -> Step:
    """A response with one call."""
    one = {"turn_id": "turn_1", "call": call, "space": "spc_1", "tool": tool, "input": {"sku": call}, "takes": 2}
    whose = {"conversation": "conv_1", "end_user_ref": "customer-42", "metadata": {}, "identity": None}
    return Step(200, {"data": [{**one, **whose, "taken_until": "2026-01-15T09:31:00Z"}]})


class Working(BothClients):
    def event(self) -> Any:
        return asyncio.Event() if self.is_async else threading.Event()

    def working(self, takes: list[Step], results: list[Step] | None = None, **options: Any) -> tuple[Script, Any]:
        """A service that hands out these calls, and stops the work after the results of all of them."""
        stop, left, answers = self.event(), list(takes), list(results or [])
        wanted = sum(step.status == 200 and bool(step.body["data"]) for step in takes if step.error is None)
        got: list[str] = []

        def answer(request: httpx.Request) -> Step:
            if request.url.path == "/v1/calls":
                return left.pop(0) if left else EMPTY
            if request.url.path.endswith("/renew"):
                return KEPT
            got.append(request.url.path)
            if len(got) == wanted:
                stop.set()
            return answers.pop(0) if answers else COUNTED

        return self.script(answer, **options), stop

    def sent(self, script: Script, end: str) -> list[Any]:
        return [json.loads(one.content) for one in script.requests if one.url.path.endswith(end)]

    async def check_a_call_is_taken_and_its_result_is_sent(self) -> None:
        script, stop = self.working([EMPTY, taken("0.0")])
        script.clock.jumps_left = 1
        seen: list[Any] = []

        def handle(call: turnpike.TakenCall) -> Any:
            seen.append((call.tool, call.input))
            return {"picked": True}

        await script.client.calls.work(handle, space="spc_1", tools=["pick", "pack"], stop=stop)
        self.assertEqual(seen, [("pick", {"sku": "0.0"})])
        query = b"wait=30&limit=1&space=spc_1&tool=pick&tool=pack"
        self.assertEqual([one.url.query for one in script.requests[:2]], [query, query])
        self.assertEqual([one.url.path for one in script.requests[2:]], [f"{PATH}/0.0/result"])
        self.assertEqual(self.sent(script, "/result"), [{"output": {"picked": True}}])
        self.assertEqual(script.waits, [1])

    async def check_a_call_is_renewed_while_its_handler_runs(self) -> None:
        script, stop = self.working([taken("0.0")])
        script.clock.jumps_left = 2

        def renewed() -> bool:
            return len(self.sent(script, "/renew")) == 2

        def handle(call: turnpike.TakenCall) -> str:
            until(renewed)
            return "late"

        async def handle_later(call: turnpike.TakenCall) -> str:
            while not renewed():
                await asyncio.sleep(0)
            return "late"

        await script.client.calls.work(handle_later if self.is_async else handle, stop=stop)
        self.assertEqual(self.sent(script, "0.0/renew"), [{"takes": 2}] * 2)
        self.assertEqual(self.sent(script, "/result"), [{"output": "late"}])
        self.assertEqual(script.waits, [20, 20])

    async def check_an_exception_of_the_handler_is_the_error_that_the_agent_reads(self) -> None:
        script, stop = self.working([taken(f"0.{number}") for number in range(5)])

        def handle(call: turnpike.TakenCall) -> Any:
            if call.call == "0.0":
                raise LookupError("There is no such order.")
            if call.call == "0.1":
                raise ValueError
            if call.call == "0.2":
                raise ValueError("x" * 5000)
            return object() if call.call == "0.3" else None

        await script.client.calls.work(handle, stop=stop)
        sent = self.sent(script, "/result")
        self.assertEqual(sent[:3], [{"error": "There is no such order."}, {"error": "ValueError"}, {"error": "x" * 2000}])
        self.assertEqual(sent[3:], [{"error": "Object of type object is not JSON serializable"}, {"output": None}])

    async def check_a_text_that_is_no_unicode_is_still_an_answer(self) -> None:
        script, stop = self.working([taken("0.0"), taken("0.1"), taken("0.2")])

        class Mute(Exception):
            def __str__(self) -> str:
                raise LookupError

        def handle(call: turnpike.TakenCall) -> str:
            if call.call == "0.0":
                raise ValueError("caf\udce9.txt is missing")
            if call.call == "0.1":
                raise Mute
            return "caf\udce9"

        errors: list[Exception] = []

        def report(error: Exception) -> None:
            errors.append(error)
            stop.set()

        await script.client.calls.work(handle, stop=stop, on_error=report)
        sent = [one["error"] for one in self.sent(script, "/result")]
        self.assertEqual(sent[:2], ["caf?.txt is missing", "Mute"])
        self.assertIn("surrogates not allowed", sent[2])
        self.assertEqual(errors, [])

    async def check_a_result_that_the_service_rejects_becomes_an_error_of_the_call(self) -> None:
        for rejected in (failure("PAYLOAD_TOO_LARGE", 413), failure("VALIDATION_FAILED", 422), Step(413, "too large")):
            script, stop = self.working([taken("0.0")], [rejected])
            errors: list[Exception] = []
            await script.client.calls.work(lambda call: "x" * 9, stop=stop, on_error=errors.append)
            first, second = self.sent(script, "/result")
            body = rejected.body
            text = body["error"]["message"] if isinstance(body, dict) else "HTTP 413"
            self.assertEqual((first, second), ({"output": "x" * 9}, {"error": text}))
            keys = {one.headers["idempotency-key"] for one in script.requests if one.url.path.endswith("/result")}
            self.assertEqual((len(keys), errors), (2, []))

    async def check_a_result_is_replaced_once(self) -> None:
        script, stop = self.working([taken("0.0")], [failure("VALIDATION_FAILED", 422)] * 2)
        errors: list[Exception] = []
        await script.client.calls.work(lambda call: 1, stop=stop, on_error=errors.append)
        self.assertEqual(len(self.sent(script, "/result")), 2)
        self.assertEqual([type(error) for error in errors], [turnpike.ValidationError])

    async def check_as_many_calls_as_allowed_are_worked_on_at_once(self) -> None:
        script, stop = self.working([taken(f"0.{number}") for number in range(6)])
        running, most = 0, 0
        lock = threading.Lock()

        def change(by: int) -> None:
            nonlocal running, most
            with lock:
                running += by
                most = max(most, running)

        def handle(call: turnpike.TakenCall) -> None:
            change(1)
            until(lambda: most == 3)
            change(-1)

        async def handle_later(call: turnpike.TakenCall) -> None:
            change(1)
            while most < 3:
                await asyncio.sleep(0)
            await asyncio.sleep(0)
            change(-1)

        await script.client.calls.work(handle_later if self.is_async else handle, concurrency=3, stop=stop)
        self.assertEqual((most, running), (3, 0))
        paths = {one.url.path for one in script.requests if one.url.path.endswith("/result")}
        self.assertEqual(len(paths), 6)

    async def check_work_continues_after_errors_and_reports_them(self) -> None:
        results = [failure("CALL_ANSWERED", 409), failure("NOT_FOUND", 404), failure("INTERNAL", 500), COUNTED]
        calls = [taken(f"0.{number}") for number in range(4)]
        script, stop = self.working([LOST, failure("INVALID_API_KEY", 401), *calls], results, max_retries=0)
        script.clock.jumps_left = 2
        errors: list[Exception] = []
        await script.client.calls.work(lambda call: call.call, stop=stop, on_error=errors.append)
        kinds = [turnpike.APIConnectionError, turnpike.AuthenticationError, turnpike.ServerError]
        self.assertEqual([type(error) for error in errors], kinds)
        self.assertEqual(script.waits, [1, 1])
        self.assertEqual(len(self.sent(script, "/result")), 4)

    async def check_an_error_is_logged_by_default(self) -> None:
        script, stop = self.working([failure("INVALID_API_KEY", 401), taken("0.0")])
        script.clock.jumps_left = 1
        with self.assertLogs("turnpike_turns", "WARNING") as logs:
            await script.client.calls.work(lambda call: None, stop=stop)
        self.assertRegex(logs.output[0], "calls.work continues after an error: .*INVALID_API_KEY")

    async def check_an_error_of_the_callback_ends_the_work(self) -> None:
        script, stop = self.working([failure("INVALID_API_KEY", 401)])

        def fail(error: Exception) -> None:
            raise SystemError("stop here") from error

        working = script.client.calls.work(lambda call: None, stop=stop, on_error=fail, concurrency=2)
        self.assertEqual(str(await self.raised(SystemError, working)), "stop here")
        self.assertTrue(stop.is_set())

    async def check_a_handler_that_runs_is_awaited_after_a_stop(self) -> None:
        script, stop = self.working([taken("0.0"), taken("0.1")])

        def handle(call: turnpike.TakenCall) -> str:
            stop.set()
            return call.call

        await script.client.calls.work(handle, stop=stop)
        self.assertEqual(self.sent(script, "/result"), [{"output": "0.0"}])

    async def check_invalid_arguments_are_refused_before_a_request(self) -> None:
        script, stop = self.working([])
        for given in ({"concurrency": 0}, {"concurrency": True}, {"max_retries": -1}, {"timeout": 0}):
            await self.raised(ValueError, script.client.calls.work(print, stop=stop, **given))
        self.assertEqual(script.requests, [])


class Stopping(unittest.TestCase):
    """A stop while the service holds a response."""

    def test_the_synchronous_client_does_not_wait_for_the_response(self) -> None:
        stop, end = threading.Event(), threading.Event()

        def hold(request: httpx.Request) -> httpx.Response:
            stop.set()
            end.wait()
            return httpx.Response(200, json=taken("0.0").body)

        http = httpx.Client(transport=httpx.MockTransport(hold))
        client = turnpike.Turnpike(api_key=KEY, base_url="https://api.test", http_client=http)
        handled: list[Any] = []
        client.calls.work(handled.append, stop=stop)
        threads = [thread for thread in threading.enumerate() if thread.name == "turnpike-work"]
        self.assertEqual(len(threads), 1)
        end.set()
        threads[0].join(DEADLINE)
        # A response after the end is not worked on: another worker gets the call.
        self.assertEqual(handled, [])

    def test_an_interrupt_waits_for_the_handler_and_is_raised(self) -> None:
        results: list[bytes] = []

        def answer(request: httpx.Request) -> httpx.Response:
            if request.url.path == "/v1/calls":
                return httpx.Response(200, json=taken("0.0").body)
            results.append(request.content)
            return httpx.Response(200, json=COUNTED.body)

        class Interrupted(threading.Event):
            def wait(self, timeout: float | None = None) -> bool:
                if threading.current_thread() is threading.main_thread() and started.wait():
                    raise KeyboardInterrupt
                return super().wait(timeout)

        started = threading.Event()
        stop = Interrupted()

        def handle(call: turnpike.TakenCall) -> str:
            started.set()
            until(stop.is_set)
            return "finished"

        http = httpx.Client(transport=httpx.MockTransport(answer))
        client = turnpike.Turnpike(api_key=KEY, base_url="https://api.test", http_client=http)
        with self.assertRaises(KeyboardInterrupt):
            client.calls.work(handle, stop=stop)
        self.assertEqual([json.loads(one) for one in results], [{"output": "finished"}])

    def test_the_asynchronous_client_breaks_the_request_off(self) -> None:
        async def run() -> list[str]:
            stop, ended = asyncio.Event(), []

            async def held(request: httpx.Request) -> httpx.Response:
                stop.set()
                try:
                    await asyncio.Event().wait()
                finally:
                    ended.append("broken off")
                raise AssertionError

            hold: Any = held
            http = httpx.AsyncClient(transport=httpx.MockTransport(hold))
            async with turnpike.AsyncTurnpike(api_key=KEY, base_url="https://api.test", http_client=http) as client:
                await asyncio.wait_for(client.calls.work(print, stop=stop), DEADLINE)
            return ended

        self.assertEqual(asyncio.run(run()), ["broken off"])

    def test_a_cancelled_task_cancels_its_handlers_and_sends_no_result(self) -> None:
        async def run() -> tuple[list[str], list[str]]:
            paths: list[str] = []
            ended: list[str] = []
            started = asyncio.Event()

            def answer(request: httpx.Request) -> httpx.Response:
                paths.append(request.url.path)
                return httpx.Response(200, json=taken("0.0").body)

            async def handle(call: turnpike.TakenCall) -> None:
                started.set()
                try:
                    await asyncio.Event().wait()
                finally:
                    ended.append(call.call)

            http = httpx.AsyncClient(transport=httpx.MockTransport(answer))
            client = turnpike.AsyncTurnpike(api_key=KEY, base_url="https://api.test", http_client=http)
            working = asyncio.create_task(client.calls.work(handle))
            await asyncio.wait_for(started.wait(), DEADLINE)
            working.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await working
            return paths, ended

        self.assertEqual(asyncio.run(run()), (["/v1/calls"], ["0.0"]))


def until(holds: Callable[[], bool]) -> None:
    """Lets other threads run until a condition holds."""
    end = time.monotonic() + DEADLINE
    while not holds():
        if time.monotonic() > end:
            raise AssertionError("the condition did not come true")
        time.sleep(0)
