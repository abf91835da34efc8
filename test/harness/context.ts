import { createContext } from "../../src/actor/context.ts"
import { parseBaseEnv } from "../../src/base/env.ts"
import type { Queue } from "../../src/platform/queue.ts"
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
