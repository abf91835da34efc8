import type { RefundRequest } from "../api/operations.ts"
import { Status } from "../ui/status.tsx"
import { Time } from "../ui/values.tsx"

export const REFUND_TONES = { open: "info", refunded: "ok", declined: "warn" } as const
const WORDS = { open: "refund requested", refunded: "refunded", declined: "refund declined" }

/** The state of a request for a refund, with its reason and the operator's answer. */
export function RefundState({ of: { state, reason, answer, requested_at, decided_at } }: { of: RefundRequest }) {
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <span className="inline-flex flex-wrap items-center gap-2">
        <Status word={WORDS[state]} tone={REFUND_TONES[state]} />
        <span className="text-muted text-xs">
          <Time at={decided_at ?? requested_at} />
        </span>
      </span>
      <p className="break-words text-muted">{reason}</p>
      {answer !== null && <p className="break-words">{answer}</p>}
    </div>
  )
}
