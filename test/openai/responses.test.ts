import type OpenAI from "openai"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { readAnswer } from "../harness/answers.ts"
import { openAiOf, turnCount, turnIn } from "../harness/openai-clients.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

let world: World
let client: TestClient
let openai: OpenAI
let model: string
beforeAll(async () => {
  world = await createWorld()
  client = await world.createAccount()
  openai = openAiOf(world, client)
  model = await client.space({ title: "Support" })
})
afterAll(() => world.close())

/** The error of a call of OpenAI's client. */
async function errorOf(call: Promise<unknown>) {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  const { status, code, param, type, message } = error as Record<string, unknown>
  return { status, code, param, type, message }
}

const ask = (input: string, more: object = {}) =>
  openai.responses.create({ model, input, safety_identifier: "customer-1", ...more })

describe("A response", () => {
  test("A response has the reply, its tokens and the bill of its turn, which it shares with /v1/turns", async () => {
    const response = await ask("[use input=100 cached=40 output=20]\n[reply It left this morning.]", {
      metadata: { order: "A-1" },
    })
    expect(response).toMatchObject({
      object: "response",
      status: "completed",
      model,
      output_text: "It left this morning.",
      metadata: { order: "A-1" },
      safety_identifier: "customer-1",
      usage: {
        input_tokens: 100,
        input_tokens_details: { cached_tokens: 40 },
        output_tokens: 20,
        total_tokens: 120,
      },
      error: null,
    })
    const turn = await client.getTurn(turnIn(response).turn_id)
    expect(turn).toMatchObject({
      state: "done",
      end_user_ref: "customer-1",
      result: "It left this morning.",
      metadata: { order: "A-1" },
    })
    expect(turn.billed_cost_usd).toBeGreaterThan(0)
    expect(turnIn(response).billed_cost_usd).toBe(turn.billed_cost_usd)
    expect(response.id).toBe(turn.turn_id.replace("turn_", "resp_"))
    const { output, usage } = await openai.responses.retrieve(response.id)
    expect({ output, usage }).toEqual({ output: response.output, usage: response.usage })
  })

  test("A failed turn is a response with the status failed and our code", async () => {
    expect(await ask("[fail OUT_OF_STOCK]")).toMatchObject({
      status: "failed",
      output_text: "",
      error: { code: "OUT_OF_STOCK" },
    })
  })

  test("Messages, instructions, references and calls become the messages of one turn", async () => {
    const first = await ask("Hello")
    const second = await openai.responses.create({
      model,
      user: "customer-1",
      instructions: "Be brief.",
      input: [
        { role: "user", content: "Hello" },
        { type: "item_reference", id: first.output[0]?.id as string },
        { type: "function_call", call_id: "c1", name: "find", arguments: "{}" },
        { type: "function_call", call_id: "c2", name: "find", arguments: "" },
        { type: "function_call_output", call_id: "c2", output: "Two" },
        { type: "function_call_output", call_id: "c1", output: [{ type: "input_text", text: "One" }] },
        { role: "user", content: [{ type: "input_text", text: "Goodbye" }] },
      ],
    })
    const said = (text: string) => ({ role: "user", content: [{ type: "text", text }] })
    const path = `/v1/turns/${turnIn(second).turn_id}/messages`
    expect((await readAnswer(client.call("GET", path))).body.messages).toEqual([
      { role: "system", content: "Be brief." },
      said("Hello"),
      {
        role: "assistant",
        content: "You said: Hello",
        calls: ["c1", "c2"].map((id) => ({ id, name: "find", input: {} })),
      },
      { role: "tool", results: [{ id: "c2", output: "Two" }] },
      { role: "tool", results: [{ id: "c1", output: "One" }] },
      said("Goodbye"),
    ])
  })

  test("Files of the space and files in the request reach the agent, and a retry stores them once", async () => {
    const upload = await client.call("POST", `/v1/spaces/${model}/files?name=a.txt`, "hello", {
      "content-type": "text/plain",
    })
    const { file_id } = (await upload.json()) as { file_id: string }
    const data = `data:text/plain;base64,${btoa("order A-1")}`
    const send = () =>
      openai.responses.create(
        {
          model,
          user: "customer-1",
          input: [
            {
              role: "user",
              content: [
                { type: "input_text", text: "See" },
                { type: "input_file", file_id },
                { type: "input_file", filename: "order.txt", file_data: data },
              ],
            },
          ],
        },
        { headers: { "Idempotency-Key": "with files" } },
      )
    const response = await send()
    expect(response.output_text).toBe("You said: See (with 2 files)")
    expect(turnIn(await send())).toEqual(turnIn(response))
    const list = await client.call("GET", `/v1/spaces/${model}/files`)
    const names = ((await list.json()) as { data: { name: string }[] }).data.map(({ name }) => name)
    expect(names.sort()).toEqual(["a.txt", "order.txt"])
    const [, stored] = turnIn(response).files
    expect(await (await client.call("GET", `/v1/files/${stored}/content`)).text()).toBe("order A-1")
  })
})

