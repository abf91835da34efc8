import { parseArgs } from "node:util"

export interface Options {
  /** Length of each measured round. */
  seconds: number
  clients: number
  /** How many turns the memory measurement runs. */
  turns: number
  /** Only these measurements; all when empty. */
  only: string[]
  json: boolean
}

export const MEASUREMENTS = ["accepts", "turns", "latency", "history", "memory", "files", "logins", "upgrade"] as const

export function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      seconds: { type: "string", default: "3" },
      clients: { type: "string", default: "16" },
      turns: { type: "string", default: "30000" },
      only: { type: "string", default: "" },
      json: { type: "boolean", default: false },
    },
  })
  const only = values.only.split(",").filter(Boolean)
  const unknown = only.find((name) => !(MEASUREMENTS as readonly string[]).includes(name))
  if (unknown) throw new Error(`--only knows ${MEASUREMENTS.join(", ")}; not "${unknown}".`)
  return {
    seconds: positive("seconds", values.seconds),
    clients: positive("clients", values.clients),
    turns: positive("turns", values.turns),
    only,
    json: values.json,
  }
}

function positive(name: string, text: string): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} takes a whole number from 1.`)
  return value
}
