import type { BaseEnv } from "../base/env.ts"

export type Log = (level: "info" | "error", event: string, fields?: Record<string, unknown>) => void

/** The ids that join lines of the log (docs/architecture/traces.md). */
export type LogIds = Record<string, string | number>

/** Writes one JSON object per line. Values are ids, codes and numbers, but never owners' texts or headers. */
export function createLog(env: Pick<BaseEnv, "LOG_LEVEL">, always: LogIds): Log {
  return (level, event, fields) => {
    if (env.LOG_LEVEL === "silent" || (env.LOG_LEVEL === "error" && level === "info")) return
    console[level](JSON.stringify({ level, event, ...always, ...fields }))
  }
}

/** A log whose lines also have these ids. */
export const logWith =
  (log: Log, ids: LogIds): Log =>
  (level, event, fields) =>
    log(level, event, { ...ids, ...fields })

/** An error and its causes as text for the log, without other properties. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause === undefined ? "" : `\ncaused by ${describeError(error.cause)}`
  return `${error.stack ?? error.message}${cause}`
}
