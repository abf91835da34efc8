import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { toInstant } from "../base/time.ts"
import { callOne } from "../platform/db.ts"
import { describeError } from "../platform/log.ts"
import type { Answers } from "../platform/procedures.ts"
import type { Redis } from "../platform/redis.ts"
import { PROVIDER_POLICY } from "./policies.ts"
import { type Pool, poolSchema, type Resource, windowName } from "./provider-row.ts"

/** The context of code that publishes or reads the capacity of pools. Redis holds it. */
export interface PoolContext extends Context {
  readonly redis: Redis
}

const count = z.int().meta({ example: 1 })

/** The capacity of a pool. */
export const capacitySchema = z
  .object({
    accounts: count.meta({
      description: "All accounts of the pool. Each is in exactly one of the six states below.",
      example: 4,
    }),
    usable: count,
    cooling: count.meta({
      description: "Accounts that are not called at the moment, because their providers limited them.",
    }),
    suspended: count.meta({
      description: "Accounts that their providers barred or refused for lack of credit.",
      example: 0,
    }),
    needs_login: count,
    contained: count.meta({ description: "Accounts whose refreshed credential may have been lost." }),
    disabled: count.meta({ example: 0 }),
    in_flight: z.int().meta({ description: "Turns that the accounts serve at the moment.", example: 7 }),
    recovers_at: z.iso
      .datetime()
      .nullable()
      .meta({ description: "When the first cooling account is tried again. Null if none cools." }),
    windows: z
      .array(
        z.object({
          ...windowName,
          accounts: z.int().meta({ description: "Usable accounts whose use of this window is known.", example: 2 }),
          room_pct: z.number().meta({
            description: "The average room left in their windows, in per cent.",
            example: 65.75,
          }),
          best_room_pct: z
            .number()
            .meta({ description: "The room left of the account with the most, in per cent.", example: 88 }),
          next_reset_at: z.iso
            .datetime()
            .nullable()
            .meta({ description: "When the first of these windows resets. Null if not known." }),
        }),
      )
      .meta({ description: "The room that usable accounts have left in each window." }),
  })
  .meta({ id: "PoolCapacity" })

type Capacity = z.infer<typeof capacitySchema>

export const serializeCapacity = ({
  pool: _pool,
  read_at: _at,
  recovers_at,
  windows,
  ...counts
}: Answers["pool_answer"]): Capacity => ({
  ...counts,
  recovers_at: toInstant(recovers_at),
  windows: windows.map(({ resource, next_reset_at, ...window }) => ({
    ...window,
    resource: resource as Resource,
    next_reset_at: toInstant(next_reset_at),
  })),
})

const publishedSchema = z.object({ published_at: z.iso.datetime(), capacity: capacitySchema })

const POOLS: Pool[] = ["main", "alt-pool"]
const keyOf = (pool: string) => `capacity:${pool}`

/**
 * The reading with the newer clock wins, since a slower publisher has an older one. ARGV: lifetime
 * in ms, then pairs of clock and text.
 */
const PUBLISH = `
for i, key in ipairs(KEYS) do
  local was = redis.call('GET', key)
  if not was or tonumber(string.match(was, '^%d+')) <= tonumber(ARGV[2 * i]) then
    redis.call('SET', key, ARGV[2 * i] .. ' ' .. ARGV[2 * i + 1], 'PX', ARGV[1])
  end
end
return 0`

/** Publishes the capacity of each pool with one database statement and one Redis call. */
export async function publishCapacity(ctx: PoolContext): Promise<{ pools: number }> {
  const now = ctx.clock.now()
  const { pool_capacity } = await callOne(ctx.db, "pool_capacity", { moment: now })
  const pools = pool_capacity ?? []
  const texts = pools.flatMap((row) => [
    row.read_at,
    JSON.stringify({ published_at: now.toISOString(), capacity: serializeCapacity(row) }),
  ])
  const keys = pools.map(({ pool }) => keyOf(pool))
  await ctx.redis.run(PUBLISH, keys, [PROVIDER_POLICY.publishedMs, ...texts])
  return { pools: pools.length }
}

/** Publishes the capacity each minute. It counts nothing for the log. */
export async function sweepCapacity(ctx: PoolContext): Promise<object> {
  await publishCapacity(ctx)
  return {}
}

/** Publishes the capacity after the response is sent. If that fails, the sweep publishes it within a minute. */
export function publishSoon(ctx: PoolContext): void {
  const published = publishCapacity(ctx).catch((error: unknown) => {
    ctx.log("error", "capacity.publish_failed", { error: describeError(error) })
  })
  ctx.background(published)
}

export const poolsSchema = z
  .object({
    available: z.boolean().meta({ description: "True if the capacity of both pools is known.", example: true }),
    pools: z
      .array(
        z.object({
          pool: poolSchema,
          available: z.boolean().meta({ description: "False if nothing was published recently.", example: true }),
          published_at: z.iso.datetime().nullable(),
          capacity: capacitySchema.nullable(),
        }),
      )
      .meta({ description: "Both pools." }),
  })
  .meta({ id: "Pools" })

/** Reads the last published capacity of both pools, for admins. */
export async function readPools(ctx: PoolContext, credential: SessionCredential) {
  await readAs(ctx, credential, (db) => db.selectFrom("caller").select("caller.user_id"), { role: "admin" })
  const read = () => Promise.all(POOLS.map((name) => publishedOf(ctx, name)))
  let pools = await read()
  // A cron that sleeps publishes nothing.
  if (ctx.cron && pools.some(({ available }) => !available)) {
    await publishCapacity(ctx)
    pools = await read()
  }
  return { available: pools.every(({ available }) => available), pools }
}

async function publishedOf(ctx: PoolContext, name: Pool) {
  const text = await ctx.redis.get(keyOf(name))
  if (text === null) return { pool: name, available: false, published_at: null, capacity: null }
  const { published_at, capacity } = publishedSchema.parse(JSON.parse(text.slice(text.indexOf(" ") + 1)))
  return { pool: name, available: true, published_at, capacity }
}
