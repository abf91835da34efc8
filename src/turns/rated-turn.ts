import { createHash } from "node:crypto"
import type { Actor, Credential, KeyCredential } from "../actor/actor.ts"
import type { Context } from "../actor/context.ts"
import { storedRow } from "../base/casts.ts"
import { TurnpikeError } from "../base/errors.ts"
import { onceFor } from "../base/once-for.ts"
import { describeError } from "../platform/log.ts"
import type { Procedures } from "../platform/procedures.ts"
import type { Counted, ShownRate } from "../platform/turn-windows.ts"
import {
  type CallerRates,
  type OpenTurns,
  openTurnStates,
  RATE_POLICY,
  type RateState,
  type RateWindow,
  rateWindows,
  rateWords,
} from "../quotas/rate.ts"
import { askedTurn } from "./admission.ts"
import { hasTurn } from "./refused-before.ts"
import type { CreateTurn } from "./schemas.ts"

export const WITHIN_RATES_ERRORS = ["RATE_LIMITED"] as const

type Answered = Pick<Procedures["accept_turn"]["row"], "outcome" | "rated">

type Asked = { idempotencyKey: string; body: CreateTurn }

/** The rates of a caller, as the last statement answered them. */
interface Known {
  rates: CallerRates
  /** In Unix milliseconds. */
  at: number
}

/** The tokens that were counted for a turn, kept with it until its end. */
type CountedTokens = { tokens: number; bucket: number; counters: string[] }

/** How the worker has counted a turn, as an argument of accept_turn. */
export interface Rated {
  rates: CallerRates
  counted?: CountedTokens
}

/** The callers with a rate that an isolate knows. */
const knownOf = onceFor((_isolate: Context["cooling"]) => new Map<string, Known>())

/** How often the statement may answer that the rates have changed. */
const MOST_TRIES = 4

/**
 * Calls `accept`, a statement that accepts a turn, once the turn is counted by the caller's rates. It rejects a turn
 * that was counted by former rates, and answers the current ones (docs/architecture/rates.md). Turns that are not
 * accepted are taken back. Throws RATE_LIMITED; UNAVAILABLE without Redis, if the rate is closed then.
 */
export async function withinRates<Row extends Answered>(
  ctx: Context,
  credential: Credential,
  asked: Asked,
  accept: (rated: Rated | null) => Promise<{ actor: Actor; row: Row }>,
): Promise<{ actor: Actor; row: Row }> {
  if (credential.kind !== "key") return accept(null)
  const callers = knownOf(ctx.cooling)
  const name = nameOf(credential, asked.body)
  let known = callers.get(name)
  for (let tries = 1; tries <= MOST_TRIES; tries++) {
    const { counted, refused } = known ? await count(ctx, known, asked.body) : NOT_COUNTED
    if (known && refused && !(await hasTurn(ctx, credential, asked.idempotencyKey))) {
      if (ctx.clock.now().getTime() - known.at < RATE_POLICY.freshMs) throw refused
      // The rate may have been raised, so the statement answers it again.
      known = undefined
    }
    const { actor, row } = await accept(known ? ratedBy(known.rates, counted) : null).catch((error: unknown) => {
      // A turn whose answer was lost may have been accepted.
      if (error instanceof TurnpikeError && error.code !== "UNAVAILABLE") void ctx.windows.giveBack(counted)
      throw error
    })
    // Before the turn is counted by other rates, it is taken back.
    if (row.outcome === "rates") await ctx.windows.giveBack(counted)
    else if (row.outcome !== "accepted") void ctx.windows.giveBack(counted)
    // A repeat, and a turn that is refused before its rates are looked up, say nothing about them.
    const { rates = null, open_turns = null } = row.rated ?? {}
    const isLookedUp = rates !== null || row.outcome === "accepted"
    known = rates === null ? undefined : { rates: storedRow<CallerRates>(rates), at: ctx.clock.now().getTime() }
    if (isLookedUp) {
      remember(callers, name, known)
      remember(callers, credential.hash, known?.rates.key && { ...known, rates: ofKey(known.rates) })
      if (!known) ctx.windows.shown = []
    }
    const open = known ? openTurnStates(known.rates, (open_turns ?? {}) as OpenTurns) : []
    if (open_turns !== null) ctx.windows.shown.push(...open.map(shownTurns(row)))
    if (row.outcome === "open_turns") throw tooManyOpen(open)
    if (row.outcome !== "rates") return { actor, row }
  }
  throw new TurnpikeError("UNAVAILABLE", "The rate of this key changes at this moment. Send the request again.", {
    retryAfter: 1,
  })
}

