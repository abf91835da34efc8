import type OpenAI from "openai"
import { afterAll, beforeAll, expect, test } from "vitest"
import * as z from "zod"
import { openAiOf } from "../harness/openai-clients.ts"
import { expectPromises } from "../harness/promises.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

/**
 * Clients such as instructor send a schema, validate the value by themselves, and send the errors back until it is
 * valid. Their rules can be stricter than the schema. The forms are those of instructor 1.8.3 (instructor/reask.py).
 */
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

/** A rule that no schema has: the name of a city begins with a capital letter. */
const Place = z.object({ city: z.string().refine((city) => /^[A-Z]/.test(city), "must begin with a capital letter") })
const { $schema: _draft, ...SCHEMA } = z.toJSONSchema(Place)

type Messages = OpenAI.ChatCompletionMessageParam[]
type Message = OpenAI.ChatCompletionMessage

interface Mode {
  asked: Partial<OpenAI.ChatCompletionCreateParamsNonStreaming>
  /** The directives of the model: an answer that is not valid, then one that is. */
  says: [first: string, again: string]
  written(message: Message): string
  /** The messages with which the client asks again. */
  again(message: Message, errors: string): Messages
}

const correct = (message: Message, errors: string): Messages => [
  { role: "assistant", content: message.content },
  { role: "user", content: errors },
]

const TOOL: Mode = {
  asked: {
    tools: [{ type: "function", function: { name: "Place", description: "Correctly extracted.", parameters: SCHEMA } }],
    tool_choice: { type: "function", function: { name: "Place" } },
  },
  says: ['[call Place {"city":"bonn"}]', '[call Place {"city":"Bonn"}]'],
  written: ({ tool_calls }) => (tool_calls?.[0]?.type === "function" ? tool_calls[0].function.arguments : ""),
  again: (message, errors) => [
    message,
    ...(message.tool_calls ?? []).map(({ id }) => ({ role: "tool" as const, tool_call_id: id, content: errors })),
  ],
}

const form = (response_format: OpenAI.ChatCompletionCreateParams["response_format"]): Mode => ({
  asked: { ...(response_format && { response_format }) },
  says: ['[reply {"city":"bonn"}]', '[reply {"city":"Bonn"}]'],
  written: ({ content }) => content ?? "",
  again: correct,
})

const MODES: [name: string, mode: Mode][] = [
  ["a tool that must be called", TOOL],
  ["a form with a schema", form({ type: "json_schema", json_schema: { name: "Place", schema: SCHEMA, strict: true } })],
  ["a JSON object, whose schema is in the instructions", form({ type: "json_object" })],
  ["no form, but words", form(undefined)],
]

test.each(MODES)("With %s, a value that is not valid is asked for again with the errors", async (name, mode) => {
  const user = `instructor-${MODES.findIndex(([of]) => of === name)}`
  const [first, again] = mode.says
  const messages: Messages = [
    { role: "system", content: `Answer with JSON that fits ${JSON.stringify(SCHEMA)}` },
    // A result continues the directives of the user. A new message of the user has its own.
    { role: "user", content: mode === TOOL ? `${first}\n${again}` : first },
  ]
  const tried: unknown[] = []
  for (let tries = 0; tries < 3; tries++) {
    const { choices } = await openai.chat.completions.create({ model, user, messages, ...mode.asked })
    const message = choices[0]?.message as Message
    const value = JSON.parse(mode.written(message))
    tried.push(value)
    const { error } = Place.safeParse(value)
    if (!error) break
    const errors = `Validation Error found:\n${error.issues[0]?.message}\nRecall the function correctly, fix the errors`
    messages.push(...mode.again(message, mode === TOOL ? errors : `${again}\n${errors}`))
  }
  expect(tried).toEqual([{ city: "bonn" }, { city: "Bonn" }])
  await expectPromises(world, client.userId)
})
