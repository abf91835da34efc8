"""Receives webhooks of Turnpike: verifies each message, handles each event once, and answers at once."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from fastapi import FastAPI, HTTPException, Request, Response
from fastapi.concurrency import run_in_threadpool
from turnpike_turns import CapEvent, FeedEvent, TurnStateEvent, WebhookVerificationError, verify_webhook

# During a rotation, both secrets, separated by a comma.
SECRETS = os.environ["TURNPIKE_WEBHOOK_SECRET"].split(",")
DATABASE = os.environ.get("DATABASE", "events.sqlite")

app = FastAPI()


@contextmanager
def transaction() -> Iterator[sqlite3.Connection]:
    database = sqlite3.connect(DATABASE, timeout=30)
    try:
        with database:
            database.execute("create table if not exists events (event_id text primary key)")
            database.execute(
                "create table if not exists replies"
                " (turn_id text primary key, customer text, state text, reply text, billed_usd text)"
            )
            yield database
    finally:
        database.close()


@app.post("/turnpike")
async def receive(request: Request) -> Response:
    # The signature covers the raw body, so it is verified before anything parses it.
    body = await request.body()
    try:
        event = verify_webhook(body, request.headers, SECRETS)
    except WebhookVerificationError as error:
        raise HTTPException(400, error.message) from error
    # An answer other than 2xx, such as that of an exception here, makes Turnpike send the event again later.
    await run_in_threadpool(handle_once, event)
    return Response(status_code=204)


def handle_once(event: FeedEvent) -> None:
    """Handles the event in the transaction that remembers it, so that a repeated delivery changes nothing."""
    with transaction() as database:
        new = database.execute("insert or ignore into events values (?)", [event.id])
        if new.rowcount == 1:
            handle(event, database)


def handle(event: FeedEvent, database: sqlite3.Connection) -> None:
    if isinstance(event, TurnStateEvent) and event.type in ("turn.done", "turn.failed", "turn.cancelled"):
        turn = event.data.turn
        reply = turn.result if turn.error is None else turn.error.message
        row = [turn.turn_id, turn.end_user_ref, turn.state, reply, f"{turn.billed_cost_usd:f}"]
        database.execute("insert or replace into replies values (?, ?, ?, ?, ?)", row)
    elif isinstance(event, CapEvent):
        print(f"{event.data.percent} % of the cap {event.data.cap} is spent until {event.data.resets_at}")


@app.get("/replies/{customer}")
def replies(customer: str) -> list[dict[str, str]]:
    with transaction() as database:
        rows = database.execute("select turn_id, state, reply, billed_usd from replies where customer = ?", [customer])
        return [dict(zip(("turn_id", "state", "reply", "billed_usd"), row)) for row in rows]
