/** How much of an account's window was used, as an answer reported it. Times are ISO 8601. */
export interface QuotaWindow {
  /** unified, requests, tokens, input-tokens or output-tokens */
  resource: string
  /**
   * The length of the window. Providers do not report it for requests and
   * tokens, which count as one minute.
   */
  window_seconds: number
  /** 0 to 100. 100: nothing is left, or the provider says that it rejects calls. */
  used_pct: number
  /** When the window resets; null: not reported. */
  reset_at: string | null
  taken_at: string
}

/** The last report of a window. `noted_pct` and `noted_at`: its last snapshot. */
export interface KnownWindow extends Pick<QuotaWindow, "used_pct" | "reset_at" | "taken_at"> {
  noted_pct: number
  noted_at: string
}

const UNIT_SECONDS: Record<string, number> = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400 }
const MINUTE = 60
/**
 * The highest usage of a window whose provider still allows calls. It has no room, but
 * it is no reason for a refusal.
 */
const ALLOWED_PCT = 99.9
/**
 * No provider has more. If an answer names hundreds, the fullest ones count,
 * since each may become a snapshot.
 */
const MOST_WINDOWS = 16
/** Longer windows and later resets are errors of the provider. */
const LONGEST_SECONDS = 400 * 86_400

/** The valid headers of one window. */
interface Told {
  resource: string
  seconds: number | undefined
  used?: number | undefined
  limit?: number | undefined
  remaining?: number | undefined
  /** Whether the provider rejects calls; undefined: not reported. */
  rejected?: boolean | undefined
  /** In milliseconds since 1970. */
  reset?: number | undefined
}

/**
 * Reads the windows from an answer's headers: Anthropic's (`anthropic-ratelimit-…`), OpenAI's (`x-ratelimit-…`)
 * and those for its plans (`x-codex-…`). Never throws: invalid headers and windows that have ended are left out.
 */
export function windowsOf(headers: Headers, now: Date): QuotaWindow[] {
  const told = new Map<string, Told>()
  const of = (key: string, resource: string, seconds?: number): Told => {
    const known = told.get(key) ?? { resource, seconds }
    told.set(key, known)
    return known
  }
  for (const [name, value] of headers) {
    if (name.startsWith("anthropic-ratelimit-")) anthropic(name.slice(20), value, of)
    else if (name.startsWith("x-ratelimit-")) openai(name.slice(12), value, now.getTime(), of)
    else if (name.startsWith("x-codex-")) codex(name.slice(8), value, of)
  }
  const found = new Map<string, QuotaWindow>()
  for (const one of told.values()) {
    const window = windowOf(one, now)
    if (!window) continue
    const key = `${window.resource}:${window.window_seconds}`
    // If two windows have the same length, the fuller one counts.
    if ((found.get(key)?.used_pct ?? -1) < window.used_pct) found.set(key, window)
  }
  const windows = [...found.values()]
  if (windows.length <= MOST_WINDOWS) return windows
  return windows.sort((a, b) => b.used_pct - a.used_pct).slice(0, MOST_WINDOWS)
}

type Find = (key: string, resource: string, seconds?: number) => Told

/**
 * `unified-5h-utilization` (a fraction), `-reset` (seconds since 1970), `-status`; `tokens-limit`,
 * `-remaining`, `-reset` (RFC 3339).
 */
function anthropic(rest: string, value: string, of: Find): void {
  const [, count, unit, fact] = /^unified-(\d{1,3})([mhd])-(utilization|reset|status)$/.exec(rest) ?? []
  if (fact) {
    const window = of(`${count}${unit}`, "unified", Number(count) * (UNIT_SECONDS[unit ?? ""] ?? 0))
    if (fact === "utilization") window.used = times(number(value), 100)
    else if (fact === "reset") window.reset = times(number(value), 1000)
    else window.rejected = value === "rejected" ? true : value.startsWith("allowed") ? false : undefined
    return
  }
  const [, resource, kind] = /^(requests|(?:input-|output-)?tokens)-(limit|remaining|reset)$/.exec(rest) ?? []
  if (!resource) return
  const window = of(resource, resource, MINUTE)
  if (kind === "limit") window.limit = number(value)
  else if (kind === "remaining") window.remaining = number(value)
  else window.reset = rfc3339(value)
}

