import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { ONCE_POLICY } from "../../src/actor/once.ts"
import { WEBHOOK_POLICY } from "../../src/webhooks/policies.ts"
import { type Scenario, sendUntilAccepted, survivesEveryFailure } from "../harness/crash.ts"
import { orderTool, serveCustomer } from "../harness/customer.ts"
import { createFileClient, multipartForm } from "../harness/files.ts"
import { staticFile } from "../harness/served.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
  world.serve("*", () => new Response())
})
afterAll(() => world.close())

const DAY_MS = 86_400_000
const TWINS = 20

interface Attempt {
  key: string
  client: TestClient
  space: string
  /** Changes the request. With a changed request, the key is refused as reused. */
  word?: string
}

/**
 * The operations that store their result under the key: a call, and the number of existing
 * resources of its kind.
 */
const OPERATIONS = {
  "POST /v1/spaces": {
    send: ({ key, client, word = "one" }: Attempt) =>
      client.call("POST", "/v1/spaces", { title: word, secrets: { TOKEN: `t-${word}` } }, { "idempotency-key": key }),
    id: "space_id",
    // Does not count the resource that the test starts with.
    count: (userId: number) => count("select count(*) - 1 as n from spaces where user_id = $1", userId),
  },
  "POST /v1/spaces/{space_id}/files": {
    send: ({ key, client, space, word = "one" }: Attempt) =>
      createFileClient(world, client).upload(space, "?name=a.txt", word, { "idempotency-key": key }),
    id: "file_id",
    count: (userId: number) => count("select count(*) as n from files where user_id = $1 and state = 'ready'", userId),
  },
  "POST /v1/webhooks": {
    send: ({ key, client, word = "one" }: Attempt) =>
      client.call("POST", "/v1/webhooks", { url: `https://${word}.customer.com/` }, { "idempotency-key": key }),
    id: "webhook_id",
    count: (userId: number) => count("select count(*) as n from webhook_endpoints where user_id = $1", userId),
  },
}

async function count(query: string, userId: number): Promise<number> {
  return Number((await world.sql<{ n: number }>(query, [userId]))[0]?.n)
}

async function attempt(key = "same"): Promise<Attempt> {
  const client = await world.createAccount()
  return { key, client, space: await client.space() }
}

async function read(response: Response) {
  const body = (await response.json()) as Record<string, unknown> & { error?: { code: string } }
  return { status: response.status, replayed: response.headers.get("idempotent-replayed"), body }
}

