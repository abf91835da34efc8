import type { Context } from "../../src/actor/context.ts"
import type { Made } from "../../src/actor/once.ts"
import { bookedBy } from "../../src/billing/booking.ts"
import type { LedgerRow } from "../../src/billing/ledger-entry.ts"
import { RECONCILIATION_POLICY } from "../../src/billing/policies.ts"
import { sweepBooks } from "../../src/billing/reconcile.ts"
import type { Reconciliation } from "../../src/billing/reconciliation-row.ts"
import { createUser } from "../../src/ops/seed.ts"
import { callOne } from "../../src/platform/db.ts"
import { contextOf } from "./context.ts"
import { type TestClient, turnOf, type World } from "./world.ts"

/**
 * Signs in as an admin. Signs in again if the clock has passed the end of the session or of the
 * last identity check.
 */
export async function signInAdmin(world: World): ReturnType<World["signIn"]> {
  const userId = await createUser(world.sql, { role: "admin", name: "Ada" })
  const first = await world.signIn(userId)
  let [browser, since] = [first, world.clock.ms()]
  async function fresh() {
    if (world.clock.ms() - since >= 10 * 60_000) [browser, since] = [await world.signIn(userId), world.clock.ms()]
    return browser
  }
  return {
    ...first,
    cookie: () => browser.cookie(),
    call: async (...request) => (await fresh()).call(...request),
    json: async (...request) => (await fresh()).json(...request),
  }
}

export type Admin = Awaited<ReturnType<typeof signInAdmin>>

/** Books a referrer's commission, in the minor units of a currency. Each source gets one. */
export async function bookCommission(
  { db, clock }: Pick<Context, "db" | "clock">,
  { userId, source, minor, currency = "EUR" }: { userId: number; source: string; minor: number; currency?: string },
): Promise<Made<LedgerRow>> {
  const row = await callOne(db, "book_entry", {
    user_id: userId,
    reason: "referral_credit_commission",
    amount: null,
    turn_id: null,
    reference: `commission:${userId}:${source}`,
    currency,
    minor,
    actor: "system",
    note: "Referral",
    moment: clock.now(),
  })
  return bookedBy(row)
}

/** Runs a whole reconciliation for an admin, and repeats it if a clock change cut it short. */
export async function reconcileAsAdmin(admin: Admin): Promise<Reconciliation> {
  for (let tries = 0; tries < 50; tries++) {
    const [status, report] = await admin.json("POST", "/api/admin/system/reconcile")
    if (status !== 200) throw new Error(JSON.stringify(report))
    if (report.finished_at !== null) return report
  }
  throw new Error("the reconciliation does not end")
}

/** Runs an hourly reconciliation at once. It checks the rows that changed since the previous one. */
export async function reconcileRecent(world: World, admin: Admin): Promise<Reconciliation> {
  const ctx = contextOf(world)
  const policy = RECONCILIATION_POLICY as { everyMs: number }
  const { everyMs } = policy
  policy.everyMs = 0
  // Passes are distinguished by their start time, so no two may start at the same millisecond.
  await world.advance(1)
  try {
    for (let finished = false; !finished; ) finished = (await sweepBooks(ctx)).finished
  } finally {
    policy.everyMs = everyMs
  }
  const [, { reconciliation }] = await admin.json("GET", "/api/admin/system")
  if (reconciliation.scope !== "recent") throw new Error("the reconciliation covered all history")
  return reconciliation
}

/**
 * An account with finished and open turns of every outcome, caps, a web chat, a test turn, a refund
 * and a commission.
 */
