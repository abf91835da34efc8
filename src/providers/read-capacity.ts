import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { toUsd } from "../base/money.ts"
import type { Answers } from "../platform/procedures.ts"
import { PROVIDER_POLICY } from "./policies.ts"
import { type Pool, type Resource, windowName } from "./provider-row.ts"

const subscriptionId = z.string().meta({ description: "The account's `provider_id`.", example: "team-one" })

const pointSchema = z.object({
  subscription_id: subscriptionId,
  ...windowName,
  used_pct: z.number().meta({ example: 37.5 }),
  reset_at: z.iso
    .datetime()
    .nullable()
    .meta({ description: "When it began anew, as the provider had said; null: not said." }),
  taken_at: z.iso.datetime(),
})

const spendSchema = z.object({
  subscription_id: subscriptionId,
  starts_at: z.iso.datetime().meta({ description: "The hour, or the day." }),
  model_calls: z.int().meta({ example: 12 }),
  cost_usd: z.number().meta({ description: "At the catalog's prices.", example: 0.41 }),
  billed_usd: z.number().meta({ description: "What customers were billed for them.", example: 0.41 }),
})

export const capacityReportSchema = z
  .object({
    hours: z.int().meta({ example: 72 }),
    provider: z.enum(["main", "alt-pool"]).nullable().meta({ description: "Null: both pools.", example: null }),
    from: z.iso.datetime(),
    to: z.iso.datetime(),
    thinned: z
      .boolean()
      .meta({ description: `Whether there are more than ${PROVIDER_POLICY.points} snapshots.`, example: false }),
    point_seconds: z.int().nullable().meta({
      description:
        "When thinned: of each step of so many seconds the newest snapshot of a window is shown, as it was. Else null.",
      example: null,
    }),
    snapshots: z.array(pointSchema).meta({ description: "By account and window, the oldest first." }),
    spend_seconds: z.int().meta({
      description: `3600; 86400 when there are more than ${PROVIDER_POLICY.spendRows} hours with calls.`,
      example: 3_600,
    }),
    spend: z.array(spendSchema).meta({
      description:
        "What the accounts of these snapshots served, by the hour in UTC in which turns ended, the oldest first, from the whole hour in which " +
        "`from` is. Hours without calls are left out. Live calls only.",
    }),
  })
  .meta({ id: "CapacityReport" })

export type CapacityReport = z.infer<typeof capacityReportSchema>
export type CapacityPoint = z.infer<typeof pointSchema>
export type CapacitySpend = z.infer<typeof spendSchema>

type SpendPart = Answers["spend_part"]

/** A null in `reset`: the provider told none. */
type WindowSeries = Omit<Answers["window_series"], "reset"> & { reset: (number | null)[] }

const instant = (seconds: number) => new Date(Math.round(seconds * 1000)).toISOString()

/** The snapshots of the last hours, with what their accounts served, for admins: of one pool, or of both (null). */
export async function readCapacity(
  ctx: Context,
  credential: SessionCredential,
  { hours, provider }: { hours: number; provider: Pool | null },
): Promise<CapacityReport> {
  const { points, thinnedPoints, spendRows } = PROVIDER_POLICY
  const now = ctx.clock.now()
  const { row } = await callAs(ctx, credential, "read_capacity", {
    hours,
    pools: provider === null ? ["main", "alt-pool"] : [provider],
    most: points,
    thinned: thinnedPoints,
    spend: spendRows,
  })
  return {
    hours,
    provider,
    from: new Date(now.getTime() - hours * 3_600_000).toISOString(),
    to: now.toISOString(),
    thinned: row.point_seconds !== null,
    point_seconds: row.point_seconds,
    snapshots: (row.windows ?? []).flatMap(pointsOf),
    spend_seconds: row.spend_seconds ?? 3_600,
    spend: spendOf(row.spend ?? [], row.queued ?? []),
  }
}

function pointsOf({ provider_id, window_seconds, used, reset, taken, ...window }: WindowSeries): CapacityPoint[] {
  const resource = window.resource as Resource
  return taken.map((at, index) => {
    const end = reset[index] ?? null
    const used_pct = used[index] ?? 0
    const reset_at = end === null ? null : instant(end)
    return { subscription_id: provider_id, resource, window_seconds, used_pct, reset_at, taken_at: instant(at) }
  })
}

/** What is in sums, and what is in none yet. */
function spendOf(summed: Answers["spend_series"][], queued: SpendPart[]): CapacitySpend[] {
  const byHour = new Map<string, SpendPart>()
  const add = (row: SpendPart) => {
    const key = `${row.subscription_id} ${row.begins}`
    const was = byHour.get(key)
    if (!was) byHour.set(key, { ...row })
    else {
      was.model_calls += row.model_calls
      was.cost += row.cost
      was.billed += row.billed
    }
  }
  for (const { subscription_id, begins, model_calls, cost, billed } of summed) {
    begins.forEach((at, index) => {
      const of = (values: number[]) => values[index] ?? 0
      add({ subscription_id, begins: at, model_calls: of(model_calls), cost: of(cost), billed: of(billed) })
    })
  }
  queued.forEach(add)
  return [...byHour.values()]
    .sort((a, b) => a.begins - b.begins || (a.subscription_id < b.subscription_id ? -1 : 1))
    .map(({ subscription_id, begins, model_calls, cost, billed }) => {
      return {
        subscription_id,
        starts_at: instant(begins),
        model_calls,
        cost_usd: toUsd(cost),
        billed_usd: toUsd(billed),
      }
    })
}
