import Anthropic from "@anthropic-ai/sdk"
import OpenAI from "openai"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { DIALECT_POLICY } from "../../src/dialects/policies.ts"
import { readAnswer } from "../harness/answers.ts"
import { anthropicOf } from "../harness/anthropic-clients.ts"
import { BARE } from "../harness/customer.ts"
import { openAiOf, turnCount, turnIn } from "../harness/openai-clients.ts"
import { makeWebhook, serveReceiver } from "../harness/receiver.ts"
import { sendUntilItWaits, serveTools, waiter } from "../harness/waiting.ts"
import { refundText, refundTool } from "../harness/waiting-tools.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

let world: World
let client: TestClient
let model: string
beforeAll(async () => {
  world = await createWorld()
})
beforeEach(async () => {
  serveTools(world)
  client = await world.createAccount()
  model = await client.space({ tools: [refundTool()] })
})
afterAll(() => world.close())

const user = "customer-1"
const chat = { messages: [{ role: "user" as const, content: refundText(80) }], user }

test("A request that waits for a turn is answered when the turn begins to wait, and again when it ends", async () => {
  const { turn_id } = await readAnswer(client.sendTurn({ space: model, text: refundText(80) })).then(({ body }) => body)
  const began = world.clock.now().getTime()
  const read = () => world.untilAnswered(readAnswer(client.call("GET", `/v1/turns/${turn_id}?wait=30`)))
  expect((await read()).body).toMatchObject({ state: "running", waiting: { for: "approval" } })
  expect(world.clock.now().getTime() - began).toBeLessThan(10_000)
  // The caller knows the wait now, so the next request is held as any other.
  const asked = world.clock.now().getTime()
  const held = await read()
  expect(held.body.waiting).not.toBeNull()
  expect(world.clock.now().getTime() - asked).toBeGreaterThanOrEqual(30_000)
  await waiter(client).decide(turn_id, { decision: "allow" })
  expect((await read()).body).toMatchObject({ state: "done", waiting: null })
})

test("A chat completion whose turn waits is an error that names the turn, and the same request later gets the reply", async () => {
  const openai = openAiOf(world, client)
  const refused = await openai.chat.completions.create({ model, ...chat }).catch((error: unknown) => error)
  if (!(refused instanceof OpenAI.APIError)) throw refused
  expect(refused).toMatchObject({ status: 400, code: "TURN_WAITING" })
  const { turn_id, waiting } = (refused.error as { details: { turn_id: string; waiting: object } }).details
  expect(waiting).toMatchObject({ for: "approval", calls: [{ call: "0.0", tool: "refund" }] })
  expect(refused.message).toContain(`The turn ${turn_id} waits for a decision of the call 0.0 of \`refund\`.`)
  await waiter(client).decide(turn_id, { decision: "allow" })
  const completion = await openai.chat.completions.create({ model, ...chat })
  expect(turnIn(completion).turn_id).toBe(turn_id)
  expect(completion.choices[0]?.message.content).toContain("refund answered")
  expect(await turnCount(world, client)).toBe(1)
})

test("A chat completion after a turn that waits names that turn", async () => {
  const first = await sendUntilItWaits(world, client, {
    space: model,
    conversation: "c",
    text: refundText(80),
    end_user_ref: user,
  })
  const openai = openAiOf(world, client)
  const messages = [{ role: "user" as const, content: "Hello?" }]
  const refused = await openai.chat.completions
    .create({ model, user, messages, conversation: "c" } as never)
    .catch((error: unknown) => error)
  expect(refused).toMatchObject({
    code: "TURN_WAITING",
    error: { details: { waiting: null, waits_behind: first.turn_id } },
  })
})

const allow = (turnId: string) => waiter(client).decide(turnId, { decision: "allow" })

