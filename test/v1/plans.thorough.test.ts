import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { sumUsage } from "../../src/billing/report-usage.ts"
import { getEndUser } from "../../src/end-users/get-end-user.ts"
import { listEndUsers } from "../../src/end-users/list-end-users.ts"
import { deleteFile } from "../../src/files/delete-file.ts"
import { callOne } from "../../src/platform/db.ts"
import { listSpaces } from "../../src/spaces/list-spaces.ts"
import { putManifest } from "../../src/spaces/patch-space.ts"
import { listTurns, type TurnFilters } from "../../src/turns/list-turns.ts"
import { effortOf, planOf } from "../harness/plans.ts"
import { createWorld, type TestClient, turnOf, type World } from "../harness/world.ts"

const TURNS = 100_000

let world: World
let all: TestClient
let created: TestClient
let rareKey: string
let space: string

/**
 * One account with 100,000 turns of 10,000 end users, nearly all done and by one key, and another
 * account with 20,000.
 */
beforeAll(async () => {
  world = await createWorld()
  created = await world.createAccount({ usd: 100 })
  all = world.createClient(created.userId, (await world.makeKey(created.userId, { scope: "all" })).value)
  rareKey = (await world.makeKey(created.userId, { scope: "all" })).key_id
  space = await created.space()
  const { turn_id } = await turnOf(await created.sendTurn({ space }))
  await world.drain()
  for (let made = 0; made < 20; made++) await created.space({ title: `Space ${made}` })
  const other = await world.createAccount({ usd: 100 })
  const foreign = await turnOf(await other.sendTurn({ space: await other.space() }))
  await world.drain()
  for (const [from, count] of [
    [turn_id, TURNS],
    [foreign.turn_id, TURNS / 5],
  ] as const) {
    await world.sql(
      `with source as (select * from turns where turn_id = $1), refs as (
         insert into conversations (conversation_id, space_id, user_id, test, end_user_ref, name, last_position, last_turn_at, created_at)
         select 'conv_' || user_id || '_' || n, space_id, user_id, test, 'ref-' || n, 'default', 10, created_at - n * interval '1 minute', created_at
         from source, generate_series(0, $2::int / 10 - 1) n returning *
       ), made as (
         insert into turns (turn_id, user_id, key_id, space_id, conversation_id, position, test, end_user_ref, idempotency_key,
           request_hash, text, model, state, hold_credit_micros, held_credit_micros, billed_credit_micros, cost_credit_micros,
           model_calls, status_reason, created_at, started_at, finished_at, price_version)
         select 'turn_0' || lpad(n::text, 9, '0') || s.user_id, s.user_id, case when n % 5000 = 7 then $3 else s.key_id end, s.space_id,
           'conv_' || s.user_id || '_' || n % ($2::int / 10), 2 + n, false, 'ref-' || n % ($2::int / 10), 'copy ' || n, '', repeat('text ', 40), s.model,
           k.state, 1000, case when k.state = 'queued' then 1000 else 0 end, 0, 0, 1,
           case when k.state in ('failed', 'cancelled') then k.state end, s.created_at - (n % 60) * interval '12 hours', s.created_at,
           case when k.state <> 'queued' then s.created_at - (n % 60) * interval '12 hours' end, 1
         from source s, generate_series(0, $2::int - 1) n,
           lateral (select case when n % 4000 = 1 then 'failed' when n % 4000 = 2 then 'cancelled' when n % 8000 = 3 then 'queued' else 'done' end as state) k
         returning turn_id, user_id, space_id, key_id, end_user_ref, model, finished_at, created_at, conversation_id, test
       ) insert into usage (turn_id, step, user_id, space_id, key_id, end_user_ref, conversation_id, test, provider, model, tokens_input, tokens_cached,
           tokens_output, duration_sec, price_version, cost_credit_micros, billed_credit_micros, settled_at, created_at)
         select turn_id, 0, user_id, space_id, key_id, end_user_ref, conversation_id, test, 'rehearsal', model, 10, 0, 10, 1, 1, 0, 0, finished_at, created_at from made
         where finished_at is not null`,
      [from, count, rareKey],
    )
  }
  await world.sql(
    `insert into open_turns (turn_id, conversation_id, position, user_id, test, state, wake_at, created_at, lane)
     select turn_id, conversation_id, position, user_id, test, state,
       case when row_number() over (partition by conversation_id order by position) = 1 then created_at else 'infinity' end, created_at,
       hashtext(end_user_ref)
     from turns where state = 'queued'`,
  )
  await world.sql(
    `insert into ended_turns (turn_id, user_id, test, finished_at, space_id, key_id, end_user_ref, billed_credit_micros, model_calls,
       tokens_input, tokens_cached, tokens_output, state, status_reason, model, created_at)
     select turn_id, user_id, test, finished_at, space_id, key_id, end_user_ref, billed_credit_micros, model_calls, tokens_input,
       tokens_cached, tokens_output, state, status_reason, model, created_at from turns where finished_at is not null and idempotency_key like 'copy %'`,
  )
  for (const table of ["open_turns", "turns", "ended_turns", "model_calls", "conversations"]) await vacuum(table)
})
afterAll(() => world.close())

/**
 * Vacuum marks a page as visible only once the commits of its rows, and of transactions near them,
 * are flushed, and while no transaction, such as an automatic analyze, is older than they are.
 */
