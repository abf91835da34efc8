import { readFile } from "node:fs/promises"
import { setTimeout as pause } from "node:timers/promises"
import pg from "pg"
import { newId } from "../src/base/ids.ts"
import { addDatabase, dropDatabase, withDatabase } from "../src/local/databases.ts"
import { type Migrated, migrate } from "../src/ops/migrations.ts"
import { OLD_STATEMENTS, READS } from "./old-statements.ts"
import { round, secondsSince, timesOf } from "./statistics.ts"
import type { BenchWorld } from "./world.ts"

const STORED = 400_000
const ACCOUNTS = 16
const CLIENTS = 8
/** Each client's rest between two statements: the traffic is steady, and does not itself fill two cores. */
const REST_MS = 10
const QUIET_MS = 5_000
/** A read transaction is open for so long at the beginning of the upgrade, and one more at its end. */
const READ_MS = 10_000
const DATABASE = "turnpike_upgrade"

type Name = keyof typeof OLD_STATEMENTS
type Samples = Partial<Record<Name, number[]>>

/**
 * Upgrades the database as it was before there were migrations, with 400,000 turns in it, under the statements of the workers of then,
 * beside a read transaction of 10 s. An after-deploy migration meets only what every release sends.
 */
export async function measureUpgrade(world: BenchWorld) {
  const url = await addDatabase(world.postgresUrl, DATABASE)
  world.keep(() => dropDatabase(world.postgresUrl, DATABASE))
  const connect = async () => {
    const client = new pg.Client({ connectionString: withDatabase(url, DATABASE) })
    client.on("error", () => {})
    await client.connect()
    world.keep(() => client.end())
    return client
  }
  const client = await connect()
  const began = performance.now()
  await client.query(await readFile("test/ops/fixtures/schema-before-migrations.sql", "utf8"))
  await store(client)
  await makeOlder(client)
  const filled = { turns: STORED, seconds: secondsSince(began) }

  const reader = await connect()
  const connections: pg.Client[] = []
  for (let i = 0; i < CLIENTS; i++) connections.push(await connect())
  const all = Object.keys(OLD_STATEMENTS) as Name[]
  const quiet = await during(connections, all, () => pause(QUIET_MS))
  const before = await during(connections, all, () => upgrade(client, reader, "before-deploy"))
  const after = await during(connections, READS, () => upgrade(client, reader, "after-deploy"))
  const { rows: migrations } = await client.query("select name, duration_ms from schema_migrations order by name")
  const { rows: wrong } = await client.query(
    `select count(*)::integer as open_turns, (select sum(held_credit_micros)::bigint from wallets) as held
     from turns where state in ('queued', 'running')`,
  )
  return {
    filled,
    quiet: quiet.seen,
    "before-deploy": before.seen,
    "before-deploy, s": round(before.answer.seconds, 1),
    "before-deploy, retries": before.answer.retries,
    "after-deploy": after.seen,
    "after-deploy, s": round(after.answer.seconds, 1),
    migrations: migrations.map(({ name, duration_ms }) => ({ name, duration_ms })),
    left_open: wrong[0],
  }
}

/** `migrate` from a moment after a long read has begun. */
async function upgrade(client: pg.Client, reader: pg.Client, phase: "before-deploy" | "after-deploy") {
  await reader.query("begin isolation level repeatable read; select count(*) from turns where position > 3")
  const read = pause(READ_MS).then(() => reader.query("commit"))
  let retries = 0
  const began = performance.now()
  const log = (line: string) => {
    if (line.includes("; again in")) retries++
    if (process.env.TURNPIKE_VERBOSE) console.log(`${secondsSince(began, 1)} s ${line}`)
  }
  const migrated: Migrated = await migrate(client, { phase, log })
  const seconds = (performance.now() - began) / 1000
  await read
  return { migrated, retries, seconds }
}

/** The clients' latencies while `work` runs. */
async function during<T>(connections: pg.Client[], names: Name[], work: () => Promise<T>) {
  const samples: Samples = {}
  const failures: string[] = []
  let isOver = false
  const clients = connections.map((connection, place) =>
    live(connection, place, names, () => isOver, samples, failures),
  )
  try {
    const answer = await work()
    isOver = true
    await Promise.all(clients)
    const longest = Object.entries(samples).map(([name, times]) => [name, round(Math.max(...times), 0)])
    const times = Object.values(samples).flat()
    const longest_ms = round(Math.max(...times), 0)
    const seen = { statements: times.length, failures: failures.length, longest_ms, ...timesOf(times) }
    return {
      answer,
      seen: { ...seen, longest: Object.fromEntries(longest), ...(failures[0] && { first: failures[0] }) },
    }
  } finally {
    isOver = true
  }
}

/** Turn after turn of one customer's, each statement as a worker sends it: planned anew. */
async function live(
  connection: pg.Client,
  place: number,
  names: Name[],
  isOver: () => boolean,
  samples: Samples,
  failures: string[],
) {
  const account = 1 + (place % ACCOUNTS)
  const own = {
    key: `key_${account}`,
    user: account,
    space: account,
    webhook: `whk_${account}`,
    end_user: `live-${place}`,
  }
  while (!isOver()) {
    const at = new Date()
    const turn = names.includes("accept") ? newId("turn", at) : `turn_00${String(place).padStart(24, "0")}`
    const conversation = newId("conversation", at)
    for (const name of names) {
      const now = new Date()
      const values = { ...own, turn, conversation, event: newId("event", now), now: now.toISOString() }
      const began = performance.now()
      try {
        const { rowCount } = await connection.query(OLD_STATEMENTS[name], [JSON.stringify(values)])
        if (!rowCount && (name === "accept" || name === "claim" || name === "settle")) failures.push(`${name}: nothing`)
      } catch (error) {
        failures.push(`${name}: ${error instanceof Error ? error.message : String(error)}`)
      }
      samples[name] ??= []
      samples[name].push(performance.now() - began)
      await pause(REST_MS)
    }
  }
}

