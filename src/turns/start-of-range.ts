import { EXPLORER_POLICY } from "./policies.ts"

/** The filters of the explorer that decide how far back it looks. */
interface RangeFilters {
  created_after?: string | undefined
  created_before?: string | undefined
  conversation?: string | undefined
  waiting?: string | undefined
  failure?: string | undefined
  provider?: string | undefined
}

/** The start of the range that is searched. Null: all turns. `all`: of all accounts. */
export function startOfRange(now: Date, all: boolean, filters: RangeFilters): Date | null {
  const { created_after, created_before, conversation, waiting, failure, provider } = filters
  const after = created_after === undefined ? null : new Date(created_after)
  if (provider !== undefined && failure === undefined) {
    const { usual, most } = EXPLORER_POLICY.callsMs
    const end = Math.min(now.getTime(), Date.parse(created_before ?? now.toISOString()))
    return new Date(Math.max(end - (after ? most : usual), after?.getTime() ?? 0))
  }
  // A conversation has few turns, and few turns of an owner wait. All other lists are bounded by time.
  const isShort = conversation !== undefined || waiting !== undefined
  return after ?? (all || !isShort ? new Date(now.getTime() - EXPLORER_POLICY.usualMs) : null)
}
