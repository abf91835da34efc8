import { afterAll, beforeAll, expect, test } from "vitest"
import { SETTINGS, type SettingKey } from "../../src/settings/registry.ts"
import { createFileClient } from "../harness/files.ts"
import { holdWrites, untilBlocked, waitForLocks } from "../harness/locks.ts"
import { createWorld, type TestClient, turnOf, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
  await waitForLocks(world)
})
afterAll(() => world.close())

const set = (key: SettingKey, value: number) =>
  world.sql(
    "insert into settings (key, value) values ($1, to_jsonb($2::bigint)) on conflict (key) do update set value = excluded.value",
    [key, value],
  )
const unset = () => world.sql("delete from settings where key like 'max_%' or key = 'kept_versions'")

interface Limit {
  cap: string
  limit: number
  used: number
}

async function limitsOf(client: TestClient): Promise<Record<string, Limit>> {
  const { limits } = (await (await client.call("GET", "/v1/me")).json()) as { limits: Limit[] }
  return Object.fromEntries(limits.map((one) => [one.cap, one]))
}

const tool = (name: string, size: number) => ({
  name,
  description: "x".repeat(size),
  input_schema: { type: "object" },
  request: { method: "GET", url: `https://api.customer.com/${name}` },
})

/** The bytes of all versions and parts in the database, as stored. */
async function storedBytes(): Promise<number> {
  const [row] = await world.sql<{ bytes: number }>(
    "select (pg_total_relation_size('config_versions') + pg_total_relation_size('config_parts'))::int as bytes",
  )
  return row?.bytes ?? 0
}

/** The storage that an account is charged with equals its parts and secrets. */
async function expectCounted({ userId }: TestClient): Promise<void> {
  const [row] = await world.sql(
    `select a.config_bytes::int as counted, (
       (select coalesce(sum(p.bytes), 0) from config_parts p join spaces s using (space_id) where s.user_id = a.user_id)
       + (select coalesce(sum(octet_length(o.sealed)), 0) from space_secrets o join spaces s using (space_id) where s.user_id = a.user_id)
     )::int as stored from account_storage a where a.user_id = $1`,
    [userId],
  )
  expect(row?.counted).toBe(row?.stored)
}

const versionOf = async (client: TestClient, space: string, version: number) =>
  (await (await client.call("GET", `/v1/spaces/${space}/versions/${version}`)).json()) as Record<string, unknown>

test("A change of a manifest of 19 bytes stores about that much, not the 480 KB of the tools next to it", async () => {
  const client = await world.createAccount({ test: true })
  // Text that the database cannot compress.
  const noise = (name: string) => {
    const text = () => btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(3_000))))
    return { ...tool(name, 0), description: text(), input_schema: { type: "object", description: text() } }
  }
  const space = await client.space({ tools: Array.from({ length: 55 }, (_, n) => noise(`tool_${n}`)) })
  const before = await storedBytes()
  expect(before, "the tools").toBeGreaterThan(400_000)
  for (let n = 1; n <= 100; n++) {
    expect((await client.call("PUT", `/v1/spaces/${space}/manifest`, { max_steps: 1 + (n % 16) })).status).toBe(200)
  }
  const each = ((await storedBytes()) - before) / 100
  console.log(`a PUT of a manifest stores ${Math.round(each)} bytes`)
  expect(each).toBeLessThan(1_000)
  // The data that a change writes until vacuum removes it contains no copy of the tools either.
  const [wal] = await world.sql<{ at: string }>("select pg_current_wal_insert_lsn()::text as at")
  await client.call("PUT", `/v1/spaces/${space}/manifest`, { max_steps: 7 })
  const [written] = await world.sql<{ bytes: number }>(
    "select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), $1::pg_lsn)::int as bytes",
    [wal?.at],
  )
  console.log(`and writes ${written?.bytes} bytes of log`)
})

test("Every version stays unchanged, whatever is added, changed, removed and restored", async () => {
  const client = await world.createAccount()
  const space = await client.space({ manifest: { instructions: "one" }, tools: [tool("a", 1)] })
  const wanted: Record<string, unknown>[] = [await versionOf(client, space, 1)]
  const changes: [string, string, object?][] = [
    ["PUT", "manifest", { instructions: "two" }],
    ["PUT", "tools/a", { ...tool("a", 2), name: undefined }],
    ["PUT", "mcp-servers/docs", { url: "https://docs.customer.com/mcp" }],
    ["DELETE", "tools/a"],
    ["PUT", "manifest", { instructions: "one" }],
    ["PUT", "tools/a", { ...tool("a", 1), name: undefined }],
    ["PUT", "secrets/KEY", { value: "value" }],
    ["DELETE", "mcp-servers/docs"],
  ]
  for (const [method, path, body] of changes) {
    expect((await client.call(method, `/v1/spaces/${space}/${path}`, body)).status, path).toBe(200)
    const now = (await (await client.call("GET", `/v1/spaces/${space}`)).json()) as Record<string, unknown>
    const version = await versionOf(client, space, now.config_version as number)
    expect(version.manifest).toEqual(now.manifest)
    expect((version.tools as { name: string }[]).map(({ name }) => name)).toEqual(now.tools)
    wanted.push(version)
  }
  expect(wanted).toHaveLength(9)
  for (const [index, version] of wanted.entries()) expect(await versionOf(client, space, index + 1)).toEqual(version)
  expect(wanted[6]).toMatchObject({ manifest: { instructions: "one" }, tools: [{ name: "a", description: "x" }] })
})

