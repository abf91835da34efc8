/** What a window of an account has used, as an answer's headers say it. It is named by its length, never by its slot. */
export interface QuotaWindow {
  resource: "unified" | "requests" | "tokens" | "input-tokens" | "output-tokens"
  window_seconds: number
  /** 0 and up; more than 100 where the provider lets an account overdraw it. */
  used_pct: number
  /** ISO 8601; null: not said. */
  reset_at: string | null
}

const UNIFIED = { "5h": 18_000, "7d": 604_800 }
/** Of windows whose length no header says. */
const MINUTE = 60

/** The windows that an answer's headers tell of; what makes no sense is left out. */
export function windowsOf(headers: Headers, now: Date): QuotaWindow[] {
  const windows: QuotaWindow[] = []
  const add = (resource: QuotaWindow["resource"], seconds: number, used: number, reset: Date | null) => {
    if (!(Number.isFinite(used) && used >= 0) || (reset && Number.isNaN(reset.getTime()))) return
    windows.push({ resource, window_seconds: seconds, used_pct: used, reset_at: reset?.toISOString() ?? null })
  }
  const numberOf = (name: string) => Number.parseFloat(headers.get(name) ?? "")
  for (const [slot, seconds] of Object.entries(UNIFIED)) {
    const reset = numberOf(`anthropic-ratelimit-unified-${slot}-reset`)
    const used = numberOf(`anthropic-ratelimit-unified-${slot}-utilization`) * 100
    add("unified", seconds, used, Number.isNaN(reset) ? null : new Date(reset * 1000))
  }
  for (const resource of ["requests", "tokens", "input-tokens", "output-tokens"] as const) {
    for (const prefix of ["anthropic-ratelimit", "x-ratelimit"]) {
      const name = (what: string) =>
        prefix === "x-ratelimit" ? `${prefix}-${what}-${resource}` : `${prefix}-${resource}-${what}`
      const limit = numberOf(name("limit"))
      add(resource, MINUTE, (1 - numberOf(name("remaining")) / limit) * 100, resetOf(headers.get(name("reset")), now))
    }
  }
  for (const slot of ["primary", "secondary"]) {
    const minutes = numberOf(`x-codex-${slot}-window-minutes`)
    const reset = numberOf(`x-codex-${slot}-reset-at`)
    if (!(minutes > 0)) continue
    const at = Number.isNaN(reset) ? null : new Date(reset * 1000)
    add("unified", Math.round(minutes * 60), numberOf(`x-codex-${slot}-used-percent`), at)
  }
  return windows
}

const UNITS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** An instant (RFC 3339), or a duration such as `1m30s`. */
function resetOf(text: string | null, now: Date): Date | null {
  if (text === null) return null
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(text)) return new Date(text)
  let ms = 0
  for (const [, value, unit = ""] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g))
    ms += Number(value) * (UNITS[unit] ?? 0)
  return new Date(now.getTime() + ms)
}