describe.each(Object.entries(OPERATIONS))("%s with an Idempotency-Key", (name, { send, id, count }) => {
  const other = Object.entries(OPERATIONS).find(([another]) => another !== name)?.[1]

  test("A repeat returns the resource of the first request", async () => {
    const asked = await attempt()
    const first = await send(asked)
    const location = first.headers.get("location")
    const made = await read(first)
    expect(made).toMatchObject({ status: 201, replayed: null, body: { [id]: expect.any(String) } })
    const again = await send({ ...asked, key: '"same"' })
    expect(again.headers.get("location")).toBe(location)
    expect(await read(again)).toEqual({ ...made, replayed: "true" })
    expect(await count(asked.client.userId)).toBe(1)
    // With another key it is a new request.
    expect(await read(await send({ ...asked, key: "another", word: "another" }))).toMatchObject({
      status: 201,
      replayed: null,
    })
    expect(await count(asked.client.userId)).toBe(2)
  })

  test("The same key with another request is refused, and no resource is made", async () => {
    const asked = await attempt()
    await send(asked)
    const reused = { status: 422, replayed: null, body: { error: { code: "IDEMPOTENCY_KEY_REUSED" } } }
    expect(await read(await send({ ...asked, word: "two" }))).toMatchObject(reused)
    expect(await read((await other?.send(asked)) as Response)).toMatchObject(reused)
    expect([await count(asked.client.userId), await other?.count(asked.client.userId)]).toEqual([1, 0])
  })

  test(`Concurrent identical requests (${TWINS}) make one resource`, async () => {
    const asked = await attempt()
    const answers = await Promise.all(Array.from({ length: TWINS }, () => send(asked)))
    const twins = await Promise.all(answers.map(read))
    expect(twins.map(({ status }) => status)).toEqual(twins.map(() => 201))
    expect(new Set(twins.map(({ body }) => body[id])).size).toBe(1)
    expect(twins.filter(({ replayed }) => replayed === null)).toHaveLength(1)
    expect(await count(asked.client.userId)).toBe(1)
  })

  test("The same key in another account or in test mode is a different key", async () => {
    const live = await attempt()
    const stranger = await attempt()
    const testKey = await world.makeKey(live.client.userId, { test: true, scope: "all" })
    const testClient = world.createClient(live.client.userId, testKey.value)
    const rehearsal = { ...live, client: testClient, space: await testClient.space() }
    const made = await Promise.all([live, stranger, rehearsal].map(async (asked) => read(await send(asked))))
    expect(made.map(({ status, replayed }) => [status, replayed])).toEqual(made.map(() => [201, null]))
    expect(new Set(made.map(({ body }) => body[id])).size).toBe(3)
  })

  test("Another API key of the account can repeat the request if it may see the resource", async () => {
    const asked = await attempt()
    const made = await read(await send(asked))
    const wide = await world.makeKey(asked.client.userId, { scope: "all" })
    const seen = await send({ ...asked, client: world.createClient(asked.client.userId, wide.value) })
    expect(await read(seen)).toMatchObject({ replayed: "true", body: { [id]: made.body[id] } })
    const narrow = await world.makeKey(asked.client.userId)
    const unseen = await send({ ...asked, client: world.createClient(asked.client.userId, narrow.value) })
    expect(await read(unseen)).toMatchObject({ status: 422, body: { error: { code: "IDEMPOTENCY_KEY_REUSED" } } })
    expect(await count(asked.client.userId)).toBe(1)
  })

  test("Refusals are not stored", async () => {
    const asked = await attempt()
    const wrong = { ...asked, word: name.endsWith("files") ? "one" : " ", space: "spc_none" }
    expect((await send(wrong)).status).toBeGreaterThanOrEqual(400)
    expect(await read(await send(asked))).toMatchObject({ status: 201, replayed: null })
  })

  test(`A key is known for ${ONCE_POLICY.keyDays} days and then forgotten`, async () => {
    const asked = await attempt()
    await send(asked)
    await world.advance(ONCE_POLICY.keyDays * DAY_MS - 1)
    await world.sweep()
    expect(await read(await send(asked))).toMatchObject({ status: 201, replayed: "true" })
    await world.advance(1)
    await world.sweep()
    expect(await read(await send({ ...asked, word: "two" }))).toMatchObject({ status: 201, replayed: null })
  })

  test.each(["", " ", "a".repeat(256), "é"])("The key %j is refused", async (key) => {
    const asked = await attempt(key)
    const answer = await read(await send(asked))
    expect(answer).toMatchObject({ status: 400, body: { error: { code: "IDEMPOTENCY_KEY_INVALID" } } })
    expect(await count(asked.client.userId)).toBe(0)
  })

  const scenario: Scenario = {
    name,
    async act(client, space) {
      const asked = { key: "same", client, space }
      const answer = await sendUntilMade(() => send(asked))
      expect(await sendUntilMade(() => send(asked))).toEqual(answer)
      await sendUntilAccepted(client, { space })
      await world.drain()
    },
    async check(_turns, client) {
      expect(await count(client.userId), "one key, one effect").toBe(1)
    },
  }
  test("The request has one effect, whichever call is lost", () => survivesEveryFailure(world, scenario))
})

async function sendUntilMade(send: () => Promise<Response>) {
  for (let tries = 0; tries < 3; tries++) {
    const response = await send()
    if (response.status === 201) return response.clone().json() as Promise<Record<string, unknown>>
    expect(response.status, await response.clone().text()).toBe(503)
  }
  throw new Error("the resource was never made")
}

describe("An upload with an Idempotency-Key", () => {
  test("The upload is identical as a form and as bytes, and leaves one object", async () => {
    const { client, space } = await attempt()
    const files = createFileClient(world, client)
    const key = { "idempotency-key": "k", "content-type": "text/plain" }
    const made = await files.add(space, "?name=a.txt", "bytes", key)
    const { headers, around } = multipartForm('name="file"; filename="a.txt"', "text/plain")
    const again = await files.upload(space, "", around.join("bytes"), { ...key, ...headers })
    expect(await read(again)).toMatchObject({ status: 201, replayed: "true", body: made })
    expect(await files.remains()).toEqual({ rows: 1, objects: 1 })
  })

  test("Concurrent identical uploads leave one object", async () => {
    const { client, space } = await attempt()
    const files = createFileClient(world, client)
    const upload = () => files.add(space, "?name=a.txt", "bytes", { "idempotency-key": "k" })
    await Promise.all(Array.from({ length: TWINS }, upload))
    expect(await files.remains()).toEqual({ rows: 1, objects: 1 })
  })

  test("A repeat is refused for a deleted file, and answered after its space was archived", async () => {
    const { client, space } = await attempt()
    const files = createFileClient(world, client)
    const upload = (key: string) => files.upload(space, "?name=a.txt", key, { "idempotency-key": key })
    const { body } = await read(await upload("gone"))
    await upload("there")
    await client.call("DELETE", `/v1/files/${body.file_id}`)
    await world.sql("update spaces set archived_at = now() where slug = $1", [space])
    expect(await read(await upload("gone"))).toMatchObject({
      status: 422,
      body: { error: { code: "IDEMPOTENCY_KEY_REUSED" } },
    })
    expect(await read(await upload("there"))).toMatchObject({ status: 201, replayed: "true" })
    expect((await upload("new")).status).toBe(409)
  })
})

