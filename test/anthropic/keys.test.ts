import { afterAll, beforeAll, expect, test, vi } from "vitest"
import { failureOf, readAnswer } from "../harness/answers.ts"
import { anthropicOf } from "../harness/anthropic-clients.ts"
import { dumpTables } from "../harness/dump.ts"
import { turnCount } from "../harness/openai-clients.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

let world: World
let client: TestClient
let model: string
const logged: string[] = []
beforeAll(async () => {
  for (const level of ["info", "error", "log", "warn"] as const) {
    vi.spyOn(console, level).mockImplementation((...parts: unknown[]) => void logged.push(parts.map(String).join(" ")))
  }
  world = await createWorld({ env: { LOG_LEVEL: "info" } })
  client = await world.createAccount()
  model = await client.space()
})
afterAll(async () => {
  vi.restoreAllMocks()
  await world.close()
})

const PATH = "/v1/anthropic/v1/models"
const read = (headers: Record<string, string>, path = PATH, origin = "https://api.test") =>
  world.invoke(new Request(origin + path, { headers }))
const ask = { max_tokens: 100, messages: [{ role: "user" as const, content: "Hello" }] }

test("The key is read from X-Api-Key or from Authorization, which counts first", async () => {
  const bearer = `Bearer ${client.key}`
  expect((await read({ "x-api-key": client.key })).status).toBe(200)
  expect((await read({ authorization: bearer })).status).toBe(200)
  expect((await read({ authorization: bearer, "x-api-key": "other" })).status).toBe(200)
  expect((await read({ authorization: "Bearer other", "x-api-key": client.key })).status).toBe(401)
  const byToken = anthropicOf(world, client, { apiKey: null, authToken: client.key })
  expect((await byToken.messages.create({ model, ...ask })).content).toHaveLength(1)
})

test.each([[{}], [{ "x-api-key": "" }], [{ "x-api-key": "sk-ant-1" }], [{ "x-api-key": "Bearer x" }]])(
  "A request with the headers %j is 401 in Anthropic's form",
  async (headers) => {
    const response = await read(headers as Record<string, string>)
    expect([response.status, response.headers.get("www-authenticate")]).toEqual([401, "Bearer"])
    expect(await response.json()).toMatchObject({ type: "error", error: { type: "authentication_error" } })
  },
)

test("X-Api-Key opens no path besides those of Anthropic's API", async () => {
  for (const path of ["/v1/turns", "/v1/openai/models", "/v1/me", "/v1/anthropicx/models", "/v1/anthropic/../turns"]) {
    expect((await read({ "x-api-key": client.key }, path)).status, path).toBe(401)
  }
})

test("A revoked key is refused in the header too", async () => {
  const { value, key_id } = await world.makeKey(client.userId, { scope: "all" })
  expect((await read({ "x-api-key": value })).status).toBe(200)
  const browser = await world.signIn(client.userId)
  expect((await browser.json("POST", `/api/account/keys/${key_id}/revoke`))[0]).toBe(200)
  const refused = await read({ "x-api-key": value })
  expect([refused.status, await refused.json()]).toMatchObject([401, { error: { code: "INVALID_API_KEY" } }])
})

test("Over http the refusal says that the key has travelled in clear text", async () => {
  const refused = await read({ "x-api-key": client.key }, PATH, "http://api.test")
  expect(JSON.stringify(await refused.json())).toContain("Its API key has travelled in clear text")
})

test("No log line, no row and no answer has the key of the header", async () => {
  await anthropicOf(world, client).messages.create({ model, ...ask })
  const wrong = `${client.key.slice(0, -1)}~`
  const answers = await Promise.all([
    read({ "x-api-key": wrong }),
    read({ "x-api-key": client.key }, `${PATH}/none`),
    read({ "x-api-key": client.key }, "/v1/anthropic/v1/nothing"),
  ])
  const shown = [
    ...logged,
    JSON.stringify(await dumpTables(world)),
    ...(await Promise.all(answers.map((one) => one.text()))),
  ]
  for (const text of shown) {
    expect(text.includes(client.key)).toBe(false)
    expect(text.includes(wrong)).toBe(false)
  }
  expect(logged.length).toBeGreaterThan(0)
})

test("A message to the space of another account, or with its files or calls, is refused as unknown", async () => {
  const other = await world.createAccount()
  const theirs = await other.space()
  const { body } = await readAnswer(
    other.call("POST", `/v1/spaces/${theirs}/files?name=a.txt`, "secret", { "content-type": "text/plain" }),
  )
  const send = (space: string, content: object[] | string) =>
    failureOf(
      anthropicOf(world, client).messages.create({
        model: space,
        max_tokens: 100,
        messages: [{ role: "user", content: content as string }],
      }),
    )
  const before = [await turnCount(world, client), await turnCount(world, other)]
  const file = [{ type: "document", source: { type: "file", file_id: body.file_id } }]
  const shown = await Promise.all([send(theirs, "Hello"), send("spc_none", "Hello"), send(model, file)])
  for (const error of shown) expect(error).toMatchObject({ status: 404, type: "not_found_error" })
  const narrow = await world.makeKey(client.userId, { scope: "created" })
  expect((await read({ "x-api-key": narrow.value }, `${PATH}/${model}`)).status).toBe(404)
  const counted = anthropicOf(world, client).messages.countTokens({ model: theirs, messages: ask.messages })
  expect(await failureOf(counted)).toMatchObject({ status: 404 })
  expect([await turnCount(world, client), await turnCount(world, other)]).toEqual(before)
})
