export type MeteredService = "pg" | "redis" | "qstash" | "model"

/** Counts the round trips of an invocation, for its Server-Timing header. */
export class Meter {
  private readonly services = new Map<MeteredService, { calls: number; ms: number }>()

  async measure<T>(service: MeteredService, work: () => Promise<T>): Promise<T> {
    const started = performance.now()
    try {
      return await work()
    } finally {
      const entry = this.services.get(service) ?? { calls: 0, ms: 0 }
      this.services.set(service, entry)
      entry.calls++
      entry.ms += performance.now() - started
    }
  }

  /** The number of all calls. */
  get calls(): number {
    return [...this.services.values()].reduce((sum, { calls }) => sum + calls, 0)
  }

  /** The value `pg;dur=3.1;desc="calls=1", …` (W3C Server-Timing). */
  header(totalMs: number): string {
    const parts = [`total;dur=${totalMs.toFixed(1)}`]
    for (const service of ["pg", "redis", "qstash", "model"] as const) {
      const { calls, ms } = this.services.get(service) ?? { calls: 0, ms: 0 }
      if (service === "model" && calls === 0) continue
      parts.push(`${service};dur=${ms.toFixed(1)};desc="calls=${calls}"`)
    }
    return parts.join(", ")
  }
}
