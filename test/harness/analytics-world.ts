import { sweepAnalytics } from "../../src/analytics/roll.ts"
import { callOne } from "../../src/platform/db.ts"
import { authContextOf } from "./auth.ts"
import type { Admin } from "./books.ts"
import { addModel } from "./models.ts"
import { createSeller } from "./resale.ts"
import { OF_BRAND } from "./rollups.ts"
import { CHAT, type Shared, shareSpace } from "./shared-space.ts"
import { sendUntilItWaits, waiter, workTool } from "./waiting.ts"
import type { World } from "./world.ts"

export const ANALYTICS = "/api/admin/analytics"

/** A second model, which sub-agents use. */
const OTHER_PIN = "rehearsal/other"

/** Makes this pool member serve all following calls; null clears it. */
export async function setServingAccount({ sql }: Pick<World, "sql">, member: string | null): Promise<void> {
  await sql(`do $do$ begin
    create table if not exists served_by (member text);
    create or replace function note_served_by() returns trigger language plpgsql as $body$ begin
      new.subscription_id := coalesce((select member from served_by), new.subscription_id); return new; end $body$;
    create or replace trigger served_by before insert on model_calls for each row execute function note_served_by();
    delete from served_by;
  end $do$`)
  if (member !== null) await sql("insert into served_by values ($1)", [member])
}

/**
 * Makes usage of every kind now: turns by a key and by the web chat (owner and member), a sub-agent
 * on another model, a call served by a pool member, cancelled, failed, lost and test turns, a turn without calls, and
 * what `sellAndRefund` makes.
 */
export async function useEverything(world: World, shared: Shared): Promise<void> {
  const { client, owner, space, people } = shared
  const manifest = { subagents: [{ name: "helper", description: "Helps.", model: OTHER_PIN }] }
  const keyed = await client.space({ manifest })
  const run = (text: string) => client.runTurn({ space: keyed, text })
  await run("[use input=1000 cached=400 output=300]\nhello")
  await run("[delegate helper [use input=70 output=7]]\n[use input=100 cached=60 output=10]")
  await setServingAccount(world, "member-a")
  await run("[use input=900 cached=100 output=90]\nhello")
  await run("[delegate helper [use input=50 cached=50 output=5]]")
  const chat = async (browser: Shared["owner"], text: string) => {
    const [status, turn] = await browser.json("POST", CHAT, { space, text })
    if (status !== 202) throw new Error(JSON.stringify(turn))
    await world.drain()
  }
  await chat(owner, "[use input=2000 cached=1500 output=20]\nhello")
  await setServingAccount(world, null)
  await chat(people.member, "[use input=33 output=3]\nhello")
  await chat(owner, "[use input=40 output=4]\n[fail OUT_OF_STOCK]")
  await run("[use input=100 output=10]\n[write a.txt x]\n[fail OUT_OF_STOCK]")
  await run("[use input=500 output=50]\n[fail INTERNAL]")
  const { turn_id } = (await (await client.sendTurn({ space: keyed, end_user_ref: "customer-4" })).json()) as {
    turn_id: string
  }
  await client.call("POST", `/v1/turns/${turn_id}/cancel`)
  await world.drain()
  const tests = world.createClient(client.userId, (await world.makeKey(client.userId, { test: true })).value)
  await tests.runTurn({ space: await tests.space(), text: "[use input=7777 output=777]" })
  await sellAndRefund(world, shared)
}

/**
 * Makes turns that others change afterwards: of a customer with a price and a wallet, one that waited for a result, one
 * that was refunded, and those of a customer who is then erased.
 */
async function sellAndRefund(world: World, { client, admin }: Shared): Promise<void> {
  const seller = await createSeller(world, { of: client.userId })
  const [sold, erased] = [`sold-${world.clock.ms()}`, `erased-${world.clock.ms()}`]
  await seller.putPrice("gold", { multiplier: 1.5, per_turn_usd: 0.01 })
  await seller.bill(sold, { price: "gold", prepaid: true })
  await seller.credit(sold, 1)
  const { turn_id } = await seller.spend(sold, 0.0123)
  await seller.spend(sold, 0.0045)
  const refund = await admin.call("POST", `/api/admin/turns/${turn_id}/refund`, { note: "A complaint." })
  if (!refund.ok) throw new Error(await refund.text())
  await seller.spend(erased, 0.0031)
  const erasure = await seller.client.call("DELETE", `/v1/end-users/${erased}`)
  const tools = await seller.client.space({ tools: [workTool()] })
  const waiting = await sendUntilItWaits(world, seller.client, { space: tools, text: "[call pick {}]" })
  await world.advance(60_000)
  await waiter(seller.client).result(waiting.turn_id, { output: "A pen" })
  await world.drain()
  const { state } = await seller.client.getTurn(waiting.turn_id)
  if (!erasure.ok || state !== "done") throw new Error(`${erasure.status}, ${state}`)
}

/** A world that can make usage of every kind. */
export async function createUsedWorld(world: World, name: string): Promise<Shared> {
  await addModel(world, OTHER_PIN)
  return shareSpace(world, name, { usd: 1000 })
}

