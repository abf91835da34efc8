import { cloudflareTest } from "@cloudflare/vitest-plugin"
import { defineConfig } from "vitest/config"

/** Tests of endpoints run inside workerd; those named *.node.test.ts need Node itself. */
export default defineConfig({
  test: {
    // The SDK writes every publish that a fault plan fails to the console.
    onConsoleLog: (log) => !log.startsWith("[Upstash QStash]"),
    globalSetup: ["./test/harness/global-setup.ts"],
    projects: [
      {
        extends: true,
        plugins: [
          cloudflareTest({
            wrangler: { configPath: "./wrangler.toml" },
            miniflare: { bindings: { TURNPIKE_SEQUENCES: process.env.TURNPIKE_SEQUENCES ?? "500" } },
          }),
        ],
        test: {
          name: "workers",
          include: ["test/**/*.test.ts"],
          exclude: ["test/**/*.node.test.ts"],
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: { name: "node", include: ["test/**/*.node.test.ts"], testTimeout: 120_000, hookTimeout: 60_000 },
      },
    ],
  },
})
