import type { Actor, Credential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { keyReused, type Made } from "../actor/once.ts"
import { TurnpikeError } from "../base/errors.ts"
import { newId } from "../base/ids.ts"
import { hashRequest } from "../base/request-hash.ts"
import { logIds, type SentTrace } from "../base/trace-context.ts"
import { wakeWebhooks } from "../feed/wake-webhooks.ts"
import type { Procedures } from "../platform/procedures.ts"
import { askedTurn } from "./admission.ts"
import { callRunner } from "./call-runner.ts"
import { messagesIn } from "./caller-tools.ts"
import { lastTextOf } from "./messages.ts"
import { TURN_POLICY } from "./policies.ts"
import { WITHIN_RATES_ERRORS, withinRates } from "./rated-turn.ts"
import { unlessRefused } from "./refused-before.ts"
import type { CreateTurn } from "./schemas.ts"
import { TURN_REFUSAL_ERRORS, turnRefusal } from "./turn-refusal.ts"
import { type TurnRow, turnRowOf } from "./turn-row.ts"

export const ACCEPT_TURN_ERRORS = [...TURN_REFUSAL_ERRORS, ...WITHIN_RATES_ERRORS, "IDEMPOTENCY_KEY_REUSED"] as const

/** A request for a new turn. `turnId`: chosen before, so that a repeat of the request can recognise its own turn. */
export interface NewTurn {
  idempotencyKey: string
  body: CreateTurn
  trace?: SentTrace | null
  turnId?: string
  /** The place in its conversation that the caller expects. A turn at another place does not run in place. */
  position?: number | undefined
}

/**
 * Accepts a turn with one statement, then calls a runner in the background if none is about to look. A used
 * Idempotency-Key returns its turn (`replayed`). Throws IDEMPOTENCY_KEY_REUSED, the errors of turnRefusal().
 */
export async function acceptTurn(ctx: Context, credential: Credential, asked: NewTurn): Promise<Made<TurnRow>> {
  const acceptance = acceptanceOf(ctx, asked)
  const { actor, row } = await withinRates(ctx, credential, asked, (rated) =>
    unlessRefused(ctx, credential, asked, () => {
      const args = { ...acceptance, new: { ...acceptance.new, rated }, runners: ctx.slots.runners }
      return callAs(ctx, credential, "accept_turn", args)
    }),
  )
  return acceptedOf(ctx, asked, { actor, row })
}

/** The arguments of a procedure that accepts a turn. */
export function acceptanceOf(ctx: Context, { idempotencyKey, body, trace = null, turnId }: NewTurn) {
  const now = ctx.clock.now()
  const id = turnId ?? newId("turn", now)
  const asked = askedTurn(body)
  // A conversation of one turn has the turn's id as its name.
  if (asked.conversation === "") asked.conversation = id
  return {
    asked,
    new: {
      turn_id: id,
      event_id: newId("event", now),
      conversation_id: newId("conversation", now),
      idempotency_key: idempotencyKey,
      request_hash: hashRequest(body),
      text: body.messages ? lastTextOf(body.messages) : (body.text ?? ""),
      messages: messagesIn(body),
      tools: body.tools ?? null,
      tool_choice: body.tool_choice ?? null,
      parallel: body.parallel_tool_calls ?? null,
      metadata: body.metadata ?? {},
      timeout: body.timeout_seconds ?? null,
      traceparent: trace?.traceparent ?? null,
      tracestate: trace?.tracestate ?? null,
      on_limit: body.on_limit ?? null,
      max_wait: body.max_wait_seconds ?? null,
      temperature: body.temperature ?? null,
      reasoning: body.reasoning?.effort ?? null,
      response_format: body.response_format === undefined ? null : JSON.stringify(body.response_format),
      stop: body.stop ?? null,
      store: body.store ?? true,
      rated: null,
    },
    shards: TURN_POLICY.walletShards,
  }
}

type Acceptance = Omit<Procedures["accept_turn"]["row"], "actor">

/** The turn of an acceptance, or its error. Wakes webhooks and calls a runner, if that is needed. */
export function acceptedOf(
  ctx: Context,
  { body, turnId }: NewTurn,
  { actor, row }: { actor: Actor; row: Acceptance },
): Made<TurnRow> {
  const { outcome } = row
  const turn = turnRowOf(row)
  if (row.has_subscriber) wakeWebhooks(ctx, { user_id: actor.user_id, test: actor.test, has_subscriber: true })
  if (row.needs_runner) ctx.background(callRunner(ctx))
  if (outcome === "replayed" && turn) {
    if (turn.erased_at !== null) {
      throw new TurnpikeError("IDEMPOTENCY_KEY_REUSED", "This Idempotency-Key belongs to a turn that was erased.")
    }
    if (turn.request_hash !== hashRequest(body) || !row.in_scope) throw keyReused()
    Object.assign(ctx.logged, logIds(turn))
    return { made: turn, replayed: turn.turn_id !== turnId }
  }
  if (outcome !== "accepted" || !turn) throw turnRefusal(row, { now: ctx.clock.now(), actor, body })
  Object.assign(ctx.logged, logIds(turn))
  return { made: turn, replayed: false }
}
