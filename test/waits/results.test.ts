import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { TURN_WAIT_POLICY } from "../../src/turns/policies.ts"
import { readAnswer } from "../harness/answers.ts"
import { serveCustomer } from "../harness/customer.ts"
import { expectPromises } from "../harness/promises.ts"
import { laterTool, sendUntilItWaits, serveTools, waiter, workTool } from "../harness/waiting.ts"
import { refundTool } from "../harness/waiting-tools.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

let world: World
let customer: ReturnType<typeof serveTools>
let client: TestClient
let space: string
beforeAll(async () => {
  world = await createWorld()
})
beforeEach(async () => {
  customer = serveTools(world)
  client = await world.createAccount()
  space = await client.space({ tools: [laterTool(), workTool(), refundTool({ approval: "always" })] })
})
afterAll(() => world.close())

test("A tool that answers 202 sends its result later, and the call is not made again", async () => {
  const turn = await sendUntilItWaits(world, client, { space, text: "[call print {}]" })
  expect(turn.waiting).toMatchObject({ for: "result", calls: [{ call: "0.0", tool: "print", for: "result" }] })
  const { result } = waiter(client)
  const sent = await result(turn.turn_id, { output: { label: "L-1" } })
  expect(sent).toMatchObject({ status: 200, body: { turn_id: turn.turn_id, call: "0.0", outcome: "taken" } })
  expect(await client.getTurn(turn.turn_id)).toMatchObject({ waiting: null, usage: { tool_calls: 1 } })
  await world.drain()
  expect(await client.getTurn(turn.turn_id)).toMatchObject({ state: "done", result: 'print answered: {"label":"L-1"}' })
  expect(customer.requests).toHaveLength(1)
  await expectPromises(world, client.userId)
})

test("The numbers of a result keep their digits, and another digit is another result", async () => {
  const turn = await sendUntilItWaits(world, client, { space, text: "[call print {}]" })
  const path = `/v1/turns/${turn.turn_id}/calls/0.0/result`
  const send = (id: string) => readAnswer(client.call("POST", path, `{"output":{"id":${id},"half":0.5}}`))
  expect((await send("1234567890123456789")).status).toBe(200)
  expect((await send("1234567890123456789")).status, "the same one").toBe(200)
  await world.drain()
  const answered = 'print answered: {"id":1234567890123456789,"half":0.5}'
  expect(await client.getTurn(turn.turn_id)).toMatchObject({ state: "done", result: answered })
  expect((await send("1234567890123456789")).status, "the same one after the end").toBe(200)
  expect((await send("1234567890123456788")).status, "another one").toBe(409)
})

test("The token that the request carried works for its call only, and without an API key", async () => {
  const turn = await sendUntilItWaits(world, client, { space, text: "[call print {}]\n[and call print {}]" })
  const [token = "", other = ""] = customer.requests.map(({ headers }) => headers["turnpike-result-token"])
  for (const { headers } of customer.requests) {
    const call = headers["idempotency-key"]?.replace(`${turn.turn_id}.`, "")
    const url = new URL(headers["turnpike-result-url"] ?? "")
    expect(url.pathname).toBe(`/v1/turns/${turn.turn_id}/calls/${call}/result`)
  }
  const send = (call: string, bearer: string, output = "printed") =>
    client.call(
      "POST",
      `/v1/turns/${turn.turn_id}/calls/${call}/result`,
      { output },
      { authorization: `Bearer ${bearer}` },
    )
  const calls = customer.requests.map(({ headers }) => headers["idempotency-key"]?.split(".").slice(1).join("."))
  expect((await send(calls[0] ?? "", other)).status).toBe(401)
  expect((await send(calls[0] ?? "", `${token}0`)).status).toBe(401)
  const taken = { turn_id: turn.turn_id, call: calls[0], outcome: "taken" }
  const first = await readAnswer(send(calls[0] ?? "", token))
  expect(first.status).toBe(200)
  expect(first.body).toEqual(taken)
  expect((await readAnswer(send(calls[0] ?? "", token))).body).toEqual(taken)
  expect((await send(calls[1] ?? "", other)).status).toBe(200)
  await world.drain()
  expect((await client.getTurn(turn.turn_id)).state).toBe("done")
  expect(await readAnswer(send(calls[0] ?? "", token))).toMatchObject({ status: 200, body: taken })
  const late = await readAnswer(send(calls[0] ?? "", token, "another"))
  expect(late).toMatchObject({ status: 409, body: { error: { code: "TURN_FINISHED" } } })
  expect(JSON.stringify(late.body)).not.toContain("done")
})

test("Only a tool that may answer later gets a token, and an API key sends the result of another", async () => {
  const plain = await client.space({ tools: [laterTool({ answers_later: false }), refundTool()] })
  const turn = await sendUntilItWaits(world, client, { space: plain, text: "[call print {}]" })
  await client.runTurn({ space: plain, conversation: "other", text: '[call refund {"order":"A","amount":1}]' })
  expect((await waiter(client).result(turn.turn_id, { output: "printed" })).status).toBe(200)
  expect(customer.requests.map(({ url }) => new URL(url).pathname)).toEqual(["/labels", "/refunds"])
  expect(customer.requests.map(({ headers }) => headers["turnpike-result-token"])).toEqual([undefined, undefined])
})

