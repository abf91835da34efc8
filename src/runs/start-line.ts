import { storedRows } from "../base/casts.ts"
import { onceFor } from "../base/once-for.ts"
import { wakeWebhooksOf } from "../feed/wake-webhooks.ts"
import { callOne } from "../platform/db.ts"
import { describeError } from "../platform/log.ts"
import type { Records } from "../platform/procedures.ts"
import { type ListedAccount, rosterOf } from "../providers/roster.ts"
import { callRunner } from "../turns/call-runner.ts"
import { IN_PLACE_POLICY, RUNNER_POLICY } from "../turns/policies.ts"
import { type TurnRow, turnRowOf } from "../turns/turn-row.ts"
import { callMissingRunner } from "./call-missing-runner.ts"
import { type Claim, type ClaimRow, claimOf, claimTerms } from "./claim-turns.ts"
import { assumedServers, type EngineServers, type ServersContext } from "./engine-servers.ts"
import { giveUp } from "./run-turn.ts"

/** A turn that was accepted and can start soon. Plain values: a statement of another request may claim it. */
export interface SoonStart {
  turn: TurnRow
  start: Records["start_terms"]
  /** The accounts that the worker has drawn for it. */
  drawn: Map<string, ListedAccount>
}

interface Place {
  readonly of: SoonStart
  /** How many statements have asked for it. A later one takes over the turn of an earlier one whose answer was lost. */
  tries: number
  /** When its request was last seen, in ms. A request that is cut off does not leave. */
  seenAt: number
  /** When the statement that asks for it was sent; null: none is under way. */
  askedAt: number | null
  found: Found | null
}

/** `row`: null if the turn is another worker's, or a runner must take it. */
interface Found {
  row: ClaimRow | null
  assumed: EngineServers
  now: Date
}

/** The turns of an account that can start soon, the oldest first. */
interface Line {
  places: Place[]
  /** When the statement that is under way was sent. */
  askedAt: number | null
  /** Since when, and how often, statements have found that none of them can start. */
  vain: { since: number; asks: number } | null
}

const linesOf = onceFor((_isolate: ServersContext["cooling"]) => new Map<string, Line>())

const isFirst = ({ of: { turn: one } }: Place, { of: { turn: other } }: Place) =>
  one.created_at < other.created_at || (one.created_at === other.created_at && one.turn_id < other.turn_id)

/**
 * Claims an accepted turn when older turns of its account have started. One statement of an isolate claims several
 * turns of an account, and each request finds its own: a request must not wait for another request's promise. Null: it
 * is another worker's, or a runner must take it. Never throws.
 */
export async function startSoon(ctx: ServersContext, of: SoonStart, left: AbortSignal): Promise<Claim | null> {
  const lines = linesOf(ctx.cooling)
  const account = `${of.turn.user_id} ${of.turn.test}`
  const line = lines.get(account) ?? { places: [], askedAt: null, vain: null }
  lines.set(account, line)
  const me: Place = { of, tries: 0, seenAt: 0, askedAt: null, found: null }
  try {
    const found = await untilFound(ctx, line, me, left)
    if (found) return found.row && (await claimedBy(ctx, of, found.row, found))
  } finally {
    line.places = line.places.filter((other) => other !== me)
    if (line.places.length === 0 && lines.get(account) === line) lines.delete(account)
  }
  await callMissingRunner(ctx).catch((error: unknown) =>
    ctx.log("error", "runner.call_failed", { error: describeError(error) }),
  )
  return null
}

/** Null: none of the account's turns could start for some time, or the client has left. */
async function untilFound(ctx: ServersContext, line: Line, me: Place, left: AbortSignal): Promise<Found | null> {
  for (;;) {
    const now = nowOf(ctx)
    forgetLost(line, now)
    const ahead = placeIn(line, me, now)
    // A statement that is under way may claim the turn.
    if (!me.found && me.askedAt === null && (left.aborted || isStuck(line, now))) return null
    if (ahead === 0 && !me.found && line.askedAt === null) await ask(ctx, line)
    if (me.found) return me.found
    const { least, most, each } = IN_PLACE_POLICY.startPauseMs
    await ctx.clock.sleep(Math.min(least + each * ahead, most))
  }
}

