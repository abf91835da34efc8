import type { Context } from "../actor/context.ts"
import { onceFor } from "../base/once-for.ts"
import { PROVIDER_POLICY } from "./policies.ts"

/** The accounts of each engine that have served calls of this isolate, the newest last. */
class LastServed {
  private readonly byEngine = new Map<string, Set<string>>()

  note(engine: string, providerId: string): void {
    const ids = this.byEngine.get(engine) ?? new Set()
    this.byEngine.set(engine, ids)
    ids.delete(providerId)
    ids.add(providerId)
    const [oldest] = ids
    if (ids.size > PROVIDER_POLICY.servedKept && oldest !== undefined) ids.delete(oldest)
  }

  /** The one that served last comes first. */
  newest(engine: string): string[] {
    return [...(this.byEngine.get(engine) ?? [])].reverse()
  }
}

const all = onceFor((_cooling: Context["cooling"]) => new LastServed())

/** What this isolate knows of who serves: it lives as long as what it knows of cooling. */
export const lastServed = ({ cooling }: Pick<Context, "cooling">): LastServed => all(cooling)
