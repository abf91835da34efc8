import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import type pg from "pg"
import { afterAll, beforeAll, expect, test } from "vitest"
import { compareCatalogs, readCatalog } from "../../scripts/catalog.ts"
import type { KeyCredential } from "../../src/actor/actor.ts"
import type { Context } from "../../src/actor/context.ts"
import { parseApiKey } from "../../src/keys/api-key.ts"
import { directContext } from "../../src/ops/direct.ts"
import { type Migration, readMigrations } from "../../src/ops/migration-files.ts"
import { migrate } from "../../src/ops/migrations.ts"
import { applyRelease, pruneReleases, type Release, readRelease } from "../../src/ops/release.ts"
import { createApiKey, createUser, topUp } from "../../src/ops/seed.ts"
import { RELEASE } from "../../src/platform/procedures.ts"
import { STATEMENTS } from "../../src/platform/time-limits.ts"
import { Turnstile } from "../../src/platform/turnstile.ts"
import { forgetful, noQueue, uncounted } from "../harness/context.ts"
import { rowsOf, type Server, startServer } from "../harness/databases.ts"

/** The next release: conversations have a colour, which workers of this release do not know. */
const NEXT_MIGRATIONS: [string, string][] = [
  ["colours", "-- phase: before-deploy\nalter table conversations add column colour text;"],
  [
    "fill_colours",
    `-- phase: before-deploy
-- transaction: none
create index concurrently conversations_without_colour on conversations (conversation_id) where colour is null;
-- batch
update conversations set colour = 'grey' where conversation_id in (
  select conversation_id from conversations where colour is null order by conversation_id limit 1);`,
  ],
  [
    "need_colours",
    `-- phase: after-deploy
-- transaction: none
-- batch
update conversations set colour = 'grey' where conversation_id in (
  select conversation_id from conversations where colour is null order by conversation_id limit 100);
drop index concurrently if exists conversations_without_colour;
alter table conversations alter column colour set not null;`,
  ],
]
const NEXT_ACCEPT: [string, string][] = [
  ["name, last_turn_at, created_at)", "name, last_turn_at, created_at, colour)"],
  ["admission.conversation_name, p_moment, p_moment)", "admission.conversation_name, p_moment, p_moment, 'green')"],
]

/** The verbs with which a worker serves a turn, from one version of the source. */
async function verbsOf(root: string) {
  const read = async (path: string) => import(resolve(root, path))
  const [accept, claim, settle, get] = await Promise.all(
    ["src/turns/accept-turn", "test/harness/claim", "src/runs/settle-turns", "src/turns/get-turn"].map((name) =>
      read(`${name}.ts`),
    ),
  )
  return {
    acceptTurn: accept.acceptTurn as typeof import("../../src/turns/accept-turn.ts").acceptTurn,
    claimTurn: claim.claimTurn as typeof import("../harness/claim.ts").claimTurn,
    settleTurn: settle.settleTurn as typeof import("../../src/runs/settle-turns.ts").settleTurn,
    getTurn: get.getTurn as typeof import("../../src/turns/get-turn.ts").getTurn,
  }
}

let server: Server
let folder: string
let template: string
/** The migrations of this release, followed by the next release's own. */
let migrations: Migration[]
let [colours, fillColours, needColours] = ["", "", ""]
let releases: { now: Release; next: Release }
let verbs: { now: Awaited<ReturnType<typeof verbsOf>>; next: Awaited<ReturnType<typeof verbsOf>> }

beforeAll(async () => {
  server = await startServer()
  // Within the project, so that the copied source finds its packages.
  await mkdir(".local", { recursive: true })
  folder = await mkdtemp(resolve(".local/next-release-"))
  await Promise.all(
    ["src", "migrations", "test/harness/claim.ts"].map((name) => cp(name, join(folder, name), { recursive: true })),
  )
  const { length } = await readMigrations()
  for (const [index, [name, text]] of NEXT_MIGRATIONS.entries()) {
    const number = String(length + index + 1).padStart(4, "0")
    await writeFile(join(folder, "migrations", `${number}_${name}.sql`), text)
  }
  migrations = await readMigrations(join(folder, "migrations"))
  ;[colours = "", fillColours = "", needColours = ""] = migrations.slice(length).map(({ name }) => name)
  await change("src/turns/place-turn.sql", ...NEXT_ACCEPT)
  releases = { now: await readRelease(), next: await readRelease(join(folder, "src")) }
  await change("src/platform/procedures.ts", [RELEASE, releases.next.name])
  const { client, name } = await server.create()
  await migrate(client, { phase: "after-deploy" })
  await applyRelease(client, releases.now)
  await client.end()
  template = name
  verbs = { now: await verbsOf("."), next: await verbsOf(folder) }
})

afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true, force: true })
})

/** Replaces the words of `from`, even if they are split over several lines. */
async function change(path: string, ...changes: [string, string][]): Promise<void> {
  let text = await readFile(join(folder, path), "utf8")
  for (const [from, to] of changes) {
    const words = new RegExp(from.replace(/[.()]/g, "\\$&").replaceAll(" ", "\\s+"))
    expect(text).toMatch(words)
    text = text.replace(words, () => to)
  }
  await writeFile(join(folder, path), text)
}

/** A database of this release with an account, and the workers that serve it. */
async function world() {
  const { client } = await server.copy(template)
  const direct = directContext(client)
  const now = direct.clock.now()
  const sql = async (query: string, params: unknown[] = []) => (await client.query(query, params)).rows
  const userId = await createUser(sql, {})
  await topUp(sql, { userId, micros: 1e8, reason: "operator_topup", actor: "test", now })
  const { value } = await createApiKey(sql, { userId, brand: "turnpike", name: "test", now })
  await sql(
    `with made as (insert into spaces (slug, user_id, created_by_key_id, title, created_at, updated_at)
       select 'spc_1', user_id, key_id, 'A space', created_at, created_at from api_keys returning *)
     insert into space_configs (space_id, version, change, manifest, tools, mcp_servers, created_at)
     select space_id, 1, 'created', '{}', '{}', '{}', created_at from made`,
  )
  const slots = { runners: 1, live: 100, test: 100, endUser: 100 }
  const quiet = {
    random: Math.random,
    cooling: new Map(),
    log() {},
    logged: {},
    config: { seen: null, expected: null },
    background() {},
    queue: noQueue,
    slots,
    refusals: forgetful({ clock: direct.clock, log() {}, background() {} }),
    windows: uncounted({ clock: direct.clock, log() {}, background() {} }),
  }
  const ctx = { ...direct, ...quiet, statements: new Turnstile(STATEMENTS) } as unknown as Context
  const credential = parseApiKey(value) as KeyCredential
  let turns = 0

  const accept = async (by: keyof typeof verbs) => {
    const body = { space: "spc_1", end_user_ref: `customer-${turns++}`, text: "hello" }
    const { made } = await verbs[by].acceptTurn(ctx, credential, { idempotencyKey: `key ${turns}`, body })
    return made.turn_id
  }
  const claim = async (by: keyof typeof verbs, turnId: string) => {
    const claimed = await verbs[by].claimTurn(ctx, turnId)
    if (!claimed) throw new Error("not claimed")
    return claimed.turn
  }
  type Claimed = Awaited<ReturnType<typeof claim>>
  const settle = (by: keyof typeof verbs, turn: Claimed) =>
    verbs[by].settleTurn(ctx, turn, { state: "done", result: "r" })
  const read = (by: keyof typeof verbs, turnId: string) => verbs[by].getTurn(ctx, credential, turnId)
  const colourOf = async (turnId: string) => {
    const query = "select colour from conversations join turns using (conversation_id) where turn_id = $1"
    return (await sql(query, [turnId]))[0]?.colour
  }
  return { client, sql, accept, claim, settle, read, colourOf, turns: () => turns }
}

const catalogOf = (client: pg.Client) => readCatalog(client)
const noPause = async () => {}

