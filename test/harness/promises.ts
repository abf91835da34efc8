import { expect } from "vitest"
import { RELEASE } from "../../src/platform/procedures.ts"
import type { TestNamespace } from "./namespace.ts"

interface TurnFacts {
  turn_id: string
  state: string
  billed: number
  last_event_seq: number
  /** Null: they were deleted, as those of a turn that is not stored are ten minutes after its end. */
  events: { seq: number; type: string }[] | null
  store: boolean
  ledger: number
  ledger_rows: number
  usage_billed: number
  chat_billed: number | null
  chat_adds_up: boolean | null
  reason: string | null
  chat: boolean
  started: boolean
  pending_files: number
  lost_pictures: number
}

/**
 * Asserts the promises of docs/architecture/testing.md for an account whose turns have all ended:
 * one terminal state, one correct bill, no open hold, gapless events with one for each transition,
 * and consistent books.
 */
export async function expectPromises({ sql }: Pick<TestNamespace, "sql">, userId: number): Promise<TurnFacts[]> {
  const turns = await sql<TurnFacts>(
    `with entries as (
       select turn_id, amount_credit_micros, reason from ledger where user_id = $1 and reason <> 'admin_action'
       union all select turn_id, amount_credit_micros, reason from postings where user_id = $1)
     select t.turn_id, t.state, t.billed_credit_micros::float8 as billed, t.last_event_seq, t.store,
       (select jsonb_agg(jsonb_build_object('seq', e.seq, 'type', e.type) order by e.seq)
        from turn_log e where e.turn_id = t.turn_id) as events,
       coalesce((select sum(-l.amount_credit_micros) from entries l where l.turn_id = t.turn_id), 0)::float8 as ledger,
       (select count(*) from entries l where l.turn_id = t.turn_id)::int as ledger_rows,
       coalesce((select sum(u.billed_credit_micros) from usage u where u.turn_id = t.turn_id), 0)::float8 as usage_billed,
       (select a.billed_credit_micros::float8 from api_turns a where a.turn_id = t.turn_id) as chat_billed,
       (select (a.model_calls, a.cost_credit_micros, a.billed_credit_micros) = (count(c.turn_id),
           coalesce(sum(c.cost_credit_micros), 0), coalesce(sum(c.billed_credit_micros), 0))
         from api_turns a left join chat_calls c on c.turn_id = a.turn_id where a.turn_id = t.turn_id group by a.turn_id) as chat_adds_up,
       (select min(l.reason) from entries l where l.turn_id = t.turn_id) as reason, t.key_id is null as chat,
       t.started_at is not null as started,
       (select count(*) from files f where f.turn_id = t.turn_id and f.state = 'pending')::int as pending_files,
       case when t.erased_at is null and t.store then (select count(*) from (select turn_id, call, billed_credit_micros from usage
           union all select turn_id, call, billed_credit_micros from chat_calls) p
         where p.turn_id = t.turn_id and p.call is not null and p.billed_credit_micros > 0)
         - (select count(*) from jsonb_array_elements(t.outputs) o where o ->> 'media_type' like 'image/%') else 0 end::int as lost_pictures
     from turns t where t.user_id = $1 order by t.conversation_id, t.position`,
    [userId],
  )
  for (const turn of turns) {
    expect(["done", "failed", "cancelled"], JSON.stringify(turn)).toContain(turn.state)
    if (turn.store || turn.events !== null) expectEvents(turn)
    expect(turn.pending_files, "every file is kept or given up").toBe(0)
    expect(turn.lost_pictures, "every billed picture is an output").toBeLessThanOrEqual(0)
    expect(turn.ledger, "the ledger has the bill").toBe(turn.billed)
    expect(turn.usage_billed, "usage adds up to the bill").toBe(turn.chat ? 0 : turn.billed)
    expect(turn.chat_billed, "a web-chat turn has its own record").toBe(turn.chat && turn.started ? turn.billed : null)
    expect(turn.chat_adds_up, "the calls add up to the record").toBe(turn.chat && turn.started ? true : null)
    if (turn.billed > 0) expect(turn.reason).toBe(turn.chat ? "space_usage" : "usage")
    expect(turn.ledger_rows).toBe(turn.billed > 0 ? 1 : 0)
  }
  await expectBooks({ sql }, userId)
  const [open] = await sql<{ held: number }>(`select held::float8 as held from ${RELEASE}.wallet_sums($1)`, [userId])
  expect(open?.held, "no hold is open").toBe(0)
  return turns
}

/** Asserts that events have no gap, that each transition has one, and that none follows the end. */
function expectEvents({ state, events, last_event_seq }: TurnFacts): void {
  const types = (events ?? []).map((event) => event.type)
  expect((events ?? []).map((event) => event.seq)).toEqual(types.map((_, index) => index + 1))
  expect(last_event_seq).toBe(types.length)
  const isWait = (type: string) => type === "turn.waiting" || type === "turn.resumed"
  const waits = types.filter(isWait)
  expect(waits, "a turn continues before it waits again").toEqual(
    waits.map((_, index) => (index % 2 === 0 ? "turn.waiting" : "turn.resumed")),
  )
  const transitions = types.filter((type) => type.startsWith("turn.") && !isWait(type))
  const path = transitions.length === 3 ? ["turn.queued", "turn.running"] : ["turn.queued"]
  expect(transitions, "one event for each transition").toEqual([...path, `turn.${state}`])
  expect(types.at(-1), "no event after the end").toBe(`turn.${state}`)
}

/**
 * Asserts that the balance equals the sum of the ledger and its last running total, with queued
 * postings, and that held credit equals the sum of open holds. This holds at every moment.
 */
export async function expectBooks({ sql }: Pick<TestNamespace, "sql">, userId: number): Promise<void> {
  const [books] = await sql<{ balance: number; ledger: number; last: number; held: number; holds: number }>(
    `select s.balance::float8 as balance, s.held::float8 as held,
       (coalesce((select sum(amount_credit_micros) from ledger l where l.user_id = w.user_id), 0) + q.amount)::float8 as ledger,
       (coalesce((select balance_after_credit_micros from ledger l where l.user_id = w.user_id
         order by ledger_id desc limit 1), 0) + q.amount)::float8 as last,
       coalesce((select sum(held_credit_micros) from turns t where t.user_id = w.user_id), 0)::float8 as holds
     from wallets w, ${RELEASE}.wallet_sums(w.user_id) s,
       (select coalesce(sum(amount_credit_micros), 0) as amount from postings where user_id = $1) q where w.user_id = $1`,
    [userId],
  )
  expect(books?.balance, "balance = sum of the ledger").toBe(books?.ledger)
  expect(books?.balance, "balance = the ledger's last running total").toBe(books?.last)
  expect(books?.held, "held = sum of open holds").toBe(books?.holds)
}
