import { afterAll, beforeAll, expect, test } from "vitest"
import { dropDatabase } from "../../src/local/databases.ts"
import { startStack } from "../../src/local/stack.ts"
import { compareCatalogs, describeDifference } from "../../src/ops/catalog.ts"
import { readMigrations } from "../../src/ops/migration-files.ts"
import { migrate } from "../../src/ops/migrations.ts"
import { applyRelease, readRelease } from "../../src/ops/release.ts"
import { catalogOf, OLD_ROWS, OLD_SCHEMA, rowsOf, type Server, startServer } from "../harness/databases.ts"

let server: Server

beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

type Client = Awaited<ReturnType<Server["create"]>>["client"]

async function freshCatalog() {
  const { client } = await server.create()
  await migrate(client, { phase: "after-deploy" })
  return catalogOf(client)
}

const differences = async (client: Client, wanted: Awaited<ReturnType<typeof freshCatalog>>) =>
  compareCatalogs(wanted, await catalogOf(client)).map(describeDifference)

/** Every earlier row has the same values in every column that still exists. */
async function expectKept(client: Client, before: Awaited<ReturnType<typeof rowsOf>>) {
  const after = await rowsOf(client)
  for (const [table, rows] of Object.entries(before)) {
    const now = after[table]
    if (!now) continue
    const stays = Object.keys(now[0] ?? {})
    const part = (row: Record<string, unknown>) =>
      JSON.stringify(
        Object.fromEntries(stays.filter((name) => name in (rows[0] ?? {})).map((name) => [name, row[name]])),
      )
    expect(now.length, table).toBeGreaterThanOrEqual(rows.length)
    expect(now.map(part), table).toEqual(expect.arrayContaining(rows.map(part)))
  }
}

test("the seed has a row of every table", async () => {
  const { client } = await server.create(OLD_SCHEMA, OLD_ROWS)
  const empty = Object.entries(await rowsOf(client)).filter(([, rows]) => rows.length === 0)
  expect(empty).toEqual([])
})

test("the database from before there were migrations, and its rows, come to today's step by step", async () => {
  const fresh = await freshCatalog()
  const { client } = await server.create(OLD_SCHEMA, OLD_ROWS)
  const before = await rowsOf(client)
  const all = await readMigrations()
  for (const count of all.keys()) {
    const migrations = all.slice(0, count + 1)
    await migrate(client, { phase: "after-deploy", migrations })
    await expectKept(client, before)
  }
  expect(await differences(client, fresh)).toEqual([])
})

/** In CI from each; for everyone from the newest, and from every fifth before it. */
const begins = (steps: number, step: number) => Boolean(process.env.TURNPIKE_THOROUGH) || (steps - 1 - step) % 5 === 0

test("an upgrade from each step, with all that follows at once, ends as a new database is", async () => {
  const fresh = await freshCatalog()
  const all = await readMigrations()
  const { client: first, url, name } = await server.create(OLD_SCHEMA, OLD_ROWS)
  await first.end()
  for (const count of all.keys()) {
    const step = await server.connect(url)
    await migrate(step, { phase: "after-deploy", migrations: all.slice(0, count + 1) })
    await step.end()
    if (!begins(all.length, count)) continue
    const { client } = await server.copy(name)
    const before = await rowsOf(client)
    const { applied } = await migrate(client, { phase: "after-deploy" })
    expect(applied).toEqual(all.slice(count + 1).map(({ name }) => name))
    expect(await differences(client, fresh)).toEqual([])
    await expectKept(client, before)
  }
})

test("the baseline alone makes the database as it was before there were migrations", async () => {
  const [baseline] = await readMigrations()
  const { client: old } = await server.create(OLD_SCHEMA)
  const { client } = await server.create(baseline?.text ?? "")
  expect(await differences(client, await catalogOf(old))).toEqual([])
  expect(await rowsOf(client)).toMatchObject({ model_catalog: [{ pin: "rehearsal/standard" }] })
})

test("configurations are counted by an upgrade as its release counts them", async () => {
  const { client } = await server.create(OLD_SCHEMA, OLD_ROWS)
  const subagents = [{ name: "researcher", description: 'Says "so".' }]
  const manifest = { instructions: "Sei kurz — bitte.", model: "rehearsal/standard", max_output_tokens: 9, subagents }
  const history = { max_turns: 3 }
  const change = "update spaces set manifest = $1, mcp_servers = $2, config_version = 9 where slug = 'spc_1'"
  const settings = { ...manifest, history, builtin_tools: ["read_file"] }
  await client.query(change, [JSON.stringify(settings), JSON.stringify({ docs: { name: "docs" } })])
  await migrate(client, { phase: "after-deploy" })
  const release = await readRelease()
  await applyRelease(client, release)
  const counted = `select prompt_facts as kept, ${release.name}.prompt_facts(s) as now from spaces s order by slug`
  const { rows } = await client.query<{ kept: object; now: object }>(counted)
  expect(rows.map(({ kept }) => kept)).toEqual(rows.map(({ now }) => now))
  expect(rows[0]?.kept).toMatchObject({ version: 9, system: 19, tools: 1, agents: 1, unlisted: 1, history, answer: 9 })
  const stored = await client.query(
    `select a.config_bytes - (select coalesce(sum(p.bytes), 0) from config_parts p join spaces s using (space_id) where s.user_id = a.user_id)
       = (select sum(octet_length(o.sealed)) from space_secrets o join spaces s using (space_id) where s.user_id = a.user_id) as same
     from account_storage a where a.user_id = (select user_id from spaces where space_id = 1)`,
  )
  expect(stored.rows, "secrets included").toEqual([{ same: true }])
})