export async function liveAccount(world: World, admin: Admin) {
  const funded = await world.createAccount({ usd: 10 })
  const { key_id, value } = await world.makeKey(funded.userId)
  const client = { ...world.createClient(funded.userId, value), keyId: key_id }
  await world.sql(
    `update api_keys set window_credit_micros = 50000000, window_seconds = 3600, daily_credit_micros = 50000000, monthly_credit_micros = 50000000,
       end_user_daily_credit_micros = 50000000, end_user_monthly_credit_micros = 50000000 where key_id = $1`,
    [key_id],
  )
  const space = await client.space()
  const run = (text: string, end_user_ref = "customer-1") => client.runTurn({ space, text, end_user_ref })
  const done = await run("[use input=1000 output=300]\nhello")
  const again = await run("[use input=10 output=30]\nhello", "customer-2")
  const theirs = await run("[use input=100 output=10]\n[write a.txt x]\n[fail OUT_OF_STOCK]")
  const ours = await run("[fail INTERNAL]")
  // Like a turn that the sweeper gave up on.
  await world.sql("update turns set failed_by_us = true where turn_id = $1", [ours.turn_id])
  const refunded = await run("[use input=100 output=10]\nsorry", "customer-3")
  await admin.json("POST", `/api/admin/turns/${refunded.turn_id}/refund`, { note: "Sorry." })
  const cancelled = await turnOf(await client.sendTurn({ space, end_user_ref: "customer-4" }))
  await client.call("POST", `/v1/turns/${cancelled.turn_id}/cancel`)
  await world.drain()
  const browser = await world.signIn(client.userId)
  const own = (await browser.json("POST", "/api/account/spaces", { title: "Mine" }))[1]
  const chat = (await browser.json("POST", "/api/account/chat/turns", { space: own.space_id, text: "hello" }))[1]
  await world.drain()
  const tests = world.createClient(client.userId, (await world.makeKey(client.userId, { test: true })).value)
  const test = await tests.runTurn({ space: await tests.space() })
  const [open, queued] = await openTurns(world, client, space)
  // Backdated, because a missing counter is computed from the books within an hour of the start of counting.
  await world.sql("update spend_counted set since = since - interval '40 days' where user_id = $1", [client.userId])
  return { client, space, turns: { done, again, theirs, ours, refunded, cancelled, chat, test, open, queued } }
}

/** Makes two turns of one conversation that no worker continues: the first runs, the second waits for it. */
async function openTurns(world: World, client: TestClient, space: string) {
  const sent = async () => turnOf(await client.sendTurn({ space, end_user_ref: "customer-5" }))
  const turns = [await sent(), await sent()] as const
  await world.settled()
  await world.qstash.reset()
  await world.sql(
    `with claimed as (
       update turns set state = 'running', epoch = 1, attempts = 1, started_at = created_at, config_version = 1,
         lease_until = created_at + interval '150 seconds' where turn_id = $1
     ) update open_turns set state = 'running', wake_at = created_at + interval '150 seconds' where turn_id = $1`,
    [turns[0].turn_id],
  )
  return turns
}

const MONEY = [
  "turns",
  "refunded_turns",
  "open_turns",
  "ledger",
  "wallets",
  "wallet_shards",
  "usage",
  "api_turns",
  "chat_calls",
  "spend_counters",
  "spend_counter_shards",
]

/** A hash per table that contains money, without the columns in `without`. */
export async function dumpMoney({ sql }: Pick<World, "sql">, without: string[] = []): Promise<Record<string, string>> {
  const rows = (table: string) =>
    `'${table}', (select md5(string_agg(text, '|' order by text)) from (select (to_jsonb(t) - $1::text[])::text as text from ${table} t) r)`
  const [row] = await sql<{ dump: Record<string, string> }>(
    `select jsonb_build_object(${MONEY.map(rows).join(", ")}) as dump`,
    [`{${without.join(",")}}`],
  )
  return row?.dump ?? {}
}

/**
 * Writes to the database without its protections: triggers and foreign keys are off, and an index is if
 * the test dropped it.
 */
export function tamper({ sql }: Pick<World, "sql">) {
  const run = (statements: string) => sql(`do $do$ begin ${statements}; end $do$`)
  const unguarded = (statements: string) =>
    run(`perform set_config('session_replication_role', 'replica', true); ${statements}`)
  return {
    unguarded,
    async begin() {
      await run(`drop index ledger_one_charge_per_turn; drop index ledger_one_refund_per_turn;
        create schema sound; ${MONEY.map((table) => `create table sound.${table} as select * from ${table}`).join(";")}`)
    },
    /** Restores the values that the tables had at `begin`. */
    async mend() {
      const restore = (table: string) =>
        `delete from ${table}; insert into ${table} ${
          table === "ledger" ? "overriding system value " : ""
        }select * from sound.${table}`
      await unguarded(MONEY.map(restore).join(";"))
    },
  }
}