test("A result that comes twice, late, for another call or too large has no effect and a clear answer", async () => {
  const turn = await sendUntilItWaits(world, client, { space, text: "[call print {}]\n[and call pick {}]" })
  const { result } = waiter(client)
  expect(await result(turn.turn_id, { output: "x".repeat(70_000) })).toMatchObject({ status: 413 })
  expect(await result(turn.turn_id, { output: "x".repeat(300_000) })).toMatchObject({ status: 413 })
  expect(await result(turn.turn_id, { output: "one" })).toMatchObject({ status: 200 })
  expect(await result(turn.turn_id, { output: "one" })).toMatchObject({ status: 200 })
  expect(await result(turn.turn_id, { output: "two" })).toMatchObject({
    status: 409,
    body: { error: { code: "CALL_ANSWERED" } },
  })
  expect(await result(turn.turn_id, { output: "x" }, "7.0")).toMatchObject({
    status: 409,
    body: { error: { code: "CALL_NOT_WAITING" } },
  })
  expect(await result(turn.turn_id, { output: "x", error: "y" }, "0.1")).toMatchObject({ status: 422 })
  const stranger = await world.createAccount()
  expect(await waiter(stranger).result(turn.turn_id, { output: "x" }, "0.1")).toMatchObject({ status: 404 })
  expect(await result(turn.turn_id, { error: "the shelf is empty" }, "0.1")).toMatchObject({ status: 200 })
  await world.drain()
  const done = await client.getTurn(turn.turn_id)
  expect(done.result).toBe("print answered: one\npick failed: the shelf is empty")
  expect(await result(turn.turn_id, { output: "one" })).toMatchObject({ status: 200 })
  expect(await result(turn.turn_id, { output: "two" })).toMatchObject({
    status: 409,
    body: { error: { code: "TURN_FINISHED" } },
  })
  const events = await waiter(client).events(turn.turn_id)
  expect(events.filter(({ type }) => type === "tool.ended")).toHaveLength(2)
})

test("A result that comes before the server has answered 202 is kept", async () => {
  const racing = serveCustomer(world, {
    answer: async ({ headers, url }) => {
      const [turnId = "", step, call] = (headers["idempotency-key"] ?? "").split(".")
      if (url.endsWith("/labels")) await waiter(client).result(turnId, { output: "at once" }, `${step}.${call}`)
      return new Response(null, { status: 202 })
    },
  })
  const done = await client.runTurn({ space, text: "[call print {}]" })
  expect(done).toMatchObject({ state: "done", result: "print answered: at once", usage: { tool_calls: 1 } })
  expect(racing.requests).toHaveLength(1)
  await expectPromises(world, client.userId)
})

test("A worker takes calls of a tool without a request: renewed, given again when it is silent, and answered once", async () => {
  const turn = await sendUntilItWaits(world, client, { space, text: '[call pick {"sku":"S"}]' })
  const { take, result } = waiter(client)
  const { data } = await take("?limit=5")
  expect(data).toMatchObject([{ turn_id: turn.turn_id, call: "0.0", tool: "pick", input: { sku: "S" }, takes: 1 }])
  expect((await take()).data).toEqual([])
  const renew = (takes: number) => client.call("POST", `/v1/turns/${turn.turn_id}/calls/0.0/renew`, { takes })
  await world.advance(TURN_WAIT_POLICY.takenMs - 1)
  expect((await renew(1)).status).toBe(200)
  await world.advance(TURN_WAIT_POLICY.takenMs - 1)
  expect((await take()).data).toEqual([])
  await world.advance(1)
  expect((await take("?tool=pick")).data).toMatchObject([{ takes: 2 }])
  expect((await renew(1)).status).toBe(409)
  await result(turn.turn_id, { output: "picked" })
  expect((await renew(2)).status).toBe(409)
  await world.drain()
  expect(await client.getTurn(turn.turn_id)).toMatchObject({ state: "done", result: "pick answered: picked" })
  expect((await take()).data).toEqual([])
})

test("An allowed call that answers 202 waits for its result, under the same key", async () => {
  customer = serveCustomer(world, { answer: () => new Response(null, { status: 202 }) })
  const turn = await sendUntilItWaits(world, client, { space, text: '[call refund {"order":"A","amount":1}]' })
  await waiter(client).decide(turn.turn_id, { decision: "allow" })
  await world.drain()
  expect(await client.getTurn(turn.turn_id)).toMatchObject({ waiting: { for: "result" } })
  expect(await waiter(client).decide(turn.turn_id, { decision: "deny" })).toMatchObject({ status: 409 })
  await waiter(client).result(turn.turn_id, { output: "done" })
  await world.drain()
  expect(await client.getTurn(turn.turn_id)).toMatchObject({ state: "done", result: "refund answered: done" })
  expect(customer.requests.map(({ headers }) => headers["idempotency-key"])).toEqual([`${turn.turn_id}.0.0`])
})
