import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import pg from "pg"
import { afterAll, beforeAll, expect, test } from "vitest"
import type { KeyCredential } from "../../src/actor/actor.ts"
import type { Context } from "../../src/actor/context.ts"
import { parseApiKey } from "../../src/keys/api-key.ts"
import { addDatabase, applySchema } from "../../src/local/databases.ts"
import { type LocalPostgres, startPostgres } from "../../src/local/postgres.ts"
import { makeTemporaryDirectory } from "../../src/local/temporary-directory.ts"
import { directContext } from "../../src/ops/direct.ts"
import { applyRelease, pruneReleases, readRelease } from "../../src/ops/release.ts"
import { createApiKey, createUser, topUp } from "../../src/ops/seed.ts"
import { RELEASE } from "../../src/platform/procedures.ts"
import { makeDataDirectory } from "../harness/data-directory.ts"
import { noQueue } from "../harness/no-queue.ts"

/** The verbs that a worker runs a turn with, as one version of the source has them. */
async function verbsOf(root: string) {
  const read = async (path: string) => import(resolve(root, path))
  const [accept, claim, settle, get] = await Promise.all(
    ["accept-turn", "claim-turn", "settle-turn", "get-turn"].map((name) => read(`src/turns/${name}.ts`)),
  )
  return {
    acceptTurn: accept.acceptTurn as typeof import("../../src/turns/accept-turn.ts").acceptTurn,
    claimTurn: claim.claimTurn as typeof import("../../src/turns/claim-turn.ts").claimTurn,
    settleTurn: settle.settleTurn as typeof import("../../src/turns/settle-turn.ts").settleTurn,
    getTurn: get.getTurn as typeof import("../../src/turns/get-turn.ts").getTurn,
  }
}

let dir: string
let before: string
let postgres: LocalPostgres
let client: pg.Client
let ctx: Context
let credential: KeyCredential
let userId: number
let verbs: { before: Awaited<ReturnType<typeof verbsOf>>; now: Awaited<ReturnType<typeof verbsOf>> }
let formerRelease: string

beforeAll(async () => {
  dir = await makeDataDirectory("releases")
  postgres = await startPostgres({ dataDir: join(dir, "postgres"), durable: false })
  const url = await addDatabase(postgres.url, "releases")
  await applySchema(url)
  client = new pg.Client({ connectionString: url })
  await client.connect()

  // The release before: accepting a turn was written otherwise, so that one can see who did it.
  await mkdir(".local", { recursive: true })
  before = await makeTemporaryDirectory("release-before", resolve(".local"))
  await cp("src", join(before, "src"), { recursive: true })
  const change = async (path: string, from: string, to: string) => {
    const text = await readFile(join(before, path), "utf8")
    expect(text).toContain(from)
    await writeFile(join(before, path), text.replace(from, to))
  }
  await change(
    "src/turns/accept-turn.sql",
    "admission.pin, p_metadata,",
    `admission.pin, p_metadata || '{"by": "before"}',`,
  )
  const former = await readRelease(join(before, "src"))
  formerRelease = former.name
  await change("src/platform/procedures.ts", RELEASE, formerRelease)
  expect(await applyRelease(client, former)).toBe(true)
  expect(await applyRelease(client, former), "again: nothing").toBe(false)

  verbs = { before: await verbsOf(before), now: await verbsOf(".") }
  const sql = async (query: string, params: unknown[] = []) => (await client.query(query, params)).rows
  const direct = directContext(client)
  userId = await createUser(sql, {})
  await topUp(sql, { userId, micros: 1e8, reason: "operator_topup", actor: "test", now: direct.clock.now() })
  const { value } = await createApiKey(sql, { userId, brand: "turnpike", name: "test", now: direct.clock.now() })
  credential = parseApiKey(value) as KeyCredential
  await sql(
    `with made as (insert into spaces (slug, user_id, created_by_key_id, title, created_at, updated_at)
       select 'spc_1', user_id, key_id, 'A space', created_at, created_at from api_keys returning *)
     insert into space_configs (space_id, version, change, manifest, tools, mcp_servers, created_at)
     select space_id, 1, 'created', '{}', '{}', '{}', created_at from made`,
  )
  ctx = {
    ...direct,
    random: Math.random,
    cooling: new Map(),
    log() {},
    background() {},
    queue: noQueue,
  } as unknown as Context
})

afterAll(async () => {
  await client?.end()
  await postgres?.stop()
  await rm(before, { recursive: true, force: true })
  await rm(dir, { recursive: true, force: true })
})

test("workers of two releases serve the turns of one database side by side, whoever accepts, runs, ends and reads them", async () => {
  const versions = ["before", "now"] as const
  let turns = 0
  for (const accepts of versions) {
    for (const claims of versions) {
      for (const settles of versions) {
        const body = { space: "spc_1", end_user_ref: `customer-${turns++}`, text: "hello" }
        const { made } = await verbs[accepts].acceptTurn(ctx, credential, { idempotencyKey: `key ${turns}`, body })
        const again = await verbs[claims].acceptTurn(ctx, credential, { idempotencyKey: `key ${turns}`, body })
        expect([again.replayed, again.made.turn_id]).toEqual([true, made.turn_id])
        const claim = await verbs[claims].claimTurn(ctx, made.turn_id)
        if (!claim) throw new Error("not claimed")
        expect(await verbs[settles].settleTurn(ctx, claim.turn, { state: "done", result: "r" })).toBe(true)
        const read = await verbs[accepts].getTurn(ctx, credential, made.turn_id)
        expect([read.state, read.metadata]).toEqual(["done", accepts === "before" ? { by: "before" } : {}])
      }
    }
  }
  const { rows } = await client.query(
    `select (select count(*)::integer from turns where state = 'done') as done, (select count(*)::integer from open_turns) as open,
       (select held_credit_micros::integer from wallets where user_id = $1) as held`,
    [userId],
  )
  expect(rows).toEqual([{ done: turns, open: 0, held: 0 }])
})

test("old releases go when they are asked to, but never this one's nor the one before it", async () => {
  const current = await readRelease()
  const older = { ...current, name: "turnpike_000000000000", sql: "" }
  await applyRelease(client, older)
  await client.query("update procedure_releases set applied_at = now() - interval '30 days' where name = $1", [
    older.name,
  ])
  await client.query("update procedure_releases set applied_at = now() - interval '20 days' where name = $1", [
    formerRelease,
  ])
  expect(await pruneReleases(client, current, { keepDays: 7 })).toEqual([older.name])
  const { rows } = await client.query(
    "select nspname as name from pg_namespace where nspname like 'turnpike%' order by 1",
  )
  expect(rows.map(({ name }) => name)).toEqual([RELEASE, formerRelease].sort())
  await expect(pruneReleases(client, current, { keepDays: Number.NaN })).rejects.toThrow("--keep-days")
})
