import { afterAll, beforeAll, expect, inject, test } from "vitest"
import { type Admin, signInAdmin } from "../harness/books.ts"
import { addModel, MODEL_PIN } from "../harness/models.ts"
import { PROVIDER_URL, scriptProvider } from "../harness/scripted-provider.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

const KEY = "/api/admin/api-keys/engines.OPENAI_API_KEY"
const WORKERS = "key-of-the-worker"
const STORED = "canary-sk-0123456789"
const MAPPINGS = "/api/admin/system/containers/mappings"

let world: World
let admin: Admin
let client: TestClient
/** The header of each model call. */
const sent: (string | null)[] = []
beforeAll(async () => {
  world = await createWorld({ env: { OPENAI_BASE_URL: PROVIDER_URL, OPENAI_API_KEY: WORKERS } })
  admin = await signInAdmin(world)
  await addModel(world)
  client = await world.createAccount()
  world.serve("model.test", async (request) => {
    sent.push(request.headers.get("authorization"))
    return scriptProvider(world, () => ({ words: ["hello"] })).serve(request)
  })
  world.serve("sandbox.test", async (request) => {
    const body = request.method === "POST" ? await request.text() : undefined
    return fetch(inject("mcpUrl"), { method: request.method, headers: request.headers, ...(body && { body }) })
  })
})
afterAll(() => world.close())

const listedKeys = async () => {
  const [, { items }] = await admin.json("GET", "/api/admin/api-keys")
  return items as { key_id: string; version: number; calls: number }[]
}

test("An unset key gives its calls back to the worker's variable, keeps its version, and counts from its next value", async () => {
  const space = await client.space({ model: MODEL_PIN })
  await admin.json("PUT", KEY, { value: STORED })
  await client.runTurn({ space })
  const stale = await admin.call("DELETE", KEY, undefined, { "if-match": '"7"' })
  expect(stale.status).toBe(412)
  await world.advance(1000)
  const [status, unset] = await admin.json("DELETE", KEY, undefined, { "if-match": '"1"' })
  expect(status).toBe(200)
  expect(unset).toMatchObject({ is_set: false, last_four: null, version: 2, calls: 0 })
  await client.runTurn({ space })
  expect(sent).toEqual([`Bearer ${STORED}`, `Bearer ${WORKERS}`])
  // A second request changes nothing, and leaves no entry.
  expect(await admin.json("DELETE", KEY)).toEqual([200, unset])
  expect((await listedKeys()).find(({ key_id }) => KEY.endsWith(key_id))).toEqual(unset)
  await world.advance(1000)
  const [, again] = await admin.json("PUT", KEY, { value: STORED })
  expect(again).toMatchObject({ is_set: true, version: 3, calls: 0 })
  const [, { items }] = await admin.json("GET", "/api/admin/audit?subject_type=external_api_key")
  expect((items as { action: string }[]).map(({ action }) => action)).toEqual([
    "api_key.update",
    "api_key.unset",
    "api_key.update",
  ])
  expect(JSON.stringify(items)).not.toContain("canary")
})

test("A key that engines do not know leaves the list with its value; a key that never was is not found", async () => {
  await admin.json("PUT", "/api/admin/api-keys/engines.SPARE_KEY", { value: STORED })
  expect((await listedKeys()).map(({ key_id }) => key_id)).toContain("engines.SPARE_KEY")
  const [status] = await admin.json("DELETE", "/api/admin/api-keys/engines.SPARE_KEY")
  expect(status).toBe(200)
  expect((await listedKeys()).map(({ key_id }) => key_id)).not.toContain("engines.SPARE_KEY")
  for (const other of ["engines.OTHER_KEY", "nothing.OPENAI_API_KEY"]) {
    expect((await admin.call("DELETE", `/api/admin/api-keys/${other}`)).status, other).toBe(404)
  }
})

test("A removed mapping takes the container's tools from later turns, and its audit entry has no secret", async () => {
  const space = await client.space()
  const headers = { authorization: "Bearer canary-of-a-container" }
  const mapping = { container: "sandbox", space, url: "https://sandbox.test/mcp", headers }
  await admin.json("PUT", MAPPINGS, mapping)
  const echo = { space, text: '[call container__echo {"message":"hi"}]' }
  expect((await client.runTurn(echo)).result).toContain("Echo: hi")
  expect((await admin.call("DELETE", `${MAPPINGS}/${space}/sandbox`, undefined, { "if-match": '"9"' })).status).toBe(
    412,
  )
  const [status, removed] = await admin.json("DELETE", `${MAPPINGS}/${space}/sandbox`)
  expect(status).toBe(200)
  expect(removed).toMatchObject({ container: "sandbox", space, header_names: ["authorization"] })
  expect((await client.runTurn(echo)).result).not.toContain("Echo: hi")
  expect(await admin.json("GET", `${MAPPINGS}?space=${space}`)).toMatchObject([200, { items: [], total: 0 }])
  expect((await admin.call("DELETE", `${MAPPINGS}/${space}/sandbox`)).status).toBe(404)
  const [, { items }] = await admin.json("GET", "/api/admin/audit?action=container_mapping.remove")
  expect(items).toMatchObject([{ after: null, before: { url: "https://sandbox.test/mcp", version: 1 } }])
  expect(JSON.stringify(items)).not.toContain("canary")
  // The same names can be mapped again.
  expect(await admin.json("PUT", MAPPINGS, mapping)).toMatchObject([200, { version: 1, enabled: true }])
})
