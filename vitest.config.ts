import { availableParallelism } from "node:os"
import { cloudflareTest } from "@cloudflare/vitest-plugin"
import { defineConfig } from "vitest/config"

const patience = { testTimeout: 600_000, hookTimeout: 60_000 }

/** Tests of endpoints run inside workerd; those named *.node.test.ts need Node itself; structure is what verify runs. */
export default defineConfig({
  test: {
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
              bindings: {
                TURNPIKE_SEQUENCES: process.env.TURNPIKE_SEQUENCES ?? "150",
                TURNPIKE_THOROUGH: process.env.TURNPIKE_THOROUGH ?? "",
                TURNPIKE_FUZZ: process.env.TURNPIKE_FUZZ ?? "1000",
                TURNPIKE_SEED: process.env.TURNPIKE_SEED ?? "",
                TURNPIKE_ROUNDS: process.env.TURNPIKE_ROUNDS ?? "",
              },
            },
          }),
        ],
        test: {
          ...patience,
          name: "workers",
          globalSetup: ["./test/harness/global-setup.ts"],
          include: ["test/**/*.test.ts"],
          exclude: ["test/**/*.node.test.ts", "test/structure/**"],
        },
      },
      { extends: true, test: { ...patience, name: "node", include: ["test/**/*.node.test.ts"] } },
      {
        extends: true,
        test: {
          ...patience,
          name: "structure",
          include: ["test/structure/*.test.ts"],
          exclude: ["test/structure/*.node.test.ts"],
        },
      },
    ],
  },
})
