import { execFile, spawn } from "node:child_process"
import { createHmac } from "node:crypto"
import { once } from "node:events"
import { mkdir, symlink, writeFile } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { freePort } from "../../src/local/postgres.ts"
import { endWithUs } from "../../src/local/watchdog.ts"
import { npmStart, type Started } from "../harness/npm-start.ts"
import { installPackedClient } from "../harness/packed-client.ts"
import { findPython, installWheel } from "../harness/python.ts"
import { createSampleWorld, type SampleWorld } from "../harness/sample-world.ts"
import { FRAMEWORKS, readSamples, type Sample } from "../harness/samples.ts"

const run = promisify(execFile)

const LANGUAGES = ["typescript", "python", "bash"]

const samples = (await readSamples(LANGUAGES)).filter(({ page }) => page !== FRAMEWORKS)
const python = await findPython("httpx", "cryptography")

let service: Started
let client: Awaited<ReturnType<typeof installPackedClient>>
let wheel: Awaited<ReturnType<typeof installWheel>> | null
let world: SampleWorld

beforeAll(async () => {
  ;[service, client, wheel] = await Promise.all([
    npmStart(),
    installPackedClient(),
    python ? installWheel(python) : null,
  ])
  world = await createSampleWorld(service)
  for (const name of ["openai", "@anthropic-ai/sdk", "@ai-sdk/anthropic", "ai"]) {
    const link = join(client.project, "node_modules", name)
    await mkdir(dirname(link), { recursive: true })
    await symlink(resolve("node_modules", name), link)
  }
  // Every curl of the samples fails if the status is an error.
  await writeFile(join(client.project, ".curlrc"), "fail-with-body\nsilent\nshow-error\n")
})
afterAll(() => Promise.all([world?.close(), service?.stop(), client?.remove(), wheel?.remove()]))

const COMMANDS: Record<string, [command: string, file: string, ...options: string[]]> = {
  typescript: [process.execPath, "sample.ts"],
  python: ["python3", "sample.py"],
  bash: ["sh", "sample.sh", "-eu"],
}

/** The month in examples. The account of this test did not exist then. */
const EXAMPLE_MONTH = "2026-10"

/** Writes a sample to a file, and returns the command that runs it. */
async function written({ lang, code }: Sample): Promise<[string, string[]]> {
  const [command, file, ...options] = COMMANDS[lang] as [string, string]
  const month = new Date().toISOString().slice(0, EXAMPLE_MONTH.length)
  await writeFile(join(client.project, file), code.replaceAll(EXAMPLE_MONTH, month))
  return [lang === "python" && wheel ? wheel.python : command, [...options, file]]
}

const environment = (values: Record<string, string>) => ({
  PATH: process.env.PATH,
  CURL_HOME: client.project,
  NODE_NO_WARNINGS: "1",
  ...values,
})

const nameOf = ({ page, lang, operation }: Sample) => `${page}${operation ? `#${operation}` : ""} in ${lang}`
const isTool = ({ code }: Sample) => /verifyToolRequest|verify_tool_request/.test(code)
const isServer = (sample: Sample) => /createServer|HTTPServer/.test(sample.code) && !isTool(sample)
const byHand = ({ code }: Sample) => code.includes("WEBHOOK_SIGNATURE")
/** The sample of a watch needs a token (test/turns/watch.test.ts). */
const needsToken = ({ operation }: Sample) => operation === "watchTurn"
const shown = (list: Sample[]) =>
  list.filter(({ lang }) => python || lang !== "python").map((sample) => ({ name: nameOf(sample), sample }))

test("Every guide with code, and every operation with a key, has a sample in each language", () => {
  const groups = new Map<string, Set<string>>()
  for (const { page, operation, lang } of samples) {
    const name = operation ?? page
    groups.set(name, (groups.get(name) ?? new Set()).add(lang))
  }
  // The session of a browser has no client, and the health of the service needs no key.
  for (const name of ["/api/docs/session", "getHealth", "getReadiness", "watchTurn"]) groups.delete(name)
  expect(groups.size).toBeGreaterThan(60)
  for (const [name, languages] of groups) expect([...languages], name).toEqual(LANGUAGES)
})

describe("A sample of the docs runs as written", () => {
  test.each(
    shown(samples.filter((sample) => !isServer(sample) && !isTool(sample) && !byHand(sample) && !needsToken(sample))),
  )("The sample $name", async ({ sample }) => {
    const values = await world.valuesFor(sample.operation)
    const [command, args] = await written(sample)
    const { stdout, stderr } = await run(command, args, {
      cwd: client.project,
      env: environment(values),
    })
    expect(stderr).toBe("")
    // The month may have no documents yet.
    if (sample.operation !== "listStatementDocuments") expect(stdout.trim()).not.toBe("")
  })
})

