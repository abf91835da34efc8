import { prepareStatistics, readStatements } from "./measure-procedures.ts"
import type { Options } from "./options.ts"
import { createSite, type Site } from "./site.ts"
import { round, timesOf } from "./statistics.ts"
import type { BenchWorld } from "./world.ts"

const FEW = 100
/** `seconds`: the most of a round's requests of one kind. */
const SIZES = { full: { rounds: 4, seconds: 1 }, smoke: { rounds: 1, seconds: 0.2 } }

/**
 * Compares a POST and a GET with many stored turns and with 100 of them, in two databases and alternating rounds.
 * database: the mean ms of the statement by PostgreSQL's own clock, including planning; null if the server keeps no
 * statistics.
 */
export async function measureHistory(world: BenchWorld, { stored, size }: Options) {
  const { rounds, seconds } = SIZES[size]
  const sites = {
    few: await createSite(world, "few", { runs: false }),
    many: await createSite(world, "many", { runs: false }),
  }
  const paths = { few: await storeTurns(sites.few, FEW), many: await storeTurns(sites.many, stored) }
  const samples = {
    post: { few: [] as number[], many: [] as number[] },
    get: { few: [] as number[], many: [] as number[] },
  }
  let hasStatistics = false
  for (let i = -1; i < rounds; i++) {
    // After the first round, which makes plans and fills caches.
    if (i === 0) hasStatistics = await prepareStatistics(sites.many)
    for (const size of ["few", "many"] as const) {
      const { runtime, accounts } = sites[size]
      const job = { url: runtime.url, accounts, prefix: "history", clients: 1, seconds }
      const post = await world.load.run({ ...job, count: 300 })
      const get = await world.load.run({ ...job, count: 600, paths: paths[size] })
      if (i < 0) continue
      samples.post[size].push(...post.samples)
      samples.get[size].push(...get.samples)
    }
  }
  const spent = hasStatistics ? await readStatements(sites.many) : []
  const databaseMs = (label: string) => {
    const one = spent.find((found) => found.label === label)
    return one ? round((one.total + one.planned) / one.calls, 3) : null
  }
  const compare = (name: "post" | "get", procedure: string) => {
    const few = timesOf(samples[name].few).p50
    const many = timesOf(samples[name].many).p50
    return {
      [`p50_with_${FEW}`]: few,
      [`p50_with_${stored}`]: many,
      ratio: round(many / few),
      database: databaseMs(procedure),
    }
  }
  return { post: compare("post", "accept_turn"), get: compare("get", "get_turn") }
}

/** Stores finished turns, 20 per conversation, with all their rows. Returns the paths of a thousand of them. */
async function storeTurns({ sql, accounts }: Site, count: number): Promise<string[]> {
  const { userId, space } = accounts[0] ?? { userId: 0, space: "" }
  await sql(
    `insert into conversations (conversation_id, space_id, end_user_ref, name, last_position, created_at)
     select 'conv_old' || lpad(g::text, 23, '0'), s.space_id, 'old-' || g, 'default', 20, now() - interval '1 day'
     from generate_series(0, ($1::integer - 1) / 20) g, spaces s where s.slug = $2`,
    [count, space],
  )
  await sql(
    `insert into turns (turn_id, user_id, key_id, space_id, conversation_id, position, test, end_user_ref,
       idempotency_key, request_hash, text, model, state, result, config_version, hold_credit_micros,
       held_credit_micros, cost_credit_micros, billed_credit_micros, model_calls, tokens_input, tokens_output, epoch,
       last_event_seq, created_at, started_at, finished_at, price_version)
     select 'turn_00' || lpad(g::text, 24, '0'), $3, s.created_by_key_id, s.space_id,
       'conv_old' || lpad((g / 20)::text, 23, '0'), g % 20 + 1, false, 'old-' || g / 20, 'old-' || g, md5(g::text),
       'Where is my order?', 'rehearsal/standard', 'done', 'You said: Where is my order?', 1, 2500000, 0, 500, 500, 1,
       10, 10, 1, 3, now() - interval '1 day' + g * interval '1 ms', now() - interval '1 day' + g * interval '1 ms',
       now() - interval '1 day' + g * interval '1 ms', 1
     from generate_series(0, $1::integer - 1) g, spaces s where s.slug = $2`,
    [count, space, userId],
  )
  await sql(
    `insert into events (event_id, user_id, test, type, turn_id, seq, space_id, created_at)
     select 'evt_' || e.seq || substr(turn_id, 8), user_id, test, 'turn.' || e.state, turn_id, e.seq, space_id, created_at
     from turns, (values (1, 'queued'), (2, 'running'), (3, 'done')) as e (seq, state)`,
  )
  await sql(
    `insert into ledger (user_id, reason, amount_credit_micros, balance_after_credit_micros, turn_id, actor, created_at)
     select user_id, 'usage', -billed_credit_micros, 1000000, turn_id, 'turn', finished_at from turns`,
  )
  await sql(
    `insert into usage (turn_id, step, user_id, space_id, key_id, end_user_ref, conversation_id, test, provider, model, tokens_input,
       tokens_cached, tokens_output, duration_sec, price_version, cost_credit_micros, billed_credit_micros, created_at)
     select turn_id, 0, user_id, space_id, key_id, end_user_ref, conversation_id, test, 'rehearsal', model, tokens_input, 0, tokens_output,
       0.1, 1, cost_credit_micros, billed_credit_micros, finished_at from turns`,
  )
  await sql("vacuum analyze")
  const rows = await sql<{ turn_id: string }>("select turn_id from turns order by md5(turn_id) limit 1000")
  return rows.map((row) => `/v1/turns/${row.turn_id}`)
}
