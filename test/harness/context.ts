import { type Context, createContext } from "../../src/actor/context.ts"
import { parseBaseEnv } from "../../src/base/env.ts"
import type { Queue } from "../../src/platform/queue.ts"
import type { Redis } from "../../src/platform/redis.ts"
import { RefusalMemory } from "../../src/platform/refusal-memory.ts"
import { TurnWindows } from "../../src/platform/turn-windows.ts"
import type { World } from "./world.ts"

/**
 * A worker's context on a world's database, for verbs that a test calls directly. `tools` replaces
 * the clock, fetch or the random generator.
 */
export const contextOf = (
  { env, clock }: Pick<World, "env" | "clock">,
  tools: Parameters<typeof createContext>[2] = {},
) => createContext(parseBaseEnv(env), () => {}, { clock, ...tools })

/** A queue that accepts every message and delivers none. */
export const noQueue: Queue = {
  publish: async () => {},
  load: async () => ({ most: 100, now: 0 }),
  requireAccepting: async () => {},
}

/** A context that publishes and logs nothing. No assertion may depend on either. */
export const quietContextOf = (...args: Parameters<typeof contextOf>) => ({
  ...contextOf(...args),
  queue: noQueue,
  log() {},
})

/** A memory that remembers no refusal, so that PostgreSQL decides about each turn. */
export const forgetful = ({ clock, log, background }: Pick<Context, "clock" | "log" | "background">) =>
  new RefusalMemory(
    () => ({ drop: async () => {} }) as unknown as Redis,
    { scopes: new Map(), restsUntil: Number.POSITIVE_INFINITY },
    { clock, log, background },
  )

/** Counters of rates without Redis, for callers that have no rate. */
export const uncounted = ({ clock, log, background }: Pick<Context, "clock" | "log" | "background">) =>
  new TurnWindows(
    () => {
      throw new Error("there is no Redis")
    },
    { until: 0 },
    { clock, log, background },
  )