/** Notes the rate of a key for the headers of an answer that counts nothing, as far as this isolate knows one. */
export async function showKeyRate(ctx: Context, { hash }: KeyCredential): Promise<void> {
  const known = knownOf(ctx.cooling).get(hash)
  if (!known) return
  const windows = rateWindows(known.rates, "")
  const used = await ctx.windows.used(windows.map(({ counter }) => counter)).catch(() => null)
  ctx.windows.shown = windows.map((window, nth) => {
    const left = used && Math.max(0, window.limit - (used[nth] ?? 0))
    return { ...shownWindow(window, undefined), left, resetSeconds: ctx.windows.resetSeconds }
  })
}

/** The part of a caller's rates that holds for all end users of the key. */
const ofKey = ({ end_user: _, ...rates }: CallerRates): CallerRates => rates

interface Count {
  counted: Counted[]
  refused: TurnpikeError | null
}

const NOT_COUNTED: Count = { counted: [], refused: null }

/** Counts a turn in all windows of its rates, and notes them for the headers of the answer. */
async function count(ctx: Context, { rates }: Known, body: CreateTurn): Promise<Count> {
  const windows = rateWindows(rates, body.end_user_ref)
  const tokens = askedTurn(body).tokens ?? 0
  const limited = windows.map(({ counter, limit, kind }) => ({ counter, limit, add: kind === "requests" ? 1 : tokens }))
  let counted: Counted[]
  try {
    counted = await ctx.windows.take(limited)
  } catch (error) {
    ctx.windows.shown = windows.map((window) => shownWindow(window, undefined))
    const isClosed = Object.values(rates).some((rate) => typeof rate === "object" && rate.fail === "closed")
    ctx.log("error", "rates.not_counted", { error: describeError(error), refused: isClosed })
    return { counted: [], refused: isClosed ? notCounted(error) : null }
  }
  ctx.windows.shown = windows.map((window, nth) => shownWindow(window, counted[nth]))
  const longest = Math.max(...counted.map(({ isAllowed, waitMs }) => (isAllowed ? 0 : waitMs)))
  if (longest <= 0) return { counted, refused: null }
  const nth = counted.findIndex(({ isAllowed, waitMs }) => !isAllowed && waitMs === longest)
  const { name, limit } = windows[nth] as RateWindow
  const state = { limit: name, most: limit, used: null, window_seconds: RATE_POLICY.windowMs / 1000 }
  return { counted: [], refused: rateLimited(state, Math.ceil(longest / 1000)) }
}

/** How a window is shown in headers. */
const shownWindow = ({ name, limit, unit }: RateWindow, counted: Counted | undefined): ShownRate => ({
  name,
  limit,
  left: counted ? (counted.isAllowed ? counted.left : 0) : null,
  windowSeconds: RATE_POLICY.windowMs / 1000,
  unit,
  resetSeconds: counted ? Math.ceil(counted.waitMs / 1000) : null,
})

/** An accepted turn is one more than the statement has counted. */
const shownTurns =
  ({ outcome }: Answered) =>
  ({ limit, most, used }: RateState): ShownRate => ({
    name: limit,
    limit: most,
    left: Math.max(0, most - (used ?? 0) - (outcome === "accepted" ? 1 : 0)),
    windowSeconds: null,
    unit: "concurrent-requests",
    resetSeconds: null,
  })

const rateLimited = (state: RateState, retryAfter: number) =>
  new TurnpikeError("RATE_LIMITED", `${rateWords(state)} Send this one again later.`, { details: state, retryAfter })

function tooManyOpen(open: readonly RateState[]): TurnpikeError {
  const reached = open.find(({ most, used }) => (used ?? 0) >= most)
  if (!reached) throw new Error("no limit of open turns is reached")
  return rateLimited(reached, RATE_POLICY.turnsAgainSeconds)
}

const notCounted = (cause: unknown) =>
  new TurnpikeError("UNAVAILABLE", "The rate of this key or end user cannot be read. Send the request again shortly.", {
    retryAfter: 1,
    cause,
  })

function ratedBy(rates: CallerRates, counted: readonly Counted[]): Rated {
  const ofTokens = counted.filter(({ counter }) => counter.endsWith(":input_tokens"))
  const [first] = ofTokens
  if (!first) return { rates }
  const counters = ofTokens.map(({ counter }) => counter)
  return { rates, counted: { tokens: first.add, bucket: first.bucket, counters } }
}

function remember(callers: Map<string, Known>, name: string, known: Known | undefined): void {
  if (!known) {
    callers.delete(name)
    return
  }
  if (callers.size >= RATE_POLICY.mostKnown) callers.clear()
  callers.set(name, known)
}

const nameOf = ({ hash }: KeyCredential, { end_user_ref }: CreateTurn) =>
  createHash("sha256")
    .update(JSON.stringify([hash, end_user_ref]))
    .digest("hex")

/** The tokens that were counted for an ended turn, and the tokens that it had. */
export type EndedRated = CountedTokens & { input: number }

/** The changes of the counters after the end of a turn. */
export const corrections = ({ counters, bucket, tokens, input }: EndedRated) =>
  counters.map((counter) => ({ counter, bucket, add: input - tokens }))
