import { globSync, readFileSync } from "node:fs"
import type { PackageFolder } from "./own-packages.ts"

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

/** The folders whose packages a tier needs besides those of the root. */
export const PACKAGES_OF_TIERS: Record<Tier, readonly PackageFolder[]> = {
  fast: ["scripts"],
  default: [],
  thorough: ["scripts", "generators"],
}

const SAMPLED = /\b(isThorough|survivesEveryFailure|TURNPIKE_SEQUENCES)\b/

/** Test files that run a small sample in the default tier and all cases in the thorough tier. */
export function sampledFiles(): string[] {
  return globSync("test/**/*.test.ts", { exclude: ["test/**/*.{node,system,thorough}.test.ts"] })
    .filter((file) => SAMPLED.test(readFileSync(file, "utf8")))
    .sort()
}
