import { HEALTH_POLICY } from "./policies.ts"

/** Where an operator looks if a check fails, or for the alert `prices`. */
const PAGES = {
  database: "/operator/system",
  queue: "/operator/system",
  redis: "/operator/system",
  cron: "/operator/system",
  sweeps: "/operator/system",
  turns: "/operator/turns?state=queued&direction=asc",
  webhooks: "/operator/system",
  reconciliation: "/operator/system",
  providers: "/operator/providers",
  provider_books: "/operator/providers/books",
  settings: "/operator/system",
  prices: "/operator/catalog",
} as const

export type AlertName = keyof typeof PAGES

/** Checks whose failure keeps turns from starting: the oldest turn that has not started is listed first. */
const HOLD_TURNS: ReadonlySet<AlertName> = new Set(["queue", "cron", "sweeps", "turns"])

/** Paths in the web app: the page of a check, and the list of the turns that its failure hits; null: it hits none. */
export function pagesOf(name: AlertName, failedAt: Date): { page: string; turns: string | null } {
  const page = PAGES[name]
  if (HOLD_TURNS.has(name)) return { page, turns: PAGES.turns }
  if (name !== "providers") return { page, turns: null }
  const since = new Date(failedAt.getTime() - HEALTH_POLICY.refusedMs).toISOString()
  return { page, turns: `/operator/turns?failure=model_call&created_after=${encodeURIComponent(since)}` }
}
