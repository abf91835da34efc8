import type { Context } from "../actor/context.ts"
import type { Redis } from "../platform/redis.ts"

/** What the groups that sign users in may use in addition: Redis, for one-time tokens and throttles. */
export interface AuthContext extends Context {
  readonly redis: Redis
}
