"""Reports what each customer's turns cost to a meter of Stripe, each turn once. Run it every few minutes."""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime, timedelta, timezone

import httpx
from turnpike_turns import Turn, Turnpike, TurnStateEvent

STRIPE_URL = os.environ.get("STRIPE_URL", "https://api.stripe.com")
EVENT_NAME = os.environ.get("STRIPE_EVENT_NAME", "turnpike_usage")
DATABASE = os.environ.get("DATABASE", "metered.sqlite")
# An event can become visible a little later than its time, so that each run also looks back this long.
OVERLAP = timedelta(hours=1)
# Stripe accepts events of the past 35 days.
FIRST_RUN = timedelta(days=30)
UNITS_PER_USD = 10_000_000


def main() -> None:
    headers = {"authorization": f"Bearer {os.environ['STRIPE_API_KEY']}"}
    with (
        closing(sqlite3.connect(DATABASE, isolation_level=None)) as database,
        Turnpike() as turnpike,
        httpx.Client(base_url=STRIPE_URL, headers=headers, transport=httpx.HTTPTransport(retries=3)) as stripe,
    ):
        database.execute("create table if not exists metered (turn_id text primary key)")
        database.execute("create table if not exists position (name text primary key, at text)")
        reported = failed = 0
        for turn, at in ended_turns(turnpike, since(database)):
            if not database.execute("select 1 from metered where turn_id = ?", [turn.turn_id]).fetchone():
                if turn.billed_cost_usd > 0 and not report(stripe, turn):
                    failed += 1
                    continue
                # After a crash between the report and this line, the next run reports again. Stripe then refuses it.
                database.execute("insert into metered values (?)", [turn.turn_id])
                reported += 1
            # The position stays before the first failed turn, so that the next run reports that turn again.
            if failed == 0:
                database.execute("insert or replace into position values ('events', ?)", [at.isoformat()])
        print(f"{reported} turns reported, {failed} failed")
        if failed:
            sys.exit(1)


def since(database: sqlite3.Connection) -> datetime:
    row = database.execute("select at from position").fetchone()
    return datetime.fromisoformat(row[0]) - OVERLAP if row else datetime.now(timezone.utc) - FIRST_RUN


def ended_turns(turnpike: Turnpike, moment: datetime) -> Iterator[tuple[Turn, datetime]]:
    for event in turnpike.events.list(order="asc", created_after=moment, limit=100):
        if isinstance(event, TurnStateEvent) and event.type in ("turn.done", "turn.failed", "turn.cancelled"):
            yield event.data.turn, event.created_at


def report(stripe: httpx.Client, turn: Turn) -> bool:
    """True if Stripe has the event now, from this request or an earlier one."""
    event = {
        "event_name": EVENT_NAME,
        # Stripe keeps an identifier unique for at least 24 hours.
        "identifier": turn.turn_id,
        "timestamp": str(int((turn.finished_at or turn.created_at).timestamp())),
        # The end user of each turn is the customer of Stripe, such as cus_123.
        "payload[stripe_customer_id]": turn.end_user_ref,
        # A whole number: amounts have at most 7 decimals.
        "payload[value]": str(int(turn.billed_cost_usd * UNITS_PER_USD)),
    }
    try:
        response = stripe.post("/v1/billing/meter_events", data=event)
    except httpx.HTTPError as error:
        print(f"{turn.turn_id}: {error}", file=sys.stderr)
        return False
    if response.is_success:
        return True
    message = str(response.json().get("error", {}).get("message")) if response.status_code == 400 else response.text
    if message.startswith("An event already exists with identifier"):
        return True
    print(f"{turn.turn_id}: HTTP {response.status_code}: {message}", file=sys.stderr)
    return False


if __name__ == "__main__":
    main()
