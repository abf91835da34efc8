import type OpenAI from "openai"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { failureOf } from "../harness/answers.ts"
import { openAiOf, turnCount, turnIn } from "../harness/openai-clients.ts"
import { expectPromises } from "../harness/promises.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

let world: World
let client: TestClient
let openai: OpenAI
let model: string
beforeAll(async () => {
  world = await createWorld()
  client = await world.createAccount()
  openai = openAiOf(world, client)
  model = await client.space({ manifest: { builtin_tools: [] } })
})
afterAll(() => world.close())

const PARAMETERS = {
  $schema: "http://json-schema.org/draft-07/schema#",
  type: "object",
  properties: { id: { type: "string" } },
  required: ["id"],
  additionalProperties: false,
}
const FUNCTION = { name: "lookupOrder", description: "Finds an order.", parameters: PARAMETERS, strict: true }
const CHAT_TOOLS = [{ type: "function" as const, function: FUNCTION }]
const TOOLS = [{ type: "function" as const, ...FUNCTION }]
/** Two calls in the first answer, one in the second, then the reply. */
const ASKED = `[call lookupOrder {"id":"A-1"}]
[and call lookupOrder {"id":"A-2"}]
[call lookupOrder {"id":"A-3"}]
[reply All left.]`
const found = (written: string) => `It is ${(JSON.parse(written) as { id: string }).id}.`

describe("A chat completion", () => {
  test("It calls the caller's functions over three rounds of a whole chat, and each round has its own bill", async () => {
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: ASKED }]
    const before = await turnCount(world, client)
    const rounds: string[][] = []
    for (;;) {
      const { choices } = await openai.chat.completions.create({ model, user: "ada", messages, tools: CHAT_TOOLS })
      const [choice] = choices
      const message = choice?.message as OpenAI.ChatCompletionMessage
      messages.push(message)
      const calls = (message.tool_calls ?? []).filter((call) => call.type === "function")
      expect(choice?.finish_reason).toBe(calls.length > 0 ? "tool_calls" : "stop")
      if (calls.length === 0) break
      expect(message.content).toBe(null)
      rounds.push(calls.map((call) => call.function.arguments))
      for (const call of calls) {
        messages.push({ role: "tool", tool_call_id: call.id, content: found(call.function.arguments) })
      }
    }
    expect(rounds).toEqual([['{"id":"A-1"}', '{"id":"A-2"}'], ['{"id":"A-3"}']])
    expect(messages.at(-1)).toMatchObject({ content: "All left." })
    expect(await turnCount(world, client)).toBe(before + 3)
    await expectPromises(world, client.userId)
  })

  test("A stream has the calls before its end", async () => {
    const messages = [{ role: "user" as const, content: '[call lookupOrder {"id":"A-1"}]' }]
    const stream = openai.chat.completions.stream({ model, user: "ada", messages, tools: CHAT_TOOLS })
    const { choices } = await stream.finalChatCompletion()
    expect(choices[0]).toMatchObject({
      finish_reason: "tool_calls",
      message: { tool_calls: [{ type: "function", function: { name: "lookupOrder", arguments: '{"id":"A-1"}' } }] },
    })
  })

  test("With a conversation, only the results of its last turn are sent on", async () => {
    const ask = (messages: OpenAI.ChatCompletionMessageParam[]) =>
      openai.chat.completions.create({
        model,
        user: "ada",
        messages,
        tools: CHAT_TOOLS,
        conversation: "ticket-1",
      } as OpenAI.ChatCompletionCreateParamsNonStreaming)
    const messages: OpenAI.ChatCompletionMessageParam[] = [
      { role: "system", content: "Be brief." },
      { role: "user", content: '[call lookupOrder {"id":"A-1"}]\n[reply It left.]' },
    ]
    const [choice] = (await ask(messages)).choices
    const message = choice?.message as OpenAI.ChatCompletionMessage
    const [call] = message.tool_calls ?? []
    messages.push(message, { role: "tool", tool_call_id: call?.id ?? "", content: "It is A-1." })
    const ended = await ask(messages)
    expect(ended.choices[0]?.message.content).toBe("It left.")
    const { conversation } = turnIn(ended)
    const [row] = await world.sql<{ count: number }>(
      "select count(*)::int as count from turns t where t.conversation_id = $1",
      [conversation],
    )
    expect(row?.count).toBe(2)
  })
})

describe("A response", () => {
  test("It continues from results by previous_response_id, streamed or not", async () => {
    const first = await openai.responses.create({ model, user: "ada", input: ASKED, tools: TOOLS })
    const callsIn = (output: OpenAI.Responses.ResponseOutputItem[]) =>
      output.filter((item) => item.type === "function_call")
    const resultsOf = (output: OpenAI.Responses.ResponseOutputItem[]) =>
      callsIn(output).map((call) => ({
        type: "function_call_output" as const,
        call_id: call.call_id,
        output: found(call.arguments),
      }))
    expect(callsIn(first.output).map((call) => call.arguments)).toEqual(['{"id":"A-1"}', '{"id":"A-2"}'])
    expect(first.output_text).toBe("")
    const asked = { model, user: "ada", tools: TOOLS, instructions: "Be brief." }
    const stream = openai.responses.stream({
      ...asked,
      previous_response_id: first.id,
      input: resultsOf(first.output),
    })
    const written: string[] = []
    stream.on("response.function_call_arguments.delta", ({ delta }) => written.push(delta))
    const second = await stream.finalResponse()
    expect(written).toEqual(['{"id":"A-3"}'])
    const input = resultsOf(second.output)
    const third = await openai.responses.create({ ...asked, previous_response_id: second.id, input })
    expect(third.output_text).toBe("All left.")
    expect((await openai.responses.retrieve(first.id)).output).toEqual(first.output)
  })

  test("It refers to the calls of an earlier answer by the ids of their items", async () => {
    const first = await openai.responses.create({ model, user: "ada", input: ASKED, tools: TOOLS })
    const calls = first.output.filter((item) => item.type === "function_call")
    const input: OpenAI.Responses.ResponseInput = [
      { role: "user", content: ASKED },
      ...calls.map(({ id }) => ({ type: "item_reference" as const, id: id as string })),
      ...calls.map(({ call_id, arguments: written }) => ({
        type: "function_call_output" as const,
        call_id,
        output: found(written),
      })),
    ]
    const second = await openai.responses.create({ model, user: "ada", input, tools: TOOLS })
    expect(second.output).toMatchObject([{ type: "function_call", arguments: '{"id":"A-3"}' }])
  })

  test.each([
    [{ tools: [{ type: "web_search" }] }, "tools.0.type"],
    [{ tools: [{ ...TOOLS[0], name: "delegate" }] }, "tools.0.name"],
    [{ tools: [{ ...TOOLS[0], parameters: { type: "string" } }] }, "tools.0.parameters"],
    [{ tools: [...TOOLS, ...TOOLS] }, "tools.1.name"],
    [{ tools: TOOLS, tool_choice: { type: "function", name: "other" } }, "tool_choice.name"],
  ])("Tools that cannot be called are refused with their place: %j", async (more, param) => {
    const error = await failureOf(
      openai.responses.create({ model, user: "ada", input: "Hello", ...more } as OpenAI.Responses.ResponseCreateParams),
    )
    expect(error).toMatchObject({ status: 400, code: "VALIDATION_FAILED", param })
  })
})