test("The latest versions are kept, and so is a version that a turn uses", async () => {
  await set("kept_versions", 10)
  const client = await world.createAccount()
  const space = await client.space({ manifest: { instructions: "the first" } })
  const { turn_id } = await turnOf(await client.sendTurn({ space, text: "[fail MODEL_UNAVAILABLE times=1]\nhello" }))
  await world.settled()
  const [callback] = await world.qstash.due()
  await world.deliver(callback as NonNullable<typeof callback>)
  await world.qstash.answer({ delivery_id: callback?.delivery_id as string, status: 200 })
  const change = async (count: number) => {
    for (let n = 0; n < count; n++) await client.call("PUT", `/v1/spaces/${space}/manifest`, { instructions: `${n}` })
  }
  await change(15)
  expect(await versionOf(client, space, 1)).toMatchObject({ manifest: { instructions: "the first" } })
  await world.advance(10_000)
  await world.drain()
  expect((await client.getTurn(turn_id)).state).toBe("done")
  await change(3)
  expect((await client.call("GET", `/v1/spaces/${space}/versions/9`)).status).toBe(404)
  expect((await client.call("GET", `/v1/spaces/${space}/versions/10`)).status).toBe(200)
  const list = (await (await client.call("GET", `/v1/spaces/${space}/versions?limit=100`)).json()) as { data: object[] }
  expect(list.data).toHaveLength(10)
  const parts = await world.sql(
    "select 1 from config_parts p join spaces s using (space_id) where s.slug = $1 and p.until_version <= 10",
    [space],
  )
  expect(parts, "the parts of old versions are deleted").toEqual([])
  await unset()
})

test("The number of an account's spaces is limited, also for concurrent requests, and accounts above the limit keep theirs", async () => {
  await set("max_spaces", 5)
  const client = await world.createAccount()
  const make = () => client.call("POST", "/v1/spaces", { title: "x" })
  const answers = await Promise.all(Array.from({ length: 12 }, make))
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(5)
  const refused = answers.find(({ status }) => status === 409)
  expect(await refused?.json()).toMatchObject({
    error: { code: "LIMIT_REACHED", retryable: false, details: { cap: "spaces", limit: 5, used: 5 } },
  })
  await set("max_spaces", 2)
  expect((await limitsOf(client)).spaces).toEqual({ cap: "spaces", limit: 2, used: 5 })
  const { data } = (await (await client.call("GET", "/v1/spaces")).json()) as { data: { space_id: string }[] }
  expect(data).toHaveLength(5)
  const [space] = data
  expect((await client.call("PUT", `/v1/spaces/${space?.space_id}/manifest`, { max_steps: 3 })).status).toBe(200)
  expect((await make()).status).toBe(409)
  await unset()
})

test("An account at its limit of configuration keeps ten versions and then accepts no more", async () => {
  const client = await world.createAccount()
  const space = await client.space()
  await set("max_config_bytes", 100_000)
  const put = (n: number, name = "a", size = 3_900) =>
    client.call("PUT", `/v1/spaces/${space}/tools/${name}`, { ...tool(`v${n}`, size), name: undefined })
  for (let n = 0; n < 40; n++) expect((await put(n)).status, `version ${n}`).toBe(200)
  const { config_bytes } = await limitsOf(client)
  expect(config_bytes?.used).toBeGreaterThan(40_000)
  expect(config_bytes?.used).toBeLessThan(110_000)
  let refused = await put(0)
  for (let n = 0; refused.status === 200 && n < 60; n++) refused = await put(n, `large_${n}`)
  expect(refused.status).toBe(409)
  expect(await refused.json()).toMatchObject({ error: { code: "LIMIT_REACHED", details: { cap: "config_bytes" } } })
  expect((await client.call("POST", "/v1/spaces", { title: "x" })).status).toBe(409)
  const instructions = (text: string) => client.call("PUT", `/v1/spaces/${space}/manifest`, { instructions: text })
  expect((await instructions("x".repeat(3_900))).status, "not through a manifest").toBe(409)
  const server = { url: "https://docs.customer.com/mcp" }
  expect(
    (await client.call("PUT", `/v1/spaces/${space}/mcp-servers/docs`, server)).status,
    "not through a server",
  ).toBe(409)
  expect(
    (await client.call("DELETE", `/v1/spaces/${space}/tools/large_0`)).status,
    "a smaller configuration is always accepted",
  ).toBe(200)
  await expectCounted(client)
  await unset()
})

