import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { type Scenario, sendUntilAccepted, survivesEveryFailure } from "../harness/crash.ts"
import { addModel } from "../harness/models.ts"
import { expectPromises } from "../harness/promises.ts"
import { chunk, counts, usage } from "../harness/recorded.ts"
import { bytesOfFrames } from "../harness/replay.ts"
import { PROVIDED_PIN, PROVIDER_URL } from "../harness/scripted-provider.ts"
import { waiter } from "../harness/waiting.ts"
import { createWorld, type TestClient, turnOf, type World } from "../harness/world.ts"

interface Asked {
  messages: { role: string; content: unknown }[]
}

let world: World
let client: TestClient
let asked: Asked[] = []
let summarise: (n: number) => Response | string
beforeAll(async () => {
  world = await createWorld({ env: { OPENAI_BASE_URL: PROVIDER_URL } })
  await addModel(world)
  world.serve("model.test", async (request) => {
    const body = (await request.json()) as Asked
    asked.push(body)
    const text = isSummary(body) ? summarise(summaries().length) : "Fine."
    if (text instanceof Response) return text
    const frames = [chunk({ content: text }), chunk({}, "stop"), counts(usage(20, 10)), "[DONE]"]
    const bytes = bytesOfFrames({ engine: "openai-compatible", frames })
    return new Response(bytes, { headers: { "content-type": "text/event-stream" } })
  })
})
beforeEach(async () => {
  asked = []
  summarise = (n) => `summary-${n}`
  client = await world.createAccount({ usd: 100 })
})
afterAll(() => world.close())

const isSummary = ({ messages }: Asked) => String(messages[0]?.content).startsWith("You summarise")
const summaries = () => asked.filter(isSummary)
const SUMMED = { builtin_tools: [], history: { max_turns: 4, summary: true } }
const spaceOf = (manifest: object = SUMMED) => client.space({ model: PROVIDED_PIN, manifest })

async function talk(space: string, turns: number, from = 0) {
  const made = []
  for (let n = from; n < from + turns; n++) {
    made.push(await client.runTurn({ space, conversation: "talk", text: `text-${n}.` }))
    expect(made.at(-1)).toMatchObject({ state: "done", result: "Fine." })
  }
  return made
}

const textsOf = ({ messages }: Asked) => JSON.stringify(messages)
const summaryRows = () =>
  world.sql<{ turns: number; text: string; turn_id: string }>(
    `select s.turns, s.text, s.turn_id from conversation_summaries s join conversations c on c.conversation_id = s.conversation_id
     where c.user_id = $1`,
    [client.userId],
  )

test("Turns that leave the history are summarised once, and all later turns see the summary and every turn after it", async () => {
  const space = await spaceOf()
  const turns = await talk(space, 14)
  // The history of 4 turns is full before turn 5, and 2 stay. Then each third turn makes the next two leave.
  const own = asked.filter((body) => !isSummary(body))
  expect(own).toHaveLength(14)
  for (const [n, body] of own.entries()) {
    const texts = textsOf(body)
    const at = Number(/summary-(\d+)/.exec(texts)?.[1] ?? 0)
    expect(at, `turn ${n}`).toBe(n < 5 ? 0 : Math.ceil((n - 4) / 3))
    const first = at === 0 ? 0 : 3 * at
    const seen = [...texts.matchAll(/text-(\d+)\./g)].map(([, number]) => Number(number))
    expect(seen, `turn ${n}`).toEqual(Array.from({ length: n - first + 1 }, (_, place) => first + place))
  }
  // Each summary has the earlier one and the turns that left since.
  expect(
    summaries()
      .map(textsOf)
      .map((text) => /summary-\d+/.exec(text)?.[0]),
  ).toEqual([undefined, "summary-1", "summary-2"])
  expect(textsOf(summaries()[1] as Asked)).toContain("text-3.")
  expect(textsOf(summaries()[1] as Asked)).not.toContain("text-2.")
  expect(await summaryRows()).toEqual([{ turns: 9, text: "summary-3", turn_id: turns[11]?.turn_id }])
  const [last] = turns.slice(-1)
  const read = await client.call("GET", `/v1/conversations/${last?.conversation}`)
  expect([read.status, await read.json()]).toEqual([
    200,
    {
      conversation_id: last?.conversation,
      space,
      end_user_ref: last?.end_user_ref,
      turns: 14,
      context: {
        turns: turns.slice(9).map(({ turn_id }) => turn_id),
        summary: {
          text: "summary-3",
          turns: 9,
          tokens: 3,
          model: PROVIDED_PIN,
          turn_id: turns[11]?.turn_id,
          created_at: expect.any(String),
        },
        tokens: 3 + 3 + 4 * 4,
      },
      created_at: turns[0]?.created_at,
      last_turn_at: last?.created_at,
    },
  ])
  await expectPromises(world, client.userId)
})

