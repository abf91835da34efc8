import type { BaseEnv } from "../base/env.ts"

export type Log = (level: "info" | "error", event: string, fields?: Record<string, unknown>) => void

/** Writes one JSON object per line. Values are ids, codes and numbers, but never customers' texts or headers. */
export function createLog(env: Pick<BaseEnv, "LOG_LEVEL">, always: Record<string, unknown>): Log {
  return (level, event, fields) => {
    if (env.LOG_LEVEL === "silent" || (env.LOG_LEVEL === "error" && level === "info")) return
    console[level](JSON.stringify({ level, event, ...always, ...fields }))
  }
}

/** An error and its causes as text for the log, without other properties. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause === undefined ? "" : `\ncaused by ${describeError(error.cause)}`
  return `${error.stack ?? error.message}${cause}`
}
