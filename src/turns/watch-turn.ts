import { readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { type AssistantPart, callsOf } from "../agent/engine.ts"
import { storedRow } from "../base/casts.ts"
import { TurnpikeError } from "../base/errors.ts"
import { toInstant } from "../base/time.ts"
import { abortAfter } from "../platform/clock.ts"
import { followTurnEvents } from "./follow-events.ts"
import { getTurn } from "./get-turn.ts"
import { listTurnEvents } from "./list-turns.ts"
import { meantCall } from "./meant-call.ts"
import type { Position } from "./shown-text.ts"
import { waitForEndUser } from "./shown-wait.ts"
import type { TurnEventRow } from "./turn-event.ts"
import { outputOf, waitingOfEvent } from "./turn-row.ts"
import { type Watch, watchRefused } from "./watch-token.ts"

/** An event as a browser sees it: nothing of cost, models, sub-agents, errors of tools, or ids of other things. */
export interface WatchedEvent {
  seq: number
  type: string
  data: Record<string, unknown>
  created_at: string
}

/** The fields of each type that a browser sees. Events of other types are left out. */
const SHOWN: Readonly<Record<string, readonly string[]>> = {
  "turn.queued": ["state"],
  "turn.running": ["state"],
  "turn.waiting": ["state"],
  "turn.resumed": ["state"],
  "turn.done": ["state"],
  "turn.failed": ["state", "error_code"],
  "turn.cancelled": ["state"],
  "step.started": ["step"],
  "step.ended": ["step"],
  "text.delta": ["step", "text"],
  "tool.started": ["step", "call", "name"],
  "tool.ended": ["step", "call", "name", "ok"],
  "model.waiting": [],
  "context.trimmed": ["step"],
  "context.summarised": ["step"],
  "request.adjusted": ["step"],
  "tools.missing": [],
}

export const WATCH_TURN_ERRORS = ["WATCH_TOKEN_INVALID", "QUOTA_EXCEEDED"] as const

/**
 * Streams what a token shows of its turn after a position, until the turn ends, the token expires or its key may no
 * longer see the turn. Null: the reader has all events of an ended turn. WATCH_TOKEN_INVALID if the key or the turn
 * is gone, or the turn's end user was erased; QUOTA_EXCEEDED for too many readers of the turn.
 */
export async function watchTurn(
  ctx: Context,
  watch: Watch,
  { after, signal }: { after: Position; signal: AbortSignal },
): Promise<AsyncGenerator<{ id: string; event: WatchedEvent }[]> | null> {
  const { turnId, credential, until } = watch
  await checkErased(ctx, watch)
  const left = until.getTime() - ctx.clock.now().getTime()
  const { signal: over, clear: stop } = abortAfter(ctx.clock, left, () => new Error("the watch token has expired"))
  const options = { turnId, after, signal: AbortSignal.any([signal, over]), reader: `watch ${turnId}` }
  const rows = await asWatcher(followTurnEvents(ctx, credential, options)).catch((error: unknown) => {
    stop()
    throw error
  })
  if (rows === null) {
    stop()
    return null
  }
  return (async function* () {
    try {
      for await (const batch of rows) {
        const shown = await shownOf(ctx, watch, batch)
        yield shown.map(({ row, event }) => ({ id: row.position, event }))
      }
    } catch (error) {
      // The reader connects again, and gets the refusal then.
      if (!isRefusal(error)) throw error
    } finally {
      stop()
    }
  })()
}

/** A page of what a token shows of its turn after `afterSeq`. Throws as `watchTurn` does. */
export async function listWatched(
  ctx: Context,
  watch: Watch,
  { afterSeq, limit }: { afterSeq: number; limit: number },
): Promise<{ events: WatchedEvent[]; next: number | null }> {
  await checkErased(ctx, watch)
  const { turnId, credential } = watch
  const { events, hasMore } = await asWatcher(listTurnEvents(ctx, credential, { turnId, afterSeq, limit }))
  const shown = await shownOf(ctx, watch, events)
  return { events: shown.map(({ event }) => event), next: hasMore ? (events.at(-1)?.seq ?? null) : null }
}

async function checkErased(ctx: Context, { turnId, credential }: Watch): Promise<void> {
  const turn = await asWatcher(getTurn(ctx, credential, turnId))
  if (turn.erased_at !== null) throw watchRefused()
}

/** The caller is not the key's owner, so a refused key and an unknown turn are an invalid token. */
const asWatcher = <Answer>(answer: Promise<Answer>): Promise<Answer> =>
  answer.catch((error: unknown) => {
    throw isRefusal(error) ? watchRefused() : error
  })

const isRefusal = (error: unknown) =>
  error instanceof TurnpikeError && ["INVALID_API_KEY", "API_KEY_EXPIRED", "NOT_FOUND"].includes(error.code)

async function shownOf<Row extends TurnEventRow>(
  ctx: Context,
  watch: Watch,
  batch: readonly Row[],
): Promise<{ row: Row; event: WatchedEvent }[]> {
  // A sub-agent's steps are part of a tool call.
  const own = batch.filter(({ type, data }) => SHOWN[type] !== undefined && (data.agent ?? null) === null)
  const extra = await extrasOf(ctx, watch, own)
  return own.map((row) => {
    const data = { ...Object.fromEntries((SHOWN[row.type] ?? []).map((name) => [name, row.data[name]])), ...extra(row) }
    return { row, event: { seq: row.seq, type: row.type, data, created_at: toInstant(row.created_at) } }
  })
}

/** The result of a turn that is done, its value if it has a form, and inputs of tools if the token includes them. */
async function extrasOf(ctx: Context, { turnId, credential, include }: Watch, rows: readonly TurnEventRow[]) {
  const isDone = rows.some(({ type }) => type === "turn.done")
  const ended = isDone ? await getTurn(ctx, credential, turnId) : null
  const output = ended && outputOf(ended)
  const steps = include.includes("tool_inputs")
    ? rows.filter(({ type }) => type === "tool.started").map(({ data }) => Number(data.step))
    : []
  const inputs = steps.length > 0 ? await inputsOf(ctx, { turnId, credential }, steps) : new Map<string, unknown>()
  return ({ type, data }: TurnEventRow): Record<string, unknown> => {
    if (type === "turn.done") return { result: ended?.result ?? null, ...(output !== null && { output }) }
    if (type === "turn.waiting") return { waiting: waitForEndUser(waitingOfEvent(data)) }
    const key = `${data.step} ${data.call}`
    return type === "tool.started" && inputs.has(key) ? { input: inputs.get(key) } : {}
  }
}

/** The inputs of the calls in some steps, by step and number. The key was seen to be valid for the turn just before. */
async function inputsOf(
  ctx: Context,
  { turnId, credential }: Pick<Watch, "turnId" | "credential">,
  steps: readonly number[],
): Promise<Map<string, unknown>> {
  const { rows } = await readAs(ctx, credential, (db) =>
    db
      .selectFrom("turns as t")
      .innerJoin("spaces as s", "s.space_id", "t.space_id")
      .innerJoin("caller", (join) => join.onRef("caller.user_id", "=", "s.user_id").onRef("caller.test", "=", "s.test"))
      .innerJoin("turn_steps as p", "p.turn_id", "t.turn_id")
      .where("t.turn_id", "=", turnId)
      .where("p.step", "in", [...new Set(steps)])
      .select(["p.step", "p.content"]),
  )
  return new Map(
    rows.flatMap(({ step, content }) =>
      callsOf(storedRow<AssistantPart[]>(content)).map(({ toolName, input }, call): [string, unknown] => [
        `${step} ${call}`,
        meantCall(toolName, input).input,
      ]),
    ),
  )
}
