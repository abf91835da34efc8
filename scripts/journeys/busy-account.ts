import { newId } from "../../src/base/ids.ts"
import { createUser, topUp } from "../../src/ops/seed.ts"
import { openStartedDatabase } from "./database.ts"

export interface BusySize {
  customers: number
  spaces: number
  turns: number
}

/** A busy account: the answers that the web app must give are planted among many other rows. */
export const BUSY = { owner: "Busy", customers: 1_000, spaces: 2_000, turns: 100_000, dearest: "customer-0001" }

/** The time in which the turns lie: at least one whole month. */
const SPAN_DAYS = 62

/** The receiver of the failing webhook. */
export const FAILING = "https://hooks.failing.example/turnpike"

/** Creates the busy account once: its turns lie within two months, and a fiftieth of them failed. */
export async function makeBusyAccount(dataDir: string, size: BusySize): Promise<void> {
  const client = await openStartedDatabase(dataDir)
  try {
    const known = await client.query("select 1 from users where name = $1", [BUSY.owner])
    if (known.rows.length > 0) return
    await client.query("begin")
    const sql = async (query: string, params?: unknown[]) => (await client.query(query, params)).rows
    const user = await createUser(sql, { name: BUSY.owner, email: "busy@turnpike.test" })
    await topUp(sql, {
      userId: user,
      micros: 1_000_000_000,
      reason: "operator_topup",
      actor: "journeys",
      now: new Date(),
    })
    const apart = (SPAN_DAYS * 86_400) / size.turns
    const at = (n: number) => new Date(Date.now() - n * apart * 1_000)
    const spaces = Array.from({ length: size.spaces }, (_, n) => newId("space", at(n)))
    const turns = Array.from({ length: size.turns }, (_, n) => newId("turn", at(n)))
    await client.query(
      `insert into spaces (slug, user_id, title, created_at, updated_at)
       select slug, $1, 'Helper ' || n, now() - interval '63 days', now() - interval '63 days'
       from unnest($2::text[]) with ordinality as made (slug, n)`,
      [user, spaces],
    )
    const key = newId("key", new Date())
    await client.query(
      `insert into api_keys (key_id, user_id, hash, hint, name, scope, created_at)
       values ($1::text, $2, sha256(convert_to($1::text, 'UTF8')), 'busy', 'Production', 'all', now() - interval '63 days')`,
      [key, user],
    )
    await client.query(
      `with places as (select space_id, row_number() over (order by space_id) as place from spaces where user_id = $1), source as (
         select id, n::int, 'customer-' || lpad((n % $4)::text, 4, '0') as ref, now() - (n - 1) * $7::float8 * interval '1 second' as at,
           case when n % 50 = 7 then 'failed' else 'done' end as state
         from unnest($2::text[]) with ordinality as made (id, n)
       ), made as (
         insert into turns (turn_id, user_id, key_id, space_id, conversation_id, position, test, end_user_ref, idempotency_key,
           request_hash, text, result, model, state, hold_credit_micros, held_credit_micros, billed_credit_micros, cost_credit_micros,
           model_calls, status_reason, error_code, error_message, created_at, started_at, finished_at, price_version)
         select s.id, $1, $3, p.space_id, 'conv_' || right(s.id, 26), 1, false, s.ref, 'busy ' || s.n, '', 'Where is order ' || s.n || '?',
           case when s.state = 'done' then 'It is on its way.' end, 'rehearsal/standard', s.state, 100000, 0,
           case when s.ref = $5 then 20000 + s.n % 97 else s.n % 997 end, case when s.ref = $5 then 20000 + s.n % 97 else s.n % 997 end, 1,
           case when s.state = 'failed' then 'MODEL_UNAVAILABLE' end, case when s.state = 'failed' then 'MODEL_UNAVAILABLE' end,
           case when s.state = 'failed' then 'The model did not answer after several attempts.' end,
           s.at, s.at + interval '1 second', s.at + (s.n % 90 + 1) * interval '1 second', 1
         from source s join places p on p.place = 1 + s.n % $6 returning *
       ), threads as (
         insert into conversations (conversation_id, space_id, end_user_ref, name, user_id, test, last_turn_at, created_at)
         select conversation_id, space_id, end_user_ref, turn_id, user_id, test, created_at, created_at from made
       ), ended as (
         insert into ended_turns (turn_id, user_id, test, finished_at, space_id, key_id, end_user_ref, billed_credit_micros, model_calls,
           tokens_input, tokens_cached, tokens_output, state, status_reason, model, created_at)
         select turn_id, user_id, test, finished_at, space_id, key_id, end_user_ref, billed_credit_micros, model_calls, 100, 0, 50, state,
           status_reason, model, created_at from made
       ), failures as (
         insert into infrastructure_errors (kind, name, code, turn_id, created_at)
         select 'model_call', 'rehearsal', 'unavailable', turn_id, created_at + k * interval '2 seconds' from made, generate_series(1, 3) k
         where state = 'failed' and created_at > now() - interval '1 day'
       ) insert into turn_ends (ended_at, user_id, space_id, writer_id, tokens_input, tokens_cached, tokens_output, tokens_input_most,
           cost_credit_micros, billed_credit_micros, duration_us, calls, keyed_calls, pictures, turns, pooled, test, provider_key, role, model,
           state, turn_id, end_user_ref, took_us)
         select finished_at, user_id, space_id, user_id, 100, 0, 50, 100, cost_credit_micros, billed_credit_micros, 1, 1, 1, 0, 1, false, false,
           'rehearsal', 'orchestrator', model, state, turn_id, end_user_ref, (extract(epoch from finished_at - created_at) * 1e6)::bigint from made`,
      [user, turns, key, size.customers, BUSY.dearest, size.spaces, apart],
    )
    const hooks = Array.from({ length: 5 }, () => newId("webhook", new Date()))
    await client.query(
      `insert into webhook_endpoints (webhook_id, user_id, test, key_id, scope, url, secret, slot, created_at, updated_at, verified_at, target,
         failing_since, made_by)
       select id, $1, false, null, 'all', url, 'sealed', n, now() - interval '20 days', now(), now() - interval '20 days', url,
         case when n = 3 then now() - interval '90 minutes' end, $1
       from (select id, n, case when n = 3 then $3 else 'https://hooks.example/' || n end as url
         from unnest($2::text[]) with ordinality as made (id, n)) w`,
      [user, hooks, FAILING],
    )
    await client.query("commit")
    await client.query("analyze")
    // The sweep moves the ended turns into the totals of customers, once a minute.
    for (let left = 1; left > 0; ) {
      await new Promise((resolve) => setTimeout(resolve, 2_000))
      const { rows } = await client.query("select count(*)::int as left from turn_ends where user_id = $1", [user])
      left = rows[0].left
    }
  } finally {
    await client.end()
  }
}
