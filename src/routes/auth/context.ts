import type { Context as HonoContext } from "hono"
import { parseBaseEnv } from "../../env.ts"
import type { AppEnv } from "../../http/app-env.ts"
import type { AuthContext } from "../../identity/auth-context.ts"
import { createRedis } from "../../platform/redis.ts"

/** What the verbs of signing in take: the invocation's context, and Redis. */
export function authContext(c: HonoContext<AppEnv>): AuthContext {
  const ctx = c.get("ctx")
  return { ...ctx, redis: createRedis(parseBaseEnv(c.env), ctx.meter) }
}
