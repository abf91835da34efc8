import { globSync, readFileSync } from "node:fs"

/** The projects of vitest.config.ts in each tier. Only the files of `sampledFiles` are in two tiers. */
export const TIERS = {
  /** Tests that need only Node. They take seconds. */
  fast: ["node", "structure"],
  /** Tests of every operation and promise. `npm run verify` runs the project `structure`. */
  default: ["node", "workers"],
  /**
   * Tests that take too long for every change: crashes at every moment, large volumes, random sequences, servers,
   * commands.
   */
  thorough: ["thorough", "sharded", "system"],
} as const

export type Tier = keyof typeof TIERS

const SAMPLED = /\b(isThorough|survivesEveryFailure|TURNPIKE_SEQUENCES)\b/

/** Test files that run a small sample in the default tier and all cases in the thorough tier. */
export function sampledFiles(): string[] {
  return globSync("test/**/*.test.ts", { exclude: ["test/**/*.{node,system,thorough}.test.ts"] })
    .filter((file) => SAMPLED.test(readFileSync(file, "utf8")))
    .sort()
}
