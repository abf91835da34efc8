import { afterAll, beforeAll, expect, test } from "vitest"
import type { TurnReceipt } from "../../src/receipts/get-receipt.ts"
import { sweepRetention } from "../../src/retention/sweep-retention.ts"
import { readAnswer } from "../harness/answers.ts"
import { contextOf } from "../harness/context.ts"
import { expectBooks, expectPromises } from "../harness/promises.ts"
import { readSigningKeys } from "../harness/receipts.ts"
import { makeWebhook, serveReceiver } from "../harness/receiver.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld({ isNew: true })
})
afterAll(() => world.close())

const tools = ["find", "ship"].map((name) => ({ name, input_schema: { type: "object" } }))
const TEXT = '[call find {"id":"SECRET-1"}]\n[and call ship {"id":"SECRET-2"}]\n[reply SECRET-3]'

/** A turn with two calls, and the turn with their results. */
async function exchange(client: TestClient, body: { space: string } & Record<string, unknown>) {
  const first = await client.runTurn({ ...body, text: TEXT, tools })
  expect(first.calls.map(({ name }) => name)).toEqual(["find", "ship"])
  const results = first.calls.map(({ id, name }) => ({ id, output: `SECRET-${name}` }))
  return { first, results, second: await client.runTurn({ ...body, text: undefined, results }) }
}

test("Each turn of an exchange has its own receipt without texts, and the ledger has both amounts", async () => {
  const client = await world.createAccount()
  await readSigningKeys(world)
  const { first, second } = await exchange(client, { space: await client.space() })
  expect(second.result).toBe("SECRET-3")
  for (const { turn_id, billed_cost_usd, usage } of [first, second]) {
    expect(billed_cost_usd).toBeGreaterThan(0)
    const { status, body } = await readAnswer(client.call("GET", `/v1/turns/${turn_id}/receipt`))
    expect(status).toBe(200)
    const { document } = (body as TurnReceipt).receipt
    expect(Number(document.total_usd)).toBe(billed_cost_usd)
    expect(document.calls).toHaveLength(usage.model_calls)
    expect(JSON.stringify(body)).not.toMatch(/SECRET/)
  }
  await expectPromises(world, client.userId)
})

test("The webhook of a turn with calls has them, and the feed has an event for each turn", async () => {
  const client = await world.createAccount()
  const receiver = serveReceiver(world)
  await makeWebhook(client, { url: receiver.url, events: ["turn.done"] })
  const { first, second } = await exchange(client, { space: await client.space() })
  await world.drain()
  const turns = receiver.received.map(({ body }) => JSON.parse(body).data.turn)
  expect(turns.map(({ turn_id, finish, calls }) => [turn_id, finish, calls])).toEqual([
    [first.turn_id, "tool_calls", first.calls],
    [second.turn_id, "stop", []],
  ])
})

test("An export has the results of calls, and an erasure leaves nothing of an exchange", async () => {
  const client = await world.createAccount()
  const { results } = await exchange(client, { space: await client.space() })
  const path = "/v1/end-users/customer-1"
  const { turns } = (await readAnswer(client.call("GET", `${path}/export`))).body
  const sent = turns.map(({ messages }: { messages: unknown }) => messages)
  expect(sent, "turns of one moment are in any order").toContainEqual([{ role: "tool", results }])
  const { value } = await world.makeKey(client.userId, { scope: "all" })
  expect((await world.createClient(client.userId, value).call("DELETE", path)).status).toBe(200)
  await world.settled()
  const rows = await world.sql(
    `select to_jsonb(t) from turns t where t.user_id = $1
     union all select to_jsonb(m) from turn_messages m join turns t using (turn_id) where t.user_id = $1
     union all select to_jsonb(o) from turn_tools o join turns t using (turn_id) where t.user_id = $1
     union all select to_jsonb(l) from turn_log l join turns t using (turn_id) where t.user_id = $1
     union all select to_jsonb(e) from events e join turns t using (turn_id) where t.user_id = $1`,
    [client.userId],
  )
  expect(JSON.stringify(rows)).not.toMatch(/SECRET/)
})

test("Calls of a turn that is not stored can be answered until its texts are deleted, and a text can come later", async () => {
  const client = await world.createAccount()
  const space = await client.space()
  const kept = await exchange(client, { space, store: false, conversation: "kept" })
  expect(kept.second).toMatchObject({ state: "done", result: "SECRET-3", store: false })
  const late = await client.runTurn({ space, text: TEXT, tools, store: false })
  for (const _ of [1, 2]) {
    await world.advance(10 * 60_000 + 1)
    await sweepRetention(contextOf(world))
  }
  expect(await client.getTurn(late.turn_id)).toMatchObject({
    ...{ state: "done", finish: "tool_calls", text: "", result: null, calls: [] },
    texts_deleted_at: expect.any(String),
  })
  const results = late.calls.map(({ id }) => ({ id, output: "late" }))
  const refused = await readAnswer(client.sendTurn({ space, text: undefined, results }))
  expect(refused).toMatchObject({ status: 409, body: { error: { code: "CALLS_NOT_OPEN" } } })
  expect(await client.runTurn({ space, text: "[reply Here.]" })).toMatchObject({ state: "done", result: "Here." })
  await expectBooks(world, client.userId)
})

test("In test mode, calls of several rounds are rehearsed, and the answer after them fits its form", async () => {
  const client = await world.createAccount({ test: true })
  const schema = { type: "object", properties: { city: { enum: ["Paris"] } }, required: ["city"] }
  const body = { space: await client.space(), response_format: { type: "json_schema", name: "place", schema } }
  let turn = await client.runTurn({ ...body, text: "[call find {}]\n[and call ship {}]\n[call find {}]", tools })
  const rounds: number[] = []
  while (turn.finish === "tool_calls") {
    rounds.push(turn.calls.length)
    expect(turn.output).toBeNull()
    turn = await client.runTurn({
      ...body,
      text: undefined,
      results: turn.calls.map(({ id }) => ({ id, output: "ok" })),
    })
  }
  expect(rounds).toEqual([2, 1])
  expect(turn).toMatchObject({ state: "done", output: { city: "Paris" }, billed_cost_usd: 0, test: true })
})
