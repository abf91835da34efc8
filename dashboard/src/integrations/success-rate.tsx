import type { WebhookHealth } from "../api/operations.ts"
import { decimal } from "../ui/numbers.ts"

/** The share of the newest deliveries that were delivered, with the counts. */
export function SuccessRate({ health }: { health: WebhookHealth | undefined }) {
  if (!health) return <span className="text-muted">–</span>
  const { attempted, delivered, failed, retrying } = health
  if (attempted === 0) return <span className="text-muted">no deliveries</span>
  const rate = (100 * delivered) / attempted
  const look = rate < 90 ? "text-bad" : rate < 99 ? "text-warn" : ""
  return (
    <span className="inline-flex flex-wrap items-baseline gap-x-2">
      {/* A single failure must not be rounded away. */}
      <span className={look}>{delivered === attempted ? "100" : decimal(Math.min(99.9, rate))} %</span>
      <span className="text-muted text-xs">
        of the last {attempted}
        {failed > 0 && `, ${failed} failed`}
        {retrying > 0 && `, ${retrying} retrying`}
      </span>
    </span>
  )
}
