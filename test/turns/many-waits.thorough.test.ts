import { afterAll, beforeAll, expect, test, vi } from "vitest"
import { Turnstile } from "../../src/platform/turnstile.ts"
import { LOOK_POLICY } from "../../src/turns/policies.ts"
import { untilCalled } from "../harness/locks.ts"
import { passOver } from "../harness/time.ts"
import { createWorld, type TestClient, turnOf, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

/** Long polls with one key, each for a different turn that no worker runs. */
async function pollMany(client: TestClient, count: number) {
  const space = await client.space()
  const turns: string[] = []
  for (let n = 0; n < count; n++) {
    turns.push((await turnOf(await client.sendTurn({ space, end_user_ref: `customer-${n}` }))).turn_id)
  }
  await world.settled()
  const leave = new AbortController()
  const headers = { authorization: `Bearer ${client.key}` }
  const ask = (turnId: string) =>
    world.invoke(new Request(`https://api.test/v1/turns/${turnId}?wait=30`, { headers, signal: leave.signal }))
  return { turns, ask, leave: () => leave.abort(new Error("the client has left")) }
}

/** Waits until all work that has started is answered. */
const atRest = () => world.isCalm(1_000)

async function statementsWithin(seconds: number): Promise<number> {
  await world.plan([])
  await passOver(world, seconds * 1000)
  return (await world.calls()).filter(({ label }) => label.includes("get_turn")).length
}

const POLLS = 300

test("Hundreds of long polls with one key for different turns share looks, and each sees its turn's end within a second", async () => {
  const client = await world.createAccount({ usd: 1_000 })
  const { turns, ask } = await pollMany(client, POLLS)
  const answers = turns.map(ask)
  await atRest()
  const first = await statementsWithin(3)
  const statements = await statementsWithin(5)
  console.log(`${POLLS} polls: ${first} statements in the first 3 s, then ${statements / 5} a second`)
  expect(first).toBeLessThanOrEqual(64 * 10 + 3)
  expect(statements).toBeLessThanOrEqual(5 * 3)
  await world.drain()
  await statementsWithin(1.5)
  const ended = await Promise.all(answers)
  for (const answer of ended) expect((await turnOf(answer)).state).toBe("done")
})

test("A key's open waits in an isolate are limited: the next one is refused, and waits of other keys continue", async () => {
  const client = await world.createAccount({ usd: 1_000 })
  const { turns, ask, leave } = await pollMany(client, 1)
  const turn = turns[0] as string
  const polls = Array.from({ length: LOOK_POLICY.perCaller }, () => ask(turn))
  await atRest()
  const refused = await ask(turn)
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, String(LOOK_POLICY.retryAfterSeconds)])
  const { error } = (await refused.json()) as { error: object }
  expect(error).toMatchObject({
    code: "QUOTA_EXCEEDED",
    retryable: true,
    details: { cap: "open_waits", limit: LOOK_POLICY.perCaller },
  })
  const streamed = await world.invoke(
    new Request(`https://api.test/v1/turns/${turn}/events`, {
      headers: { authorization: `Bearer ${client.key}`, accept: "text/event-stream" },
    }),
  )
  expect(streamed.status).toBe(429)
  // A single read needs no place, and other keys are not affected.
  expect((await client.getTurn(turn)).state).toBe("queued")
  const second = world.createClient(client.userId, (await world.makeKey(client.userId, { scope: "all" })).value)
  const other = second.call("GET", `/v1/turns/${turn}?wait=30`)
  leave()
  await Promise.all(polls)
  const again = client.call("GET", `/v1/turns/${turn}?wait=30`)
  await atRest()
  await world.drain()
  await statementsWithin(1.5)
  expect([(await again).status, (await other).status]).toEqual([200, 200])
})

test("Waits whose connection was cut without notice keep their places for a minute", async () => {
  const client = await world.createAccount({ usd: 1_000 })
  const { turns, ask } = await pollMany(client, 1)
  const turn = turns[0] as string
  // Their first look is never answered. Here these statements need no place.
  vi.spyOn(Turnstile.prototype, "pass").mockImplementation((work) => work())
  await world.plan([
    {
      service: "pg",
      match: "get_turn",
      call: 1,
      times: LOOK_POLICY.perCaller,
      action: "hold",
      when: "before",
    },
  ])
  const cut = Array.from({ length: LOOK_POLICY.perCaller }, () => ask(turn))
  await untilCalled(world, { match: "get_turn", count: cut.length })
  expect((await ask(turn)).status).toBe(429)
  await world.advance(LOOK_POLICY.goneMs + 1)
  const again = ask(turn)
  await world.drain()
  await statementsWithin(1.5)
  expect((await again).status).toBe(200)
  await world.clearFaults()
  await Promise.allSettled(cut)
  vi.restoreAllMocks()
})
