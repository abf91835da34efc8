"""
Both clients against a running service: TURNPIKE_BASE_URL, TURNPIKE_API_KEY and TURNPIKE_TEST_KEY. It creates spaces of
its own.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
import threading
import uuid
from decimal import Decimal
from pathlib import Path
from typing import Any

import httpx
import turnpike_turns as turnpike

from .harness import BothClients, Lifted

# A turn that runs for minutes, with a boundary every 100 ms at which it can be cancelled.
ENDLESS = "[steps 100]\n[think 100 ms]"


class Losing(httpx.HTTPTransport):
    """Loses the first answers after the service has sent them."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self.keys: list[str] = []
        self._times = times

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        response = super().handle_request(request)
        self.keys.append(request.headers["idempotency-key"])
        if len(self.keys) > self._times:
            return response
        response.read()
        response.close()
        raise httpx.ReadError("lost", request=request)


class TheService(BothClients):
    """A running service."""

    def client(self, **options: Any) -> Any:
        return turnpike.AsyncTurnpike(**options) if self.is_async else Lifted(turnpike.Turnpike(**options))

    async def check_a_turn_runs_to_its_end_with_its_bill_and_its_events(self) -> None:
        async with self.client() as client:
            space = await client.spaces.create(title="Python", manifest={"instructions": "Be brief."})
            seen: list[turnpike.TurnEvent] = []
            found = await client.turns.run(
                space=space.space_id,
                end_user_ref="customer-1",
                text="[steps 2]\n[stream 5 ms]\n[reply It left this morning.]",
                on_event=seen.append,
            )
            self.assertEqual((found.state, found.result), ("done", "It left this morning."))
            self.assertIsInstance(found.billed_cost_usd, Decimal)
            self.assertGreater(found.billed_cost_usd, 0)
            # A piece of text that was pushed has the number of the last event before it.
            numbers = [event.seq for event in seen]
            self.assertEqual(numbers, sorted(numbers))
            logged = list(dict.fromkeys(numbers))
            self.assertEqual(logged, list(range(1, numbers[-1] + 1)))
            self.assertEqual(seen[-1].type, "turn.done")
            listed = await client.turns.list_events(found.turn_id, limit=3).to_list()
            self.assertEqual([event.seq for event in listed], logged)
            again = [event async for event in client.turns.events(found.turn_id, after_seq=logged[-1] - 1)]
            self.assertEqual([event.type for event in again], ["turn.done"])

            failed = await client.turns.run(space=space.space_id, end_user_ref="customer-1", text="[fail OUT_OF_STOCK]")
            self.assertEqual((failed.state, failed.error and failed.error.code), ("failed", "OUT_OF_STOCK"))
            self.assertLess((await client.balance()).available_usd, 1_000_000)
            await self.turns_are_listed(client, space.space_id)
            self.assertTrue((await client.spaces.archive(space.space_id)).archived)

    async def turns_are_listed(self, client: Any, space: str) -> None:
        ids = [turn.turn_id async for turn in client.turns.list(space=space, limit=1)]
        self.assertEqual(len(set(ids)), 2)
        group = (await client.usage.groups(group_by="space", space=[space]).to_list())[0]
        report = await client.usage.get(group_by="space", space=[space])
        billed = [turn.billed_cost_usd async for turn in client.turns.list(space=space)]
        self.assertEqual((group.billed_usd, report.total.billed_usd), (sum(billed), sum(billed)))
        self.assertIn(space, await (await client.usage.csv(group_by="space", space=[space])).text())

    async def check_a_stream_yields_the_text(self) -> None:
        async with self.client() as client:
            space = await client.spaces.create(title="Python")
            text = "[stream 20 ms]\n[reply One two three four five six seven eight.]"
            stream = client.turns.stream(space=space.space_id, end_user_ref="streamed", text=text)
            kinds = {event.type async for event in stream}
            self.assertLessEqual({"turn.queued", "turn.done"}, kinds)
            self.assertEqual((await stream.result()).result, "One two three four five six seven eight.")

    async def check_a_late_turn_is_cancelled(self) -> None:
        async with self.client() as client:
            space = await client.spaces.create(title="Python")
            run = client.turns.run(
                space=space.space_id, end_user_ref="late", text=ENDLESS, timeout=0.5, cancel_on_abort=True
            )
            error = await self.raised(turnpike.APITimeoutError, run)
            self.assertEqual((await client.turns.wait(error.details["turn_id"])).state, "cancelled")
            done = await client.turns.run(space=space.space_id, end_user_ref="quick", text="Quick.")
            error = await self.raised(turnpike.ConflictError, client.turns.cancel(done.turn_id))
            self.assertEqual((error.code, error.status, error.retryable), ("TURN_FINISHED", 409, False))

    async def check_files_are_sent_and_read(self) -> None:
        async with self.client() as client:
            space = (await client.spaces.create(title="Python")).space_id
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder, "order.txt")
                path.write_text("Order A-1, paid.")
                with path.open("rb") as opened:
                    forms: dict[str, Any] = {"text": "Order A-1, paid.", "bytes": path.read_bytes(), "file": opened}
                    forms["chunks"] = iter([b"Order A-1", b", paid."])
                    for name, data in forms.items():
                        file = await client.files.upload(space, name=f"{name} ü.txt", data=data)
                        self.assertEqual((file.name, file.bytes), (f"{name} ü.txt", 16))
                self.assertEqual(await (await client.files.content(file.file_id)).save(path), 16)
                self.assertEqual(path.read_text(), "Order A-1, paid.")
            part = await client.files.content(file.file_id, start=6, end=8)
            self.assertEqual((part.status, await part.text()), (206, "A-1"))
            self.assertEqual(len(await client.files.list(space).to_list()), 4)
            self.assertTrue((await client.files.delete(file.file_id)).deleted)
            error = await self.raised(turnpike.NotFoundError, client.files.get(file.file_id))
            self.assertRegex(error.request_id, "^req_")

    async def check_a_space_is_configured_and_read_back(self) -> None:
        async with self.client() as client:
            space = (await client.spaces.create(title="Python", metadata={"desk": "1"})).space_id
            manifest = await client.spaces.manifest.put(space, instructions="Be brief.", max_steps=4)
            self.assertEqual((await client.spaces.manifest.get(space)).to_dict(), manifest.to_dict())
            await client.spaces.secrets.put(space, "TOKEN", value="a-secret-value")
            tool = await client.spaces.tools.put(
                space,
                "lookup",
                description="Looks up.",
                input_schema={"type": "object"},
                request={"method": "GET", "url": "http://localhost:9/document"},
            )
            self.assertEqual(await client.spaces.tools.list(space).to_list(), [tool])
            self.assertFalse((await client.spaces.tools.test(space, "lookup")).ok)
            self.assertTrue((await client.spaces.tools.put(space, **tool.to_dict())).name)
            await client.spaces.mcp_servers.put(space, "docs", url="http://localhost:9/mcp")
            self.assertFalse((await client.spaces.mcp_servers.check(space, "docs")).ok)
            changes = [version.change async for version in client.spaces.versions.list(space, limit=2)]
            self.assertEqual(changes[-1], "created")
            copy = await client.spaces.create(title="Copy", manifest=manifest, tools=[tool.to_dict()])
            self.assertEqual(copy.tools, ["lookup"])

    async def check_webhooks_limits_and_erasure(self) -> None:
        async with self.client() as client:
            space = (await client.spaces.create(title="Python")).space_id
            made = await client.webhooks.create(url=f"http://localhost:9/{uuid.uuid4()}", events=["turn.done"])
            self.assertRegex(made.secret, "^whsec_")
            updated = await client.webhooks.update(made.webhook_id, description=None)
            self.assertIsNone(updated.description)
            customer = f"python-{uuid.uuid4()}/ü"
            limited = await client.end_users.put_limits(customer, daily_usd=Decimal("0.01"))
            self.assertEqual(limited.limits.daily_usd, Decimal("0.01"))
            found = await client.turns.run(space=space, end_user_ref=customer, text="Tell them.")
            told = [event async for event in client.events.list(turn=found.turn_id, order="asc")]
            self.assertEqual([event.type for event in told], ["turn.queued", "turn.running", "turn.done"])
            self.assertIsInstance(told[2], turnpike.TurnStateEvent)
            self.assertEqual((await client.events.get(told[2].id)).data.turn.result, found.result)
            replayed = await client.webhooks.replay(made.webhook_id, from_=found.created_at)
            self.assertFalse(replayed.has_more)
            await client.end_users.put_limits(customer, daily_usd=found.billed_cost_usd)
            refused = client.turns.create(space=space, end_user_ref=customer, text="More?", max_retries=0)
            error = await self.raised(turnpike.QuotaExceededError, refused)
            self.assertEqual((error.details.cap, error.details.left_usd), ("end_user_daily", 0))
            # The cap is too small for a turn at any time, so waiting does not help.
            self.assertEqual((error.retryable, error.retry_after), (False, None))
            estimate = await client.turns.estimate(space=space, end_user_ref=customer, text="More?")
            self.assertEqual(estimate.refused_by.code, "QUOTA_EXCEEDED")
            erasure = await client.end_users.erase(customer)
            self.assertEqual((await client.end_users.get_erasure(erasure.erasure_id)).end_user_ref, customer)
            await client.webhooks.delete(made.webhook_id)

    async def check_errors_and_test_keys(self) -> None:
        async with self.client() as client:
            space = (await client.spaces.create(title="Python")).space_id
            error = await self.raised(
                turnpike.ValidationError, client.turns.create(space=space, end_user_ref="customer-1", text="")
            )
            self.assertEqual((error.param, error.details), ("text", [{"param": "text", "message": "must not be empty"}]))
        async with self.client(api_key=os.environ["TURNPIKE_TEST_KEY"]) as rehearsing:
            await self.raised(turnpike.NotFoundError, rehearsing.spaces.get(space))
            self.assertTrue((await rehearsing.me()).key.test)
        wrong = os.environ["TURNPIKE_API_KEY"]
        async with self.client(api_key=wrong[:-1] + ("1" if wrong.endswith("0") else "0")) as stranger:
            error = await self.raised(turnpike.AuthenticationError, stranger.me())
            self.assertEqual((error.code, error.status), ("INVALID_API_KEY", 401))
            self.assertTrue(error.hint)

    async def check_a_call_is_allowed_and_worked_on(self) -> None:
        async with self.client() as client:
            space = (await client.spaces.create(title="Python")).space_id
            schema = {"type": "object"}
            await client.spaces.tools.put(
                space, "pick", description="Picks.", input_schema=schema, request=None, approval="always"
            )
            stop: Any = asyncio.Event() if self.is_async else threading.Event()
            seen: list[Any] = []

            def handle(call: turnpike.TakenCall) -> Any:
                seen.append(call.input)
                if len(seen) == 1:
                    return {"picked": True}
                raise LookupError("The shelf is empty.")

            work = client.calls.work
            if self.is_async:
                working = asyncio.create_task(work(handle, space=space, tools=["pick"], stop=stop))
            else:
                # A lifted call runs in the thread that awaits it.
                given = {"space": space, "tools": ["pick"], "stop": stop}
                working = asyncio.create_task(asyncio.to_thread(lambda: work.unlifted(handle, **given)))

            def allow(turn: turnpike.Turn) -> Any:
                waiting = turn.waiting
                if waiting is None or waiting.for_ != "approval":
                    return None
                decide = client.calls.decide if self.is_async else client.calls.decide.unlifted
                return decide(turn.turn_id, waiting.calls[0].call, decision="allow", input={"sku": "T"})

            async def run() -> turnpike.Turn:
                given = {"space": space, "end_user_ref": "customer-1", "text": '[call pick {"sku":"S"}]'}
                if self.is_async:

                    async def later(turn: turnpike.Turn) -> None:
                        if (deciding := allow(turn)) is not None:
                            await deciding

                    found = await client.turns.run(**given, on_waiting=later)
                else:
                    found = await asyncio.to_thread(lambda: client.turns.run.unlifted(**given, on_waiting=allow))
                ended: turnpike.Turn = found
                return ended

            try:
                done, failed = await run(), await run()
            finally:
                stop.set()
                await working
            self.assertEqual(seen, [{"sku": "T"}, {"sku": "T"}])
            self.assertIn('{"picked":true}', str(done.result))
            self.assertIn("The shelf is empty.", str(failed.result))
            error = await self.raised(
                turnpike.ConflictError, client.calls.send_result(done.turn_id, "0.0", output="again")
            )
            self.assertEqual((error.code, error.status), ("TURN_FINISHED", 409))

    def test_a_turn_is_made_once_whichever_answer_is_lost(self) -> None:
        losing = Losing(2)
        with httpx.Client(transport=losing) as http, turnpike.Turnpike() as steady:
            client = turnpike.Turnpike(http_client=http)
            space = steady.spaces.create(title="Python").space_id
            made = client.turns.create(space=space, end_user_ref="once", text="Once?")
            self.assertEqual([turn.turn_id for turn in steady.turns.list(space=space)], [made.turn_id])
        self.assertEqual((len(losing.keys), len(set(losing.keys))), (3, 1))
