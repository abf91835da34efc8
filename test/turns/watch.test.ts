import { afterAll, beforeAll, expect, test } from "vitest"
import { STREAM_POLICY, WATCH_POLICY } from "../../src/turns/policies.ts"
import { orderTool, serveCustomer } from "../harness/customer.ts"
import { readEventStream } from "../harness/event-stream.ts"
import { untilCalled } from "../harness/locks.ts"
import { passTime } from "../harness/time.ts"
import { createWorld, type TestClient, turnOf, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

interface Seen {
  seq: number
  type: string
  data: Record<string, unknown>
}

const TEXT = '[call lookup_order {"id":"order-7"}]\n[stream 100 ms]\n[reply Your order has shipped.]'

/** Sends a turn with a tool call, which has not started yet. */
async function begin(text = TEXT, more: object = {}) {
  const client = await world.createAccount()
  serveCustomer(world, { answer: () => Response.json({ status: "shipped", note: "canary-answer" }) })
  const space = await client.space({ tools: [orderTool()], secrets: { TOKEN: "canary-secret" } })
  const sent = await turnOf(await client.sendTurn({ space, text, end_user_ref: "customer-9", ...more }))
  await world.settled()
  return { client, turnId: sent.turn_id }
}

async function makeToken(
  client: TestClient,
  turnId: string,
  body: object = {},
): Promise<{ url: string; token: string }> {
  const response = await client.call("POST", `/v1/turns/${turnId}/watch-tokens`, body)
  expect(response.status).toBe(201)
  return response.json()
}

/** Asks as a page of another origin. */
const watch = (url: string, headers: Record<string, string> = {}) =>
  world.invoke(
    new Request(url, { headers: { origin: "https://shop.example.com", accept: "text/event-stream", ...headers } }),
  )

/** Watches the turn while it runs. */
async function watchWhileRunning(url: string): Promise<Seen[]> {
  await world.plan([])
  const reading = watch(url).then((response) => readEventStream<Seen>(response))
  const running = world.drain()
  await untilCalled(world, { match: "claim_turn", request: running })
  const [seen] = await passTime(world, Promise.all([reading, running]))
  return seen
}

const refusalOf = async (response: Response) => {
  expect(response.headers.get("access-control-allow-origin")).toBe("*")
  const { error } = (await response.json()) as { error: { code: string } }
  return [response.status, error.code]
}
const REFUSED = [401, "WATCH_TOKEN_INVALID"]

test("A browser on any origin sees the reply while it is written, and nothing of the owner's", async () => {
  const { client, turnId } = await begin()
  const { url } = await makeToken(client, turnId)
  const seen = await watchWhileRunning(url)
  expect(seen.map(({ type }) => type).filter((type) => type !== "text.delta")).toEqual([
    "turn.queued",
    "turn.running",
    "step.started",
    "step.ended",
    "tool.started",
    "tool.ended",
    "step.started",
    "step.ended",
    "turn.done",
  ])
  const written = seen.filter(({ type }) => type === "text.delta").map(({ data }) => data.text)
  expect(written.join("")).toBe("Your order has shipped.")
  expect(seen.at(-1)?.data).toEqual({ state: "done", result: "Your order has shipped." })
  expect(seen.find(({ type }) => type === "tool.started")?.data).toEqual({ step: 0, call: 0, name: "lookup_order" })
  for (const event of seen) expect(Object.keys(event).sort()).toEqual(["created_at", "data", "seq", "type"])
  const all = JSON.stringify(seen)
  for (const hidden of [turnId, "evt_", "canary", "order-7", "rehearsal", "tokens", "customer-9", "config_version"])
    expect(all).not.toContain(hidden)
})

test("A result with a form is in the last event as a value, and no text of it is streamed", async () => {
  const { client, turnId } = await begin('[reply {"shipped":true}]', { response_format: { type: "json_object" } })
  const { url } = await makeToken(client, turnId)
  const seen = await watchWhileRunning(url)
  expect(seen.map(({ type }) => type)).not.toContain("text.delta")
  const ended = { state: "done", result: '{"shipped":true}', output: { shipped: true } }
  expect(seen.at(-1)?.data).toEqual(ended)
})

test("The inputs of tools are shown only to a token that includes them", async () => {
  const { client, turnId } = await begin()
  const { url } = await makeToken(client, turnId, { include: ["tool_inputs"] })
  const seen = await watchWhileRunning(url)
  const { data } = seen.find(({ type }) => type === "tool.started") as Seen
  expect(data).toEqual({ step: 0, call: 0, name: "lookup_order", input: { id: "order-7" } })
})

test("A browser that reconnects gets the rest, and 204 when nothing is left", async () => {
  const { client, turnId } = await begin("[reply Hello.]")
  const { url } = await makeToken(client, turnId)
  await world.drain()
  const all = await readEventStream<Seen>(await watch(url))
  const middle = all[1] as Seen
  const rest = await readEventStream<Seen>(await watch(url, { "last-event-id": String(middle.seq) }))
  expect(rest).toEqual(all.slice(2))
  const response = await watch(url, { "last-event-id": String(all.at(-1)?.seq) })
  expect([response.status, response.headers.get("access-control-allow-origin")]).toEqual([204, "*"])
  const page = await watch(`${url}&limit=2`, { accept: "application/json" })
  expect(await page.json()).toEqual({ data: all.slice(0, 2), has_more: true, next_cursor: String(middle.seq) })
  const preflight = await world.invoke(
    new Request(url, {
      method: "OPTIONS",
      headers: { origin: "https://a.example", "access-control-request-method": "GET" },
    }),
  )
  expect(preflight.status).toBe(204)
  expect(preflight.headers.get("access-control-allow-headers")).toBe("Last-Event-ID")
})

test("Another account gets no token, and altered, foreign and expired tokens are refused", async () => {
  const { client, turnId } = await begin("[reply Hello.]")
  const stranger = await world.createAccount()
  expect((await stranger.call("POST", `/v1/turns/${turnId}/watch-tokens`, {})).status).toBe(404)
  const { url, token } = await makeToken(client, turnId, { expires_in: 60 })
  const urlOf = (changed: string) => `https://api.test/v1/watch?token=${encodeURIComponent(changed)}`
  const altered = `${token.slice(0, -2)}${token.endsWith("AA") ? "BB" : "AA"}`
  for (const wrong of [
    altered,
    "watch_",
    "x",
    client.key,
    `watch_k1.space_secrets.${token.split(".").slice(2).join(".")}x`,
  ])
    expect(await refusalOf(await watch(urlOf(wrong)))).toEqual(REFUSED)
  expect((await watch("https://api.test/v1/watch")).status).toBe(422)
  await world.advance(60_000)
  expect(await refusalOf(await watch(url))).toEqual(REFUSED)
  for (const body of [{ expires_in: WATCH_POLICY.mostSeconds + 1 }, { expires_in: 0 }, { include: ["cost"] }])
    expect((await client.call("POST", `/v1/turns/${turnId}/watch-tokens`, body)).status).toBe(422)
})

/** Opens the stream of a turn that does not run yet, and calls `act`. Returns the seconds until the stream ended. */
async function watchUntilEnd(url: string, act: () => Promise<unknown>): Promise<number> {
  const response = await watch(url)
  let opened = () => {}
  const isOpen = new Promise<void>((resolve) => {
    opened = resolve
  })
  const reading = readEventStream<Seen>(response, {
    onEvent: () => {
      opened()
      return true
    },
  })
  await isOpen
  const began = world.clock.ms()
  await act()
  await passTime(world, reading, 1_000)
  return (world.clock.ms() - began) / 1_000
}

test("An open stream ends when the token expires", async () => {
  const { client, turnId } = await begin("[reply Hello.]")
  const { url } = await makeToken(client, turnId, { expires_in: 30 })
  expect(await watchUntilEnd(url, async () => {})).toBeLessThanOrEqual(31)
  expect(await refusalOf(await watch(url))).toEqual(REFUSED)
})

test("An open stream ends at the next look after its key was revoked, and the token is refused", async () => {
  const { client, turnId } = await begin("[reply Hello.]")
  const { url } = await makeToken(client, turnId)
  const revoke = () =>
    world.sql("update api_keys set revoked_at = $2 where user_id = $1", [client.userId, world.clock.now()])
  expect(await watchUntilEnd(url, revoke)).toBeLessThanOrEqual(STREAM_POLICY.ownLookMs / 1_000 + 2)
  expect(await refusalOf(await watch(url))).toEqual(REFUSED)
})

test("A token of an erased end user's turn shows nothing", async () => {
  const { client, turnId } = await begin("[reply canary-reply]")
  const { url } = await makeToken(client, turnId)
  await world.drain()
  expect(JSON.stringify(await readEventStream<Seen>(await watch(url)))).toContain("canary-reply")
  const owner = world.createClient(client.userId, (await world.makeKey(client.userId, { scope: "all" })).value)
  expect((await owner.call("DELETE", "/v1/end-users/customer-9")).ok).toBe(true)
  await world.drain()
  expect(await refusalOf(await watch(url))).toEqual(REFUSED)
})