/** Reads a stream of OpenAI's client, and acts when it tells that its turn waits. */
async function readWhileWaiting<Item extends object>(
  stream: AsyncIterable<Item>,
  onWait: (turnId: string) => Promise<unknown>,
): Promise<Item[]> {
  const items: Item[] = []
  for await (const item of stream) {
    items.push(item)
    const turn = (item as { turn?: Waits }).turn ?? (item as { response?: { turn?: Waits } }).response?.turn
    if (turn?.waiting) await onWait(turn.turn_id)
  }
  return items
}
type Waits = { turn_id: string; waiting: { for: string } | null }

test("A streamed chat completion tells that its turn waits, stays open, and has the reply after the decision", async () => {
  const openai = openAiOf(world, client, { through: world.invoke })
  const stream = openai.chat.completions.create({ model, ...chat, stream: true })
  const chunks = await world.untilAnswered(stream.then((one) => readWhileWaiting(one, allow)))
  const waits = chunks.flatMap((chunk) => ("turn" in chunk ? [turnIn(chunk) as unknown as Waits] : []))
  expect(waits.map(({ waiting }) => waiting?.for ?? null)).toEqual(["approval", null, null])
  const text = chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("")
  expect(text).toContain("refund answered")
  expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe("stop")
})

test("A streamed chat completion whose turn waits longer ends with the error that names the turn", async () => {
  const openai = openAiOf(world, client, { through: world.invoke })
  await expect(openAiOf(world, client).chat.completions.create({ model, ...chat })).rejects.toThrow("waits")
  const stream = openai.chat.completions.create({ model, ...chat, stream: true })
  const reading = stream.then((one) => readWhileWaiting(one, () => world.advance(DIALECT_POLICY.waitingStreamMs)))
  const ended = await world.untilAnswered(reading).catch((error: unknown) => error)
  expect(ended).toMatchObject({ code: "TURN_WAITING" })
  expect(String((ended as Error).message)).toMatch(/The turn turn_\w+ waits for a decision of the call 0\.0/)
})

test("A response whose turn waits is answered in progress with the wait, and is read whole after the decision", async () => {
  const openai = openAiOf(world, client)
  const response = await openai.responses.create({ model, input: refundText(80), user })
  expect(response).toMatchObject({ status: "in_progress", output: [] })
  expect(turnIn(response)).toMatchObject({ waiting: { for: "approval", calls: [{ call: "0.0" }] } })
  await waiter(client).decide(turnIn(response).turn_id, { decision: "allow" })
  await world.drain()
  const whole = await openai.responses.retrieve(response.id)
  expect(whole.status).toBe("completed")
  expect(whole.output_text).toContain("refund answered")
})

test("A streamed response tells that its turn waits and continues, with the same numbers when it is read again", async () => {
  const openai = openAiOf(world, client, { through: world.invoke })
  const stream = openai.responses.create({ model, input: refundText(80), user, stream: true })
  const events = await world.untilAnswered(stream.then((one) => readWhileWaiting(one, allow)))
  const progress = events.flatMap((event) =>
    event.type === "response.in_progress" ? [turnIn(event.response) as unknown as Waits] : [],
  )
  expect(progress.map(({ waiting }) => waiting?.for ?? null)).toContain("approval")
  const last = events.at(-1)
  if (last?.type !== "response.completed") throw new Error("no end")
  const again = await openai.responses.retrieve(last.response.id, { stream: true })
  const shape = (all: typeof events) => all.map((event) => [event.type, event.sequence_number])
  expect(shape(await world.untilAnswered(readWhileWaiting(again, async () => {})))).toEqual(shape(events))
})

const asked = { messages: chat.messages, max_tokens: 1_000, metadata: { user_id: user } }

