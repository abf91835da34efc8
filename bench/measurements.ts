import { measureAccepts } from "./measure-accepts.ts"
import { measureAdmin } from "./measure-admin.ts"
import { ANALYTICS_SETTINGS, measureAnalytics } from "./measure-analytics.ts"
import { measureAnswers } from "./measure-answers.ts"
import { measureAttacks } from "./measure-attacks.ts"
import { measureBacklog } from "./measure-backlog.ts"
import { FILLING, measureBooks } from "./measure-books.ts"
import { CHURN_SETTINGS, measureChurn } from "./measure-churn.ts"
import { measureCold, measureColdTurn } from "./measure-cold.ts"
import { measureCommits } from "./measure-commits.ts"
import { measureCrowd, measureShares } from "./measure-fair.ts"
import { measureFiles } from "./measure-files.ts"
import { measureFloor } from "./measure-floor.ts"
import { measureHistory } from "./measure-history.ts"
import { measureHostile } from "./measure-hostile.ts"
import { measureIdentity } from "./measure-identity.ts"
import { measureLatency } from "./measure-latency.ts"
import { measureLogins } from "./measure-logins.ts"
import { measureMemory } from "./measure-memory.ts"
import { measureOutage } from "./measure-outage.ts"
import { measurePeer } from "./measure-peer.ts"
import { measureProcedures, STATEMENT_STATISTICS } from "./measure-procedures.ts"
import { measureQueues } from "./measure-queues.ts"
import { measureReads, measureSenders } from "./measure-reads.ts"
import { measureRestore } from "./measure-restore.ts"
import { measureRetention } from "./measure-retention.ts"
import { measureRouting } from "./measure-routing.ts"
import { measureShards } from "./measure-shards.ts"
import { measureStatements } from "./measure-statements.ts"
import { measureStreamed } from "./measure-streamed.ts"
import { measureStreams } from "./measure-streams.ts"
import { measureTurns } from "./measure-turns.ts"
import { measureWakes } from "./measure-wakes.ts"
import { measureWal, WAL_SETTINGS } from "./measure-wal.ts"
import type { Options } from "./options.ts"
import type { BenchWorld, WorldOptions } from "./world.ts"

const MANY_ACCOUNTS = 16

/** Options for a run with `--smoke`, which takes seconds. */
type Smoke = Partial<Options> & { size: "smoke" }

export interface Measurement {
  /** The name for `--only`. */
  group: string
  title: string
  measure(world: BenchWorld, options: Options): Promise<unknown>
  smoke: Smoke
  /** True to measure the version in `--baseline` too. */
  isCompared?: boolean
  world?: Partial<WorldOptions>
}

/** The sizes are in the file of the measurement. */
const SMALL: Smoke = { size: "smoke" }
const SHORT: Smoke = { ...SMALL, seconds: 0.3, clients: 4, acceptClients: 4 }
const stores = (stored: number): Smoke => ({ ...SMALL, stored })

const started = { group: "start", smoke: SHORT, isCompared: true, world: { runtime: "miniflare" } } as const

