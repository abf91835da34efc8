/**
 * How long a worker or a command waits for one answer of the services below it, in milliseconds of the machine's time. Servers that
 * customers and operators name have limits in the policies of their room; docs/architecture/limits.md lists all.
 */
export const TIME_LIMITS = {
  /** A statement of the database. Long before a lease ends. */
  statementMs: 25_000,
  /** A lock that a statement waits for, as a setting of the database (src/ops/database-settings.ts). */
  lockMs: 10_000,
  /** A publish of QStash. The sweeper is its retry. */
  publishMs: 5_000,
  /** So long an invocation publishes nothing more behind one that was given up: a hundred of them would wait a hundred times. */
  publishRestMs: 10_000,
  /** A call of Redis. A connection that breaks is tried once more within that time. */
  redisMs: 5_000,
  /** A call of the bucket, and the bytes of one object that a worker reads. */
  objectMs: 30_000,
  /** A call from one of our workers to another: the longest tool call, and a little. */
  workerMs: 140_000,
  /** A call of the Bot API, from the command line or to test a workspace's bot. */
  botApiMs: 10_000,
  /** The operator's server that sends emails. */
  emailMs: 10_000,
  /** A connection without a request, to tell why a server could not be asked. */
  probeMs: 2_000,
  /** The list of a provider's models, when a server is seeded. */
  modelListMs: 10_000,
  /** A direct connection to the database, from the command line. */
  connectMs: 10_000,
} as const

/** What `work` answers, or rejects with what `late` makes when that takes longer than `ms`. What it answers then is left alone. */
export function within<T>(ms: number, work: Promise<T>, late: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), ms)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
