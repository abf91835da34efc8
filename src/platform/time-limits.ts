/**
 * How long a worker or a command waits for one response of the services below it, in milliseconds
 * of machine time. Policies of the rooms limit servers of owners and operators;
 * docs/architecture/limits.md lists all limits.
 */
export const TIME_LIMITS = {
  /** A statement of the database. Much shorter than a lease. */
  statementMs: 25_000,
  /** How long a statement waits for a lock; a setting of the database (src/ops/database-settings.ts). */
  lockMs: 10_000,
  /** A publish to QStash. The sweep is its retry. */
  publishMs: 5_000,
  /**
   * How long an invocation publishes nothing after a publish timed out. A hundred publishes would time out one by one.
   */
  publishRestMs: 10_000,
  /** A call of Redis. A broken connection is retried once within this time. */
  redisMs: 5_000,
  /** A call of the bucket, and reading the bytes of one object. */
  objectMs: 30_000,
  /** A call between our own workers: a little more than the longest tool call. */
  workerMs: 140_000,
  /** A call of the Bot API, from the command line or to test a workspace's bot. */
  botApiMs: 10_000,
  /** A call of the operator's email server. */
  emailMs: 10_000,
  /** A connection without a request, to find out why a server could not be reached. */
  probeMs: 2_000,
  /** The list of a provider's models, from the command line. */
  modelListMs: 10_000,
  /** A direct connection to the database, from the command line. */
  connectMs: 10_000,
} as const

/**
 * Callers' statements that an isolate sends at once and lets wait, for how many ms, and how long a statement keeps its
 * place. Neon's proxy keeps 20 connections, and the rest is for runners and dispatchers
 * (docs/architecture/connections.md).
 */
export const STATEMENTS = { atOnce: 12, waiting: 2_000, longestMs: 10_000, placeMs: 2_000 } as const

/** The result of `work`. Rejects with the error of `late` if it takes longer than `ms`; a later result is ignored. */
export function within<T>(ms: number, work: Promise<T>, late: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), ms)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
