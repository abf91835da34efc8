import { env as bindings } from "cloudflare:workers"
import fc from "fast-check"
import { afterAll, beforeAll, expect, test } from "vitest"
import { declaredAnswers, type OpenApi } from "../harness/declared.ts"
import { createEstate, ownerWithAll } from "../harness/estate.ts"
import { type FuzzRequest, requestsFor } from "../harness/fuzz-requests.ts"
import { type McpMessage, mcpResult } from "../harness/mcp.ts"
import { expectPromises } from "../harness/promises.ts"
import { createRandom, type Random } from "../harness/random.ts"
import { staticFile } from "../harness/served.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

// 4,000 requests. To repeat a failure, set TURNPIKE_SEED=<the printed seed>.
const settings = bindings as unknown as { TURNPIKE_FUZZ: string; TURNPIKE_SEED: string }
const REQUESTS = Number(settings.TURNPIKE_FUZZ)
/** Requests per operation before its resources are made again, because many requests remove them. */
const PER_ROUND = 8
const AT_ONCE = 8
/** The longest wait that a generated request asks for. */
const LONGEST_WAIT_MS = 2_000
/** The most requests until each operation has succeeded, however few are asked for. */
const MOST = Math.max(12_000, 3 * REQUESTS)

let world: World
let accounts: [TestClient, TestClient]
beforeAll(async () => {
  world = await createWorld()
  accounts = [await ownerWithAll(world, 100_000), await ownerWithAll(world, 100_000)]
  // No request leaves this machine, whatever URL the fuzz test generates.
  world.serve("*", answerAsAnyServer)
})
afterAll(() => world.close())

/** A customer's server that speaks both REST and MCP. */
async function answerAsAnyServer(request: Request): Promise<Response> {
  const message = (await request.json().catch(() => null)) as McpMessage | null
  if (message?.method === "initialize") {
    const serverInfo = { name: "fake", version: "1" }
    return mcpResult(message.id, { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo })
  }
  if (message?.method === "tools/list") {
    return mcpResult(message.id, { tools: [{ name: "one", inputSchema: { type: "object" } }] })
  }
  return message?.method?.startsWith("notifications/")
    ? new Response(null, { status: 202 })
    : Response.json({ answered: true })
}

/**
 * Random requests to them are refused, or nearly all: they need a turn that waits or has its own limit (test/waits), a
 * token (test/turns/watch.test.ts), an end user and a response that fit together (test/openai), or sites and addresses
 * that a schema cannot describe (test/portal).
 */
const RARELY_SUCCEED = new Set([
  "patchTurn",
  "decideCall",
  "sendCallResult",
  "renewCall",
  "watchTurn",
  "createResponse",
  "createPortalSession",
])

test(`The answers to ${REQUESTS} requests generated from the OpenAPI document are as declared`, async () => {
  const seed = Number(settings.TURNPIKE_SEED) || createRandom("fuzz of the API").seed
  console.log(`${REQUESTS} requests, seed ${seed}`)
  const document = (await (await staticFile("/v1/openapi.json")).json()) as OpenApi
  const faultsOf = declaredAnswers(document)
  const operations = Object.entries(document.paths).flatMap(([template, methods]) =>
    Object.keys(methods).map((verb) => ({ template, verb })),
  )
  const tally = new Map<string, { all: number; validDone: number; statuses: Record<number, number> }>()
  const failures: string[] = []

  const never = () =>
    operations
      .map(({ template, verb }) => document.paths[template]?.[verb]?.operationId ?? "")
      .filter((id) => !tally.get(id)?.validDone && !RARELY_SUCCEED.has(id))

  let sent = 0
  // Concurrent requests may remove a resource that a rare operation needs. Such operations get more requests.
  for (let round = 0; sent < REQUESTS || (never().length > 0 && sent < MOST); round++) {
    for (const client of accounts) await forgetDefaults(client)
    const [own, others] = await Promise.all(accounts.map((client) => createEstate(world, { client })))
    if (!own || !others) throw new Error("no estate")
    const made = operations.flatMap(({ template, verb }, index) => {
      const options = { seed: seed + round * operations.length + index, numRuns: PER_ROUND }
      return fc.sample(requestsFor(template, verb, { document, own, others }), options)
    })
    const requests = inOrder(made, createRandom("order", seed + round))
    sent += requests.length
    const work = requests.filter((request) => !isHeld(request))[Symbol.iterator]()
    const worker = async () => {
      for (const request of work) await judge(request)
    }
    const judgeHeld = async () => {
      for (const request of requests.filter(isHeld)) await judge(request)
    }
    // In every other round before their spaces are archived.
    if (round % 2 === 0) await judgeHeld()
    await Promise.all(Array.from({ length: AT_ONCE }, worker))
    if (round % 2 === 1) await judgeHeld()
    await world.advance(1000)
    await world.drain()
    if (failures.length > 0) break
  }

  async function judge(request: FuzzRequest) {
    const { response, text } = await send(request)
    const { template, method, isValid } = request
    const verb = method === "HEAD" ? "get" : method.toLowerCase()
    const operation = document.paths[template]?.[verb]
    const faults = faultsOf(operation, { method, response, text })
    if (faults.length > 0) failures.push(describe(request, response.status, text, faults))
    if (!operation) return
    const entry = tally.get(operation.operationId) ?? { all: 0, validDone: 0, statuses: {} }
    tally.set(operation.operationId, entry)
    entry.all++
    if (isValid && response.ok) entry.validDone++
    entry.statuses[response.status] = (entry.statuses[response.status] ?? 0) + 1
  }

  const rows = [...tally].map(
    ([id, { all, validDone, statuses }]) =>
      `${id.padEnd(20)} ${String(all).padStart(6)} ${String(validDone).padStart(6)} valid and done  ${JSON.stringify(statuses)}`,
  )
  console.log(`${sent} requests to ${tally.size} operations\n${rows.join("\n")}`)
  expect(failures.slice(0, 12).join("\n\n"), `seed ${seed}`).toBe("")
  expect(never(), "a valid request of every operation succeeds at least once").toEqual([])

  for (let turn = 0; turn < 60; turn++) {
    await world.advance(30_000)
    await world.drain()
    await world.sweep()
  }
  for (const { userId } of accounts) await expectPromises(world, userId)
})

