import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { readAnswer } from "../harness/answers.ts"
import { addModel } from "../harness/models.ts"
import { expectPromises } from "../harness/promises.ts"
import { block, chunk, counts, ends, messageStart, type RecordedStream, usage } from "../harness/recorded.ts"
import { bytesOfFrames } from "../harness/replay.ts"
import { PROVIDED_PIN, PROVIDER_URL } from "../harness/scripted-provider.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

const CLAUDE = "anthropic/claude-sonnet-4-5"

const READ = { input_tokens: 20, output_tokens: 10 }

let world: World
let client: TestClient
interface Said {
  role: string
  content: string & { cache_control?: object }[]
}

/** The messages of each request to a provider. */
let asked: Said[][] = []
const request = (nth: number) => asked.at(nth) ?? []
beforeAll(async () => {
  const env = { OPENAI_BASE_URL: PROVIDER_URL, ANTHROPIC_API_KEY: "sk-test", ANTHROPIC_BASE_URL: PROVIDER_URL }
  world = await createWorld({ env })
  await addModel(world)
  await addModel(world, CLAUDE)
  world.serve("model.test", async (sent) => {
    const isClaude = sent.url.endsWith("/messages")
    asked.push((await sent.json<{ messages: Said[] }>()).messages)
    const engine: RecordedStream["engine"] = isClaude ? "anthropic" : "openai-compatible"
    const frames = isClaude
      ? [messageStart(READ), ...block(0, { type: "text", text: "Fine." }), ...ends("end_turn", READ)]
      : [chunk({ content: "Fine." }), chunk({}, "stop"), counts(usage(20, 10)), "[DONE]"]
    return new Response(bytesOfFrames({ engine, frames }), { headers: { "content-type": "text/event-stream" } })
  })
})
beforeEach(async () => {
  asked = []
  client = await world.createAccount({ usd: 100 })
})
afterAll(() => world.close())

const MANIFEST = { builtin_tools: [], instructions: "Be brief." }
const CHAT = [
  { role: "system", content: "Speak French." },
  { role: "user", content: "Where is A-1?" },
  {
    role: "assistant",
    content: "I look.",
    calls: [
      { id: "c1", name: "find", input: { order: "A-1" } },
      { id: "c2", name: "find", input: { order: "A-2" } },
    ],
  },
  { role: "tool", results: [{ id: "c2", error: "There is none." }] },
  { role: "assistant", content: "It left." },
  { role: "developer", content: [{ type: "text", text: "Today is Monday." }] },
  { role: "user", content: [{ type: "text", text: "When?" }] },
]

test("Messages reach the model as messages, with calls and results, and instructions as instructions", async () => {
  const space = await client.space({ manifest: MANIFEST })
  const turn = await client.runTurn({ space, model: PROVIDED_PIN, text: undefined, messages: CHAT })
  expect(turn).toMatchObject({ state: "done", text: "When?", result: "Fine." })
  expect(asked[0]).toEqual([
    { role: "system", content: "Be brief.\n\nSpeak French.\n\nToday is Monday." },
    { role: "user", content: "Where is A-1?" },
    {
      role: "assistant",
      content: "I look.",
      tool_calls: [
        { id: "c1", type: "function", function: { name: "find", arguments: '{"order":"A-1"}' } },
        { id: "c2", type: "function", function: { name: "find", arguments: '{"order":"A-2"}' } },
      ],
    },
    { role: "tool", tool_call_id: "c1", content: "The call was not answered." },
    { role: "tool", tool_call_id: "c2", content: "There is none." },
    { role: "assistant", content: "It left." },
    { role: "user", content: "When?" },
  ])
  await expectPromises(world, client.userId)
})

test("A chat that is sent whole keeps its beginning, and its end is cached for the next turn", async () => {
  const space = await client.space({ manifest: MANIFEST })
  const chat: object[] = [{ role: "user", content: "One." }]
  for (let nth = 0; nth < 3; nth++) {
    await client.runTurn({ space, model: CLAUDE, text: undefined, messages: chat })
    chat.push({ role: "assistant", content: "Fine." }, { role: "user", content: `And ${nth}?` })
  }
  const bare = asked.map((messages) => JSON.stringify(messages).replace(/,"cache_control":\{[^}]*\}/g, ""))
  for (const [nth, prompt] of bare.slice(1).entries())
    expect(prompt.startsWith((bare[nth] as string).slice(0, -1))).toBe(true)
  const marked = request(2).map(({ content }) => content.some(({ cache_control }) => cache_control))
  expect(marked).toEqual([false, false, false, true, true])
})

test("Messages without a conversation know no other turn, and with one its turns come first", async () => {
  const space = await client.space({ manifest: MANIFEST })
  const send = (body: object) => client.runTurn({ space, model: PROVIDED_PIN, text: undefined, ...body })
  const said = () =>
    request(-1)
      .slice(1)
      .map(({ content }) => content)
  const alone = await send({ messages: [{ role: "user", content: "Alone." }] })
  const other = await send({ messages: [{ role: "user", content: "Alone, too." }] })
  expect(alone.conversation).not.toBe(other.conversation)
  await send({ conversation: "ticket", messages: CHAT })
  await send({ conversation: "ticket", text: "A text." })
  expect(said()).toEqual([
    "Where is A-1?",
    "I look.",
    "The call was not answered.",
    "There is none.",
    "It left.",
    "When?",
    "Fine.",
    "A text.",
  ])
  expect(request(-1)[0]).toMatchObject({ content: "Be brief." })
})

