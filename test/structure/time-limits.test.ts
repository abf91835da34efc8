import { expect, test } from "vitest"
import { FILE_POLICY } from "../../src/files/policies.ts"
import { BODY_POLICY } from "../../src/http/policies.ts"
import { TIME_LIMITS } from "../../src/platform/time-limits.ts"
import { PROVIDER_POLICY } from "../../src/providers/policies.ts"
import { OIDC_POLICY } from "../../src/sign-in/policies.ts"
import { SWEEP_BUDGET_MS } from "../../src/sweeps.ts"
import { TOOL_POLICY } from "../../src/tools/policies.ts"
import { TURN_POLICY } from "../../src/turns/policies.ts"
import { WEBHOOK_POLICY } from "../../src/webhooks/policies.ts"
import { read, source } from "./source.ts"

const POLICIES: Record<string, Record<string, unknown>> = {
  BODY_POLICY,
  FILE_POLICY,
  OIDC_POLICY,
  PROVIDER_POLICY,
  TOOL_POLICY,
  TURN_POLICY,
  WEBHOOK_POLICY,
}

/** Seconds of a limit, by its name in the table. */
function secondsOf(name: string): number {
  if (name === "SWEEP_BUDGET_MS") return SWEEP_BUDGET_MS / 1000
  const [policy = "", key = ""] = name.includes(".") ? name.split(".") : ["TIME_LIMITS", name]
  const value = Number((policy === "TIME_LIMITS" ? (TIME_LIMITS as Record<string, number>) : POLICIES[policy])?.[key])
  return key.endsWith("Seconds") ? value : value / 1000
}

const rows = [
  ...read("docs/architecture/limits.md").matchAll(
    /^\| [^|]+ \| `([\w.]+)` \| (?:[a-z ]*?)(\d+) s\b[^|]* \| [^|]+ \| `[^`]+` \|$/gm,
  ),
]

test("The page of limits shows the value of each time limit", () => {
  const said = Object.fromEntries(rows.map(([, name, seconds]) => [name, Number(seconds)]))
  expect(rows.length).toBeGreaterThan(15)
  for (const [name, seconds] of Object.entries(said)) expect(seconds, name).toBe(secondsOf(name))
  expect(Object.keys(said)).toEqual(expect.arrayContaining(Object.keys(TIME_LIMITS)))
})

test("Deployed code makes outbound calls from few places, and each has a limit", () => {
  const outside = /(?<![\w.])fetch\(|ctx\s*\.fetch\(|new (?:Upstash\(|Client\(\{ baseUrl)|[^\w]neon\(|\br2\.\w+\(/
  const deployed = source.filter((path) => /^(src|functions)\//.test(path) && !/^src\/(local|reference)\//.test(path))
  expect(deployed.filter((path) => outside.test(read(path)))).toEqual([
    // Forwards the requests of outbound and the engines.
    "src/actor/context.ts",
    "src/callbacks/internal-call.ts",
    "src/ops/bot-webhook.ts",
    "src/ops/models.ts",
    ...["bucket", "db", "email-hook", "outbound", "queue", "redis"].map((name) => `src/platform/${name}.ts`),
    // Forwards calls, one after the other.
    "src/platform/waiting-calls.ts",
    "src/providers/refresh-limits.ts",
    // Reads the static files of its own worker.
    "functions/dashboard.ts",
  ])
})
