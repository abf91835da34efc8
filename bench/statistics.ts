export interface Times {
  p50: number
  p99: number
}

/** The statistics of these samples, in ms with two decimals. */
export function timesOf(samples: number[]): Times {
  const sorted = Float64Array.from(samples).sort()
  const at = (share: number) => round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0)
  return { p50: at(0.5), p99: at(0.99) }
}

/** The median of these samples, and the quarters next to it. */
export function quartersOf(samples: number[]) {
  const sorted = [...samples].sort((a, b) => a - b)
  const at = (share: number) => {
    const index = share * (sorted.length - 1)
    const [low, high] = [sorted[Math.floor(index)] ?? 0, sorted[Math.ceil(index)] ?? 0]
    return round(low + (high - low) * (index % 1))
  }
  return { median: at(0.5), quarter: at(0.25), three_quarters: at(0.75) }
}

export function round(value: number, digits = 2): number {
  return Math.round(value * 10 ** digits) / 10 ** digits
}

/** Seconds since `began`, a moment of performance.now(). */
export const secondsSince = (began: number, digits = 0) => round((performance.now() - began) / 1000, digits)