test("A file in a message stands where the message has it, and a file of the turn before its last message", async () => {
  const space = await client.space({ manifest: MANIFEST })
  const upload = async (name: string) => {
    const path = `/v1/spaces/${space}/files?name=${name}`
    const response = await client.call("POST", path, { body: name, headers: { "content-type": "text/plain" } })
    return (await response.json<{ file_id: string }>()).file_id
  }
  const [first, second] = [await upload("first.txt"), await upload("second.txt")]
  const content = [
    { type: "text", text: "Read" },
    { type: "file", file_id: first },
    { type: "text", text: "this." },
  ]
  const turn = await client.runTurn({
    space,
    model: PROVIDED_PIN,
    text: undefined,
    files: [second],
    messages: [
      { role: "user", content },
      { role: "assistant", content: "Done." },
      { role: "user", content: "Now?" },
    ],
  })
  expect(turn.files.toSorted()).toEqual([first, second].toSorted())
  const foreign = await client.space()
  const messages = [{ role: "user", content }]
  const refused = await readAnswer(client.sendTurn({ space: foreign, text: undefined, messages }))
  expect(refused).toMatchObject({ status: 404, body: { error: { param: "files" } } })
  const shown = (nth: number) => JSON.stringify(request(0)[nth])
  expect(shown(1)).toMatch(/Read.*first\.txt.*this\./)
  expect(shown(3)).toMatch(/second\.txt.*Now\?/)
})

const user = { role: "user", content: "Hi" }
const call = { role: "assistant", calls: [{ id: "c1", name: "find", input: {} }] }
test.each<[string, object[], string]>([
  ["nothing of the user", [{ role: "system", content: "x" }], "messages"],
  ["the assistant at the end", [user, { role: "assistant", content: "x" }], "messages.1"],
  ["a blank end", [user, { role: "assistant", content: "x" }, { role: "user", content: " " }], "messages.2"],
  [
    "a result without its call",
    [user, { role: "tool", results: [{ id: "c1", output: "x" }] }],
    "messages.1.results.0.id",
  ],
  [
    "a second result",
    [user, call, { role: "tool", results: [1, 2].map(() => ({ id: "c1", output: "x" })) }],
    "messages.2.results.1.id",
  ],
  [
    "a result of an older call",
    [user, call, user, { role: "tool", results: [{ id: "c1", output: "x" }] }],
    "messages.3.results.0.id",
  ],
  ["two calls with one id", [user, call, call, user], "messages.2.calls.0.id"],
  [
    "an output and an error",
    [user, call, { role: "tool", results: [{ id: "c1", output: "", error: "" }] }],
    "messages.2.results.0",
  ],
  ["more than 2 MiB", [{ role: "user", content: "x".repeat(2 * 1024 * 1024) }], "messages"],
])("Messages with %s are refused at their place", async (_, messages, param) => {
  const space = await client.space()
  const answer = await readAnswer(client.sendTurn({ space, text: undefined, messages }))
  expect(answer).toMatchObject({ status: 422, body: { error: { code: "VALIDATION_FAILED", param } } })
})

test("Messages of nearly 2 MiB are accepted, run in place, and reach the model whole", async () => {
  const space = await client.space({ manifest: MANIFEST })
  await world.sql("update model_catalog set context_tokens = 4000000 where pin = $1", [PROVIDED_PIN])
  const content = "word ".repeat(400_000)
  const body = { space, end_user_ref: "e", model: PROVIDED_PIN, messages: [{ role: "user", content }] }
  const response = await client.call("POST", "/v1/turns?wait=20", body, { "idempotency-key": "once" })
  expect(await readAnswer(response)).toMatchObject({ status: 200, body: { state: "done", result: "Fine." } })
  expect(JSON.stringify(asked[0])).toContain(content)
})

test("A turn needs either a text or messages", async () => {
  const space = await client.space()
  for (const body of [{}, { text: "a", messages: [user] }]) {
    const answer = await readAnswer(client.sendTurn({ space, text: undefined, ...body }))
    expect(answer).toMatchObject({ status: 422, body: { error: { param: "text" } } })
  }
})

test("The messages of a turn can be read and exported, and leave with its texts", async () => {
  const space = await client.space({ manifest: MANIFEST })
  const turn = await client.runTurn({ space, model: PROVIDED_PIN, text: undefined, messages: CHAT })
  const read = async (turnId: string) => (await readAnswer(client.call("GET", `/v1/turns/${turnId}/messages`))).body
  expect(await read(turn.turn_id)).toEqual({ turn_id: turn.turn_id, messages: CHAT })
  const plain = await client.runTurn({ space, model: PROVIDED_PIN, text: "A text." })
  expect((await read(plain.turn_id)).messages).toEqual([{ role: "user", content: "A text." }])
  const other = await world.createAccount({ usd: 1 })
  const foreign = await readAnswer(other.call("GET", `/v1/turns/${turn.turn_id}/messages`))
  expect(foreign).toMatchObject({ status: 404, body: { error: { code: "NOT_FOUND" } } })
  const path = `/v1/end-users/${turn.end_user_ref}`
  const exported = (await readAnswer(client.call("GET", `${path}/export`))).body.turns
  for (const { turn_id, messages } of exported) expect(messages).toEqual(turn_id === turn.turn_id ? CHAT : null)
  expect(exported).toHaveLength(2)
  const { value } = await world.makeKey(client.userId, { scope: "all" })
  expect((await world.createClient(client.userId, value).call("DELETE", path)).status).toBe(200)
  await world.settled()
  expect((await read(turn.turn_id)).messages).toEqual([])
  expect(
    await world.sql("select from turn_messages m join turns t using (turn_id) where t.user_id = $1", [client.userId]),
  ).toEqual([])
})
