import type OpenAI from "openai"
import { zodResponseFormat, zodTextFormat } from "openai/helpers/zod"
import { afterAll, beforeAll, expect, test } from "vitest"
import * as z from "zod"
import { openAiOf, turnIn } from "../harness/openai-clients.ts"
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

const user = "customer-1"
const Place = z.object({ city: z.string(), zip: z.string().nullable() })
const SAMPLE = { city: "text", zip: "text" }
const chat = (content: string, more: object = {}) => ({
  model,
  user,
  messages: [{ role: "user" as const, content }],
  ...more,
})

test("A completion has a form, which OpenAI's client parses, and its turn has the value", async () => {
  const response_format = zodResponseFormat(Place, "place")
  const completion = await openai.chat.completions.parse(chat("Where?", { response_format }))
  expect(completion.choices[0]?.message.parsed).toEqual(SAMPLE)
  const turn = await client.getTurn(turnIn(completion).turn_id)
  expect(turn).toMatchObject({ output: SAMPLE, response_format: { type: "json_schema", name: "place" } })
  const object = await openai.chat.completions.create(
    chat('[reply {"a":1}]', { response_format: { type: "json_object" } }),
  )
  expect(object.choices[0]?.message.content).toBe('{"a":1}')
  const plain = await openai.chat.completions.create(chat("Hi", { response_format: { type: "text" } }))
  expect(plain.choices[0]?.message.content).toBe("You said: Hi")
})

test("A response has a form, which it shows, and which OpenAI's client parses", async () => {
  const text = { format: zodTextFormat(Place, "place"), verbosity: "low" as const }
  const response = await openai.responses.parse({ model, user, input: "Where?", text })
  expect(response.output_parsed).toEqual(SAMPLE)
  expect(response.text?.format).toMatchObject({ type: "json_schema", name: "place", strict: true })
  const read = await openai.responses.retrieve(response.id)
  expect(read.text?.format).toEqual(response.text?.format)
})

test("A stream has the whole reply at its end, even after an answer that did not fit", async () => {
  const response_format = zodResponseFormat(Place, "place")
  const chunks = openai.chat.completions.stream(chat("[reply no JSON]", { response_format }))
  expect(await chunks.finalContent()).toBe(JSON.stringify(SAMPLE))
  const text = { format: zodTextFormat(Place, "place") }
  const stream = openai.responses.stream({ model, user, input: "[reply no JSON]", text })
  let said = ""
  stream.on("response.output_text.delta", ({ delta }) => {
    said += delta
  })
  const final = await stream.finalResponse()
  expect([said, final.output_parsed]).toEqual([JSON.stringify(SAMPLE), SAMPLE])
})

test.each([
  [{ name: "a b", schema: {} }, ".name"],
  [{ name: "a", schema: { $ref: "#/none" } }, ".schema.$ref"],
  [{ name: "a" }, ".schema"],
])("The form %j is refused at its place, in both operations", async (form, place) => {
  const sent = { type: "json_schema", json_schema: form }
  const refused = { status: 400, code: "VALIDATION_FAILED" }
  await expect(openai.chat.completions.create(chat("Hi", { response_format: sent }))).rejects.toMatchObject({
    ...refused,
    param: `response_format.json_schema${place}`,
  })
  const format = { type: "json_schema", ...form } as OpenAI.Responses.ResponseFormatTextConfig
  await expect(openai.responses.create({ model, user, input: "Hi", text: { format } })).rejects.toMatchObject({
    ...refused,
    param: `text.format${place}`,
  })
})
