import type { Context } from "../actor/context.ts"
import type { Redis } from "../platform/redis.ts"

/** The context of routes that sign users in. Redis holds one-time tokens and throttles. */
export interface AuthContext extends Context {
  readonly redis: Redis
}
