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

interface Measurement {
  /** The name for `--only`. */
  group: string
  title: string
  measure(world: BenchWorld, options: Options): Promise<unknown>
  /** True to measure the version in `--baseline` too. */
  isCompared?: boolean
  world?: Partial<WorldOptions>
}

const started = { group: "start", isCompared: true, world: { runtime: "miniflare" } } as const

const ALL: Measurement[] = [
  {
    group: "accepts",
    title: "accepts, 1 account",
    isCompared: true,
    measure: (world, options) => measureAccepts(world, options, 1),
  },
  {
    group: "accepts",
    title: "accepts, 1 account, key with every cap",
    measure: (world, options) => measureAccepts(world, options, 1, true),
  },
  {
    group: "accepts",
    title: `accepts, ${MANY_ACCOUNTS} accounts`,
    isCompared: true,
    measure: (world, options) => measureAccepts(world, options, MANY_ACCOUNTS),
  },
  {
    group: "turns",
    title: "turns, 1 account",
    isCompared: true,
    measure: (world, options) => measureTurns(world, options, 1),
  },
  {
    group: "turns",
    title: `turns, ${MANY_ACCOUNTS} accounts`,
    isCompared: true,
    measure: (world, options) => measureTurns(world, options, MANY_ACCOUNTS),
  },
  {
    group: "turns",
    title: "turns, 1 account, v1 and callbacks as two workers",
    measure: (world, options) => measureTurns(world, options, 1, true),
  },
  { group: "streamed", title: "turns whose model streams 200 pieces", isCompared: true, measure: measureStreamed },
  { group: "streams", title: "text as readers get it", isCompared: true, measure: measureStreams },
  { group: "reads", title: "processor ms of reads", isCompared: true, measure: measureReads },
  {
    group: "senders",
    title: "accepts while turns run",
    isCompared: true,
    world: { durable: true },
    measure: measureSenders,
  },
  { group: "latency", title: "one client", isCompared: true, measure: measureLatency },
  {
    group: "commits",
    title: "turns, slow commits",
    isCompared: true,
    world: { durable: true },
    measure: measureCommits,
  },
  {
    group: "shards",
    title: "one account and 64",
    isCompared: true,
    world: { durable: true },
    measure: measureShards,
  },
  { group: "peer", title: "next to pg-boss", measure: measurePeer },
  {
    group: "procedures",
    title: "procedures",
    isCompared: true,
    world: { settings: STATEMENT_STATISTICS },
    measure: measureProcedures,
  },
  {
    group: "statements",
    title: "turns on one connection",
    isCompared: true,
    world: { settings: STATEMENT_STATISTICS },
    measure: measureStatements,
  },
  {
    group: "cold",
    title: "the first turns of a connection, processor ms",
    isCompared: true,
    measure: measureCold,
  },
  { group: "cold", title: "a plain turn, POST to end, ms", isCompared: true, measure: measureColdTurn },
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
    title: "the floor",
    measure: (world, { floor = "" }) => measureFloor(world, floor),
  },
  { group: "history", title: "stored turns", world: { settings: STATEMENT_STATISTICS }, measure: measureHistory },
  { group: "admin", title: "lists of admins", world: { settings: FILLING }, measure: measureAdmin },
  { group: "answers", title: "default answers at size", world: { settings: FILLING }, measure: measureAnswers },
  { group: "analytics", title: "analytics", world: { settings: ANALYTICS_SETTINGS }, measure: measureAnalytics },
  { group: "books", title: "reconciliation of stored turns", world: { settings: FILLING }, measure: measureBooks },
  { group: "restore", title: "restore drill", world: { runtime: "miniflare" }, measure: measureRestore },
  { group: "retention", title: "deleting old data", world: { settings: FILLING }, measure: measureRetention },
  { group: "routing", title: "what the router costs a turn", isCompared: true, measure: measureRouting },
  { group: "identity", title: "what a signed identity costs a tool call", measure: measureIdentity },
  { group: "memory", title: "memory", measure: measureMemory },
  { group: "files", title: "files of 100 MiB", measure: (world) => measureFiles(world) },
  { group: "churn", title: "dead rows of turns", world: { settings: CHURN_SETTINGS }, measure: measureChurn },
  { group: "queues", title: "queues of analytics", world: { settings: CHURN_SETTINGS }, measure: measureQueues },
  { group: "wal", title: "what a plain turn writes", world: { settings: WAL_SETTINGS }, measure: measureWal },
  { group: "outage", title: "what an outage has left", world: { settings: CHURN_SETTINGS }, measure: measureBacklog },
  ...(["queue", "database", "provider"] as const).map((part) => ({
    group: `outage-${part}`,
    title: `after an outage of the ${part}`,
    world: { settings: CHURN_SETTINGS },
    measure: (world: BenchWorld, options: Options) => measureOutage(world, options, part),
  })),
  { group: "fair", title: "new turns while another account has 2,000 queued", measure: measureCrowd },
  { group: "fair", title: "shares of equal accounts", measure: measureShares },
  { group: "wakes", title: "from booking credit to continuing", measure: measureWakes },
  { group: "hostile", title: "an honest client next to hostile ones", measure: measureHostile },
  { group: "attacks", title: "a worker under attack, MiB and ms", isCompared: true, measure: measureAttacks },
  { group: "logins", title: "wrong passwords", measure: (world) => measureLogins(world) },
]

const SELDOM = ["churn", "queues", "outage", "outage-queue", "outage-database", "outage-provider", "fair", "wakes"]

/**
 * The selected measurements. By default without the floor, which needs a folder, and without some that take minutes.
 */
export function chooseMeasurements({ only, floor }: Options): Measurement[] {
  if (only.length > 0) return ALL.filter(({ group }) => only.includes(group))
  return ALL.filter(({ group }) => !SELDOM.includes(group) && (group !== "floor" || floor !== undefined))
}
