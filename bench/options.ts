import { parseArgs } from "node:util"

/** Each measurement has sizes of its own for both. `smoke`: so small that it only shows that the measurement runs. */
export type Size = "full" | "smoke"

export interface Options {
  size: Size
  /** The length of each measured round, in seconds. */
  seconds: number
  clients: number
  /** The number of clients in measurements of accepts. */
  acceptClients: number
  /** How many turns the measurement of churn runs. */
  turns: number
  /** The number of stored turns for the measurements of history, books and analytics, and after an outage. */
  stored: number
  /** Of an outage. */
  accounts: number
  /** Of the measurement of memory. */
  minutes: number
  /** Only these measurements; all when empty. */
  only: string[]
  /** True if PostgreSQL syncs each commit to disk. */
  durable: boolean
  /** The folder of another version, with node_modules, that is measured for comparison. */
  baseline: string | undefined
  /** A folder with floor.sql and turn.pgb, which measure the minimum that a turn needs from the database. */
  floor: string | undefined
  /** A folder in which the database server is kept, so that a later run can use the data stored for analytics. */
  keep: string | undefined
  /** True to only store the data of analytics, for a later run with the same `keep`. */
  fill: boolean
  /** A file for the CPU profile of the worker that serves turns. */
  profile: string | undefined
  json: boolean
}

export const MEASUREMENTS = [
  "accepts",
  "turns",
  "streamed",
  "streams",
  "reads",
  "senders",
  "latency",
  "cold",
  "commits",
  "shards",
  "peer",
  "procedures",
  "statements",
  "start",
  "floor",
  "history",
  "books",
  "memory",
  "files",
  "logins",
  "churn",
  "queues",
  "wal",
  "outage",
  "outage-queue",
  "outage-database",
  "outage-provider",
  "admin",
  "answers",
  "analytics",
  "hostile",
  "attacks",
  "fair",
  "wakes",
  "routing",
  "identity",
  "retention",
  "restore",
]

export function readBenchOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      seconds: { type: "string", default: "3" },
      clients: { type: "string", default: "16" },
      "accept-clients": { type: "string", default: "64" },
      turns: { type: "string", default: "30000" },
      stored: { type: "string", default: "100000" },
      accounts: { type: "string", default: "64" },
      minutes: { type: "string", default: "1" },
      only: { type: "string", default: "" },
      durable: { type: "boolean", default: false },
      baseline: { type: "string" },
      floor: { type: "string" },
      keep: { type: "string" },
      fill: { type: "boolean", default: false },
      profile: { type: "string" },
      json: { type: "boolean", default: false },
      smoke: { type: "boolean", default: false },
    },
  })
  const only = values.only.split(",").filter(Boolean)
  const unknown = only.find((name) => !MEASUREMENTS.includes(name))
  if (unknown) throw new Error(`--only does not know "${unknown}". Choose from ${MEASUREMENTS.join(", ")}.`)
  if (only.includes("floor") && !values.floor && !values.smoke)
    throw new Error("The measurement floor needs --floor DIR.")
  if (values.keep && only.join() !== "analytics") throw new Error("--keep requires --only analytics.")
  return {
    size: values.smoke ? "smoke" : "full",
    seconds: positive("seconds", values.seconds),
    clients: positive("clients", values.clients),
    acceptClients: positive("accept-clients", values["accept-clients"]),
    turns: positive("turns", values.turns),
    stored: positive("stored", values.stored),
    accounts: positive("accounts", values.accounts),
    minutes: positive("minutes", values.minutes),
    only,
    durable: values.durable,
    baseline: values.baseline,
    floor: values.floor,
    keep: values.keep,
    fill: values.fill,
    profile: values.profile,
    json: values.json,
  }
}

function positive(name: string, text: string): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} must be a whole number from 1.`)
  return value
}
