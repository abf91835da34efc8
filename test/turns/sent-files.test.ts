import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { readAnswer } from "../harness/answers.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

let world: World
let client: TestClient
let space: string
let loads = 0
const PICTURE = Uint8Array.from(
  atob("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABpfZFQAAAAABJRU5ErkJggg=="),
  (c) => c.charCodeAt(0),
)
const BASE64 = btoa(String.fromCharCode(...PICTURE))

beforeAll(async () => {
  world = await createWorld()
  world.serve("files.customer.com", async (request) => {
    loads++
    const { pathname } = new URL(request.url)
    if (pathname === "/moved")
      return new Response(null, { status: 302, headers: { location: "http://10.0.0.1/secret" } })
    if (pathname === "/missing.png") return new Response("no", { status: 404 })
    if (pathname === "/page") return new Response("<html>", { headers: { "content-type": "text/html" } })
    if (pathname === "/large") return new Response("x", { headers: { "content-length": "30000000" } })
    return new Response(PICTURE, { headers: { "content-type": "image/png" } })
  })
})
beforeEach(async () => {
  loads = 0
  client = await world.createAccount({ usd: 10 })
  space = await client.space()
})
afterAll(() => world.close())

const file = (part: object) => ({ type: "file", ...part })
const bodyWith = (...parts: object[]) => ({
  space,
  end_user_ref: "customer-1",
  messages: [{ role: "user", content: [{ type: "text", text: "What is this?" }, ...parts.map(file)] }],
})
const send = (body: object, key: string = crypto.randomUUID()) =>
  world.untilAnswered(readAnswer(client.call("POST", "/v1/turns", body, { "idempotency-key": key })))

interface Turn {
  turn_id: string
  files: string[]
}

test("Files by their bytes and by a URL become files of the space, once for the key of the turn", async () => {
  const body = bodyWith({ data: BASE64, name: "dot.png" }, { url: "https://files.customer.com/a/cat.png?x=1" })
  const { status, body: made } = await send(body, "order-1")
  expect([status, loads]).toEqual([202, 1])
  const { turn_id, files } = made as unknown as Turn
  const found = await Promise.all(
    files.map(async (id) => (await readAnswer(client.call("GET", `/v1/files/${id}`))).body),
  )
  expect(found).toMatchObject([
    { name: "dot.png", media_type: "image/png", bytes: PICTURE.length },
    { name: "cat.png", media_type: "image/png", bytes: PICTURE.length },
  ])
  const again = await send(body, "order-1")
  expect(again.body).toMatchObject({ turn_id, files })
  const { body: all } = await readAnswer(client.call("GET", `/v1/spaces/${space}/files`))
  expect((all as unknown as { data: unknown[] }).data).toHaveLength(2)
  const { body: told } = await readAnswer(client.call("GET", `/v1/turns/${turn_id}/messages`))
  expect((told as unknown as { messages: { content: object[] }[] }).messages[0]?.content.slice(1)).toEqual(
    files.map((file_id) => ({ type: "file", file_id })),
  )
})

describe("A file that cannot be had", () => {
  test.each([
    ["an unknown place", { url: "https://files.customer.com/missing.png" }, "HTTP 404"],
    ["a private address", { url: "http://10.0.0.1/secret" }, "https://"],
    ["a private name", { url: "https://db.internal/secret" }, "no public name"],
    ["a redirect to a private address", { url: "https://files.customer.com/moved" }, "https://"],
    ["a large file", { url: "https://files.customer.com/large" }, "20 MiB"],
    ["no base64", { data: "%%%" }, "base64"],
    ["two sources", { data: BASE64, url: "https://files.customer.com/cat.png" }, "one of"],
    ["no source", {}, "one of"],
  ])("The turn is refused with the place of the file and stores nothing: %s", async (_, part, why) => {
    const { status, body } = await send(bodyWith({ data: BASE64 }, part))
    expect(status).toBe(422)
    expect(body).toMatchObject({ error: { code: "VALIDATION_FAILED", param: "messages.0.content.2" } })
    expect(JSON.stringify(body)).toContain(why)
    const { body: all } = await readAnswer(client.call("GET", `/v1/spaces/${space}/files`))
    expect((all as unknown as { data: unknown[] }).data).toEqual([])
  })

  test("A page in place of an image is refused by OpenAI's operations", async () => {
    const content = [
      { type: "text", text: "See" },
      { type: "image_url", image_url: { url: "https://files.customer.com/page" } },
    ]
    const sent = client.call("POST", "/v1/openai/chat/completions", {
      model: space,
      messages: [{ role: "user", content }],
    })
    const { status, body } = await world.untilAnswered(readAnswer(sent))
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining("no image at the URL, but text/html")])
  })
})
