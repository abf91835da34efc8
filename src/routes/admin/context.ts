import type { Context as HonoContext } from "hono"
import { parseBaseEnv } from "../../base/env.ts"
import type { AppEnv } from "../../http/app-env.ts"
import { createRedis } from "../../platform/redis.ts"
import type { PoolContext } from "../../providers/capacity.ts"

/** What the verbs of accounts at providers take: the invocation's context, and Redis. */
export function poolContext(c: HonoContext<AppEnv>): PoolContext {
  const ctx = c.get("ctx")
  return { ...ctx, redis: createRedis(parseBaseEnv(c.env), ctx.meter) }
}
