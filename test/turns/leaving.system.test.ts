import { randomBytes } from "node:crypto"
import { rm } from "node:fs/promises"
import { connect } from "node:net"
import { resolve } from "node:path"
import pg from "pg"
import { afterAll, beforeAll, expect, test } from "vitest"
import { startBucket } from "../../bench/bucket.ts"
import { startRuntime } from "../../bench/runtime.ts"
import { startStack } from "../../src/local/stack.ts"
import { createApiKey, createUser, topUp } from "../../src/ops/seed.ts"
import { makeDataDirectory } from "../harness/data-directory.ts"

// Clients connect over the network to the worker in a separate workerd with its own clock. These
// tests cover what only the runtime can show.

const closers: (() => Promise<unknown>)[] = []
let api: { url: string; key: string; space: string; control: string }

beforeAll(async () => {
  const dataDir = await makeDataDirectory("leaving")
  closers.push(() => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }))
  const stack = await startStack({ dataDir, control: true, durable: false, databaseUrl: process.env.DATABASE_URL })
  closers.push(stack.close)
  const { env, databaseUrl, controlUrl } = await stack.createNamespace({ name: "leaving", qstash_mode: "manual" })
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 })
  const sql = async (query: string, params: unknown[] = []) => (await pool.query(query, params)).rows
  const now = new Date()
  const userId = await createUser(sql, {})
  await topUp(sql, { userId, micros: 100_000_000, reason: "operator_topup", actor: "test", now })
  const { value: key } = await createApiKey(sql, { userId, brand: "turnpike", name: "test", now })
  await pool.end()
  const bucket = await startBucket()
  closers.push(bucket.stop)
  const { url } = await startRuntime({
    name: "leaving",
    root: resolve("."),
    entry: "functions/v1.ts",
    dir: dataDir,
    bindings: (own) => ({
      ...env,
      CALLBACKS_URL: own,
      SECRETS_KEYS: `test:${randomBytes(32).toString("base64")}`,
      LOG_LEVEL: "error",
    }),
    bucket: bucket.address,
    keep: (stop) => closers.push(stop),
  })
  api = { url, key, space: "", control: controlUrl }
  api.space = (await read<{ space_id: string }>(call("POST", "/v1/spaces", { title: "A space" }))).space_id
})
afterAll(async () => {
  for (const close of closers.reverse()) await close()
})

function call(method: string, path: string, body?: object) {
  const headers: Record<string, string> = { authorization: `Bearer ${api.key}` }
  if (body) Object.assign(headers, { "content-type": "application/json", "idempotency-key": crypto.randomUUID() })
  return fetch(api.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
}

const read = async <Body>(answer: Promise<Response>) => (await (await answer).json()) as Body
const control = <Answer>(path: string, body?: object) =>
  read<Answer>(fetch(api.control + path, body ? { method: "POST", body: JSON.stringify(body) } : {}))

/** Sends a turn that no worker runs. */
async function begin(): Promise<string> {
  const body = { space: api.space, end_user_ref: crypto.randomUUID(), text: "hello" }
  return (await read<{ turn_id: string }>(call("POST", "/v1/turns", body))).turn_id
}

/** Resets the count of looks at turns. */
const count = () => control("/faults", { rules: [] })
const looks = async () => {
  const calls = await control<{ label: string }[]>("/calls")
  return calls.filter(({ label }) => /get_turn|read_turn_events/.test(label)).length
}
/** The worker uses the clock of its process, so the test has to wait. */
const pass = (seconds: number) => control("/sql", { query: `select pg_sleep(${seconds})` })
/** Together these windows take less than the thirty seconds after which a long poll ends by itself. */
const WINDOWS = 5

/**
 * A connection that requests a path and is then reset. After a half-close the client may still
 * read, so the runtime continues until a write fails; Cloudflare's servers report both to a worker.
 */
function connectTo(path: string, accept: string) {
  const { hostname, port } = new URL(api.url)
  const socket = connect(Number(port), hostname)
  const answer = { text: "" }
  socket.on("data", (chunk: Buffer) => {
    answer.text += chunk
  })
  socket.write(
    `GET ${path} HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${api.key}\r\naccept: ${accept}\r\n\r\n`,
  )
  return { answer, leave: () => socket.resetAndDestroy() }
}

test.each([
  ["a long poll", "?wait=30", "application/json", ""],
  ["an event stream", "/events", "text/event-stream", "event: turn.queued"],
])("The worker stops polling for %s when the client's connection ends", async (_what, path, accept, answered) => {
  const turnId = await begin()
  await count()
  const { answer, leave } = connectTo(`/v1/turns/${turnId}${path}`, accept)
  while ((await looks()) < 4) await pass(0.1)
  expect(answer.text).toContain(answered)
  leave()
  let left = Number.NaN
  for (let window = 0; window < WINDOWS && left !== 0; window++) {
    await count()
    await pass(4)
    left = await looks()
  }
  expect(left).toBe(0)
})

test("Twenty connections that wait for one turn share its looks, and none gets an error of the runtime", async () => {
  const turnId = await begin()
  await count()
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => read<{ state: string }>(call("GET", `/v1/turns/${turnId}?wait=8`))),
  )
  for (const { state } of answers) expect(state).toBe("queued")
  const taken = await looks()
  console.log(`20 connections that wait for 8 s: ${taken} looks`)
  // Each connection has a first and a last look. Shared looks add about fifteen in the first two
  // seconds and one per second; alone, each connection would take about eighteen.
  expect(taken).toBeLessThanOrEqual(20 + 20 + 30 + 8)
})
