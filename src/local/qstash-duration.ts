const UNIT_MS: Record<string, number> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

const PART = /(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h|d)/gy

/** "1d10h30m" as milliseconds; undefined when malformed or when it uses a unit that is not listed. */
export function parseDuration(text: string, units: string[] = ["s", "m", "h", "d"]): number | undefined {
  let total = 0
  let end = 0
  for (const match of text.matchAll(PART)) {
    const [whole, amount, unit] = match
    if (unit === undefined || !units.includes(unit)) return undefined
    total += Number(amount) * (UNIT_MS[unit] ?? 0)
    end = match.index + whole.length
  }
  return end > 0 && end === text.length ? Math.round(total) : undefined
}