async function vacuum(table: string): Promise<void> {
  for (let round = 0; round < 100; round++) {
    await world.sql("checkpoint")
    // Without the cleanup of indexes, pages with a few dead rows stay hidden.
    await world.sql(`vacuum (analyze, index_cleanup on) ${table}`)
    const [pages] = await world.sql<{ hidden: number }>(
      "select relpages - relallvisible as hidden from pg_class where oid = $1::regclass",
      [table],
    )
    if (pages?.hidden === 0) return
  }
  throw new Error(`a transaction keeps pages of ${table} hidden`)
}

const cases: [string, TurnFilters][] = [
  ["no filter", {}],
  ["a key with few turns", { key: "rare" }],
  ["a rare state: failed", { state: "failed" }],
  ["a rare state: cancelled", { state: "cancelled" }],
  ["a rare state: queued", { state: "queued" }],
  ["an unused state: running", { state: "running" }],
  ["the most common state", { state: "done" }],
  ["an end user", { end_user_ref: "ref-77" }],
  ["an unknown end user", { end_user_ref: "nobody" }],
  ["a key and a state", { key: "rare", state: "done" }],
]

describe(`Lists over ${TURNS} turns`, () => {
  test.each(cases)("A list of turns with %s reads few rows", async (name, given) => {
    const filters = given.key ? { ...given, key: rareKey } : given
    const plan = await planOf(world, all, (ctx, credential) => listTurns(ctx, credential, { filters, limit: 20 }))
    console.log(
      `${name}: ${plan.rowsOf("turns")} rows, ${plan.pages} pages, ${plan.ms.toFixed(1)} ms, ${plan.indexes.join(" ")}`,
    )
    expect(plan.rowsOf("turns")).toBeLessThan(200)
    expect(plan.scans).not.toContain("turns")
  })

  test.each([
    ["end users", 20],
    ["end users", 100],
  ] as const)("A list of %s, %i of them, reads few rows", async (_name, limit) => {
    for (const client of [all, created]) {
      const plan = await effortOf(world, client, (ctx, credential) =>
        listEndUsers(ctx, credential, { filters: {}, limit }),
      )
      console.log(
        `${limit} end users: ${plan.rowsOf("conversations")} rows, ${plan.pages} pages, ${plan.ms.toFixed(1)} ms`,
      )
      expect(plan.rowsOf("conversations")).toBeLessThan(limit * 10)
      expect(plan.rowsOf("turns")).toBeLessThan(limit * 20)
    }
  })

  test("A single end user and a list of spaces read few rows", async () => {
    const one = await effortOf(world, created, (ctx, credential) => getEndUser(ctx, credential, "ref-77"))
    expect(one.rowsOf("turns") + one.rowsOf("conversations")).toBeLessThan(100)
    const spaces = await planOf(world, all, (ctx, credential) =>
      listSpaces(ctx, credential, { filters: { archived: "false" }, limit: 5 }),
    )
    expect(spaces.rowsOf("spaces")).toBeLessThan(100)
  })
})

test("Changes of a space and of a file read few rows", async () => {
  const indexes = "always"
  const change = await effortOf(
    world,
    all,
    (ctx, credential) => putManifest(ctx, credential, space, { max_steps: 3 }),
    { indexes },
  )
  console.log(`a manifest: ${change.pages} pages, ${change.ms.toFixed(1)} ms, ${change.indexes.join(" ")}`)
  expect(change.written("spaces")).toMatchObject({ updated: 1 })
  expect(change.written("config_versions")).toMatchObject({ inserted: 1 })
  expect(change.written("config_parts")).toMatchObject({ inserted: 1 })
  expect(change.rowsOf("spaces")).toBeLessThan(10)
  expect(change.scans).toEqual([])
  const none = await effortOf(world, all, (ctx, credential) => deleteFile(ctx, credential, "file_none"), { indexes })
  expect(none.lookupsIn("files")).toBe(1)
  expect([none.rowsOf("files"), none.rowsOf("turns"), none.scans]).toEqual([0, 0, []])
})

test.each(["end_user_ref", "day", "model"] as const)(
  "Usage by %s reads its narrow index, not the turns",
  async (group_by) => {
    const range = { from: "2026-11-10T00:00:00.000Z", to: "2026-11-17T00:00:00.000Z" }
    const plan = await planOf(world, all, (ctx, credential) =>
      sumUsage(ctx, credential, { group_by, ...range }, { limit: 20 }),
    )
    console.log(`usage by ${group_by}: ${plan.pages} pages, ${plan.ms.toFixed(1)} ms, ${plan.indexes.join(" ")}`)
    expect(plan.indexes).toContain(group_by === "model" ? "usage_settled" : "ended_turns_of_owner")
    expect(plan.scans).not.toContain("turns")
    expect(plan.scans).not.toContain("ended_turns")
    // The turns of that week fill more than 5,000 pages, and the records of usage about 2,000.
    expect(plan.pages).toBeLessThan(1000)
  },
)

test("An erasure of an end user reads only their turns", async () => {
  const erasure_id = "era_of_ref_77"
  await world.sql(
    `insert into erasures (erasure_id, user_id, test, end_user_ref, until_at, requested_at, tried_at)
     values ($1, $2, false, 'ref-77', $3, $3, $3)`,
    [erasure_id, created.userId, world.clock.now()],
  )
  const redacted = await effortOf(world, all, (ctx) =>
    callOne(ctx.db, "redact_turns", { erasure_id, most_turns: 200, most_events: 20_000, moment: world.clock.now() }),
  )
  console.log(`redacting: ${redacted.pages} pages, ${redacted.ms.toFixed(1)} ms, ${redacted.indexes.join(" ")}`)
  expect(redacted.written("turns")).toMatchObject({ updated: 10 })
  expect(redacted.rowsOf("turns")).toBeLessThan(200)
  expect(redacted.scans).not.toContain("turns")
})
