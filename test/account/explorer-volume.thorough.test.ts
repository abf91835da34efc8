import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { CUSTOMER_SORTS, listCustomers } from "../../src/end-users/list-customers.ts"
import { searchAll } from "../../src/search/search-all.ts"
import { exploreTurns, getTurnStats } from "../../src/turns/find-turns.ts"
import { effortOf } from "../harness/plans.ts"
import type { Session } from "../harness/shared-space.ts"
import { createWorld, type TestClient, turnOf, type World } from "../harness/world.ts"

const TURNS = 100_000
const CUSTOMERS = 10_000
const SPACES = 2_000
/** Another account, whose rows must not be read. */
const FOREIGN = 20_000

let world: World
let client: TestClient
let owner: Session

/** An account with 100,000 turns of 10,000 customers in 2,000 spaces within 28 days; a twentieth of them failed. */
beforeAll(async () => {
  world = await createWorld({ isNew: true })
  client = await world.createAccount({ usd: 100 })
  const { turn_id } = await turnOf(await client.sendTurn({ space: await client.space() }))
  const other = await world.createAccount({ usd: 100 })
  const foreign = await turnOf(await other.sendTurn({ space: await other.space() }))
  await world.drain()
  await world.sweep()
  for (const [from, count] of [
    [turn_id, TURNS],
    [foreign.turn_id, FOREIGN],
  ] as const) {
    await world.sql(
      `with source as (select * from turns where turn_id = $1), places as (
         insert into spaces (slug, user_id, title, created_at, updated_at)
         select 'spc_' || s.user_id || '_' || n, s.user_id, 'Space ' || n, s.created_at, s.created_at
         from source s, generate_series(1, $3::int) n returning space_id
       ), numbered as (select space_id, row_number() over () as place from places), made as (
         insert into turns (turn_id, user_id, key_id, space_id, conversation_id, position, test, end_user_ref, idempotency_key,
           request_hash, text, model, state, hold_credit_micros, held_credit_micros, billed_credit_micros, cost_credit_micros,
           model_calls, status_reason, error_code, created_at, started_at, finished_at, price_version)
         select 'turn_0' || lpad(n::text, 9, '0') || s.user_id, s.user_id, s.key_id, p.space_id, 'conv_' || s.user_id || '_' || n, 1, false,
           'ref-' || n % $4::int, 'copy ' || n, '', repeat('text ', 40), s.model, k.state, 100000, 0, n % 997, n % 997, 1,
           case when k.state = 'failed' then 'MODEL_UNAVAILABLE' end, case when k.state = 'failed' then 'MODEL_UNAVAILABLE' end,
           k.at - (n % 90) * interval '1 second', k.at, k.at, 1
         from source s, generate_series(0, $2::int - 1) n join numbered p on p.place = 1 + n % $3::int,
           lateral (select case when n % 20 = 1 then 'failed' else 'done' end as state, s.created_at - (n % 672) * interval '1 hour' as at) k
         returning *
       ), ended as (
         insert into ended_turns (turn_id, user_id, test, finished_at, space_id, key_id, end_user_ref, billed_credit_micros, model_calls,
           tokens_input, tokens_cached, tokens_output, state, status_reason, model, created_at)
         select turn_id, user_id, test, finished_at, space_id, key_id, end_user_ref, billed_credit_micros, model_calls, tokens_input,
           tokens_cached, tokens_output, state, status_reason, model, created_at from made
       ) insert into turn_ends (ended_at, user_id, space_id, writer_id, tokens_input, tokens_cached, tokens_output, tokens_input_most,
           cost_credit_micros, billed_credit_micros, duration_us, calls, keyed_calls, pictures, turns, pooled, test, provider_key, role, model,
           state, turn_id, end_user_ref, took_us, key_id)
         select finished_at, user_id, space_id, user_id, 10, 0, 10, 10, cost_credit_micros, billed_credit_micros, 1, 1, 1, 0, 1, false, false,
           'rehearsal', 'orchestrator', model, state, turn_id, end_user_ref, (extract(epoch from finished_at - created_at) * 1e6)::bigint,
           coalesce(key_id, '') from made`,
      [from, count, SPACES, CUSTOMERS],
    )
  }
  await world.sql("update wallets set end_user_daily_credit_micros = 100000, end_user_monthly_credit_micros = 1000000")
  while ((await world.sql("select 1 from turn_ends limit 1")).length > 0) await world.sweep()
  for (const table of [
    "turns",
    "ended_turns",
    "end_user_days",
    "end_user_months",
    "end_user_sums",
    "spaces",
    "turn_ends",
  ])
    await world.sql(`vacuum analyze ${table}`)
  owner = await world.signIn(client.userId)
})
afterAll(() => world.close())

/** The credential of the owner's session, for verbs that only people may call. */
const asOwner = () => ({ kind: "session", token: owner.token, test: false }) as const