test("what was stored before there were prices for it is never billed", async () => {
  const { client } = await server.create(OLD_SCHEMA, OLD_ROWS)
  const began = new Date()
  await migrate(client, { phase: "after-deploy" })
  const release = await readRelease()
  await applyRelease(client, release)
  const used = `select u.starts_at, u.byte_seconds::float8 as stored from ${release.name}.infra_usage_of(1, now(), 1, 1) u`
  const { rows } = await client.query<{ starts_at: Date; stored: number }>(used)
  expect(rows[0]?.starts_at?.getTime()).toBeGreaterThan(began.getTime() - 60_000)
  expect(rows[0]?.stored, "3 bytes since the upgrade").toBeLessThan(3 * 60)
})

test("spaces from before get their origin, chat, pin and totals, as their turns say", async () => {
  const { client } = await server.create(OLD_SCHEMA, OLD_ROWS)
  await client.query("update spaces set origin = 'api'")
  await migrate(client, { phase: "after-deploy" })
  const spaces = await client.query("select slug, origin, chat_key, pin, workspace_id from spaces order by slug")
  expect(spaces.rows).toEqual([
    { slug: "spc_1", origin: "api", chat_key: "space:spc_1", pin: "rehearsal/standard", workspace_id: null },
    { slug: "spc_2", origin: "dashboard", chat_key: "space:spc_2", pin: null, workspace_id: null },
  ])
  const ended = "from spaces s left join turns t on t.space_id = s.space_id and t.finished_at is not null"
  const totals = await client.query("select * from space_totals order by space_id")
  const said = await client.query(`select s.space_id, count(t.turn_id) as turns,
    coalesce(sum(t.billed_credit_micros), 0)::bigint as billed_credit_micros, max(t.finished_at) as last_ended_at ${ended}
    group by s.space_id order by s.space_id`)
  expect(totals.rows).toEqual(said.rows)
  expect(said.rows.some(({ turns }) => Number(turns) > 0)).toBe(true)
  const people = await client.query("select sum(turns)::int as turns from space_people")
  expect(people.rows[0].turns).toBe(said.rows.reduce((sum, { turns }) => sum + Number(turns), 0))
})

test("configurations from before are read as they were, beside those by parts; webhooks from before are verified", async () => {
  const { client } = await server.create(OLD_SCHEMA, OLD_ROWS)
  const whole = { instructions: "Be brief." }
  const tools = { a: { name: "a" }, b: { name: "b" } }
  const add = (version: number, manifest: object, tools: object) =>
    client.query(
      `insert into space_configs (space_id, version, change, manifest, tools, mcp_servers, created_at)
       select space_id, $1, 'manifest', $2, $3, '{}', now() from spaces where slug = 'spc_1'`,
      [version, JSON.stringify(manifest), JSON.stringify(tools)],
    )
  await add(50, whole, tools)
  const read = async () =>
    (await client.query("select to_jsonb(c) as c from space_configs c order by space_id, version")).rows
  const before = await read()
  await migrate(client, { phase: "after-deploy" })
  expect(await read()).toEqual(before)
  // As the release before does it, which knows no parts.
  await add(51, { max_steps: 3 }, tools)
  await add(52, { max_steps: 3 }, { b: tools.b })
  const now = (await read()).map(({ c }) => c).filter(({ version }) => version >= 50)
  expect(now).toMatchObject([
    { version: 50, manifest: whole, tools },
    { version: 51, manifest: { max_steps: 3 }, tools },
    { version: 52, manifest: { max_steps: 3 }, tools: { b: tools.b } },
  ])
  expect(Object.keys(now[2].tools)).toEqual(["b"])
  const parts = await client.query(
    "select kind, name, from_version, until_version from config_parts order by kind, name",
  )
  expect(parts.rows).toEqual([
    { kind: "manifest", name: "", from_version: 51, until_version: null },
    { kind: "tool", name: "a", from_version: 51, until_version: 52 },
    { kind: "tool", name: "b", from_version: 51, until_version: null },
  ])
  const hooks = await client.query("select verified_at is not null as verified from webhook_endpoints")
  expect(hooks.rows.length).toBeGreaterThan(0)
  expect(hooks.rows.every(({ verified }) => verified)).toBe(true)
})

test("a data directory of npm start from before there were migrations is upgraded as it starts", async () => {
  const fresh = await freshCatalog()
  const { client, name } = await server.create(OLD_SCHEMA, OLD_ROWS)
  const { REDIS_URL: redisUrl } = process.env
  const options = { dataDir: "unused", control: false, durable: false, databaseUrl: server.adminUrl, redisUrl }
  const stack = await startStack(options)
  try {
    await stack.createNamespace({ name: "local", qstash_mode: "manual", databaseName: name })
    expect(await differences(client, fresh)).toEqual([])
    const made = `${name}_new`
    await stack.createNamespace({ name: "other", qstash_mode: "manual", databaseName: made })
    const lasting = await server.connect(new URL(`/${made}`, server.adminUrl).href)
    expect(await differences(lasting, fresh)).toEqual([])
    await lasting.end()
    await stack.close()
    await dropDatabase(server.adminUrl, made)
  } finally {
    await stack.close().catch(() => {})
  }
})
