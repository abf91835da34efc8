import { afterAll, beforeAll, expect, test } from "vitest"
import { orderTool, serveCustomer } from "../harness/customer.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

const url = "https://api.customer.com/a"

/** The request of one call of a tool with this JSON input, to a server that gives this answer. */
async function sent(request: object, input: string, answer: Parameters<typeof serveCustomer>[1] = {}) {
  const client = await world.createAccount()
  const customer = serveCustomer(world, answer)
  const tool = orderTool(customer.host, { input_schema: { type: "object" }, request })
  const space = await client.space({ tools: [tool], secrets: { TOKEN: "canary-token-1" } })
  const { result } = await client.runTurn({ space, text: `[call lookup_order ${input}]` })
  return { ...customer.requests[0], said: result ?? "" }
}

test("A text body that is JSON stays the same JSON with any values", async () => {
  const headers = { "Content-Type": "application/json; charset=utf-8" }
  const body = '{"a":"say {{input.a}}","b":{{input.b}},"c":{{input.c}},"d":{{input.d}}}'
  const a = 'x "y" \\ \n","admin":true'
  const seen = await sent({ method: "POST", url, headers, body }, JSON.stringify({ a, b: { n: [1] }, c: 'it is "c"' }))
  expect(JSON.parse(seen?.body ?? "")).toEqual({ a: `say ${a}`, b: { n: [1] }, c: 'it is "c"', d: null })
})

test("An integer that no double can hold keeps its digits in path, query, headers and body", async () => {
  const id = "12345678901234567890"
  const seen = await sent(
    { method: "POST", url: `${url}/{{input.id}}`, query: { q: "{{input.id}}" }, headers: { "x-id": "{{input.id}}" } },
    `{"id":${id},"deep":[{"id":9007199254740993}]}`,
  )
  expect(seen?.url).toContain(`/${id}?q=${id}`)
  expect(seen?.headers?.["x-id"]).toBe(id)
  expect(seen?.body).toBe(`{"id":${id},"deep":[{"id":9007199254740993}]}`)
})

test.each([
  ["iso-8859-1", [0x63, 0x61, 0x66, 0xe9]],
  ["windows-1252", [0x63, 0x61, 0x66, 0xe9]],
  ["utf-16le", [0x63, 0, 0x61, 0, 0x66, 0, 0xe9, 0]],
])("An answer in %s is decoded with its declared charset", async (charset, bytes) => {
  const headers = { "content-type": `text/plain; charset=${charset}` }
  const answer = () => new Response(new Uint8Array(bytes), { headers })
  expect((await sent({ method: "GET", url }, "{}", { answer })).said).toContain("answered: café")
})
