import { createHash } from "node:crypto"
import type { Actor, Credential, KeyCredential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { onceFor } from "../base/once-for.ts"
import { GatheredLook } from "../platform/gathered-look.ts"
import type { Answers } from "../platform/procedures.ts"
import { REFUSAL_POLICY } from "../platform/refusal-memory.ts"
import { leftOf } from "../quotas/cap-state.ts"
import { askedTurn } from "./admission.ts"
import type { CreateTurn } from "./schemas.ts"
import { turnRefusal } from "./turn-refusal.ts"

interface Answered {
  outcome: string | null
  hold: Answers["hold_state"] | null
  too_many: Answers["test_turn_count"] | null
  most_output: number | null
  also_refused: Answers["also_refused"] | null
}

/** A refusal as it is remembered. */
interface Remembered {
  /** It refuses turns whose text or messages have at least this many tokens. */
  tokens: number
  row: Omit<Answered, "also_refused">
  actor: Pick<Actor, "kind" | "user_id" | "test" | "scope">
}

type Asked = { idempotencyKey: string; body: CreateTurn }

/**
 * Calls `accept`, a statement that accepts a turn, unless PostgreSQL has just refused an equal one. Then throws the
 * same error. It never refuses a request whose Idempotency-Key has a turn (docs/architecture/edge.md).
 */
export async function unlessRefused<Row extends Answered>(
  ctx: Context,
  credential: Credential,
  asked: Asked,
  accept: () => Promise<{ actor: Actor; row: Row }>,
): Promise<{ actor: Actor; row: Row }> {
  if (credential.kind !== "key") return accept()
  const { body } = asked
  const scopes = scopesOf(credential, body)
  const look = await ctx.refusals.ask(Object.values(scopes))
  const known = look.found.map((text) => JSON.parse(text) as Remembered).find(({ tokens }) => tokensOf(body) >= tokens)
  if (known && !(await hasTurn(ctx, credential, asked.idempotencyKey))) {
    ctx.logged.account = known.actor.user_id
    // The error of a refusal depends only on these fields of its caller.
    const actor = known.actor as Actor
    throw turnRefusal(known.row, { now: ctx.clock.now(), actor, body })
  }
  const began = ctx.clock.now().getTime()
  const answer = await accept()
  const { actor, row } = answer
  const scope = refusedScope(row)
  if (!scope) return answer
  ctx.refusals.note(scopes[scope], actor.user_id)
  if (look.watch !== null) {
    const { outcome, also_refused, too_many, most_output } = row
    const { kind, user_id, test } = actor
    const remembered: Remembered = {
      tokens: tokensOf(body),
      row: { outcome, hold: also_refused?.hold ?? null, too_many, most_output },
      actor: { kind, user_id, test, scope: actor.scope },
    }
    const until = Math.min(began + REFUSAL_POLICY.keptMs, resetOf(row, began))
    ctx.refusals.keep(scopes[scope], { watch: look.watch, until, text: JSON.stringify(remembered) })
  }
  return answer
}

/** The scope whose next turns are refused, too; null: not known. */
function refusedScope({ outcome, also_refused, too_many }: Answered): "account" | "end_user" | null {
  if (outcome === "end_user") return "end_user"
  // A limit of open test turns may let the next one pass at any moment.
  if (outcome === "test_turns") return too_many?.retry_after ? "account" : null
  return outcome === "no_hold" ? ((also_refused?.whose ?? null) as "account" | "end_user" | null) : null
}

/** When the first cap of a refusal resets, in Unix milliseconds. */
function resetOf({ hold, too_many }: Answered, now: number): number {
  if (too_many?.retry_after) return now + too_many.retry_after * 1000
  const exceeded = (hold?.caps ?? []).filter((cap) => leftOf(cap) < (hold?.needed ?? 0))
  return Math.min(...exceeded.map(({ resets_at }) => new Date(resets_at ?? 0).getTime()))
}

/**
 * The names of what a turn has in common with others that are refused for the same reason. The amount that a turn
 * needs depends on its key, space, model and limits. Its text and files can only add to it.
 */
function scopesOf({ hash }: KeyCredential, body: CreateTurn) {
  const alike = [hash, body.space, body.model ?? null, body.max_output_tokens ?? null, body.max_cost_usd ?? null]
  const digest = (parts: unknown[]) => createHash("sha256").update(JSON.stringify(parts)).digest("hex")
  return { account: digest(alike), end_user: digest([...alike, body.end_user_ref]) }
}

/** The tokens that PostgreSQL counts at least for what was sent: all longer texts and messages need as much. */
const tokensOf = (body: CreateTurn) => askedTurn(body).short_tokens ?? 0

const looksOf = onceFor((_isolate: Context["cooling"]) => new GatheredLook<boolean>(REFUSAL_POLICY.looks))

/** True if an Idempotency-Key has a turn. Many requests of a caller share one statement, which locks nothing. */
export function hasTurn(ctx: Context, credential: KeyCredential, key: string): Promise<boolean> {
  return looksOf(ctx.cooling).ask(credential.hash, key, async (keys) => {
    const { row } = await callAs(ctx, credential, "known_keys", { keys })
    const known = new Set(row.known)
    return keys.map((one) => known.has(one))
  })
}
