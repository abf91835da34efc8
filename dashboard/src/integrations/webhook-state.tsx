import type { Webhook } from "../api/operations.ts"
import { Status } from "../ui/status.tsx"
import { Time } from "../ui/values.tsx"

const REASONS: Record<NonNullable<Webhook["disabled_reason"]>, string> = {
  customer: "disabled manually",
  gone: "the endpoint answered 410",
  failing: "every attempt failed for 5 days",
  account_disabled: "the account is disabled",
}

/** The state of a webhook: enabled, pending before its first answer, failing, or disabled with the reason. */
export function WebhookState({ webhook: { enabled, disabled_reason, failing_since, state } }: { webhook: Webhook }) {
  if (!enabled) {
    return (
      <span className="inline-flex flex-wrap items-center gap-2">
        <Status word="disabled" tone={disabled_reason === "customer" ? "none" : "bad"} />
        <span className="text-muted text-xs">{disabled_reason && REASONS[disabled_reason]}</span>
      </span>
    )
  }
  if (state === "pending") {
    return (
      <span className="inline-flex flex-wrap items-center gap-2">
        <Status word="pending" tone="none" />
        <span className="text-muted text-xs">has not answered a test event yet</span>
      </span>
    )
  }
  return failing_since ? (
    <span className="inline-flex flex-wrap items-center gap-2">
      <Status word="failing" tone="warn" />
      <span className="text-muted text-xs">
        since <Time at={failing_since} />
      </span>
    </span>
  ) : (
    <Status word="enabled" />
  )
}