/** A turn that has ended, as tables store it. Tokens, costs and seconds are per call. */
export interface Planted {
  user: number
  space: number
  at: string
  /** True for a web chat, which has no key. */
  chat?: boolean
  test?: boolean
  lost?: boolean
  calls?: {
    model?: string
    subagent?: boolean
    /**
     * The step of the call, if it shares one; by default each call has its own. `picture` is the
     * index of a picture in that step.
     */
    step?: number
    picture?: number
    account?: string | null
    input?: number
    cached?: number
    output?: number
    micros?: number
    /** Its cost for us, if that is not its price. */
    ours?: number
    seconds?: number
  }[]
}

/**
 * Inserts turns with their calls and their ledger charges, and ends them, so that everything that
 * follows an end also happens.
 */
export async function plantTurns({ sql }: Pick<World, "sql">, turns: Planted[]): Promise<void> {
  for (const { user, space, at, chat = false, test = false, lost = false, calls = [{}] } of turns) {
    // As ids are: in the order of time.
    const turn = `turn_planted_${Date.parse(at)}_${crypto.randomUUID()}`
    const key = chat ? null : "key_planted"
    const rows = calls.map(({ micros = 100, input = 100, cached = 0, output = 10, seconds = 1, ...call }, nth) => ({
      turn_id: turn,
      step: call.step ?? nth,
      call: call.picture ?? null,
      user_id: user,
      space_id: space,
      conversation_id: turn,
      end_user_ref: chat ? "" : "customer-1",
      test,
      key_id: key,
      provider: (call.model ?? "rehearsal/standard").split("/")[0],
      subscription_id: call.account ?? null,
      model: call.model ?? "rehearsal/standard",
      role: call.subagent ? "subagent" : "orchestrator",
      tokens_input: input,
      tokens_cached: cached,
      tokens_cache_written: 0,
      tokens_cache_written_hour: 0,
      tokens_output: output,
      duration_sec: seconds,
      price_version: 1,
      cost_credit_micros: test ? 0 : micros,
      provider_credit_micros: test ? null : (call.ours ?? null),
      billed_credit_micros: test || lost ? 0 : micros,
      created_at: at,
      settled_at: at,
    }))
    const sum = (
      key: "cost_credit_micros" | "billed_credit_micros" | "tokens_input" | "tokens_cached" | "tokens_output",
    ) => rows.reduce((total, row) => total + row[key], 0)
    const billed = sum("billed_credit_micros")
    await sql(
      `insert into turns (turn_id, user_id, key_id, space_id, conversation_id, position, test, end_user_ref, idempotency_key, request_hash,
         text, model, state, failed_by_us, hold_credit_micros, held_credit_micros, created_at, started_at, price_version)
       values ($1, $2, $3, $4, $1, 1, $5, 'customer-1', $1, '', '', 'rehearsal/standard', 'running', $6, $7, $7, $8, $8, 1)`,
      [turn, user, key, space, test, lost, sum("cost_credit_micros"), at],
    )
    const kind = chat ? "chat_calls" : "usage"
    await sql(`insert into ${kind} select * from jsonb_populate_recordset(null::${kind}, $1)`, [JSON.stringify(rows)])
    await sql(
      `update turns set state = 'done', finished_at = $2, held_credit_micros = 0, cost_credit_micros = $3, billed_credit_micros = $4,
         model_calls = $5, tokens_input = $6, tokens_cached = $7, tokens_output = $8 where turn_id = $1`,
      [
        turn,
        at,
        sum("cost_credit_micros"),
        billed,
        rows.length,
        sum("tokens_input"),
        sum("tokens_cached"),
        sum("tokens_output"),
      ],
    )
    if (billed > 0) {
      await sql(
        `insert into ledger (user_id, reason, amount_credit_micros, balance_after_credit_micros, turn_id, actor, created_at)
         values ($1, $2, $3, 0, $4, 'test', $5)`,
        [user, chat ? "space_usage" : "usage", -billed, turn, at],
      )
    }
  }
}

/**
 * Rolls up this many rows of each queue. By default it rolls up all rows and computes the sums of
 * whole months.
 */
export async function rollUp(world: World, limit?: number): Promise<void> {
  const ctx = authContextOf(world)
  if (limit === undefined) return void (await sweepAnalytics(ctx))
  await callOne(ctx.db, "roll_turns", { limit })
  await callOne(ctx.db, "roll_ledger", { limit })
}

/** The sum of the ledger's charges for turns in a range, in credit micros. */
export async function billedInLedger(
  { sql }: Pick<World, "sql">,
  from: string,
  to: string,
  { userId, brand = "all" }: { userId?: number; brand?: string } = {},
): Promise<number> {
  const [row] = await sql<{ billed: number }>(
    `select coalesce(-sum(amount_credit_micros), 0)::float8 as billed from ledger
     where reason in ('usage', 'space_usage') and turn_id is not null and created_at >= $2 and created_at < $3
       and ($4::bigint is null or user_id = $4) and ${OF_BRAND}`,
    [brand, from, to, userId ?? null],
  )
  return row?.billed ?? 0
}

/** Reads a report as an admin. */
export async function readReport(admin: Admin, path: string) {
  const [status, report] = await admin.json("GET", path.startsWith("/api") ? path : `${ANALYTICS}/${path}`)
  if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(report)}`)
  return report
}