test("Every POST accepts an Idempotency-Key", async () => {
  const { paths } = (await (await staticFile("/v1/openapi.json")).json()) as {
    paths: Record<string, { post?: { parameters?: { name: string; in: string }[] } }>
  }
  const posts = Object.entries(paths).filter(([, { post }]) => post)
  const without = posts.filter(([, { post }]) => !post?.parameters?.some(({ name }) => name === "Idempotency-Key"))
  expect(posts.length).toBeGreaterThan(4)
  expect(without.map(([path]) => path)).toEqual([])
})

test("A key costs no further round trip", async () => {
  const { client } = await attempt()
  const made = await client.call("POST", "/v1/spaces", { title: "x" }, { "idempotency-key": "k" })
  expect(made.headers.get("server-timing")).toMatch(/pg;[^,]*calls=1"/)
})

test("For the last place under a limit, one of many identical requests takes it, and the others get its result", async () => {
  const { client } = await attempt()
  const send = (key: string) =>
    client.call("POST", "/v1/webhooks", { url: `https://hooks.example.com/${key}` }, { "idempotency-key": key })
  for (let made = 0; made < WEBHOOK_POLICY.maxEndpoints - 1; made++) expect((await send(`k${made}`)).status).toBe(201)
  const twins = await Promise.all(Array.from({ length: TWINS }, () => send("last")))
  const ids = await Promise.all(twins.map(async (one) => ((await one.json()) as { webhook_id: string }).webhook_id))
  expect(twins.map(({ status }) => status)).toEqual(twins.map(() => 201))
  expect(new Set(ids).size).toBe(1)
  expect((await send("one more")).status).toBe(409)
})

test("The same key for a turn and for another operation counts as two keys", async () => {
  const { client, space } = await attempt()
  const key = { "idempotency-key": "same" }
  expect((await client.call("POST", "/v1/spaces", { title: "x" }, key)).status).toBe(201)
  expect((await client.sendTurn({ space }, "same")).status).toBe(202)
})

test("The stored record of a request does not allow its secrets to be guessed", async () => {
  const { client } = await attempt()
  await client.call("POST", "/v1/spaces", { title: "x", secrets: { PIN: "1234" } }, { "idempotency-key": "k" })
  const [before] = await world.sql("select fingerprint from idempotency_keys where user_id = $1", [client.userId])
  // With a new first key in the ring the fingerprint differs, and the old one is still recognised.
  const newer = `new:${btoa("fedcba9876543210fedcba9876543210")}`
  world.rebind({ SECRETS_KEYS: `${newer},${world.env.SECRETS_KEYS}` })
  const body = { title: "x", secrets: { PIN: "1234" } }
  const again = await client.call("POST", "/v1/spaces", body, { "idempotency-key": "k" })
  expect(again.headers.get("idempotent-replayed")).toBe("true")
  await client.call("POST", "/v1/spaces", body, { "idempotency-key": "l" })
  const rows = await world.sql("select fingerprint from idempotency_keys where user_id = $1", [client.userId])
  expect(new Set(rows.map(({ fingerprint }) => fingerprint)).size).toBe(2)
  expect(rows).toContainEqual(before)
  world.rebind({ SECRETS_KEYS: world.env.SECRETS_KEYS })
})

describe("Operations that need no record", () => {
  test("A tool's test forwards the key, so that the customer's server can recognise a repeat", async () => {
    const { client } = await attempt()
    const { requests } = serveCustomer(world)
    const space = await client.space({ tools: [orderTool()], secrets: { TOKEN: "token" } })
    const path = `/v1/spaces/${space}/tools/lookup_order/test`
    const call = (headers: Record<string, string>) => client.call("POST", path, { input: { id: "1" } }, headers)
    for (const key of ["mine", "mine"]) expect((await call({ "idempotency-key": key })).status).toBe(200)
    await call({})
    const keys = requests.map(({ headers }) => headers["idempotency-key"])
    expect(keys).toEqual(["mine", "mine", expect.stringMatching(/^req_/)])
    expect((await call({ "idempotency-key": "é" })).status).toBe(400)
  })

  test("A turn is cancelled once under any key", async () => {
    const { client, space } = await attempt()
    const { turn_id } = (await (await client.sendTurn({ space })).json()) as { turn_id: string }
    const cancel = (key: string) =>
      client.call("POST", `/v1/turns/${turn_id}/cancel`, undefined, { "idempotency-key": key })
    const answers = await Promise.all(["a", "a", "b"].map(cancel))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  })
})
