import { afterAll, beforeAll, expect, test } from "vitest"
import type { Turn } from "../../src/turns/schemas.ts"
import { expectPromises } from "../harness/promises.ts"
import { deliverWhileCommitsFail } from "../harness/time.ts"
import { createWorld, type World } from "../harness/world.ts"

const CHAT = "/api/account/chat/turns"
const PLAIN = "rehearsal/standard"
/** A model with ten times the price. */
const DEAR = "rehearsal/dear"

let world: World
beforeAll(async () => {
  world = await createWorld()
  await world.sql(
    `insert into model_catalog (pin, engine, model, label, enabled, sort_order, price_input, price_cached, price_output, price_version)
     select $1, engine, 'dear', 'Dear', true, 2000, 10 * price_input, 10 * price_cached, 10 * price_output, 3
     from model_catalog where pin = $2`,
    [DEAR, PLAIN],
  )
})
afterAll(() => world.close())

interface CallRow {
  step: number
  model: string
  provider: string
  role: string
  subagent: string | null
  tokens_input: number
  cost: number
  billed: number
  price_version: number
  test: boolean
  ended: boolean
}

const callsOf = (turnId: string) =>
  world.sql<CallRow>(
    `select c.step, c.model, c.provider, c.role, c.subagent, c.tokens_input::float8 as tokens_input, c.price_version, c.test,
       c.cost_credit_micros::float8 as cost, c.billed_credit_micros::float8 as billed,
       c.settled_at = t.finished_at and c.user_id = t.user_id and c.space_id = t.space_id
         and c.conversation_id = t.conversation_id as ended
     from chat_calls c join turns t using (turn_id) where turn_id = $1 order by c.step`,
    [turnId],
  )

/** Runs a chat turn in a space whose sub-agent uses the more expensive model. */
async function run(text: string, { test = false } = {}) {
  const client = await world.createAccount()
  const browser = await world.signIn(client.userId)
  const query = test ? "?test=true" : ""
  const [, { space_id: space }] = await browser.json("POST", `/api/account/spaces${query}`, { title: "Mine" })
  const manifest = { subagents: [{ name: "thinker", description: "Thinks.", model: DEAR }] }
  const [status, body] = await browser.json("PUT", `/api/account/spaces/${space}/manifest${query}`, manifest)
  expect(status, JSON.stringify(body)).toBe(200)
  const [, { turn_id }] = await browser.json("POST", `${CHAT}${query}`, { space, text })
  await world.drain()
  const [, turn] = await browser.json("GET", `${CHAT}/${turn_id}${query}`)
  await expectPromises(world, client.userId)
  return { turn: turn as Turn, calls: await callsOf(turn_id), client }
}

const DELEGATES = "[use input=1000 output=100]\n[delegate thinker [use input=500 output=10]\\nhello]"
const sum = (calls: CallRow[], of: (call: CallRow) => number) => calls.reduce((all, call) => all + of(call), 0)

test("A sub-agent on a more expensive model has separate calls, and the turn's bill is the sum of all calls", async () => {
  const { turn, calls } = await run(DELEGATES)
  expect(turn).toMatchObject({ state: "done", model: PLAIN, usage: { model_calls: 3 } })
  const own = { model: PLAIN, role: "orchestrator", subagent: null, price_version: 1, tokens_input: 1000 }
  expect(calls).toMatchObject([
    { ...own, step: 0 },
    {
      step: 1,
      model: DEAR,
      provider: "rehearsal",
      role: "subagent",
      subagent: "thinker",
      price_version: 3,
      tokens_input: 500,
    },
    { ...own, step: 2 },
  ])
  // At 1 USD per million prompt tokens and 5 of output; the sub-agent pays ten times as much.
  const micros = (input: number, output: number) => 10 * input + 50 * output
  expect(calls.map(({ cost }) => cost)).toEqual([micros(1000, 100), 10 * micros(500, 10), micros(1000, 100)])
  for (const { cost, billed, ended, test } of calls) expect([billed, ended, test]).toEqual([cost, true, false])
  expect(sum(calls, ({ billed }) => billed)).toBe(Math.round(turn.billed_cost_usd * 10_000_000))
})

test("A plain turn has one call, which is written when the turn ends", async () => {
  const { turn, calls } = await run("hello")
  expect(calls).toMatchObject([{ step: 0, model: PLAIN, ended: true }])
  expect(calls[0]?.billed).toBe(Math.round(turn.billed_cost_usd * 10_000_000))
})

test("A test turn's calls cost nothing and use the rehearsal model", async () => {
  const { turn, calls } = await run(DELEGATES, { test: true })
  expect(turn).toMatchObject({ state: "done", test: true, billed_cost_usd: 0 })
  expect(calls.map(({ role }) => role)).toEqual(["orchestrator", "subagent", "orchestrator"])
  for (const call of calls) expect(call).toMatchObject({ model: PLAIN, cost: 0, billed: 0, test: true, ended: true })
})

test("The calls of a turn that failed because of us keep their cost and bill nothing", async () => {
  const client = await world.createAccount()
  const browser = await world.signIn(client.userId)
  const [, { space_id: space }] = await browser.json("POST", "/api/account/spaces", { title: "Mine" })
  const [, { turn_id }] = await browser.json("POST", CHAT, { space, text: "[use input=10 output=1]\n[steps 3]" })
  await world.settled()
  await world.plan([{ service: "pg", match: "commit_answer", call: 2, times: 99, action: "fail", when: "before" }])
  await deliverWhileCommitsFail(world)
  await world.clearFaults()
  // As if five workers had died after the first step.
  await world.sql("update turns set attempts = 5, lease_until = null where turn_id = $1", [turn_id])
  await world.sql("update open_turns set wake_at = $2 where turn_id = $1", [turn_id, world.clock.now()])
  await world.qstash.reset()
  await world.sweep()
  const [, turn] = await browser.json("GET", `${CHAT}/${turn_id}`)
  expect(turn).toMatchObject({ state: "failed", billed_cost_usd: 0 })
  const calls = await callsOf(turn_id)
  expect(calls).toHaveLength(1)
  for (const { cost, billed, ended } of calls) expect([cost > 0, billed, ended]).toEqual([true, 0, true])
  await expectPromises(world, client.userId)
})