const ALL: Measurement[] = [
  {
    group: "accepts",
    smoke: SHORT,
    title: "accepts, 1 account",
    isCompared: true,
    measure: (world, options) => measureAccepts(world, options, 1),
  },
  {
    group: "accepts",
    smoke: SHORT,
    title: "accepts, 1 account, key with every cap",
    measure: (world, options) => measureAccepts(world, options, 1, true),
  },
  {
    group: "accepts",
    smoke: SHORT,
    title: `accepts, ${MANY_ACCOUNTS} accounts`,
    isCompared: true,
    measure: (world, options) => measureAccepts(world, options, MANY_ACCOUNTS),
  },
  {
    group: "turns",
    smoke: SHORT,
    title: "turns, 1 account",
    isCompared: true,
    measure: (world, options) => measureTurns(world, options, 1),
  },
  {
    group: "turns",
    smoke: SHORT,
    title: `turns, ${MANY_ACCOUNTS} accounts`,
    isCompared: true,
    measure: (world, options) => measureTurns(world, options, MANY_ACCOUNTS),
  },
  {
    group: "turns",
    smoke: SHORT,
    title: "turns, 1 account, v1 and callbacks as two workers",
    measure: (world, options) => measureTurns(world, options, 1, true),
  },
  {
    group: "streamed",
    smoke: SHORT,
    title: "turns whose model streams 200 pieces",
    isCompared: true,
    measure: measureStreamed,
  },
  { group: "streams", smoke: SMALL, title: "text as readers get it", isCompared: true, measure: measureStreams },
  { group: "reads", smoke: SHORT, title: "processor ms of reads", isCompared: true, measure: measureReads },
  {
    group: "senders",
    smoke: SHORT,
    title: "accepts while turns run",
    isCompared: true,
    world: { durable: true },
    measure: measureSenders,
  },
  { group: "latency", smoke: SHORT, title: "one client", isCompared: true, measure: measureLatency },
  {
    group: "commits",
    smoke: SHORT,
    title: "turns, slow commits",
    isCompared: true,
    world: { durable: true },
    measure: measureCommits,
  },
  {
    group: "shards",
    smoke: SHORT,
    title: "one account and 64",
    isCompared: true,
    world: { durable: true },
    measure: measureShards,
  },
  { group: "peer", smoke: SHORT, title: "next to pg-boss", measure: measurePeer },
  {
    group: "procedures",
    smoke: SHORT,
    title: "procedures",
    isCompared: true,
    world: { settings: STATEMENT_STATISTICS },
    measure: measureProcedures,
  },
  {
    group: "statements",
    smoke: SMALL,
    title: "turns on one connection",
    isCompared: true,
    world: { settings: STATEMENT_STATISTICS },
    measure: measureStatements,
  },
  {
    group: "cold",
    smoke: SMALL,
    title: "the first turns of a connection, processor ms",
    isCompared: true,
    measure: measureCold,
  },
  { group: "cold", smoke: SMALL, title: "a plain turn, POST to end, ms", isCompared: true, measure: measureColdTurn },
  {
    ...started,
    title: "npm start: accepts, 1 account",
    measure: (world, options) => measureAccepts(world, options, 1),
  },
  {
    ...started,
    title: "npm start: turns, 1 account",
    measure: (world, options) => measureTurns(world, options, 1),
  },
  { ...started, title: "npm start: one client", measure: measureLatency },
  {
    group: "floor",
    smoke: SHORT,
    title: "the floor",
    measure: measureFloor,
  },
  {
    group: "history",
    smoke: stores(200),
    title: "stored turns",
    world: { settings: STATEMENT_STATISTICS },
    measure: measureHistory,
  },
  { group: "admin", smoke: stores(500), title: "lists of admins", world: { settings: FILLING }, measure: measureAdmin },
  {
    group: "answers",
    smoke: SMALL,
    title: "default answers at size",
    world: { settings: FILLING },
    measure: measureAnswers,
  },
  {
    group: "analytics",
    smoke: stores(8000),
    title: "analytics",
    world: { settings: ANALYTICS_SETTINGS },
    measure: measureAnalytics,
  },
  {
    group: "books",
    smoke: stores(500),
    title: "reconciliation of stored turns",
    world: { settings: FILLING },
    measure: measureBooks,
  },
  { group: "restore", smoke: SMALL, title: "restore drill", world: { runtime: "miniflare" }, measure: measureRestore },
  {
    group: "retention",
    smoke: stores(600),
    title: "deleting old data",
    world: { settings: FILLING },
    measure: measureRetention,
  },
  { group: "routing", smoke: SHORT, title: "what the router costs a turn", isCompared: true, measure: measureRouting },
  { group: "identity", smoke: SHORT, title: "what a signed identity costs a tool call", measure: measureIdentity },
  { group: "memory", smoke: { ...SMALL, minutes: 0.05 }, title: "memory", measure: measureMemory },
  { group: "files", smoke: SMALL, title: "files of 100 MiB", measure: measureFiles },
  {
    group: "churn",
    smoke: { ...SMALL, turns: 64 },
    title: "dead rows of turns",
    world: { settings: CHURN_SETTINGS },
    measure: measureChurn,
  },
  {
    group: "queues",
    smoke: { ...SMALL, turns: 40 },
    title: "queues of analytics",
    world: { settings: CHURN_SETTINGS },
    measure: measureQueues,
  },
  {
    group: "wal",
    smoke: SMALL,
    title: "what a plain turn writes",
    world: { settings: WAL_SETTINGS },
    measure: measureWal,
  },
  {
    group: "outage",
    smoke: { ...stores(200), accounts: 1 },
    title: "what an outage has left",
    world: { settings: CHURN_SETTINGS },
    measure: measureBacklog,
  },
  ...(["queue", "database", "provider"] as const).map((part) => ({
    group: `outage-${part}`,
    smoke: stores(40),
    title: `after an outage of the ${part}`,
    world: { settings: CHURN_SETTINGS },
    measure: (world: BenchWorld, options: Options) => measureOutage(world, options, part),
  })),
  { group: "fair", smoke: SMALL, title: "new turns while another account has 2,000 queued", measure: measureCrowd },
  { group: "fair", smoke: SMALL, title: "shares of equal accounts", measure: measureShares },
  { group: "wakes", smoke: SMALL, title: "from booking credit to continuing", measure: measureWakes },
  { group: "hostile", smoke: SHORT, title: "an honest client next to hostile ones", measure: measureHostile },
  {
    group: "attacks",
    smoke: SHORT,
    title: "a worker under attack, MiB and ms",
    isCompared: true,
    measure: measureAttacks,
  },
  { group: "logins", smoke: SMALL, title: "wrong passwords", measure: measureLogins },
]

const SELDOM = ["churn", "queues", "outage", "outage-queue", "outage-database", "outage-provider", "fair", "wakes"]

/**
 * The selected measurements. By default without the floor, which needs a folder, and without some that take minutes.
 */
export function chooseMeasurements({ only, floor, size }: Options): Measurement[] {
  if (only.length > 0) return ALL.filter(({ group }) => only.includes(group))
  // Those of outages wait for leases, so they begin first.
  if (size === "smoke")
    return ALL.toSorted((a, b) => Number(SELDOM.includes(b.group)) - Number(SELDOM.includes(a.group)))
  return ALL.filter(({ group }) => !SELDOM.includes(group) && (group !== "floor" || floor !== undefined))
}