/** Earlier requests may have made all end users prepaid. Then no turn of the estate would be accepted. */
async function forgetDefaults(client: TestClient) {
  const list = (await (await client.call("GET", "/v1/end-user-defaults")).json()) as {
    data: { key_id: string | null }[]
  }
  for (const { key_id } of list.data) {
    const response = await client.call("PUT", "/v1/end-user-defaults", { ...(key_id && { key_id }), prepaid: null })
    expect(response.status, await response.text()).toBe(200)
  }
}

/** Shuffles the requests so that most of them find the resources that others remove, and some do not. */
function inOrder(requests: FuzzRequest[], random: Random): FuzzRequest[] {
  const removes = ({ method, path, isValid }: FuzzRequest) =>
    method === "DELETE" ? (isValid ? 10 : 10.5) + 1 / path.length : 0
  const placed = requests.map((request) => ({ request, at: removes(request) || random.int(12) }))
  return placed.sort((a, b) => a.at - b.at).map(({ request }) => request)
}

/** Sent alone, because the clock moves during the request, and tool calls have time limits. */
const isHeld = (request: FuzzRequest) => request.path.includes("wait=") || waitsForTurn(request)

/** A request of OpenAI's or Anthropic's API can wait until its turn has run. */
const waitsForTurn = ({ path, method }: FuzzRequest) => method === "POST" && /^\/v1\/(openai|anthropic)\//.test(path)

async function send(request: FuzzRequest) {
  const { path, method, headers } = request
  const body = method === "GET" || method === "HEAD" ? null : request.body
  const pending = world.invoke(new Request(`https://api.test${path}`, { method, headers, body }))
  if (waitsForTurn(request)) await world.untilAnswered(pending)
  else if (isHeld(request)) await letTimePass(pending)
  const response = await pending
  // A stream lasts as long as its turn, so the test reads only its beginning.
  if (response.headers.get("content-type")?.startsWith("text/event-stream") && response.body) {
    const reader = response.body.getReader()
    await reader.read()
    await reader.cancel()
    return { response, text: "" }
  }
  return { response, text: await response.text() }
}

/**
 * Moves the clock from look to look while an answer waits for the end of a turn. It stands still while only longer
 * times pass, such as the one in which the request's body must arrive.
 */
async function letTimePass(pending: Promise<unknown>) {
  let isOver = false
  const over = pending.finally(() => {
    isOver = true
  })
  while (!isOver) {
    await Promise.race([over, world.clock.sleeping(1)])
    if (world.clock.untilNext() > LONGEST_WAIT_MS) await world.clock.pause(0)
    else if (!isOver) world.clock.advance(1000)
  }
}

function describe(
  { method, path, headers, body }: FuzzRequest,
  status: number,
  text: string,
  faults: string[],
): string {
  const shown =
    typeof body === "string" ? JSON.stringify(body.slice(0, 600)) : body && `bytes ${[...body].slice(0, 60)}`
  const { authorization, ...others } = headers
  return [
    `${method} ${path.slice(0, 300)} ${JSON.stringify(others)} ${authorization?.slice(0, 24)}`,
    `  body ${shown}`,
    `  ${status} ${text.slice(0, 400)}`,
    ...faults.map((fault) => `  FAULT ${fault}`),
  ]
    .join("\n")
    .toWellFormed()
}
