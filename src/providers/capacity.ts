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

/** What publishes and reads the capacity of pools may use in addition: Redis, which has it. */
export interface PoolContext extends Context {
  readonly redis: Redis
}

const count = z.int().meta({ example: 1 })

/** What a pool can serve. */
export const capacitySchema = z
  .object({
    accounts: count.meta({ description: "All of them; each counts in one of the six below.", example: 4 }),
    usable: count,
    cooling: count.meta({ description: "Not called now, since their providers asked for it." }),
    suspended: count.meta({
      description: "Their providers have said that they may not serve, or cannot pay.",
      example: 0,
    }),
    needs_login: count,
    contained: count.meta({ description: "A refresh of their credential may have been lost." }),
    disabled: count.meta({ example: 0 }),
    in_flight: z.int().meta({ description: "Turns that its accounts serve now.", example: 7 }),
    recovers_at: z.iso
      .datetime()
      .nullable()
      .meta({ description: "When the first cooling account is tried again; null: none cools." }),
    windows: z
      .array(
        z.object({
          ...windowName,
          accounts: z.int().meta({ description: "Usable accounts of which it is known.", example: 2 }),
          room_pct: z.number().meta({
            description: "What is left of all their windows together, in per cent: their average.",
            example: 65.75,
          }),
          best_room_pct: z.number().meta({ description: "What the one with the most has left.", example: 88 }),
          next_reset_at: z.iso.datetime().nullable().meta({ description: "When the first of them begins anew." }),
        }),
      )
      .meta({ description: "What usable accounts have left of each window." }),
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

/** What was read later stays: of two who publish, the slower one has the older picture. ARGV: the life, then pairs of reading and text. */
const PUBLISH = `
for i, key in ipairs(KEYS) do
  local was = redis.call('GET', key)
  if not was or tonumber(string.match(was, '^%d+')) <= tonumber(ARGV[2 * i]) then
    redis.call('SET', key, ARGV[2 * i] .. ' ' .. ARGV[2 * i + 1], 'PX', ARGV[1])
  end
end
return 0`

/** Publishes what each pool can serve: one statement, and one call of Redis. */
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

/** The same behind an answer. When it fails, the sweep publishes it within a minute. */
export function publishSoon(ctx: PoolContext): void {
  const published = publishCapacity(ctx).catch((error: unknown) => {
    ctx.log("error", "capacity.publish_failed", { error: describeError(error) })
  })
  ctx.background(published)
}

export const poolsSchema = z
  .object({
    available: z.boolean().meta({ description: "Whether the capacity of both pools is known.", example: true }),
    pools: z
      .array(
        z.object({
          pool: poolSchema,
          available: z
            .boolean()
            .meta({ description: "False: nothing was published in the last minutes.", example: true }),
          published_at: z.iso.datetime().nullable(),
          capacity: capacitySchema.nullable(),
        }),
      )
      .meta({ description: "Both pools." }),
  })
  .meta({ id: "Pools" })

/** What both pools can serve, as it was published last, for admins. */
export async function readPools(ctx: PoolContext, credential: SessionCredential) {
  await readAs(ctx, credential, (db) => db.selectFrom("caller").select("caller.user_id"), { role: "admin" })
  const pools = await Promise.all(POOLS.map((name) => publishedOf(ctx, name)))
  return { available: pools.every(({ available }) => available), pools }
}

async function publishedOf(ctx: PoolContext, name: Pool) {
  const text = await ctx.redis.get(keyOf(name))
  if (text === null) return { pool: name, available: false, published_at: null, capacity: null }
  const { published_at, capacity } = publishedSchema.parse(JSON.parse(text.slice(text.indexOf(" ") + 1)))
  return { pool: name, available: true, published_at, capacity }
}