test("A conversation of another account, of another key's space and of a web chat is not found", async () => {
  const space = await spaceOf()
  const [turn] = await talk(space, 1)
  const other = await world.createAccount()
  const path = `/v1/conversations/${turn?.conversation}`
  expect((await client.call("GET", path)).status).toBe(200)
  expect((await other.call("GET", path)).status).toBe(404)
  const owner = await world.signIn(client.userId)
  expect((await owner.json("GET", path.replace("/v1", "/api/account")))[0]).toBe(200)
  const [, chat] = await owner.json("POST", "/api/account/chat/turns", { space, text: "hello" })
  expect((await client.call("GET", `/v1/conversations/${chat.conversation}`)).status).toBe(404)
  expect((await owner.json("GET", `/api/account/conversations/${chat.conversation}`))[0]).toBe(200)
  await world.drain()
})

test("A summary is a call of its own in the log and on the bill of the turn that makes it, and no other turn pays", async () => {
  const space = await spaceOf()
  const turns = await talk(space, 6)
  const owner = await world.signIn(client.userId)
  const billOf = async (n: number) => {
    const [, bill] = await owner.json("GET", `/api/account/turns/${turns[n]?.turn_id}/bill`)
    return bill.items.map(({ role, subagent }: { role: string; subagent: string | null }) => [role, subagent])
  }
  expect(await billOf(4)).toEqual([["orchestrator", null]])
  expect(await billOf(5)).toEqual([
    ["summary", "summary"],
    ["orchestrator", null],
  ])
  expect(turns[5]).toMatchObject({ usage: { model_calls: 2 }, billed_cost_usd: 2 * (turns[4]?.billed_cost_usd ?? 0) })
  const events = await waiter(client).events(turns[5]?.turn_id ?? "")
  expect(events.filter(({ type }) => type === "context.summarised").map(({ data }) => data)).toEqual([
    { step: 0, agent: "summary", turns: 3, tokens: 10 },
  ])
  const [, steps] = await owner.json("GET", `/api/account/turns/${turns[5]?.turn_id}/steps`)
  expect(steps.items[0]).toMatchObject({ subagent: "summary", text: "summary-1" })
})

test("A space without summaries, and a turn that fits, make no further call", async () => {
  await talk(await spaceOf({ builtin_tools: [], history: { max_turns: 4 } }), 8)
  await talk(await spaceOf(), 5)
  expect(summaries()).toEqual([])
  expect(await summaryRows()).toEqual([])
})

test("A history that is too long for the window of the model is summarised, whatever its number of turns", async () => {
  await world.sql("update model_catalog set context_tokens = 8000, max_output_tokens = 1000 where pin = $1", [
    PROVIDED_PIN,
  ])
  const space = await spaceOf({ builtin_tools: [], history: { max_turns: 100, max_tokens: 1_000_000, summary: true } })
  for (let n = 0; n < 20; n++) {
    const text = `text-${n}. ${"word ".repeat(800)}`
    expect(await client.runTurn({ space, conversation: "long", text })).toMatchObject({ state: "done" })
    expect(textsOf(asked.at(-1) as Asked).length / 4).toBeLessThan(7_000)
  }
  expect(summaries().length).toBeGreaterThan(2)
  expect(summaries().length).toBeLessThan(8)
  await world.sql("update model_catalog set context_tokens = null, max_output_tokens = 4096 where pin = $1", [
    PROVIDED_PIN,
  ])
})

