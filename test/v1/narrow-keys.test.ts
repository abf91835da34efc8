import { afterAll, beforeAll, expect, test } from "vitest"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

let world: World
let client: TestClient
beforeAll(async () => {
  world = await createWorld()
  client = await world.createAccount({ usd: 3 })
})
afterAll(() => world.close())

// biome-ignore lint/suspicious/noExplicitAny: each operation answers its own shape
const read = async (key: TestClient, method: string, path: string, body?: object): Promise<[number, any]> => {
  const response = await key.call(method, path, body)
  return [response.status, await response.json()]
}

async function keyOf(key: Parameters<World["makeKey"]>[1]) {
  return world.createClient(client.userId, (await world.makeKey(client.userId, key)).value)
}

test("A test key and a key to one space do not see the account's data, and other keys do", async () => {
  const slug = await client.space()
  const [space] = await world.sql<{ id: number }>("select space_id::int as id from spaces where slug = $1", [slug])
  const narrow = await keyOf({ scope: "space", spaceId: space?.id ?? 0 })
  const test = await keyOf({ test: true })
  const testSpace = await test.space()
  for (const [key, at] of [
    [narrow, slug],
    [test, testSpace],
  ] as const) {
    expect((await read(key, "GET", "/v1/me"))[1].balance).toBeNull()
    const [status, refused] = await read(key, "GET", "/v1/balance")
    expect([status, refused.error.code]).toEqual([403, "SCOPE_DENIED"])
    const turn = { space: at, end_user_ref: "c", text: "hello" }
    expect((await read(key, "POST", "/v1/turns/estimate", turn))[1].balance).toBeNull()
  }
  for (const key of [client, await keyOf({ scope: "all" })]) {
    expect((await read(key, "GET", "/v1/me"))[1].balance.balance_usd).toBe(3)
    expect((await read(key, "GET", "/v1/balance"))[1].balance_usd).toBe(3)
  }
})

test("A refusal does not reveal the remaining credit to a key to one space", async () => {
  const poor = await world.createAccount({ usd: 0.00001 })
  const slug = await poor.space()
  const [space] = await world.sql<{ id: number }>("select space_id::int as id from spaces where slug = $1", [slug])
  const { value } = await world.makeKey(poor.userId, { scope: "space", spaceId: space?.id ?? 0 })
  const narrow = world.createClient(poor.userId, value)
  const turn = { space: slug, end_user_ref: "c", text: "hello" }
  const refused = await (await narrow.sendTurn(turn)).json()
  expect(refused).toMatchObject({ error: { code: "INSUFFICIENT_CREDITS", details: {} } })
  const [, estimate] = await read(narrow, "POST", "/v1/turns/estimate", turn)
  expect(estimate.refused_by).toMatchObject({ code: "INSUFFICIENT_CREDITS", details: {} })
  for (const answer of [refused, estimate.refused_by]) expect(JSON.stringify(answer)).not.toMatch(/_usd|USD/)
})

test("Every list of /v1 has the same shape", async () => {
  const all = await keyOf({ scope: "all" })
  const slug = await all.space()
  await all.call("PUT", `/v1/spaces/${slug}/secrets/ONE`, { value: "v" })
  for (const path of ["tools", "mcp-servers", "secrets", "versions"]) {
    expect((await read(all, "GET", `/v1/spaces/${slug}/${path}`))[1], path).toMatchObject({
      data: expect.any(Array),
      has_more: false,
      next_cursor: null,
    })
  }
})

test("Webhooks, deliveries and versions filter by their creation time", async () => {
  const own = await world.createAccount()
  const slug = await own.space()
  const make = async () =>
    (await read(own, "POST", "/v1/webhooks", { url: `https://hooks.customer.com/${world.clock.ms()}` }))[1]
  const [first] = [await make()]
  await read(own, "POST", `/v1/webhooks/${first.webhook_id}/test`)
  await world.advance(60_000)
  const moment = world.clock.now().toISOString()
  const second = await make()
  await read(own, "POST", `/v1/webhooks/${first.webhook_id}/test`)
  await own.call("PUT", `/v1/spaces/${slug}/manifest`, { instructions: "Be brief." })
  const idsOf = async (path: string, id: string, query: string) =>
    (await read(own, "GET", `${path}?${query}`))[1].data.map((row: Record<string, unknown>) => row[id])
  expect(await idsOf("/v1/webhooks", "webhook_id", `created_after=${moment}`)).toEqual([second.webhook_id])
  expect(await idsOf("/v1/webhooks", "webhook_id", `created_before=${moment}`)).toEqual([first.webhook_id])
  const deliveries = `/v1/webhooks/${first.webhook_id}/deliveries`
  // The ping that verified the URL, and two tests.
  const [newest, ...older] = await idsOf(deliveries, "delivery_id", "")
  expect(older).toHaveLength(2)
  expect(await idsOf(deliveries, "delivery_id", `created_after=${moment}`)).toEqual([newest])
  expect(await idsOf(deliveries, "delivery_id", `created_before=${moment}`)).toEqual(older)
  const versions = `/v1/spaces/${slug}/versions`
  expect(await idsOf(versions, "version", `created_after=${moment}`)).toEqual([2])
  expect(await idsOf(versions, "version", `created_before=${moment}`)).toEqual([1])
  const [, page] = await read(own, "GET", "/v1/webhooks?limit=1")
  const [status] = await read(own, "GET", `/v1/webhooks?limit=1&cursor=${page.next_cursor}&created_after=${moment}`)
  expect(status, "a cursor that belongs to other filters").toBe(422)
})