test("Workers of two releases serve one database while it is migrated around the deploy", async () => {
  const { client, sql, accept, claim, settle, read, colourOf, turns } = await world()
  const [running, queued] = [await claim("now", await accept("now")), await accept("now")]
  const before = await rowsOf(client)

  // The first run is interrupted between two batches, and the next run continues there.
  const interrupted = { phase: "before-deploy", migrations, pause: () => Promise.reject(new Error("killed")) } as const
  await expect(migrate(client, interrupted)).rejects.toThrow("killed")
  expect(await sql("select count(*)::integer as n from conversations where colour is null")).toEqual([{ n: 1 }])
  const { applied, waiting } = await migrate(client, { phase: "before-deploy", migrations, pause: noPause })
  expect([applied, waiting.map(({ name }) => name)]).toEqual([[fillColours], [needColours]])
  for (const [table, rows] of Object.entries(await rowsOf(client))) {
    const known = rows.map(({ colour: _added, ...row }) => row)
    expect(known, table).toEqual(before[table])
  }

  await applyRelease(client, releases.next)
  expect(await settle("next", running)).toBe(true)
  expect(await settle("now", await claim("next", queued))).toBe(true)
  const versions = ["now", "next"] as const
  for (const accepts of versions) {
    for (const claims of versions) {
      for (const settles of versions) {
        const turnId = await accept(accepts)
        expect(await settle(settles, await claim(claims, turnId))).toBe(true)
        expect((await read(claims, turnId)).state).toBe("done")
        expect(await colourOf(turnId)).toBe(accepts === "next" ? "green" : null)
      }
    }
  }
  const count = `select (select count(*)::integer from turns where state = 'done') as done,
    (select count(*)::integer from open_turns) as open, (select sum(held_credit_micros)::integer from wallets) as held`
  expect(await sql(count)).toEqual([{ done: turns(), open: 0, held: 0 }])

  const last = await migrate(client, { phase: "after-deploy", migrations, pause: noPause })
  expect(last).toEqual({ applied: [needColours], waiting: [] })
  expect(await sql("select colour, count(*)::integer as n from conversations group by 1 order by 1")).toEqual([
    { colour: "green", n: 4 },
    { colour: "grey", n: 6 },
  ])
  const turnId = await accept("next")
  expect(await settle("next", await claim("next", turnId))).toBe(true)
  // A migration after the deploy may require that no worker of the previous release is running any more.
  await expect(accept("now")).rejects.toThrow(/colour/)
})

test("An upgraded database equals a new database of that release", async () => {
  const { client: upgraded } = await world()
  await migrate(upgraded, { phase: "after-deploy", migrations, pause: noPause })
  const { client: fresh } = await server.create()
  await migrate(fresh, { phase: "before-deploy", migrations, pause: noPause })
  expect(compareCatalogs(await catalogOf(fresh), await catalogOf(upgraded))).toEqual([])
})

test("An applied file that was edited stops the next run before it changes anything", async () => {
  const { client } = await world()
  await migrate(client, { phase: "before-deploy", migrations, pause: noPause })
  const before = await catalogOf(client)
  await cp(join(folder, "migrations"), join(folder, "edited"), { recursive: true })
  await change(`edited/${colours}.sql`, ["colour text", "colour varchar"])
  const edited = await readMigrations(join(folder, "edited"))
  await expect(migrate(client, { phase: "after-deploy", migrations: edited })).rejects.toThrow(
    `migrations/${colours}.sql was changed after it was applied`,
  )
  expect(compareCatalogs(before, await catalogOf(client))).toEqual([])
})

test("The migrations make the database of schema.sql, with the same rows", async () => {
  const { client: migrated } = await server.create()
  await migrate(migrated, { phase: "after-deploy" })
  const { client: wanted } = await server.create(await readFile("schema.sql", "utf8"))
  expect(compareCatalogs(await catalogOf(wanted), await catalogOf(migrated))).toEqual([])
  const rowsOfBoth = await Promise.all([migrated, wanted].map(rowsOf))
  const [rows, wantedRows] = rowsOfBoth.map(({ model_catalog = [], ...rest }) => ({
    ...rest,
    model_catalog: model_catalog.map((row) => ({ ...row, created_at: null })),
  }))
  expect(rows).toEqual(wantedRows)
  // The comparison names every difference.
  await migrated.query("alter table conversations add column colour text; drop index audit_log_by_time")
  await migrated.query("alter table users alter column name set not null")
  expect(compareCatalogs(await catalogOf(wanted), await catalogOf(migrated))).toEqual([
    "column conversations.colour should not exist",
    'column users.name is "text not null", not "text"',
    "index audit_log.audit_log_by_time is missing",
  ])
})

test("Pruning removes old releases, except the current and the previous one", async () => {
  const { client, sql } = await world()
  const old = { name: "turnpike_000000000000", sql: "" }
  expect(await applyRelease(client, old)).toBe(true)
  expect(await applyRelease(client, old), "a second time").toBe(false)
  await applyRelease(client, releases.next)
  const age = "update procedure_releases set applied_at = now() - make_interval(days => $2) where name = $1"
  await sql(age, [old.name, 30])
  await sql(age, [releases.now.name, 20])
  expect(await pruneReleases(client, releases.next, { keepDays: 7 })).toEqual([old.name])
  const left = await sql("select nspname as name from pg_namespace where nspname like 'turnpike%' order by 1")
  expect(left.map(({ name }) => name)).toEqual([releases.now.name, releases.next.name].sort())
  await expect(pruneReleases(client, releases.next, { keepDays: Number.NaN })).rejects.toThrow("--keep-days")
})
