import { homedir } from "node:os"
import { createInterface } from "node:readline"
import { Writable } from "node:stream"
import { text } from "node:stream/consumers"
import { systemRuntime } from "../src/runtime.ts"
import { runProgram } from "./program.ts"

const PARENT_LOOK_MS = 500
const { stdin, stdout, stderr, env } = process
const interrupted = new AbortController()
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => {
    // A second signal ends a command that does not end by itself.
    if (interrupted.signal.aborted) process.exit(130)
    interrupted.abort()
  })
}
// Signals do not pass through npx, so without this its command would continue. `ppid` changes with the parent.
const parent = process.ppid
if (env.npm_lifecycle_event !== undefined)
  setInterval(() => process.ppid !== parent && interrupted.abort(), PARENT_LOOK_MS).unref()
// A reader such as `head` has seen enough.
stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1))

function ask(question: string, { hidden = false } = {}): Promise<string> {
  stderr.write(question)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: stdin, output: hidden ? silent : stderr, terminal: true })
  return new Promise((resolve, reject) => {
    lines.once("line", (line) => {
      lines.close()
      if (hidden) stderr.write("\n")
      resolve(line.trim())
    })
    lines.once("SIGINT", () => {
      interrupted.abort()
      lines.close()
      reject(interrupted.signal.reason)
    })
  })
}

process.exitCode = await runProgram(process.argv.slice(2), {
  env,
  cwd: process.cwd(),
  home: homedir(),
  out: (line) => void stdout.write(line),
  err: (line) => void stderr.write(line),
  isTerminal: { in: stdin.isTTY === true, out: stdout.isTTY === true, err: stderr.isTTY === true },
  readInput: () => text(stdin),
  ask,
  fetch: (url, init) => globalThis.fetch(url, init),
  runtime: systemRuntime,
  signal: interrupted.signal,
})
