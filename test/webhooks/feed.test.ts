import { afterAll, beforeAll, expect, test } from "vitest"
import type { Event } from "../../src/webhooks/schemas.ts"
import { makeWebhook, serveReceiver } from "../harness/receiver.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

interface Page {
  data: Event[]
  has_more: boolean
  next_cursor: string | null
}

const page = async (client: TestClient, query: string): Promise<Page> => {
  const response = await client.call("GET", `/v1/events?${query}`)
  expect(response.status, await response.clone().text()).toBe(200)
  return response.json()
}

test("An event in the feed equals the webhook's event, whenever it is read", async () => {
  const client = await world.createAccount()
  const receiver = serveReceiver(world)
  await makeWebhook(client, { url: receiver.url })
  const space = await client.space()
  await client.runTurn({ space, text: "[write a.txt hello]\n[reply done]", metadata: { order: "A-1" } })
  await client.runTurn({ space, text: "[fail OUT_OF_STOCK]" })
  const { turn_id } = (await (await client.sendTurn({ space })).json()) as { turn_id: string }
  await client.call("POST", `/v1/turns/${turn_id}/cancel`)
  await world.drain()
  expect(receiver.received).toHaveLength(8)
  for (const { body, headers, event } of receiver.received) {
    const response = await client.call("GET", `/v1/events/${headers["webhook-id"]}`)
    expect(await response.text()).toBe(body)
    expect(event.id).toBe(headers["webhook-id"])
    expect(event.data.turn?.state).toBe(event.type.slice("turn.".length))
  }
  const [queued, running, done] = receiver.received.map(({ event }) => event)
  expect(queued?.data.turn).toMatchObject({
    held_usd: 0.25,
    billed_cost_usd: 0,
    result: null,
    started_at: null,
    outputs: [],
  })
  expect(running?.data.turn).toMatchObject({ held_usd: 0.25, billed_cost_usd: 0, result: null, finished_at: null })
  expect(running?.data.turn?.usage).toEqual({
    model_calls: 0,
    tool_calls: 0,
    tokens_input: 0,
    tokens_cached: 0,
    tokens_output: 0,
    tokens_reasoning: 0,
  })
  expect(done?.data.turn).toEqual(await client.getTurn(done?.data.turn?.turn_id as string))
})

test("The feed is newest first, with pages and filters, and a cursor belongs to its filters", async () => {
  const client = await world.createAccount()
  const space = await client.space()
  const turns: string[] = []
  for (let count = 0; count < 4; count++) {
    turns.push((await client.runTurn({ space })).turn_id)
    await world.advance(1000)
  }
  const whole = (await page(client, "limit=100")).data
  expect(whole).toHaveLength(12)
  const byTurn = [...turns].reverse().flatMap((turn) => [turn, turn, turn])
  expect(whole.map(({ data }) => data.turn?.turn_id)).toEqual(byTurn)

  const paged: Event[] = []
  for (let cursor = ""; ; ) {
    const { data, has_more, next_cursor } = await page(client, `limit=5${cursor}`)
    paged.push(...data)
    expect(next_cursor === null).toBe(!has_more)
    if (!has_more) break
    cursor = `&cursor=${next_cursor}`
  }
  expect(paged).toEqual(whole)
  expect((await page(client, "type=turn.done")).data.map(({ type }) => type)).toEqual(Array(4).fill("turn.done"))
  expect((await page(client, `turn=${turns[1]}`)).data.map(({ seq }) => seq).sort()).toHaveLength(3)
  const since = whole.find(({ data }) => data.turn?.turn_id === turns[2])?.created_at as string
  expect((await page(client, `limit=100&created_after=${since}`)).data).toHaveLength(6)
  expect((await page(client, `limit=100&created_before=${since}`)).data).toHaveLength(6)
  const { next_cursor } = await page(client, "limit=2&type=turn.done")
  expect((await client.call("GET", `/v1/events?limit=2&cursor=${next_cursor}`)).status).toBe(422)
})

test("The events of one turn are listed in both directions, without other turns' events, and only for its owner", async () => {
  const client = await world.createAccount()
  const space = await client.space()
  const { turn_id } = await client.runTurn({ space })
  await client.runTurn({ space })
  const others = [
    await world.createAccount(),
    world.createClient(client.userId, (await world.makeKey(client.userId, { test: true })).value),
    world.createClient(client.userId, (await world.makeKey(client.userId, { scope: "created" })).value),
  ]
  const types = ["turn.queued", "turn.running", "turn.done"]
  for (const order of ["asc", "desc"]) {
    const told = async () => {
      const { data } = await page(client, `turn=${turn_id}&order=${order}`)
      return data.map(({ type, data }) => `${data.turn?.turn_id} ${type}`)
    }
    // A forward read includes an event only after every earlier transaction has ended, including
    // transactions of other tests.
    if (order === "asc") await expect.poll(told).toEqual(types.map((type) => `${turn_id} ${type}`))
    // Events of the same millisecond have no defined order when the newest come first.
    else expect((await told()).sort()).toEqual(types.toSorted().map((type) => `${turn_id} ${type}`))
    for (const other of others) expect((await page(other, `turn=${turn_id}&order=${order}`)).data).toEqual([])
  }
})

test("A forward reader sees each of 150 events once while they are written, in the order of each turn", async () => {
  const client = await world.createAccount({ usd: 100 })
  const space = await client.space()
  const seen: Event[] = []
  let cursor = ""
  let isOver = false
  const look = async () => {
    const { data, next_cursor } = await page(client, `order=asc&limit=7${cursor}`)
    seen.push(...data)
    if (next_cursor) cursor = `&cursor=${next_cursor}`
    return data.length
  }
  const reader = (async () => {
    while (!isOver) await look()
  })()
  for (let round = 0; round < 5; round++) {
    await Promise.all(Array.from({ length: 10 }, (_, n) => client.sendTurn({ space, end_user_ref: `customer-${n}` })))
    await world.drain()
  }
  isOver = true
  await reader
  // Another test's open transaction may hold an event back for a moment.
  for (let tries = 0; seen.length < 150 && tries < 5000; tries++) await look()
  while ((await look()) > 0);
  expect(seen).toHaveLength(150)
  expect(new Set(seen.map(({ id }) => id)).size).toBe(150)
  const turns = new Map<string, string[]>()
  for (const { type, data } of seen) {
    const id = data.turn?.turn_id as string
    turns.set(id, [...(turns.get(id) ?? []), type])
  }
  for (const types of turns.values()) expect(types).toEqual(["turn.queued", "turn.running", "turn.done"])
  await client.runTurn({ space })
  const before = seen.length
  for (let tries = 0; seen.length < before + 3 && tries < 5000; tries++) await look()
  expect(seen.slice(before).map(({ type }) => type)).toEqual(["turn.queued", "turn.running", "turn.done"])
})
