import { createContext } from "../../src/context.ts"
import { parseBaseEnv } from "../../src/env.ts"
import type { AuthContext } from "../../src/identity/auth-context.ts"
import { createRedis } from "../../src/platform/redis.ts"
import type { World } from "./world.ts"

/** A context with Redis, as the auth worker makes it, for verbs that no operation shows yet. */
export function authContextOf({ env, clock }: Pick<World, "env" | "clock">, address?: string): AuthContext {
  const parsed = parseBaseEnv(env)
  const ctx = createContext(parsed, () => {}, { clock, address })
  return { ...ctx, redis: createRedis(parsed, ctx.meter) }
}
