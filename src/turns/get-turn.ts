import type { Credential } from "../actor/actor.ts"
import { type CallerArguments, callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import type { ArgumentsOf } from "../platform/procedures.ts"
import { Wake } from "../platform/wake.ts"
import type { TurnState } from "./schemas.ts"
import { SharedLooks } from "./shared-looks.ts"
import type { TurnEventRow } from "./turn-event.ts"
import { isTerminal, isWaiting, type TurnRow, turnRowOf } from "./turn-row.ts"

/** Returns a turn in the caller's scope, with one statement. NOT_FOUND for any other turn. */
export async function getTurn(ctx: Context, credential: Credential, turnId: string): Promise<TurnRow> {
  const { row } = await callAs(ctx, credential, "get_turn", { turn_id: turnId })
  const turn = turnRowOf(row)
  if (!turn) throw turnNotFound(turnId)
  return turn
}

export function turnNotFound(turnId: string): TurnpikeError {
  return new TurnpikeError("NOT_FOUND", `There is no turn "${turnId}" that you can see.`)
}

export const WAIT_FOR_TURN_ERRORS = ["QUOTA_EXCEEDED", "NOT_FOUND"] as const

interface TurnWait {
  turnId: string
  waitSeconds: number
  signal: AbortSignal
  knowsWait: boolean
}

/**
 * Returns the turn when it has ended or begins to wait, `waitSeconds` have passed or the client has left. `knowsWait`:
 * a wait that has begun before is no news, so a client that asks again and again does not do so without a pause.
 * QUOTA_EXCEEDED if the caller has too many open waits.
 */
export async function waitForTurn(
  ctx: Context,
  credential: Credential,
  { turnId, waitSeconds, signal, knowsWait }: TurnWait,
): Promise<TurnRow> {
  let waited = knowsWait
  const until = ctx.clock.now().getTime() + waitSeconds * 1000
  const looks = new SharedLooks(ctx, credential, { turnId, waitsFor: "end" })
  const wake = Wake.when(ctx.clock, signal)
  try {
    for (;;) {
      const turn = await looks.look(
        () => getTurn(ctx, credential, turnId),
        (found) => ({ ended: isTerminal(found.state), lastSeq: found.last_event_seq, waits: isWaiting(found) }),
      )
      const begins = isWaiting(turn) && !waited
      if (isTerminal(turn.state) || begins || ctx.clock.now().getTime() >= until) return turn
      waited = isWaiting(turn)
      if (!(await looks.pause({ until, wake }))) return turn
    }
  } finally {
    looks.end()
  }
}

interface EventsRow {
  state: TurnState | null
  last_seq: number | null
  waits: boolean | null
  worker: string | null
  events: TurnEventRow[] | null
}

type Asked = Omit<ArgumentsOf<"read_turn_events">, CallerArguments>

/** A page of a turn's events, oldest first, with its state and the number of its last event. NOT_FOUND out of scope. */
export async function readTurnEvents(
  ctx: Context,
  credential: Credential,
  asked: Asked & { turn_id: string },
): Promise<{ state: TurnState; last_seq: number; waits: boolean; worker: string | null; events: TurnEventRow[] }> {
  const { row } = await callAs<"read_turn_events", EventsRow>(ctx, credential, "read_turn_events", asked)
  if (row.state === null || row.last_seq === null) throw turnNotFound(asked.turn_id)
  const { state, last_seq, waits, worker, events } = row
  return { state, last_seq, waits: waits ?? false, worker, events: events ?? [] }
}
