import type { Credential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Made } from "../actor/once.ts"
import { storedRow } from "../base/casts.ts"
import { newId } from "../base/ids.ts"
import { describeError } from "../platform/log.ts"
import { coolsMeanwhile } from "../providers/cooling.ts"
import { rosterOf } from "../providers/roster.ts"
import { acceptanceOf, acceptedOf, type NewTurn } from "../turns/accept-turn.ts"
import { isUnavailable } from "../turns/look-again.ts"
import { IN_PLACE_POLICY, STREAM_POLICY } from "../turns/policies.ts"
import { type Rated, withinRates } from "../turns/rated-turn.ts"
import { unlessRefused } from "../turns/refused-before.ts"
import type { TurnRow } from "../turns/turn-row.ts"
import { type Claim, type ClaimRow, claimOf, claimTerms, drawnRows } from "./claim-turns.ts"
import { assumedServers, type ServersContext } from "./engine-servers.ts"
import { giveUp } from "./run-turn.ts"
import type { SoonStart } from "./start-line.ts"

/** `reads`: the request reads the events of the turn. */
export type AskedInPlace = NewTurn & { turnId: string; reads: boolean }

export interface StartedTurn extends Made<TurnRow> {
  /** Null: the turn is queued, or an earlier request has made it. */
  claim: Claim | null
  /** How to start it when older turns of its account have started; null: it is claimed, or a runner takes it. */
  soon: SoonStart | null
}

/**
 * Accepts a turn and claims it for this invocation if it can start now, with one statement (start-turn.sql). If its
 * answer was lost, a second one takes over the turn. Throws the errors of `acceptTurn`.
 */
export async function startTurn(
  ctx: ServersContext,
  credential: Credential,
  asked: AskedInPlace,
): Promise<StartedTurn> {
  return tryStart(ctx, credential, asked, 0).catch((error: unknown) => {
    if (!isUnavailable(error)) throw error
    return tryStart(ctx, credential, asked, 1)
  })
}

async function tryStart(
  ctx: ServersContext,
  credential: Credential,
  asked: AskedInPlace,
  attempt: number,
): Promise<StartedTurn> {
  const now = ctx.clock.now()
  const roster = rosterOf(ctx)
  const isOut = (providerId: string, readAt: number) => coolsMeanwhile(ctx, providerId, readAt)
  const drawn = roster.draw(ctx.random, isOut, now.getTime())
  const assumed = assumedServers(ctx)
  const terms = claimTerms(ctx, { id: asked.turnId, attempt }, { now, assumed })
  const acceptance = acceptanceOf(ctx, asked)
  // Both events have the same time, so the feed orders them by their ids.
  const [queued = "", running = ""] = [acceptance.new.event_id, newId("event", now)].sort()
  const start = {
    live_slots: ctx.slots.live,
    test_slots: ctx.slots.test,
    end_user_slots: ctx.slots.endUser,
    position: asked.position ?? null,
    event_id: running,
    reader_until: asked.reads ? new Date(now.getTime() + STREAM_POLICY.readerMs) : null,
    drawn: drawnRows(drawn),
    random: ctx.random(),
    queued_before: new Date(now.getTime() - IN_PLACE_POLICY.queuedMs),
  }
  const args = (rated: Rated | null) => ({
    ...acceptance,
    new: { ...acceptance.new, event_id: queued, rated },
    runners: ctx.slots.runners,
    start,
    terms,
  })
  const { actor, row } = await withinRates(ctx, credential, asked, (rated) =>
    unlessRefused(ctx, credential, asked, () => callAs(ctx, credential, "start_turn", args(rated))),
  )
  const made = acceptedOf(ctx, asked, { actor, row })
  const found = storedRow<ClaimRow | null>(row.claim)
  const soon = row.starts_soon ? { turn: made.made, start, drawn } : null
  if (!found) return { ...made, claim: null, soon }
  if (terms.listed !== null) roster.noteAsked(now.getTime())
  try {
    return { ...made, claim: await claimOf(ctx, found, { drawn, assumed, now }), soon: null }
  } catch (error) {
    ctx.log("error", "turn.unclaimable", { turn_id: made.made.turn_id, error: describeError(error) })
    await giveUp(ctx, made.made)
    return { ...made, claim: null, soon: null }
  }
}
