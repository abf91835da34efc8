import type { ExpressionBuilder } from "kysely"
import { jsonArrayFrom } from "kysely/helpers/postgres"
import type * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { type CallerDB, readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { sameQuery, storedRow } from "../base/casts.ts"
import type { DB } from "../platform/db-types.ts"
import { turnNotFound } from "./get-turn.ts"
import { EXPLORER_POLICY } from "./policies.ts"
import { serializeTrace, type TraceRow, type turnTraceSchema } from "./turn-trace.ts"
import { visibleTurn } from "./visible-turn.ts"

type OfTurn = ExpressionBuilder<CallerDB & { t: DB["turns"] }, "t">

/** The parts of a trace, as columns of a query of a turn `t`. Pieces of text are not read. */
export function traceColumns(turn: OfTurn) {
  const events = turn
    .selectFrom("turn_log as v")
    .whereRef("v.turn_id", "=", "t.turn_id")
    .where("v.type", "<>", "text.delta")
    .select(["v.turn_id", "v.seq", "v.event_id", "v.type", "v.data", "v.created_at"])
    .orderBy("v.seq")
    .limit(EXPLORER_POLICY.traceEvents)
  const attempts = turn
    .selectFrom("infrastructure_errors as x")
    .whereRef("x.turn_id", "=", "t.turn_id")
    .select(["x.kind", "x.code", "x.details", "x.created_at"])
    .orderBy("x.created_at")
    .limit(EXPLORER_POLICY.traceAttempts)
  return [
    turn.selectFrom("api_keys as k").whereRef("k.key_id", "=", "t.key_id").select("k.name").as("key_name"),
    jsonArrayFrom(events).as("events"),
    jsonArrayFrom(attempts).as("attempts"),
  ] as const
}

/** The parts of a turn in time, with the names of its key and space. Throws NOT_FOUND. */
export async function getTrace(
  ctx: Context,
  credential: SessionCredential,
  turnId: string,
): Promise<z.infer<typeof turnTraceSchema>> {
  const { rows } = await readAs(ctx, credential, (db) =>
    visibleTurn(db, turnId)
      .select(["t.turn_id", "t.key_id", "t.request_id", "t.idempotency_key", "t.model", "t.created_at"])
      .select(["t.started_at", "t.finished_at", "s.slug as space", "s.title as space_title"])
      .select((turn) => traceColumns(sameQuery<OfTurn>(turn))),
  )
  const [row] = rows
  if (!row) throw turnNotFound(turnId)
  return serializeTrace(storedRow<TraceRow>(row), ctx.clock.now())
}
