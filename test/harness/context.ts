import { createContext } from "../../src/actor/context.ts"
import { parseBaseEnv } from "../../src/base/env.ts"
import type { Queue } from "../../src/platform/queue.ts"
import type { World } from "./world.ts"

/** A worker's context at a world's database, for verbs that a test calls itself. `tools` replace the clock, fetch or random numbers. */
export const contextOf = (
  { env, clock }: Pick<World, "env" | "clock">,
  tools: Parameters<typeof createContext>[2] = {},
) => createContext(parseBaseEnv(env), () => {}, { clock, ...tools })

/** A queue that takes everything and delivers nothing. */
export const noQueue: Queue = {
  publish: async () => {},
}