test("A message whose turn waits is an error that names the turn, and the same request later gets the reply", async () => {
  const anthropic = anthropicOf(world, client)
  const refused = await anthropic.messages.create({ model, ...asked }).catch((error: unknown) => error)
  if (!(refused instanceof Anthropic.APIError)) throw refused
  const { error } = refused.error as { error: { code: string; details: { turn_id: string } } }
  expect([refused.status, error.code]).toEqual([400, "TURN_WAITING"])
  await allow(error.details.turn_id)
  const message = await anthropic.messages.create({ model, ...asked })
  expect(turnIn(message).turn_id).toBe(error.details.turn_id)
  expect(message.content).toMatchObject([{ type: "text", text: expect.stringContaining("refund answered") }])
  expect(await turnCount(world, client)).toBe(1)
})

test.each(["decided", "left"] as const)(
  "A streamed message tells in a ping that its turn waits, and ends as the turn is %s",
  async (how) => {
    let text = ""
    const read = async () => {
      const answer = await world.invoke(
        new Request("https://api.test/v1/anthropic/v1/messages", {
          method: "POST",
          headers: { "x-api-key": client.key, "content-type": "application/json" },
          body: JSON.stringify({ model, ...asked, stream: true }),
        }),
      )
      let hasActed = false
      for await (const piece of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        text += piece
        const [, turnId] = /event: ping\ndata: .*?"turn_id":"(turn_\w+)".*?"waiting":\{/.exec(text) ?? []
        if (hasActed || !turnId) continue
        hasActed = true
        await (how === "decided" ? allow(turnId) : world.advance(DIALECT_POLICY.waitingStreamMs))
      }
    }
    await world.untilAnswered(read())
    if (how === "decided") expect(text).toMatch(/refund answered.*event: message_stop/s)
    else expect(text).toMatch(/event: error\ndata: .*TURN_WAITING.*waits for a decision of the call 0\.0/)
  },
)

test("A browser that watches a turn sees for what it waits, without inputs, amounts and limits of the owner", async () => {
  const watched = async (body: object) => {
    const { turn_id } = await sendUntilItWaits(world, client, { space: model, ...body })
    const made = await readAnswer(client.call("POST", `/v1/turns/${turn_id}/watch-tokens`, {}))
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    const { url } = made.body
    const page = await readAnswer(world.invoke(new Request(url, { headers: { accept: "application/json" } })))
    expect(page.status, JSON.stringify(page.body)).toBe(200)
    return page.body.data.find(({ type }: { type: string }) => type === "turn.waiting").data
  }
  expect(await watched({ text: refundText(80) })).toEqual({
    state: "running",
    waiting: {
      for: "approval",
      limit: null,
      expires_at: expect.any(String),
      calls: [{ call: "0.0", tool: "refund", for: "approval" }],
    },
  })
  const text = "[steps 4]\n[use input=10 output=200]\n[reply Finished.]"
  const atLimit = await watched({ space: await client.space(BARE), text, on_limit: "wait", max_cost_usd: 0.0026 })
  expect(atLimit.waiting).toEqual({ for: "limit", limit: null, expires_at: expect.any(String), calls: [] })
})

test("A decision is an event of the feed and of webhooks, and the turn's log has it once", async () => {
  const receiver = serveReceiver(world)
  await makeWebhook(client, { url: receiver.url, events: ["call.decided"] })
  const { turn_id } = await sendUntilItWaits(world, client, { space: model, text: refundText(80) })
  await waiter(client).decide(turn_id, { decision: "deny", message: "No." })
  await world.drain()
  const { data } = (await readAnswer(client.call("GET", "/v1/events?type=call.decided"))).body
  const by = { kind: "key", user_id: null, key_id: expect.stringMatching(/^key_/), end_user_ref: null }
  expect(data.map((event: { data: object }) => event.data)).toEqual([
    { turn_id, call: "0.0", tool: "refund", decision: "deny", edited: false, by },
  ])
  expect(receiver.received.map(({ event }) => event)).toEqual(data)
  const logged = (await waiter(client).events(turn_id)).filter(({ type }) => type === "call.decided")
  expect(logged).toMatchObject([{ data: { step: 0, call: 0, name: "refund", decision: "deny" } }])
})