/** `limit-requests`, `remaining-tokens`, `reset-tokens` (a duration from now: `12ms`, `1m30s`). */
function openai(rest: string, value: string, now: number, of: Find): void {
  const [, kind, resource] = /^(limit|remaining|reset)-(requests|tokens)$/.exec(rest) ?? []
  if (!resource) return
  const window = of(resource, resource, MINUTE)
  if (kind === "limit") window.limit = number(value)
  else if (kind === "remaining") window.remaining = number(value)
  else {
    const seconds = duration(value)
    window.reset = seconds === undefined ? undefined : now + seconds * 1000
  }
}

/** `primary-used-percent`, `secondary-window-minutes`, `primary-reset-at` (seconds since 1970). */
function codex(rest: string, value: string, of: Find): void {
  const [, slot, fact] = /^(primary|secondary)-(used-percent|window-minutes|reset-at)$/.exec(rest) ?? []
  if (!slot) return
  const window = of(slot, "unified")
  if (fact === "used-percent") window.used = number(value)
  else if (fact === "window-minutes") window.seconds = times(number(value), 60)
  else window.reset = times(number(value), 1000)
}

function windowOf({ resource, seconds, used, limit, remaining, rejected, reset }: Told, now: Date): QuotaWindow | null {
  if (seconds === undefined || !(Math.round(seconds) >= 1 && seconds <= LONGEST_SECONDS)) return null
  const counted = limit && remaining !== undefined ? 100 * (1 - Math.min(remaining, limit) / limit) : used
  const pct = rejected ? 100 : counted
  // A little above 100 means credit beyond the plan. Far above it is an error of the provider.
  if (pct === undefined || pct > 1000) return null
  const most = rejected === false ? ALLOWED_PCT : 100
  if (reset !== undefined && reset <= now.getTime()) return null
  const told = reset !== undefined && reset <= now.getTime() + LONGEST_SECONDS * 1000
  return {
    resource,
    window_seconds: Math.round(seconds),
    used_pct: Math.min(most, Math.round(pct * 100) / 100),
    reset_at: told ? new Date(reset).toISOString() : null,
    taken_at: now.toISOString(),
  }
}

const times = (value: number | undefined, factor: number) => (value === undefined ? undefined : value * factor)

/** Parses a number without a sign or an exponent. */
function number(value: string): number | undefined {
  return /^\d{1,15}(\.\d{1,20})?$/.test(value) ? Number(value) : undefined
}

function rfc3339(value: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/i.test(value)) return undefined
  const ms = Date.parse(value)
  return Number.isNaN(ms) ? undefined : ms
}

/** Parses `12ms`, `1m30s` or `6h0m0s` to seconds. */
function duration(value: string): number | undefined {
  if (value.length > 40 || !/^(\d+(\.\d+)?(ms|[smhd]))+$/.test(value)) return undefined
  const parts = [...value.matchAll(/(\d+(?:\.\d+)?)(ms|[smhd])/g)]
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * (UNIT_SECONDS[unit ?? ""] ?? 0), 0)
}

/**
 * True if these windows are news compared with `known`, by "<resource>:<seconds>". Most answers are not, and then a
 * step's commit does not look. The rule is that of window_news() in src/providers/note-windows.sql, which decides.
 */
export function sayNews(windows: readonly QuotaWindow[], known: Readonly<Record<string, KnownWindow>>): boolean {
  return windows.some(({ resource, window_seconds: seconds, used_pct: used, taken_at }) => {
    const was = known[`${resource}:${seconds}`]
    if (!was) return true
    const taken = Date.parse(taken_at)
    if (Date.parse(was.taken_at) > taken) return false
    const sinceNoted = taken - Date.parse(was.noted_at)
    // Compare hundredths, as they are stored: 8.2 - 7.2 must be 1.
    const isFar = (from: number) => Math.round(Math.abs(used - from) * 100) >= 100
    return (
      sinceNoted >= 5 * MINUTE * 1000 ||
      (isFar(was.noted_pct) && (seconds >= 5 * MINUTE || sinceNoted >= MINUTE * 1000)) ||
      isFar(was.used_pct) ||
      was.reset_at === null ||
      Date.parse(was.reset_at) <= taken ||
      used >= 100 !== was.used_pct >= 100
    )
  })
}
