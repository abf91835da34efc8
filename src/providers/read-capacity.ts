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
  used_pct: z.number().meta({ description: "How much of the window was used, in per cent.", example: 37.5 }),
  reset_at: z.iso
    .datetime()
    .nullable()
    .meta({ description: "The end of the window, as the provider had reported it. Null: not reported." }),
  taken_at: z.iso.datetime(),
})

const spendSchema = z.object({
  subscription_id: subscriptionId,
  starts_at: z.iso.datetime().meta({ description: "The start of the hour or day." }),
  model_calls: z.int().meta({ example: 12 }),
  cost_usd: z.number().meta({ description: "The cost for us, at the provider's prices, in USD.", example: 0.41 }),
  billed_usd: z
    .number()
    .meta({ description: "The amount that accounts were billed for these calls, in USD.", example: 0.41 }),
})

export const capacityReportSchema = z
  .object({
    hours: z.int().meta({ example: 72 }),
    provider: z
      .enum(["main", "alt-pool"])
      .nullable()
      .meta({ description: "The pool of the accounts. Null: both pools.", example: null }),
    from: z.iso.datetime(),
    to: z.iso.datetime(),
    thinned: z.boolean().meta({
      description: `True if there are more than ${PROVIDER_POLICY.points} snapshots, so that only some are shown.`,
      example: false,
    }),
    point_seconds: z.int().nullable().meta({
      description:
        "The length of a step in seconds, if thinned: only the newest snapshot of each window and step is shown. Otherwise null.",
      example: null,
    }),
    snapshots: z.array(pointSchema).meta({ description: "The snapshots, by account and window, the oldest first." }),
    spend_seconds: z.int().meta({
      description: `The length of each period in \`spend\`: 3600, or 86400 if more than ${PROVIDER_POLICY.spendRows} hours have calls.`,
      example: 3_600,
    }),
    spend: z.array(spendSchema).meta({
      description:
        "The live calls of the accounts in `snapshots`, by the hour or day (UTC) in which their turns ended, the oldest first. It begins " +
        "with the whole hour or day that contains `from`. Periods without calls are left out.",
    }),
  })
  .meta({ id: "CapacityReport" })

export type CapacityReport = z.infer<typeof capacityReportSchema>
export type CapacityPoint = z.infer<typeof pointSchema>
export type CapacitySpend = z.infer<typeof spendSchema>

type SpendPart = Answers["spend_part"]

/** An element of `reset` is null if the provider reported no reset. */
type WindowSeries = Omit<Answers["window_series"], "reset"> & { reset: (number | null)[] }

const instant = (seconds: number) => new Date(Math.round(seconds * 1000)).toISOString()

/**
 * Reads the snapshots of the last hours and the usage of their accounts, for admins.
 * `provider`: one pool, or null for both.
 */
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

/** Adds the calls that are not in a sum yet to the sums. */
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
