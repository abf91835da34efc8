import { globSync, readFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { resolve } from "node:path"
import { cloudflareTest } from "@cloudflare/vitest-plugin"
import { defineConfig } from "vitest/config"
import { sampledFiles } from "./scripts/test-tiers.ts"
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

interface InWorkerd {
  name: string
  include: string[]
  exclude: string[]
  /** What tests may read of their environment. A variable of the command's own wins. */
  bindings: Record<string, string>
}

const VARIABLES = ["SEQUENCES", "FUZZ", "THOROUGH", "SEED", "ROUNDS", "SHARDS"].map((name) => `TURNPIKE_${name}`)

/** Endpoints as deployed: tests run inside workerd, over the stand-ins of harness/global-setup.ts. */
function inWorkerd({ name, include, exclude, bindings }: InWorkerd) {
  const values = Object.fromEntries(VARIABLES.map((key) => [key, process.env[key] ?? bindings[key] ?? ""]))
  return {
    extends: true as const,
    plugins: [
      cloudflareTest({
        wrangler: { configPath: "./wrangler.toml" },
        miniflare: {
          serviceBindings: { NETWORK: { network: { allow: ["public", "private"] } } },
          bindings: values,
        },
      }),
    ],
    test: {
      name,
      globalSetup: ["./test/harness/global-setup.ts"],
      include,
      exclude,
      // One workerd takes file after file, and loads the source once. Each file makes a world of its own.
      isolate: false,
      deps: { optimizer: { ssr: { enabled: true, include: packagesOfWorkers() } } },
    },
  }
}

/** The tiers are in scripts/test-tiers.ts, and CONTRIBUTING.md says which to run when. A file's name says what it needs. */
export default defineConfig({
  test: {
    ...patience,
    setupFiles: ["./test/harness/restore.ts"],
    // Files wait for the stand-ins more than they compute: on two cores, three at once take half the time of one.
    maxWorkers: Math.max(3, availableParallelism()),
    // The SDK writes every publish that a fault plan fails to the console.
    onConsoleLog: (log) => !log.startsWith("[Upstash QStash]"),
    projects: [
      inWorkerd({
        name: "workers",
        include: ["test/**/*.test.ts"],
        exclude: ["test/**/*.{node,system,thorough}.test.ts", "test/structure/**"],
        bindings: { TURNPIKE_SEQUENCES: "10", TURNPIKE_FUZZ: "500" },
      }),
      inWorkerd({
        name: "thorough",
        include: ["test/**/*.thorough.test.ts", ...sampledFiles()],
        exclude: [],
        bindings: { TURNPIKE_SEQUENCES: "2000", TURNPIKE_FUZZ: "8000", TURNPIKE_THOROUGH: "1" },
      }),
      inWorkerd({
        name: "sharded",
        include: [
          "test/quotas/{concurrency,plan-cap}.test.ts",
          "test/quotas/{interleavings,deadlocks,event-races,event-crash,retry-after}.thorough.test.ts",
          "test/turns/{model,races,crash,life}.test.ts",
          "test/turns/crash-{tools,accounts}.thorough.test.ts",
          "test/billing/bookings.test.ts",
          "test/billing/{corruption,twice}.thorough.test.ts",
          "test/v1/idempotency.test.ts",
        ],
        exclude: [],
        // Every account has shards, as a large one that is busy would (test/harness/force-shards.ts).
        bindings: { TURNPIKE_SEQUENCES: "300", TURNPIKE_SHARDS: "1" },
      }),
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