describe("A conversation", () => {
  test("A response without a conversation remembers nothing, and one with a name continues it", async () => {
    expect((await ask("One")).output_text).toBe("You said: One")
    expect((await ask("Two")).output_text).toBe("You said: Two")
    expect((await ask("Three", { conversation: "ticket-1" })).output_text).toBe("You said: Three")
    const fourth = await ask("Four", { conversation: { id: "ticket-1" } })
    expect(fourth.output_text).toBe("You said: Four (after 2 earlier messages)")
    expect((await ask("Five", { conversation: fourth.conversation?.id })).output_text).toBe(
      "You said: Five (after 4 earlier messages)",
    )
  })

  test("A response continues from the last response of a conversation, and not from an earlier one", async () => {
    const first = await ask("One")
    // Ids of one millisecond have no order.
    await world.advance(1)
    const second = await ask("Two", { previous_response_id: first.id })
    expect(second).toMatchObject({
      previous_response_id: first.id,
      output_text: "You said: Two (after 2 earlier messages)",
    })
    const before = await turnCount(world, client)
    expect(await errorOf(ask("Branch", { previous_response_id: first.id }))).toMatchObject({
      status: 400,
      code: "VALIDATION_FAILED",
      param: "previous_response_id",
    })
    expect(await turnCount(world, client)).toBe(before)
    const options = { headers: { "Idempotency-Key": "the third" } }
    const body = { model, input: "Three", user: "customer-1", previous_response_id: second.id }
    const third = await openai.responses.create(body, options)
    expect((await openai.responses.create(body, options)).id).toBe(third.id)
  })
})

describe("A response in the background", () => {
  test("It is answered at once, and can be read, followed and cancelled", async () => {
    const direct = openAiOf(world, client, { through: world.invoke })
    const queued = await direct.responses.create({ model, input: "Hello", user: "customer-1", background: true })
    expect(queued).toMatchObject({ status: "queued", background: true, output: [], usage: null })
    const cancelled = await direct.responses.cancel(queued.id)
    expect(cancelled).toMatchObject({ status: "cancelled", error: { code: "cancelled" } })
    expect((await direct.responses.cancel(queued.id)).status).toBe("cancelled")
    expect(turnIn(cancelled).billed_cost_usd).toBe(0)

    const second = await direct.responses.create({ model, input: "Hello", user: "customer-1", background: true })
    await world.drain()
    expect(await direct.responses.retrieve(second.id)).toMatchObject({
      status: "completed",
      output_text: "You said: Hello",
    })
    expect(await errorOf(direct.responses.cancel(second.id))).toMatchObject({ status: 409, code: "TURN_FINISHED" })
  })
})

describe("A request that no turn can honour", () => {
  test.each([
    [{ tools: [{ type: "web_search" }] }, "tools.0.type"],
    [{ max_output_tokens: 1_000_000 }, "max_output_tokens"],
    [{ text: { format: { type: "xml" } } }, "text.format.type"],
    [{ input: [{ type: "function_call_output", call_id: "c", output: "x" }] }, "input"],
    [
      { input: [{ role: "user", content: [{ type: "input_image", image_url: "https://a.internal/b.png" }] }] },
      "input.0.content.0",
    ],
    [{ invented: true }, "invented"],
  ])("A request with %j is rejected with its field, and sends nothing", async (more, param) => {
    const before = await turnCount(world, client)
    const error = await errorOf(ask("Hello", more))
    expect(error).toMatchObject({ status: 400, code: "VALIDATION_FAILED", param, type: "invalid_request_error" })
    expect(await turnCount(world, client)).toBe(before)
  })

  test("Fields that only tune a model are ignored, and null is the same as no field", async () => {
    const tuned = {
      top_p: 0.9,
      service_tier: "flex",
      temperature: null,
      reasoning: null,
      tools: [],
      max_output_tokens: null,
    }
    expect(await ask("Hello", tuned)).toMatchObject({ status: "completed", max_output_tokens: null, temperature: null })
  })

  test("The output limit, the temperature and the effort are settings of the turn, and the response repeats them", async () => {
    const tuned = { temperature: 0.2, reasoning: { effort: "xhigh", summary: "auto" }, max_output_tokens: 50 }
    expect(await ask("Hello", tuned)).toMatchObject({
      status: "completed",
      max_output_tokens: 50,
      temperature: 0.2,
      reasoning: { effort: "high", summary: null },
      turn: { max_output_tokens: 50, temperature: 0.2, reasoning: { effort: "high" } },
    })
  })

  test("An unknown space, a wrong key and an unknown path have OpenAI's form of errors", async () => {
    expect(await errorOf(ask("Hello", { model: "spc_none" }))).toMatchObject({
      status: 404,
      code: "NOT_FOUND",
      param: "model",
      type: "not_found_error",
    })
    const stranger = openAiOf(world, client, { apiKey: "turnpike_live_nothing" })
    expect(await errorOf(stranger.models.list().then((page) => page.data))).toMatchObject({
      status: 401,
      code: "INVALID_API_KEY",
      type: "authentication_error",
    })
    expect(await errorOf(openai.embeddings.create({ model, input: "x" }))).toMatchObject({
      status: 404,
      code: "NOT_FOUND",
      type: "not_found_error",
    })
  })

  test("The end user can be named in a header, for clients without a field for it", async () => {
    const headers = { "Turnpike-End-User": "customer-7" }
    const response = await openai.responses.create({ model, input: "Hello" }, { headers })
    expect(response.safety_identifier).toBe("customer-7")
  })

  test("A request that names no end user is the key's own one, or the one of its setting", async () => {
    const nameless = () => openai.responses.create({ model, input: "Hello" })
    const me = async () => (await readAnswer(client.call("GET", "/v1/me"))).body as { key: Record<string, string> }
    const { key } = await me()
    expect((await nameless()).safety_identifier).toBe(key.key_id)
    const browser = await world.signIn(client.userId)
    const path = `/api/account/keys/${key.key_id}`
    const change = { default_end_user_ref: "open-webui" }
    expect(await browser.json("PATCH", path, change)).toMatchObject([200, change])
    expect((await nameless()).safety_identifier).toBe("open-webui")
    expect((await me()).key.default_end_user_ref).toBe("open-webui")
    expect((await browser.json("PATCH", path, { default_end_user_ref: ".." }))[0]).toBe(422)
    await browser.json("PATCH", path, { default_end_user_ref: null })
    expect((await nameless()).safety_identifier).toBe(key.key_id)
  })
})