test("Secrets count as configuration: at its limit an account accepts only equal or shorter ones", async () => {
  const client = await world.createAccount()
  const [space, second] = [await client.space(), await client.space()]
  await set("max_config_bytes", 100_000)
  const put = (name: string, size: number, of = space) =>
    client.call("PUT", `/v1/spaces/${of}/secrets/${name}`, { value: "x".repeat(size) })
  let refused = await put("s0", 8_000)
  for (let n = 1; refused.status === 200 && n < 40; n++)
    refused = await put(`s${n}`, 8_000, n % 2 === 0 ? space : second)
  expect(refused.status).toBe(409)
  expect(await refused.json()).toMatchObject({ error: { code: "LIMIT_REACHED", details: { cap: "config_bytes" } } })
  expect((await put("s0", 8_000)).status, "another value").toBe(200)
  expect((await put("s0", 8_100)).status, "a longer one").toBe(409)
  expect((await limitsOf(client)).config_bytes?.used).toBeLessThan(120_000)
  await expectCounted(client)
  expect((await put("s0", 10)).status).toBe(200)
  expect((await client.call("DELETE", `/v1/spaces/${space}/secrets/s2`)).status).toBe(200)
  await expectCounted(client)
  expect((await put("new", 10)).status).toBe(200)
  const secrets = { made: "y".repeat(500) }
  expect((await client.call("POST", "/v1/spaces", { title: "x", secrets })).status).toBe(201)
  await expectCounted(client)
  await unset()
})

test("The number and size of an account's files are limited, and an upload beyond the limit leaves no data", async () => {
  const client = await world.createAccount()
  const files = createFileClient(world, client)
  const space = await client.space()
  await set("max_files", 3)
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, n) => files.upload(space, `?name=${n}.txt`, "0123456789")),
  )
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(3)
  expect(await answers.find(({ status }) => status === 409)?.json()).toMatchObject({
    error: { code: "LIMIT_REACHED", details: { cap: "files", limit: 3, used: 3 } },
  })
  expect(await limitsOf(client)).toMatchObject({ files: { used: 3 }, file_bytes: { used: 30 } })

  await set("max_files", 100)
  await set("max_file_bytes", 1024 ** 2)
  const half = "x".repeat(600 * 1024)
  expect((await files.upload(space, "?name=half.txt", half)).status).toBe(201)
  const over = await files.upload(space, "?name=more.txt", half)
  expect(await over.json()).toMatchObject({ error: { code: "LIMIT_REACHED", details: { cap: "file_bytes" } } })
  // Uploads that started while there was room are counted when they are stored, also concurrently.
  const letGo = await holdWrites(world, "after update on files")
  const uploads = Array.from({ length: 4 }, (_, n) =>
    files.upload(space, `?name=rest-${n}.txt`, "x".repeat(300 * 1024)),
  )
  await untilBlocked(world, 4)
  await letGo()
  const rest = await Promise.all(uploads)
  expect(rest.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409])
  const [kept] = await world.sql("select count(*)::int as n from files where user_id = $1 and state <> 'deleted'", [
    client.userId,
  ])
  expect(kept).toEqual({ n: 5 })
  // The agent gets an error for either limit, and continues.
  const text = '[call write_file {"name": "a.txt", "content": "0123456789"}]\ndone'
  await set("max_file_bytes", 30 + 900 * 1024 + 5)
  expect(await client.runTurn({ space, text })).toMatchObject({ state: "done", outputs: [] })
  await set("max_file_bytes", 1024 ** 2)
  await set("max_files", 5)
  expect(await client.runTurn({ space, text })).toMatchObject({ state: "done", outputs: [] })
  await unset()
})

test("The default limits are the values of the registry", async () => {
  const client = await world.createAccount()
  const limits = await limitsOf(client)
  for (const { cap, limit } of Object.values(limits)) {
    expect(limit, cap).toBe(SETTINGS[`max_${cap}` as SettingKey].default)
  }
  expect(Object.keys(limits)).toEqual([
    "open_test_turns",
    "keys",
    "members",
    "end_users",
    "spaces",
    "config_bytes",
    "files",
    "file_bytes",
  ])
  const [release] = await world.sql<{ name: string }>("select name from procedure_releases limit 1")
  const [kept] = await world.sql(`select ${release?.name}.limit_of('kept_versions')::int as n`)
  expect(kept).toEqual({ n: SETTINGS.kept_versions.default })
})