describe("A sample of a tool's server knows the end user of a call, and rejects others", () => {
  test.each(shown(samples.filter(isTool)))("The sample $name", async ({ sample }) => {
    const port = String(await freePort())
    const origin = `http://localhost:${port}`
    const values = await world.valuesFor(undefined)
    const [command, args] = await written(sample)
    const env = environment({ ...values, PORT: port, TOOL_ORIGIN: origin })
    const child = spawn(command, args, { cwd: client.project, env, stdio: "ignore" })
    child.once("exit", endWithUs({ pid: child.pid as number, words: ["sample"], signals: ["SIGKILL"] }))
    const api = async (method: string, path: string, body?: object) => {
      const response = await fetch(`${values.TURNPIKE_BASE_URL}/v1${path}`, {
        method,
        headers: {
          authorization: `Bearer ${values.TURNPIKE_API_KEY}`,
          "content-type": "application/json",
          "idempotency-key": crypto.randomUUID(),
        },
        ...(body && { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      if (!response.ok) throw new Error(text)
      return text
    }
    try {
      const forged = () => fetch(`http://127.0.0.1:${port}`, { method: "POST", body: "{}" })
      // Until the server listens, the connection is refused.
      await expect
        .poll(() =>
          forged().then(
            ({ status }) => status,
            () => "refused",
          ),
        )
        .toBe(401)
      await api("PUT", `/spaces/${values.TURNPIKE_SPACE}/tools/my_orders`, {
        description: "Lists the customer's orders.",
        input_schema: { type: "object" },
        request: { method: "POST", url: `${origin}/orders` },
      })
      const body = { space: values.TURNPIKE_SPACE, end_user_ref: "ada", text: "[call my_orders {}]" }
      const { turn_id } = JSON.parse(await api("POST", "/turns", body)) as { turn_id: string }
      // Without a text of its own, the rehearsal repeats the results of its calls.
      const turn = JSON.parse(await api("GET", `/turns/${turn_id}?wait=30`)) as { state: string; result: string }
      expect(turn).toMatchObject({ state: "done", result: expect.stringMatching(/orders_of\W+ada/) })
    } finally {
      child.kill("SIGKILL")
      await once(child, "exit")
    }
  })
})

const SECRET = `whsec_${Buffer.from("a secret that only the test knows").toString("base64")}`

/** A webhook of an event as Turnpike signs it (Standard Webhooks). */
function signedMessage() {
  const body = JSON.stringify({
    id: "evt_1",
    type: "ping",
    created_at: new Date().toISOString(),
    seq: null,
    data: { webhook_id: "whk_1" },
  })
  const [id, at] = ["evt_1", String(Math.floor(Date.now() / 1000))]
  const key = Buffer.from(SECRET.slice("whsec_".length), "base64")
  const signature = `v1,${createHmac("sha256", key).update(`${id}.${at}.${body}`).digest("base64")}`
  return { body, id, at, signature }
}

describe("A sample that verifies webhooks accepts a signed request and rejects a changed one", () => {
  test.each(shown(samples.filter(isServer)))("The sample $name", async ({ sample }) => {
    const port = String(await freePort())
    const [command, args] = await written(sample)
    const env = environment({ PORT: port, TURNPIKE_WEBHOOK_SECRET: SECRET })
    const child = spawn(command, args, { cwd: client.project, env, stdio: "ignore" })
    child.once("exit", endWithUs({ pid: child.pid as number, words: ["sample"], signals: ["SIGKILL"] }))
    try {
      const { body, id, at, signature } = signedMessage()
      const send = (text: string) =>
        fetch(`http://127.0.0.1:${port}`, {
          method: "POST",
          headers: { "webhook-id": id, "webhook-timestamp": at, "webhook-signature": `v1,AAAA ${signature}` },
          body: text,
        })
      // Until the server listens, the connection is refused.
      await expect
        .poll(() =>
          send(body).then(
            ({ status }) => status,
            () => "refused",
          ),
        )
        .toBe(204)
      expect((await send(body.replace("ping", "pong"))).status).toBe(400)
    } finally {
      child.kill("SIGKILL")
      await once(child, "exit")
    }
  })

  test.each(shown(samples.filter(byHand)))("The sample $name", async ({ sample }) => {
    const { body, id, at, signature } = signedMessage()
    const [command, args] = await written(sample)
    const env = environment({
      TURNPIKE_WEBHOOK_SECRET: SECRET,
      WEBHOOK_ID: id,
      WEBHOOK_TIMESTAMP: at,
      WEBHOOK_SIGNATURE: `v1,AAAA ${signature}`,
    })
    await writeFile(join(client.project, "body.json"), body)
    const { stdout } = await run(command, args, { cwd: client.project, env })
    expect(stdout).toBe("signed by Turnpike\n")
    await writeFile(join(client.project, "body.json"), body.replace("ping", "pong"))
    await expect(run(command, args, { cwd: client.project, env })).rejects.toMatchObject({ code: 1 })
  })
})
