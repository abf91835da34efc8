import { spawn } from "node:child_process"
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { freePort } from "../../src/local/postgres.ts"
import { endWithUs } from "../../src/local/watchdog.ts"
import { npmStart } from "../harness/npm-start.ts"
import { installPackedClient } from "../harness/packed-client.ts"

let service: Awaited<ReturnType<typeof npmStart>>
let client: Awaited<ReturnType<typeof installPackedClient>>

beforeAll(async () => {
  ;[service, client] = await Promise.all([npmStart(), installPackedClient()])
})

afterAll(() => Promise.all([service?.stop(), client?.remove()]))

async function quickstart(): Promise<string> {
  const recipes = await readFile("docs/recipes.md", "utf8")
  const [, code] = /### From your server[\s\S]*?```js\n([\s\S]*?)```/.exec(recipes) ?? []
  if (!code) throw new Error("docs/recipes.md has no quickstart")
  return code
}

/** Runs the quickstart as written, until it has printed all expected lines. */
async function runQuickstart(expected: RegExp[]): Promise<string> {
  await writeFile(join(client.project, "server.js"), await quickstart())
  const port = String(await freePort())
  const env = {
    PATH: process.env.PATH,
    TURNPIKE_API_KEY: service.api_key,
    TURNPIKE_BASE_URL: service.base_url,
    WEBHOOK_URL: `http://localhost:${port}/turnpike`,
    PORT: port,
  }
  const child = spawn(process.execPath, ["server.js"], { cwd: client.project, env, stdio: ["ignore", "pipe", "pipe"] })
  child.once("exit", endWithUs({ pid: child.pid as number, words: ["server.js"], signals: ["SIGKILL"] }))
  let output = ""
  const said = new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk: Buffer) => {
        output += chunk
        if (expected.every((line) => line.test(output))) resolve()
      })
    }
    child.once("exit", (code) => reject(new Error(`the quickstart ended with ${code}:\n${output}`)))
  })
  await said.finally(() => child.kill())
  return output
}

test("The quickstart of the recipes runs as written, with reply, bill and webhook", async () => {
  const output = await runQuickstart([
    /^The turn: You said: Where is my order\? 0\.\d+$/m,
    /^The webhook: You said: Where is my order\?$/m,
  ])
  expect(output.trim().split("\n")).toHaveLength(2)
})

test("The quickstart has about ten lines", async () => {
  const lines = (await quickstart()).split("\n").filter((line) => line !== "" && !line.startsWith("import "))
  expect(lines.length).toBeLessThanOrEqual(11)
})
