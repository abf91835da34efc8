import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { access, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { parseEnv } from "node:util"
import { afterEach, beforeEach, expect, test } from "vitest"
import { freePort } from "../../src/local/postgres.ts"

/** What would make it another stack than a newcomer's. */
const FOREIGN = /^(DATABASE_URL|REDIS_URL|ANTHROPIC_.*|OPENAI_.*|TURNPIKE_.*)$/

let dir: string
let child: ChildProcess | undefined
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "turnpike-stack-"))
})
afterEach(async () => {
  child?.kill("SIGKILL")
  await rm(dir, { recursive: true, force: true, maxRetries: 5 })
})

/** `npm run stack` in a folder of its own: its exit, its output, and when that says that it is ready. */
function runStack(port: number) {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !FOREIGN.test(name)))
  const args = [resolve("src/local/start-stack.ts"), "--port", String(port), "--data", join(dir, "data")]
  const own = spawn("node", args, { cwd: dir, env })
  child = own
  const output = { text: "" }
  const ended = once(own, "exit").then(([code]) => code as number)
  const ready = new Promise<void>((done) => {
    for (const stream of [own.stdout, own.stderr]) {
      stream.on("data", (chunk: Buffer) => {
        output.text += chunk
        // Its last line: what it says comes in several pieces.
        if (/\] ready\.$[\s\S]+^Ctrl-C ends it/m.test(output.text)) done()
      })
    }
  })
  return { own, output, ended, ready: Promise.race([ready, ended]) }
}

test("`npm run stack` leaves a worker all it needs in .dev.vars, and takes that away when it ends", async () => {
  const port = await freePort()
  const { own, output, ended, ready } = runStack(port)
  await ready
  expect(output.text).toContain(`npx wrangler dev --port ${port}`)
  const vars = parseEnv(await readFile(join(dir, ".dev.vars"), "utf8"))
  expect(vars).toMatchObject({ CALLBACKS_URL: `http://127.0.0.1:${port}`, ALLOW_PRIVATE_TARGETS: "1" })
  const answer = await fetch(vars.DATABASE_HTTP_URL as string, {
    method: "POST",
    headers: { "neon-connection-string": vars.DATABASE_URL as string },
    body: JSON.stringify({ query: "select count(*)::int as keys from api_keys", params: [] }),
  })
  expect(JSON.stringify(await answer.json())).toContain('"2"')
  own.kill("SIGINT")
  expect(await ended).toBe(0)
  await expect(access(join(dir, ".dev.vars"))).rejects.toThrow("ENOENT")
})

test("`npm run stack` starts nothing over a .dev.vars that somebody wrote", async () => {
  await writeFile(join(dir, ".dev.vars"), "MINE=1\n")
  const { output, ended } = runStack(await freePort())
  expect(await ended).toBe(1)
  expect(output.text).toMatch(/^\s*\.dev\.vars was written by hand, and is left alone\. [^\n]+\n$/)
  expect(await readFile(join(dir, ".dev.vars"), "utf8")).toBe("MINE=1\n")
})
