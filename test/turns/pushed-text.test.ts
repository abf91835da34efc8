import { afterAll, beforeAll, expect, test } from "vitest"
import { parseBaseEnv } from "../../src/base/env.ts"
import { createKeyRing } from "../../src/base/key-ring.ts"
import { Meter } from "../../src/platform/meter.ts"
import { type ChannelMessage, createRedis } from "../../src/platform/redis.ts"
import { STREAM_POLICY } from "../../src/turns/policies.ts"
import { publishPush } from "../../src/turns/pushed-text.ts"
import { logOf, readEventStream } from "../harness/event-stream.ts"
import { untilCalled } from "../harness/locks.ts"
import { passTime } from "../harness/time.ts"
import { createWorld, type TestClient, turnOf, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

interface Seen {
  id: string
  seq: number
  type: string
  data: { step?: number; text?: string }
}

const words = Array.from({ length: 30 }, (_, index) => `word${index}`).join(" ")
const text = `[stream 100 ms]\n[reply ${words}]`

async function begin(client: TestClient): Promise<string> {
  const sent = await turnOf(await client.sendTurn({ space: await client.space(), text }))
  await world.settled()
  return sent.turn_id
}

const follow = async (client: TestClient, turnId: string, onEvent: (event: Seen) => boolean = () => true) =>
  readEventStream<Seen>(
    await client.call("GET", `/v1/turns/${turnId}/events`, undefined, { accept: "text/event-stream" }),
    { onEvent },
  )

/** Runs the turn while readers follow it. Returns what they see, and the calls of each service. */
async function runWith(client: TestClient, turnId: string, readers: number) {
  const reading = Promise.all(Array.from({ length: readers }, () => follow(client, turnId)))
  if (readers > 0) await untilCalled(world, { match: "subscribe", count: readers, request: reading })
  const running = world.drain()
  const [seen] = await passTime(world, Promise.all([reading, running]))
  return seen
}

const textOf = (events: readonly Seen[]) =>
  events.map(({ type, data }) => (type === "text.delta" ? data.text : "")).join("")
const isPiece = (event: Seen, at: number, all: readonly Seen[]) => event.seq === all[at - 1]?.seq

const labelled = async (label: string) =>
  (await world.calls()).filter(({ service, label: one }) => service === "redis" && one.startsWith(label)).length

test("Without a reader a turn costs two PUBLISH and a SUBSCRIBE of its worker, and none of its text is written", async () => {
  const client = await world.createAccount()
  const turnId = await begin(client)
  await world.plan([])
  await runWith(client, turnId, 0)
  expect([await labelled("publish"), await labelled("subscribe")]).toEqual([2, 1])
  const { data } = (await (await client.call("GET", `/v1/turns/${turnId}/events`)).json()) as { data: Seen[] }
  expect(textOf(data)).toBe("")
  await world.clearFaults()
})

/** The words of a call of 30 seconds, one each 100 ms. */
const long = Array.from({ length: 300 }, (_, nth) => `w${nth}`).join(" ")

/** Follows a running turn. Returns how late its text was, in ms, from 150 ms after it has come. */
async function followFrom(client: TestClient, turnId: string, begun: number): Promise<number[]> {
  const behind = new Map<number, number>()
  const came = world.clock.ms()
  let text = ""
  await follow(client, turnId, ({ type, data }) => {
    if (type !== "text.delta") return true
    text += data.text
    const words = Number(/w(\d+) ?$/.exec(text)?.[1] ?? 0) + 1
    // Events that arrive together are seen together.
    const now = world.clock.ms()
    if (now - came > 150) behind.set(now, now - begun - words * 100)
    return behind.size < 12
  })
  return [...behind.values()]
}

test("A follower that comes in the middle of a call of a queued turn is at most 150 ms late", async () => {
  const client = await world.createAccount()
  const sent = await turnOf(
    await client.sendTurn({ space: await client.space(), text: `[stream 100 ms]\n[reply ${long}]` }),
  )
  await world.settled()
  const running = world.drain()
  const following = (async () => {
    while ((await client.getTurn(sent.turn_id)).state !== "running") await world.clock.sleep(10)
    const begun = world.clock.ms()
    const all: number[][] = []
    // The second pair comes when the first one has left, and the run still believes that it reads.
    for (const ms of [700, 4_000, 6_500]) {
      await world.clock.sleep(ms)
      all.push(...(await Promise.all([0, 1].map(() => followFrom(client, sent.turn_id, begun)))))
    }
    return all
  })()
  const all = await passTime(world, following, 10)
  await passTime(world, running)
  for (const behind of all) expect(Math.max(...behind), JSON.stringify(all)).toBeLessThanOrEqual(150)
})

test("Text of sub-agents that run next to each other is pushed too, each exactly once", async () => {
  const client = await world.createAccount()
  const manifest = {
    subagents: [
      { name: "poet", description: "Writes." },
      { name: "clerk", description: "Files." },
    ],
  }
  const space = await client.space({ manifest })
  const [first, second] = ["p", "c"].map((letter) =>
    Array.from({ length: 25 }, (_, nth) => `${letter}${nth}`).join(" "),
  )
  const calls = `[delegate poet [stream 100 ms]\\n[reply ${first}]]\n[and delegate clerk [stream 70 ms]\\n[reply ${second}]]`
  const sent = await turnOf(await client.sendTurn({ space, text: `${calls}\n[reply Done.]` }))
  await world.settled()
  await world.plan([])
  const [seen = [], late = []] = (await runWith(client, sent.turn_id, 2)) ?? []
  await world.clearFaults()
  const agentOf = ({ data }: Seen) => (data as { agent?: string }).agent
  for (const events of [seen, late]) {
    expect(textOf(events.filter((one) => agentOf(one) === "poet"))).toBe(first)
    expect(textOf(events.filter((one) => agentOf(one) === "clerk"))).toBe(second)
    expect(textOf(events.filter((one) => agentOf(one) === undefined))).toBe("Done.")
  }
  const pieces = seen.filter((event, at) => isPiece(event, at, seen))
  for (const agent of ["poet", "clerk"])
    expect(pieces.filter((one) => agentOf(one) === agent).length).toBeGreaterThan(10)
})

test("Three readers see the pushed pieces of one run, each exactly once", async () => {
  const client = await world.createAccount()
  const turnId = await begin(client)
  await world.plan([])
  const all = await runWith(client, turnId, 3)
  await world.clearFaults()
  for (const seen of all) {
    expect(textOf(seen)).toBe(words)
    expect(seen.some(isPiece)).toBe(true)
    expect(logOf(seen)).toEqual(logOf(all[0] ?? []))
  }
})

test.each([
  { what: "subscriptions", match: "subscribe", when: "before" as const },
  { what: "messages", match: "publish", when: "before" as const },
  { what: "the answers of messages", match: "publish", when: "after" as const },
])("Without $what in Redis, a reader sees the text from the log, exactly once", async ({ match, when }) => {
  const client = await world.createAccount()
  const turnId = await begin(client)
  await world.plan([{ service: "redis", match, call: 1, times: 999, action: "fail", when }])
  const [seen = []] = await runWith(client, turnId, 1)
  await world.clearFaults()
  expect(textOf(seen)).toBe(words)
  expect(seen.filter(({ type, data }) => type === "text.delta" && data.text !== "").length).toBeGreaterThan(2)
  if (when === "before") expect(seen.some(isPiece)).toBe(false)
})

test.each([
  { whose: "its own", isShown: true },
  { whose: "another", isShown: false },
])("A message that was sealed for $whose turn is shown: $isShown", async ({ whose, isShown }) => {
  const client = await world.createAccount()
  const turnId = await begin(client)
  const keyRing = createKeyRing(parseBaseEnv(world.env).SECRETS_KEYS)
  const redis = createRedis(parseBaseEnv(world.env), new Meter())
  const channels = {
    ...redis,
    publish: (all: ChannelMessage[]) => redis.publish(all.map((one) => ({ ...one, channel: `turn:${turnId}` }))),
  }
  const sent: Promise<unknown>[] = []
  const reading = follow(client, turnId, ({ type, id }) => {
    if (type !== "step.started") return true
    const piece = { id: "evt_x", of: id, step: 1, at: 0, text: "X".repeat(2_000), time: 0 }
    sent.push(publishPush({ channels, keyRing }, whose === "another" ? "turn_other" : turnId, piece))
    sent.push(redis.publish([{ channel: `turn:${turnId}`, message: JSON.stringify(piece) }]))
    return true
  })
  const [seen] = await passTime(world, Promise.all([reading, world.drain()]))
  expect(await Promise.all(sent)).toEqual([1, [1]])
  expect(textOf(seen).includes("X")).toBe(isShown)
  if (!isShown) expect(textOf(seen)).toBe(words)
})

test("A reader whose key is revoked gets no pieces for longer than a reader's right lasts", async () => {
  const client = await world.createAccount()
  const other = await world.makeKey(client.userId, { scope: "all" })
  const reader = world.createClient(client.userId, other.value)
  const slow = `[stream 1000 ms]\n[reply ${words}]`
  const { turn_id } = await turnOf(await client.sendTurn({ space: await client.space(), text: slow }))
  await world.settled()
  let revokedAt = 0
  let lastAt = 0
  let revoking: Promise<unknown> = Promise.resolve()
  const reading = follow(reader, turn_id, ({ type }) => {
    lastAt = world.clock.ms()
    if (type === "text.delta" && revokedAt === 0) {
      revokedAt = lastAt
      const revoke = "update api_keys set revoked_at = $2 where key_id = $1"
      revoking = world.sql(revoke, [other.key_id, world.clock.now()])
    }
    return true
  })
  await passTime(world, Promise.all([reading.catch(() => []), world.drain()]))
  await revoking
  expect(revokedAt).toBeGreaterThan(0)
  expect(lastAt - revokedAt).toBeLessThanOrEqual(STREAM_POLICY.ownLookMs)
})