/** Finished turns, four to a conversation, with all that a worker writes for each. */
async function store(client: pg.Client): Promise<void> {
  await client.query(`
    set session_replication_role = replica;
    insert into users (name) select 'Account ' || n from generate_series(1, ${ACCOUNTS}) n;
    insert into wallets (user_id, balance_credit_micros) select n, 1000000000000 from generate_series(1, ${ACCOUNTS}) n;
    insert into spaces (slug, user_id, created_by_key_id, title, model, created_at, updated_at)
      select 'spc_' || n, n, 'key_' || n, 'Bench', 'rehearsal/standard', now(), now() from generate_series(1, ${ACCOUNTS}) n;
    insert into space_configs (space_id, version, change, manifest, tools, mcp_servers, created_at)
      select n, 1, 'created', '{}', '{}', '{}', now() from generate_series(1, ${ACCOUNTS}) n;
    insert into api_keys (key_id, user_id, hash, hint, name, scope, created_at)
      select 'key_' || n, n, int4send(n), 'hint', 'bench', 'all', now() from generate_series(1, ${ACCOUNTS}) n;
    insert into webhook_endpoints (webhook_id, user_id, test, key_id, scope, url, secret, slot, created_at, updated_at)
      select 'whk_' || n, n, false, 'key_' || n, 'all', 'https://hooks.test', 'x', 1, now(), now() from generate_series(1, ${ACCOUNTS}) n;
    insert into conversations (conversation_id, space_id, user_id, test, end_user_ref, name, last_position, last_turn_at, created_at)
      select 'conv_' || lpad(g::text, 26, '0'), 1 + g % ${ACCOUNTS}, 1 + g % ${ACCOUNTS}, false, 'old-' || g, 'default', 4, now(),
        now() - interval '90 days' from generate_series(0, ${STORED / 4 - 1}) g;
    insert into turns (turn_id, user_id, key_id, space_id, conversation_id, position, test, end_user_ref, idempotency_key,
        request_hash, text, model, state, result, config_version, hold_credit_micros, held_credit_micros, cost_credit_micros,
        billed_credit_micros, model_calls, tokens_input, tokens_output, epoch, attempts, last_event_seq, created_at, started_at, finished_at)
      select 'turn_00' || lpad(g::text, 24, '0'), a.n, 'key_' || a.n, a.n, 'conv_' || lpad((g / 4)::text, 26, '0'), g % 4 + 1, false,
        'old-' || g / 4, 'old-' || g, md5(g::text), repeat('Where is my order? ', 10), 'rehearsal/standard', 'done',
        repeat('It is on its way. ', 20), 1, 100000, 0, 500, 500, 1, 10, 10, 1, 1, 3, a.at, a.at, a.at
      from generate_series(0, ${STORED - 1}) g,
        lateral (select 1 + (g / 4) % ${ACCOUNTS} as n, now() - interval '90 days' + g * interval '19 seconds' as at) a;
    insert into turn_events (turn_id, seq, event_id, type, data, created_at)
      select turn_id, e.seq, 'evt_' || e.seq || substr(turn_id, 7), 'turn.' || e.state, jsonb_build_object('state', e.state), created_at
      from turns, (values (1, 'queued'), (2, 'running'), (3, 'done')) as e (seq, state);
    insert into events (event_id, user_id, test, type, turn_id, seq, space_id, created_by_key_id, created_at)
      select v.event_id, t.user_id, false, v.type, t.turn_id, v.seq, t.space_id, t.key_id, v.created_at
      from turn_events v join turns t on t.turn_id = v.turn_id;
    insert into turn_steps (turn_id, step, epoch, text, finish, cost_credit_micros, created_at)
      select turn_id, 0, 1, result, 'stop', 500, finished_at from turns;
    insert into ledger (user_id, reason, amount_credit_micros, balance_after_credit_micros, turn_id, actor, created_at)
      select user_id, 'usage', -500, 1000000, turn_id, 'turn', finished_at from turns;
    insert into usage (turn_id, step, user_id, space_id, key_id, end_user_ref, provider, model, tokens_input, tokens_cached,
        tokens_output, duration_sec, price_version, cost_credit_micros, billed_credit_micros, created_at, settled_at)
      select turn_id, 0, user_id, space_id, key_id, end_user_ref, 'rehearsal', model, 10, 0, 10, 0.1, 1, 500, 500, finished_at,
        finished_at from turns;
    set session_replication_role = origin`)
  await client.query("vacuum analyze")
}

/** What databases lack after upgrades that applied the whole schema again, on their largest tables. */
async function makeOlder(client: pg.Client): Promise<void> {
  await client.query(`
    drop index turns_of_chat;
    drop index conversations_by_activity;
    create index conversations_by_activity on conversations (user_id, test, last_turn_at desc, conversation_id desc);
    alter table turns drop constraint turns_cost_within_hold, drop column calls_start_until;
    alter table wallets add column last_hold_credit_micros bigint;
    alter table events add constraint events_user_id_fkey foreign key (user_id) references users`)
}
