import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import type { Credential } from "../actor/credential.ts"
import type { ArgumentsOf } from "../platform/procedures.ts"
import { turnNotFound } from "./get-turn.ts"
import type { TurnState } from "./schemas.ts"
import type { TurnEventRow } from "./turn-event.ts"

interface EventsRow {
  actor: unknown
  state: TurnState | null
  last_seq: number | null
  events: TurnEventRow[] | null
}

type Asked = Omit<ArgumentsOf<"read_turn_events">, "caller_kind" | "caller_token" | "caller_test" | "moment">

/** A page of a turn's events, oldest first, with the turn's state and the number of its last event. NOT_FOUND out of scope. */
export async function readTurnEvents(
  ctx: Context,
  credential: Credential,
  asked: Asked & { turn_id: string },
): Promise<{ state: TurnState; last_seq: number; events: TurnEventRow[] }> {
  const { row } = await callAs<"read_turn_events", EventsRow>(ctx, credential, "read_turn_events", asked)
  if (row.state === null || row.last_seq === null) throw turnNotFound(asked.turn_id)
  return { state: row.state, last_seq: row.last_seq, events: row.events ?? [] }
}
