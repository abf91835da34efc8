import { globSync, readFileSync } from "node:fs"

/** The projects of vitest.config.ts that each tier runs. No test file is in two tiers, but for those of `sampledFiles`. */
export const TIERS = {
  /** Node alone, in seconds. */
  fast: ["node", "structure"],
  /** Every operation and every promise once. `npm run verify` checks the structure. */
  default: ["node", "workers"],
  /** What is too long for every change: all moments of a crash, large volumes, long random sequences, servers and commands. */
  thorough: ["thorough", "sharded", "system"],
} as const

export type Tier = keyof typeof TIERS

const SAMPLED = /\b(isThorough|survivesEveryFailure|TURNPIKE_SEQUENCES)\b/

/** Test files that take a small sample in the default tier and all of it in the thorough one. */
export function sampledFiles(): string[] {
  return globSync("test/**/*.test.ts", { exclude: ["test/**/*.{node,system,thorough}.test.ts"] })
    .filter((file) => SAMPLED.test(readFileSync(file, "utf8")))
    .sort()
}