/** Returns how many turns are ahead of this one. */
function placeIn(line: Line, me: Place, now: number): number {
  me.seenAt = now
  const ahead = line.places.indexOf(me)
  if (ahead >= 0) return ahead
  const next = line.places.findIndex((other) => isFirst(me, other))
  const place = next === -1 ? line.places.length : next
  line.places.splice(place, 0, me)
  return place
}

const isStuck = ({ vain }: Line, now: number) =>
  vain !== null && vain.asks >= IN_PLACE_POLICY.vainStarts && now - vain.since > IN_PLACE_POLICY.vainMs

/** Forgets requests that were cut off, and a statement whose request was. */
function forgetLost(line: Line, now: number): void {
  const before = now - IN_PLACE_POLICY.startLostMs
  if (line.askedAt !== null && line.askedAt < before) line.askedAt = null
  for (const place of line.places) if (place.askedAt !== null && place.askedAt < before) place.askedAt = null
  line.places = line.places.filter(({ seenAt, askedAt }) => seenAt >= before || askedAt !== null)
}

/** Claims the first turns of a line that can start now, and says so at their places. */
async function ask(ctx: ServersContext, line: Line): Promise<void> {
  const now = ctx.clock.now()
  const sentAt = now.getTime()
  const free = line.places.filter(({ found, askedAt }) => !found && askedAt === null).slice(0, RUNNER_POLICY.group)
  line.askedAt = sentAt
  const asked = free.map((place) => {
    place.tries++
    place.askedAt = sentAt
    return { place, turn_id: place.of.turn.turn_id, try: place.tries, start: place.of.start }
  })
  const assumed = assumedServers(ctx)
  const terms = claimTerms(ctx, { id: "", attempt: 0 }, { now, assumed })
  let isVain = true
  try {
    const { answers, needs_runner } = await callOne(ctx.db, "start_accepted", {
      asked: asked.map(({ place: _, ...one }) => one),
      terms,
      runners: ctx.slots.runners,
      bytes: RUNNER_POLICY.groupBytes,
    })
    if (terms.listed !== null) rosterOf(ctx).noteAsked(sentAt)
    if (needs_runner) ctx.background(callRunner(ctx))
    const rows = storedRows<{ turn_id: string; outcome: string; claim: ClaimRow | null }>(answers)
    for (const { turn_id, outcome, claim: row } of rows) {
      const one = asked.find((asks) => asks.turn_id === turn_id)
      if (outcome === "soon" || !one) continue
      isVain = false
      // A later statement has taken over the turn.
      if (one.place.tries === one.try) one.place.found = { row, assumed, now }
    }
  } catch (error) {
    ctx.log("error", "turn.start_failed", { error: describeError(error) })
  } finally {
    line.vain = isVain ? { since: line.vain?.since ?? sentAt, asks: (line.vain?.asks ?? 0) + 1 } : null
    if (line.askedAt === sentAt) line.askedAt = null
    for (const { place } of asked) if (place.askedAt === sentAt) place.askedAt = null
  }
}

async function claimedBy(
  ctx: ServersContext,
  { drawn }: SoonStart,
  row: ClaimRow,
  { assumed, now }: Found,
): Promise<Claim | null> {
  wakeWebhooksOf(ctx, [{ ...row.turn, has_subscriber: row.has_subscriber }])
  try {
    return await claimOf(ctx, row, { drawn, assumed, now })
  } catch (error) {
    const turn = turnRowOf({ turn: row.turn, slug: row.slug })
    ctx.log("error", "turn.unclaimable", { turn_id: turn.turn_id, error: describeError(error) })
    await giveUp(ctx, turn).catch(() => {})
    return null
  }
}

const nowOf = ({ clock }: Pick<ServersContext, "clock">) => clock.now().getTime()