test("A turn continues without the summary if its model refuses, does not answer, writes nothing or costs too much", async () => {
  const space = await spaceOf()
  await talk(space, 5)
  summarise = () => Response.json({ error: { message: "no" } }, { status: 400 })
  await talk(space, 1, 5)
  summarise = () => Response.json({ error: { message: "overloaded" } }, { status: 503 })
  await talk(space, 1, 6)
  summarise = () => ""
  await talk(space, 1, 7)
  expect(await summaryRows()).toEqual([])
  const before = summaries().length
  expect(await client.runTurn({ space, conversation: "talk", text: "text-8.", max_cost_usd: 0.02 })).toMatchObject({
    state: "done",
  })
  expect(summaries()).toHaveLength(before)
  // Without it, the newest turns are shown.
  expect([...textsOf(asked.at(-1) as Asked).matchAll(/text-(\d+)\./g)].map(([, n]) => Number(n))).toEqual([
    4, 5, 6, 7, 8,
  ])
  summarise = () => "summary-late"
  await talk(space, 1, 9)
  expect(await summaryRows()).toMatchObject([{ text: "summary-late", turns: 7 }])
  await expectPromises(world, client.userId)
})

test("Turns that are sent at once are summarised once, in their order", async () => {
  const space = await spaceOf()
  const sent = await Promise.all(
    Array.from({ length: 9 }, async (_, n) =>
      turnOf(await client.sendTurn({ space, conversation: "crowd", text: `text-${n}.` })),
    ),
  )
  await world.drain()
  for (const { turn_id } of sent) expect(await client.getTurn(turn_id)).toMatchObject({ state: "done" })
  expect(summaries()).toHaveLength(2)
  const covered = await world.sql<{ covered: number }>(
    `select s.until_position::int - s.turns as covered from conversation_summaries s join conversations c on c.conversation_id = s.conversation_id
     where c.user_id = $1`,
    [client.userId],
  )
  expect(covered).toEqual([{ covered: 0 }])
  await expectPromises(world, client.userId)
})

test("A summary is deleted when a text that it covers is erased", async () => {
  const space = await spaceOf()
  await talk(space, 8)
  expect(await summaryRows()).toHaveLength(1)
  const { value } = await world.makeKey(client.userId, { scope: "all" })
  const [turn] = await talk(space, 1, 8)
  const all = world.createClient(client.userId, value)
  expect((await all.call("DELETE", `/v1/end-users/${turn?.end_user_ref}`)).status).toBe(200)
  await world.settled()
  expect(await summaryRows()).toEqual([])
  const left = await world.sql(
    "select 1 from turn_steps p join turns t on t.turn_id = p.turn_id where t.user_id = $1 and p.text like 'summary%'",
    [client.userId],
  )
  expect(left).toEqual([])
})

const scenario: Scenario = {
  name: "a summary of a conversation",
  space: { manifest: { builtin_tools: [], history: { max_turns: 1, summary: true } } },
  async act(client, space) {
    for (const text of ["first", "second", "third"])
      await sendUntilAccepted(client, { space, text, conversation: "crash" })
    await world.drain()
  },
  async check(turns, { userId }) {
    expect(turns.map(({ state }) => state)).toEqual(["done", "done", "done"])
    const calls = await world.sql<{ turn_id: string }>(
      "select c.turn_id from model_calls c where c.user_id = $1 and c.role = 'summary'",
      [userId],
    )
    expect(calls, "one summary, one bill").toEqual([{ turn_id: turns[2]?.turn_id }])
    const rows = await world.sql<{ text: string; turns: number }>(
      `select s.text, s.turns from conversation_summaries s join conversations c on c.conversation_id = s.conversation_id where c.user_id = $1`,
      [userId],
    )
    expect(rows).toEqual([{ text: "A rehearsed summary of 1 turns.", turns: 1 }])
  },
}

test("A summary survives a failure at every I/O", () => survivesEveryFailure(world, scenario))
