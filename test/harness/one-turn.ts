import { expect } from "vitest"
import type { KeyCredential } from "../../src/actor/actor.ts"
import type { Context } from "../../src/actor/context.ts"
import { refundTurn } from "../../src/billing/refund-turn.ts"
import { sweepExpiredTurns } from "../../src/ending/causes.ts"
import { parseApiKey } from "../../src/keys/api-key.ts"
import { commitAnswer } from "../../src/runs/commit-step.ts"
import { growHold } from "../../src/runs/grow-hold.ts"
import { type Outcome, settleTurn } from "../../src/runs/settle-turns.ts"
import { sweepTurns } from "../../src/runs/sweep-turns.ts"
import { cancelTurn } from "../../src/turns/cancel-turn.ts"
import { TURN_POLICY } from "../../src/turns/policies.ts"
import type { TurnRow } from "../../src/turns/turn-row.ts"
import { claimTurn } from "./claim.ts"
import { finishedStep } from "./steps.ts"
import { turnOf, type World } from "./world.ts"

const COMMITTED = 1000
const LAST = 500
const GROWN = 700

/** The expected state of one turn. Amounts are in credit micros. */
export interface Fate {
  state: string
  asked: boolean
  old: boolean
  hold: number
  billed: number
  refunded: number
}

export const STARTS = ["queued", "running"] as const
export type Start = (typeof STARTS)[number]

/** A turn with its own account, queued or with one committed step, and all acts that can happen to it. */
export async function oneTurn(world: World, ctx: Context, start: Start) {
  const client = await world.createAccount({ usd: 1 })
  const credential = parseApiKey(client.key) as KeyCredential
  const { turn_id } = await turnOf(await client.sendTurn({ space: await client.space() }))
  await world.settled()
  let turn = { turn_id, epoch: 0, test: false, hold_credit_micros: TURN_POLICY.defaultHold } as TurnRow
  if (start === "running") {
    const claim = await claimTurn(ctx, turn_id)
    if (!claim) throw new Error("not claimed")
    turn = claim.turn
    await commitAnswer(ctx, turn, finishedStep(0, { cost: COMMITTED }), [])
  }
  const settle = (outcome: Outcome) => () => settleTurn(ctx, turn, outcome, { step: finishedStep(1, { cost: LAST }) })
  const refusal =
    (...codes: string[]) =>
    (error: { code?: string }) =>
      expect(codes).toContain(error.code)
  const acts: Record<TurnAct, () => Promise<unknown>> = {
    "settle done": settle({ state: "done", result: "r" }),
    "settle failed by us": settle({ state: "failed", code: "INTERNAL", message: "m", ours: true, result: null }),
    "settle failed by them": settle({ state: "failed", code: "MINE", message: "m", ours: false, result: null }),
    "settle cancelled": settle({ state: "cancelled", reason: "client", result: null }),
    cancel: () => cancelTurn(ctx, credential, turn_id).catch(refusal("TURN_FINISHED")),
    expire: () => sweepExpiredTurns(ctx),
    "sweep what is lost": async () => {
      await world.sql(
        `with lost as (update turns set attempts = 5, lease_until = created_at where turn_id = $1 and state = 'running' returning turn_id)
         update open_turns o set wake_at = created_at from lost where o.turn_id = lost.turn_id`,
        [turn_id],
      )
      return sweepTurns(ctx)
    },
    grow: () => growHold(ctx, turn, GROWN),
    refund: () =>
      refundTurn(ctx, { turnId: turn_id, actor: "operator", note: "x" }).catch(
        refusal("TURN_NOT_ENDED", "TURN_NOT_BILLED"),
      ),
    "refund again": () =>
      refundTurn(ctx, { turnId: turn_id, actor: "admin:1", note: "y" }).catch(
        refusal("TURN_NOT_ENDED", "TURN_NOT_BILLED"),
      ),
  }
  return {
    client,
    /** Moves the clock past the queue limit of a turn. */
    growOld: () => world.advance(TURN_POLICY.queueLimitMs),
    async sweepAgain() {
      await world.advance(60_000)
      await sweepTurns(ctx)
      await sweepExpiredTurns(ctx)
    },
    act: (name: TurnAct) => acts[name](),
    /** The turn's state in the database. */
    async fate(): Promise<Omit<Fate, "old">> {
      const [row] = await world.sql<Omit<Fate, "old">>(
        `select state, cancel_requested_at is not null as asked, held_credit_micros::float8 as hold,
           billed_credit_micros::float8 as billed, coalesce((select sum(amount_credit_micros) from ledger l
             where l.turn_id = t.turn_id and reason = 'admin_action'), 0)::float8 as refunded
         from turns t where turn_id = $1`,
        [turn_id],
      )
      return row as Omit<Fate, "old">
    },
    async end() {
      await acts.cancel()
      await acts["settle cancelled"]()
    },
  }
}

export const ACTS = [
  "settle done",
  "settle failed by us",
  "settle failed by them",
  "settle cancelled",
  "cancel",
  "expire",
  "sweep what is lost",
  "grow",
  "refund",
  "refund again",
] as const
export type TurnAct = (typeof ACTS)[number]

export const fateAtStart = (start: Start): Fate => {
  return { state: start, asked: false, old: false, hold: TURN_POLICY.defaultHold, billed: 0, refunded: 0 }
}

const isOver = ({ state }: Fate) => state !== "queued" && state !== "running"

function ended(fate: Fate, state: string, billed: number): Fate {
  const cancelled = fate.state === "running" && fate.asked
  return { ...fate, state: cancelled ? "cancelled" : state, hold: 0, billed }
}

/** The model's state after an act. Returns the same object if the act must have no effect. */
export function fateAfter(fate: Fate, act: TurnAct): Fate {
  switch (act) {
    case "settle done":
      return fate.state === "running" ? ended(fate, "done", COMMITTED + LAST) : fate
    case "settle failed by us":
      return fate.state === "running" ? ended(fate, "failed", fate.asked ? COMMITTED + LAST : 0) : fate
    case "settle failed by them":
      return fate.state === "running" ? ended(fate, "failed", COMMITTED + LAST) : fate
    case "settle cancelled":
      return fate.state === "running" ? ended(fate, "cancelled", COMMITTED + LAST) : fate
    case "cancel":
      if (fate.state === "queued") return { ...ended(fate, "cancelled", 0), asked: true }
      return fate.state === "running" && !fate.asked ? { ...fate, asked: true } : fate
    case "expire":
      return fate.state === "queued" && fate.old ? { ...ended(fate, "cancelled", 0), asked: true } : fate
    case "sweep what is lost":
      if (fate.state === "running") return ended(fate, "failed", fate.asked ? COMMITTED : 0)
      return fateAfter(fate, "expire")
    case "grow":
      return fate.state === "running" ? { ...fate, hold: fate.hold + GROWN } : fate
    case "refund":
    case "refund again":
      return isOver(fate) && fate.billed > 0 && fate.refunded === 0 ? { ...fate, refunded: fate.billed } : fate
  }
}