async function effort(name: string, run: Parameters<typeof effortOf>[2]) {
  // Half of the rows belong to this account, so a full scan would be cheaper here.
  const read = await effortOf(world, client, run, { indexes: "always" })
  const rows = (table: string) => read.rowsOf(table)
  console.log(
    `${name}: ${rows("turns")} turns, ${rows("ended_turns")} ended, ${rows("end_user_sums")} sums, ${rows("end_user_days")} days, ${read.pages} pages, ${read.ms.toFixed(0)} ms`,
  )
  return read
}

describe(`An account with ${CUSTOMERS} customers and ${TURNS} turns`, () => {
  test.each(CUSTOMER_SORTS)("Customers sorted by %s read the totals of the account and no turn", async (sort) => {
    const page = { sort, direction: "desc", limit: 50, offset: 0 } as const
    const read = await effort(`customers by ${sort}`, (ctx) => listCustomers(ctx, asOwner(), { filters: {}, page }))
    expect([read.rowsOf("turns"), read.rowsOf("ended_turns"), read.rowsOf("conversations")]).toEqual([0, 0, 0])
    // All customers of the account, and the one with which it began.
    expect(read.rowsOf("end_user_sums")).toBe(CUSTOMERS + 1)
    expect(read.rowsOf("end_user_months")).toBeLessThanOrEqual(CUSTOMERS + 1)
    // Today's customers, and one look-up for each of 30 days of each of 50 customers.
    expect(read.rowsOf("end_user_days")).toBeLessThanOrEqual(CUSTOMERS + 1 + 50 * 30)
  })

  test("The customer that cost most this month is the one that a count over raw records finds", async () => {
    const page = { sort: "month", direction: "desc", limit: 1, offset: 0 } as const
    const [, answer] = await owner.json("GET", `/api/account/customers?sort=${page.sort}&limit=1`)
    const [raw] = await world.sql<{ ref: string; micros: number; customers: number }>(
      `select end_user_ref as ref, sum(billed_credit_micros)::int as micros, (count(*) over ())::int as customers from turns
       where user_id = $1 and finished_at >= date_trunc('month', $2::timestamptz, 'UTC') group by 1 order by 2 desc, 1 limit 1`,
      [client.userId, world.clock.now()],
    )
    expect(answer.items[0]).toMatchObject({ end_user_ref: raw?.ref, billed_this_month_usd: (raw?.micros ?? 0) / 1e7 })
  })

  test.each(["newest", "cost", "duration"] as const)(
    "Turns sorted by %s read the narrow index, and only the page of turns",
    async (sort) => {
      const page = { sort, direction: "desc", limit: 50, offset: 0 } as const
      const read = await effort(`turns by ${sort}`, (ctx) => exploreTurns(ctx, asOwner(), { filters: {}, page }))
      expect(read.rowsOf("turns")).toBeLessThanOrEqual(50)
      expect(read.rowsOf("ended_turns")).toBeLessThanOrEqual(TURNS + 1)
      expect(read.scans.filter((table) => /turns/.test(table))).toEqual([])
    },
  )

  test("Failed turns of a week and the figures of a month read no other account's rows", async () => {
    const filters = {
      state: "failed",
      created_after: new Date(world.clock.ms() - 7 * 86_400_000).toISOString(),
    } as const
    const page = { sort: "newest", direction: "desc", limit: 50, offset: 0 } as const
    const failed = await effort("failed turns of a week", (ctx) => exploreTurns(ctx, asOwner(), { filters, page }))
    expect([failed.rowsOf("turns") <= 50, failed.rowsOf("ended_turns") < TURNS / 3]).toEqual([true, true])
    const stats = await effort("figures of a month", (ctx) => getTurnStats(ctx, asOwner(), { all: false, filters: {} }))
    expect([stats.rowsOf("turns"), stats.rowsOf("ended_turns") <= TURNS + 1]).toEqual([0, true])
    const [, counted] = await owner.json("GET", "/api/account/turn-stats")
    expect([counted.turns, counted.failed]).toEqual([TURNS + 1, TURNS / 20])
  })

  test("A search for a text reads a bounded number of turns", async () => {
    const page = { sort: "newest", direction: "desc", limit: 50, offset: 0 } as const
    const read = await effort("a text", (ctx) => exploreTurns(ctx, asOwner(), { filters: { q: "no such text" }, page }))
    expect(read.rowsOf("turns")).toBeLessThanOrEqual(2_000)
  })

  test("A search by name or id reads no turns besides its own", async () => {
    for (const q of ["ref-77", "space 19", `turn_0${"0".repeat(8)}1${client.userId}`]) {
      const read = await effort(`search ${q}`, (ctx) => searchAll(ctx, asOwner(), { q, all: false }))
      expect(read.rowsOf("turns"), q).toBeLessThanOrEqual(1)
    }
  })
})
