import { globSync, readFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { resolve } from "node:path"
import { cloudflareTest } from "@cloudflare/vitest-plugin"
import { defineConfig } from "vitest/config"
import { CLIENT_PACKAGE } from "./client/src/names.ts"
import { sampledFiles } from "./scripts/test-tiers.ts"
import { ownRun } from "./test/harness/run-directory.ts"

// Tests start commands and servers as Node programs many times. The cache saves compiling their source each time.
process.env.NODE_COMPILE_CACHE ??= resolve("node_modules/.cache/compiled")

await ownRun()

/** Long time limits, so that no test fails because the machine is slow. They only end tests that hang. */
const patience = { testTimeout: 1_200_000, hookTimeout: 600_000, expect: { poll: { timeout: 60_000 } } }

/**
 * The packages that the deployed source imports. Each is bundled once to one file, instead of loading hundreds of
 * files.
 */
function packagesOfWorkers(): string[] {
  const deployed = globSync("src/**/*.ts").filter((file) => !/^src.(client|local|ops|reference)\b/.test(file))
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
  /** The variables that tests can read. Variables of the command's environment take precedence. */
  bindings: Record<string, string>
}

const VARIABLES = ["SEQUENCES", "FUZZ", "THOROUGH", "PART", "SEED", "ROUNDS", "SHARDS"].map(
  (name) => `TURNPIKE_${name}`,
)

/** A project whose tests run inside workerd, with the stand-ins of test/harness/global-setup.ts. */
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
      globalSetup: ["./test/harness/global-setup.ts", "./test/harness/every-success.ts"],
      include,
      exclude,
      // One workerd runs the files one after the other and loads the source once. Each file creates its own world.
      isolate: false,
      deps: { optimizer: { ssr: { enabled: true, include: packagesOfWorkers() } } },
    },
  }
}

/**
 * scripts/test-tiers.ts has the tiers, and CONTRIBUTING.md says when to run each. A file's name decides its project.
 */
export default defineConfig({
  // The workspace is not built.
  resolve: { alias: { [CLIENT_PACKAGE]: resolve("client/src/index.ts") } },
  test: {
    ...patience,
    setupFiles: ["./test/harness/restore.ts"],
    // Test files mostly wait for the stand-ins. On two cores, three at once take half the time of one.
    maxWorkers: Math.max(3, availableParallelism()),
    // Hides the messages of the QStash SDK about publishes that fault plans let fail.
    onConsoleLog: (log) => !log.startsWith("[Upstash QStash]"),
    projects: [
      inWorkerd({
        name: "workers",
        include: ["test/**/*.test.ts"],
        exclude: ["test/**/*.{node,system,thorough}.test.ts", "test/structure/**"],
        bindings: { TURNPIKE_SEQUENCES: "6", TURNPIKE_FUZZ: "500" },
      }),
      inWorkerd({
        name: "thorough",
        include: ["test/**/*.thorough.test.ts", ...sampledFiles()],
        exclude: [],
        bindings: { TURNPIKE_SEQUENCES: "500", TURNPIKE_FUZZ: "4000", TURNPIKE_THOROUGH: "1" },
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
        // Every account has shards, like a large and busy one (test/harness/force-shards.ts).
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
