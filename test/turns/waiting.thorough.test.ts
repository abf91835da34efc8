import { afterAll, beforeAll, expect, test } from "vitest"
import { LOOK_POLICY, STREAM_POLICY } from "../../src/turns/policies.ts"
import { passOver, passTime } from "../harness/time.ts"
import { createWorld, type TestClient, turnOf, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

/** A turn that does not run until the queue is drained. */
async function begin() {
  const client = await world.createAccount()
  const { turn_id: turnId } = await turnOf(await client.sendTurn({ space: await client.space() }))
  await world.settled()
  return { client, turnId }
}

/** Lets this many seconds pass. Returns the number of looks at turns in that time. */
async function looksWithin(seconds: number): Promise<number> {
  await world.plan([])
  await passOver(world, seconds * 1000)
  const calls = await world.calls()
  return calls.filter(({ label }) => /get_turn|read_turn_events/.test(label)).length
}

/** Waits until all work that has started is answered. */
const atRest = () => world.isCalm(1_000)

function ask(client: Pick<TestClient, "key">, path: string, { accept = "application/json" } = {}) {
  const leave = new AbortController()
  const headers = { authorization: `Bearer ${client.key}`, accept }
  const answer = world.invoke(new Request(`https://api.test${path}`, { headers, signal: leave.signal }))
  return { answer, leave: () => leave.abort(new Error("the client has left")) }
}

const poll = (client: Pick<TestClient, "key">, turnId: string) => ask(client, `/v1/turns/${turnId}?wait=30`)
const stream = (client: Pick<TestClient, "key">, turnId: string) =>
  ask(client, `/v1/turns/${turnId}/events`, { accept: "text/event-stream" })

/** Reads a stream to its end. Returns the texts that have arrived so far. */
async function readAll(response: Response): Promise<string> {
  expect(response.status).toBe(200)
  return response.text()
}

test("A long poll looks often for two seconds, then once per second, and answers at once when the turn ends", async () => {
  const { client, turnId } = await begin()
  const { answer } = poll(client, turnId)
  await atRest()
  expect(await looksWithin(LOOK_POLICY.eagerMs / 1000)).toBeLessThanOrEqual(10)
  const looks = await looksWithin(10)
  expect(looks).toBeGreaterThanOrEqual(9)
  expect(looks).toBeLessThanOrEqual(10)
  await world.drain()
  await looksWithin(1)
  expect(await turnOf(await answer)).toMatchObject({ turn_id: turnId, state: "done" })
})

test.each([30, 150, 600])(
  "A long poll sees the end of a turn that takes %i ms before twice that time has passed",
  async (took) => {
    const { client, turnId } = await begin()
    const { answer } = poll(client, turnId)
    let answered = false
    const over = answer.then(() => {
      answered = true
    })
    await atRest()
    const pass = async (ms: number) => {
      for (let passed = 0; passed < ms && !answered; passed += 5) {
        await world.advance(5)
        await atRest()
      }
    }
    await pass(took)
    expect(answered).toBe(false)
    await world.drain()
    await pass(Math.min(took, LOOK_POLICY.pauseMs) + 10)
    expect(answered, "without further time").toBe(true)
    await over
  },
)

test("Ten long polls and ten streams of one turn share the looks, and each gets the end", async () => {
  const { client, turnId } = await begin()
  const polls = Array.from({ length: 10 }, () => poll(client, turnId).answer)
  const streams = Array.from({ length: 10 }, () => stream(client, turnId).answer.then(readAll))
  await atRest()
  await looksWithin(2)
  // One look per second for all, and one for each reader.
  const looks = await looksWithin(STREAM_POLICY.ownLookMs / 1000 + 1)
  console.log(`20 who wait: ${looks} looks in 10 s`)
  expect(looks).toBeGreaterThanOrEqual(10)
  expect(looks).toBeLessThanOrEqual(10 + 10 + 2)
  await world.drain()
  await looksWithin(3)
  for (const response of await Promise.all(polls)) expect((await turnOf(response)).state).toBe("done")
  for (const text of await Promise.all(streams)) expect(text).toMatch(/event: turn\.queued[\s\S]+event: turn\.done/)
})

test.each([
  { what: "with pushed text looks every two seconds", fails: 0, seconds: 6, least: 2, most: 4 },
  // It subscribes again after five seconds.
  { what: "without a subscription looks once per second", fails: 1, seconds: 2.5, least: 2, most: 3 },
])("A stream $what while events arrive", async ({ fails, seconds, least, most }) => {
  const client = await world.createAccount()
  const words = Array.from({ length: 100 }, (_, index) => `word${index}`).join(" ")
  const text = `[stream 100 ms]\n[reply ${words}]`
  const { turn_id } = await turnOf(await client.sendTurn({ space: await client.space(), text }))
  await world.settled()
  await world.plan([{ service: "redis", match: "subscribe", call: 1, times: fails, action: "fail", when: "before" }])
  const reading = stream(client, turn_id).answer.then(readAll)
  await atRest()
  const running = world.drain()
  await looksWithin(fails > 0 ? 2.1 : 3)
  const looks = await looksWithin(seconds)
  const [all] = await passTime(world, Promise.all([reading, running]))
  expect(looks).toBeGreaterThanOrEqual(least)
  expect(looks).toBeLessThanOrEqual(most)
  const seen = [...all.matchAll(/"text":"([^"]*)"/g)].map(([, piece]) => piece).join("")
  expect(seen).toBe(words)
})

test("A stream without news for a minute looks every three seconds", async () => {
  const { client, turnId } = await begin()
  const { answer, leave } = stream(client, turnId)
  const { body } = await answer
  const reading = body?.pipeTo(new WritableStream()).catch(() => {})
  await atRest()
  await looksWithin(LOOK_POLICY.quietMs / 1000 + 1)
  const looks = await looksWithin(30)
  // The maximum includes the reader's own look every ten seconds.
  expect(looks).toBeGreaterThanOrEqual(9)
  expect(looks).toBeLessThanOrEqual(30 / 3 + 30 / 10 + 1)
  leave()
  await reading
})

test("Shared looks give no access: strangers are refused at once, and a revoked key at its next answer", async () => {
  const { client, turnId } = await begin()
  const second = await world.makeKey(client.userId, { scope: "all" })
  const revoked = { key: second.value }
  const staying = poll(client, turnId)
  const waiting = poll(revoked, turnId)
  const reading = stream(revoked, turnId).answer.then(readAll)
  await atRest()
  await looksWithin(3)
  const stranger = await world.createAccount()
  expect((await poll(stranger, turnId).answer).status).toBe(404)
  expect((await stream(stranger, turnId).answer).status).toBe(404)
  await world.sql("update api_keys set revoked_at = now() where hash = sha256(convert_to($1, 'UTF8'))", [second.value])
  // The stream ends without another event, although the other caller continues to look.
  await looksWithin(STREAM_POLICY.ownLookMs / 1000 + 1)
  expect(await reading).not.toContain("turn.running")
  await world.drain()
  await looksWithin(2)
  expect((await waiting.answer).status).toBe(401)
  expect((await staying.answer).status).toBe(200)
})

test("A client that disconnects costs nothing from then on, and the others continue", async () => {
  const { client, turnId } = await begin()
  const first = poll(client, turnId)
  const reader = stream(client, turnId)
  const staying = poll(client, turnId)
  const reading = (await reader.answer).body?.pipeTo(new WritableStream())
  await atRest()
  await looksWithin(3)
  first.leave()
  reader.leave()
  const looks = await looksWithin(10)
  expect(looks).toBeGreaterThanOrEqual(9)
  expect(looks).toBeLessThanOrEqual(10)
  staying.leave()
  await atRest()
  expect(await looksWithin(10)).toBe(0)
  await reading
})

test("A client that is cut off while it looks for all others delays them by at most three seconds", async () => {
  const { client, turnId } = await begin()
  const waiting = Array.from({ length: 3 }, () => poll(client, turnId))
  await atRest()
  await looksWithin(3)
  // The next look takes longer than any caller waits for it.
  await world.plan([{ service: "pg", match: "get_turn", call: 1, action: "hold", when: "after" }])
  await passOver(world, 5_000)
  const calls = (await world.calls()).filter(({ label }) => label.includes("get_turn"))
  expect(calls.length).toBeGreaterThanOrEqual(2)
  await world.clearFaults()
  await world.drain()
  const answers = await passTime(world, Promise.all(waiting.map(({ answer }) => answer)))
  for (const answer of answers) expect((await turnOf(answer)).state).toBe("done")
})
