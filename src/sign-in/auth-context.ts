import type { Context } from "../actor/context.ts"
import type { Redis } from "../platform/redis.ts"

/** What the groups that sign users in may use beside the rest: one-time tokens and throttles are in Redis. */
export interface AuthContext extends Context {
  readonly redis: Redis
}
