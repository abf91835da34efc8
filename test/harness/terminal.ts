import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import { runProgram as runCommandLine } from "../../client/cli/program.ts"
import type { Terminal } from "../../client/cli/terminal.ts"
import type { Runtime } from "../../client/src/runtime.ts"

interface Spoken {
  code: number
  out: string
  err: string
}

/** An environment with a key and an address. */
export const COMMAND_ACCESS = {
  TURNPIKE_API_KEY: `turnpike_live_${"k".repeat(38)}`,
  TURNPIKE_BASE_URL: "https://api.turnpike.test",
}

/** An error as the service sends it. */
export const errorResponse = (status: number, code: string, more: object = {}) =>
  Response.json({ error: { code, message: "It is so.", retryable: false, request_id: "req_1", ...more } }, { status })

/** A clock that jumps over every wait. Time limits, which are longer, never fire. */
export function jumpingClock(): Runtime {
  let now = Date.UTC(2026, 0, 15)
  return {
    now: () => now,
    random: () => 0.5,
    after(ms, done) {
      if (ms < 15_000) {
        now += ms
        setImmediate(done)
      }
      return () => {}
    },
  }
}

/** Runs commands of the command line in this process, in a folder and with an environment of their own. */
export async function openTerminal(overrides: Partial<Terminal> = {}) {
  const cwd = await mkdtemp(join(tmpdir(), "turnpike-cli-"))
  onTestFinished(() => rm(cwd, { recursive: true, force: true }))
  const interrupted = new AbortController()
  const said = { out: "", err: "" }
  const terminal: Terminal = {
    env: { TURNPIKE_CONFIG: join(cwd, "config.json") },
    cwd,
    home: cwd,
    out(text) {
      said.out += text
    },
    err(text) {
      said.err += text
    },
    isTerminal: { in: true, out: false, err: false },
    readInput: async () => "",
    ask: async () => "",
    fetch: async () => Response.json({}, { status: 500 }),
    runtime: jumpingClock(),
    signal: interrupted.signal,
    ...overrides,
  }
  const run = async (...args: string[]): Promise<Spoken> => {
    said.out = ""
    said.err = ""
    return { code: await runCommandLine(args, terminal), ...said }
  }
  return { cwd, terminal, said, run, interrupt: () => interrupted.abort() }
}
