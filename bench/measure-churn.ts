import { type ChurnSite, createChurnSite } from "./churn-site.ts"
import type { Options } from "./options.ts"
import { round } from "./statistics.ts"
import type { BenchWorld } from "./world.ts"

/** Server settings: WAL like on a durable server, and a more frequent autovacuum, because turns are faster here. */
export const CHURN_SETTINGS = {
  full_page_writes: "on",
  max_wal_size: "4GB",
  checkpoint_timeout: "5min",
  autovacuum_naptime: "10s",
}

const VACUUM = ["vacuum_scale_factor", "vacuum_threshold", "vacuum_insert_scale_factor", "analyze_scale_factor"]
const OPTIONS = ["fillfactor", ...VACUUM.map((name) => `autovacuum_${name}`)].join(", ")

/** The compared databases, with the statements that change each before its first turn. */
const SETTINGS: Record<string, string[]> = {
  before: [
    ...[
      "turns",
      "conversations",
      "wallets",
      "spend_counters",
      "api_keys",
      "webhook_deliveries",
      "webhook_endpoints",
      "turn_events",
      "turn_steps",
      "ledger",
      "model_calls",
      "events",
    ].map((table) => `alter table ${table} reset (${OPTIONS})`),
    "alter table turns set (fillfactor = 60)",
    "alter table webhook_deliveries add unique (webhook_id, event_id)",
    "create index webhook_deliveries_in_order on webhook_deliveries (webhook_id, turn_id, seq) where state = 'pending'",
    "create index webhook_deliveries_leased on webhook_deliveries (webhook_id, lease_until) where lease_until is not null",
  ],
  now: [],
}

const TABLES = [
  "turns",
  "open_turns",
  "conversations",
  "wallets",
  "spend_counters",
  "api_keys",
  "webhook_deliveries",
  "webhook_endpoints",
  "turn_events",
  "events",
  "ledger",
  "model_calls",
]
const BATCH = 1_000

/**
 * Measures how tables and indexes grow: plain turns with one webhook, from accept to delivery, by calls of the verbs
 * over direct connections. Each entry of SETTINGS has its own database, and batches alternate. Sizes are in MB.
 */
export async function measureChurn(world: BenchWorld, { turns }: Options) {
  const sites: Record<string, ChurnSite> = {}
  for (const [name, changes] of Object.entries(SETTINGS)) sites[name] = await createChurnSite(world, name, changes)
  const spent = new Map(Object.keys(SETTINGS).map((name) => [name, { wal: 0, seconds: 0 }]))
  for (let ran = 0; ran < turns; ran += BATCH) {
    for (const [name, site] of Object.entries(sites)) {
      const began = performance.now()
      const from = await walOf(site)
      await site.runTurns(Math.min(BATCH, turns - ran))
      const sum = spent.get(name)
      if (!sum) continue
      sum.wal += (await walOf(site)) - from
      sum.seconds += (performance.now() - began) / 1000
    }
  }
  const answers: Record<string, unknown> = {}
  for (const [name, site] of Object.entries(sites)) {
    const { wal = 0, seconds = 0 } = spent.get(name) ?? {}
    answers[name] = {
      turns: site.count(),
      turns_per_second: round(site.count() / seconds, 0),
      wal_bytes_per_turn: round(wal / site.count(), 0),
      ...(await totalsOf(site)),
    }
    for (const { table, ...row } of await tablesOf(site)) answers[`${name}: ${table}`] = row
  }
  return answers
}

async function walOf({ sql }: ChurnSite): Promise<number> {
  const [row] = await sql<{ bytes: number }>(
    "select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as bytes",
  )
  return row?.bytes ?? 0
}

async function totalsOf({ sql }: ChurnSite) {
  const [row] = await sql<{ tables_mb: number; indexes_mb: number }>(
    `select round(sum(pg_table_size(relid)) / 1e6)::float8 as tables_mb, round(sum(pg_indexes_size(relid)) / 1e6)::float8 as indexes_mb
     from pg_stat_user_tables where schemaname = 'public'`,
  )
  return row
}

interface TableRow {
  table: string
  mb: number
  indexes_mb: number
  live: number
  dead: number
  updates: number
  hot_percent: number | null
  vacuums: number
}

async function tablesOf({ sql }: ChurnSite): Promise<TableRow[]> {
  // Connections report their statistics within a second, or when they are forced to.
  await sql("select pg_stat_force_next_flush()")
  return sql<TableRow>(
    `select relname as table, round(pg_table_size(relid) / 1e6, 1)::float8 as mb, round(pg_indexes_size(relid) / 1e6, 1)::float8 as indexes_mb,
       n_live_tup::integer as live, n_dead_tup::integer as dead, n_tup_upd::integer as updates,
       round(100.0 * n_tup_hot_upd / nullif(n_tup_upd, 0))::float8 as hot_percent, autovacuum_count::integer as vacuums
     from pg_stat_user_tables where relname = any ($1) order by array_position($1, relname::text)`,
    [TABLES],
  )
}
