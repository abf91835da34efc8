import { globSync, readFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { resolve } from "node:path"
import { cloudflareTest } from "@cloudflare/vitest-plugin"
import { defineConfig } from "vitest/config"
import { ownRun } from "./test/harness/run-directory.ts"

// Commands and servers of tests are Node programs, started again and again: each finds its source compiled.
process.env.NODE_COMPILE_CACHE ??= resolve("node_modules/.cache/compiled")

await ownRun()

/** No test is over because the machine is slow: these bounds are for what hangs. */
const patience = { testTimeout: 600_000, hookTimeout: 600_000, expect: { poll: { timeout: 60_000 } } }

/** What the deployed source takes from packages. The tests of workers get each as one file, bundled once, instead of as hundreds. */
function packagesOfWorkers(): string[] {
  const deployed = globSync("src/**/*.ts").filter((file) => !/^src.(client|local|ops)\b/.test(file))
  const text = deployed.map((file) => readFileSync(file, "utf8")).join("\n")
  const names = [...text.matchAll(/^(?:import|export) (?!type )[^"=]* from "([@a-z][^":]*)"$/gm)].map(
    ([, name]) => name as string,
  )
  return [...new Set(names)].sort()
}

/**
 * Four kinds, by name: `*.node.test.ts` and structure/ need Node alone (the fast tier); `*.system.test.ts` start servers, builds or
 * commands of their own; all others are of endpoints and run inside workerd, over the stand-ins of harness/global-setup.ts.
 */
export default defineConfig({
  test: {
    ...patience,
    setupFiles: ["./test/harness/restore.ts"],
    // Files wait for the stand-ins more than they compute: on two cores, three at once take half the time of one.
    maxWorkers: Math.max(3, availableParallelism()),
    // The SDK writes every publish that a fault plan fails to the console.
    onConsoleLog: (log) => !log.startsWith("[Upstash QStash]"),
    projects: [
      {
        extends: true,
        plugins: [
          cloudflareTest({
            wrangler: { configPath: "./wrangler.toml" },
            miniflare: {
              serviceBindings: { NETWORK: { network: { allow: ["public", "private"] } } },
              bindings: {
                TURNPIKE_SEQUENCES: process.env.TURNPIKE_SEQUENCES ?? "50",
                TURNPIKE_THOROUGH: process.env.TURNPIKE_THOROUGH ?? "",
                TURNPIKE_FUZZ: process.env.TURNPIKE_FUZZ ?? "500",
                TURNPIKE_SEED: process.env.TURNPIKE_SEED ?? "",
                TURNPIKE_ROUNDS: process.env.TURNPIKE_ROUNDS ?? "",
                // Every account has shards, as a large one that is busy would (test/harness/force-shards.ts).
                TURNPIKE_SHARDS: process.env.TURNPIKE_SHARDS ?? "",
              },
            },
          }),
        ],
        test: {
          name: "workers",
          globalSetup: ["./test/harness/global-setup.ts"],
          include: ["test/**/*.test.ts"],
          exclude: ["test/**/*.{node,system}.test.ts", "test/structure/**"],
          // One workerd takes file after file, and loads the source once. Each file makes a world of its own.
          isolate: false,
          deps: { optimizer: { ssr: { enabled: true, include: packagesOfWorkers() } } },
        },
      },
      { extends: true, test: { name: "node", include: ["test/**/*.node.test.ts"], isolate: false } },
      { extends: true, test: { name: "system", include: ["test/**/*.system.test.ts"] } },
      {
        extends: true,
        test: {
          name: "structure",
          isolate: false,
          include: ["test/structure/*.test.ts"],
          exclude: ["test/**/*.system.test.ts"],
        },
      },
    ],
  },
})
