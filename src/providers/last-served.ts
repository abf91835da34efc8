import type { Context } from "../actor/context.ts"
import { onceFor } from "../base/once-for.ts"
import { PROVIDER_POLICY } from "./policies.ts"

/** The accounts of each engine that served calls of this isolate, the newest last. */
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

  /** The same accounts, the newest first. */
  newest(engine: string): string[] {
    return [...(this.byEngine.get(engine) ?? [])].reverse()
  }
}

const all = onceFor((_cooling: Context["cooling"]) => new LastServed())

/** The accounts that served this isolate. They live as long as its map of cooling accounts. */
export const lastServed = ({ cooling }: Pick<Context, "cooling">): LastServed => all(cooling)
