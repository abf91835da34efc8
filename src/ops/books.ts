import { randomUUID } from "node:crypto"
import type { Context, SystemContext } from "../actor/context.ts"
import { fromUsd, usdText } from "../base/money.ts"
import { plainJson } from "../base/plain-json.ts"
import { CREDIT_REASONS, type CreditReason } from "../billing/buckets.ts"
import { creditAccount } from "../billing/credit-account.ts"
import { BOOKING_POLICY } from "../billing/policies.ts"
import { reconcileNow } from "../billing/reconcile.ts"
import { FINDING_KINDS, serializeReconciliation } from "../billing/reconciliation-row.ts"
import { refundTurn } from "../billing/refund-turn.ts"
import { createLog } from "../platform/log.ts"

const ACTOR = "operator"

const booksOf = (ctx: SystemContext): Pick<Context, "db" | "clock" | "log"> => ({
  ...ctx,
  log: createLog({ LOG_LEVEL: "silent" }, {}),
})

interface TopUp {
  user: string
  usd: string
  reason?: string | undefined
  note?: string | undefined
  /** The same reference is booked only once. */
  reference?: string | undefined
}

/** Books credit; a negative amount with the reason admin_action takes some back. Returns text with the new balance. */
export async function topUpAccount(ctx: SystemContext, { user, usd, note, ...more }: TopUp): Promise<string> {
  const reason = (more.reason ?? "operator_topup") as CreditReason
  if (!CREDIT_REASONS.includes(reason)) throw new Error(`--reason must be one of ${CREDIT_REASONS.join(", ")}.`)
  const micros = usd.trim() === "" ? null : fromUsd(Number(usd))
  if (micros === null || micros === 0 || (micros < 0 && reason !== "admin_action")) {
    throw new Error(
      "--usd must be an amount above 0 with at most 7 decimals. Only --reason admin_action allows a negative amount.",
    )
  }
  if (Math.abs(micros) > BOOKING_POLICY.maxMicros) {
    throw new Error(`--usd must be at most ${usdText(BOOKING_POLICY.maxMicros)} in one booking.`)
  }
  const userId = Number(user)
  if (!Number.isSafeInteger(userId)) throw new Error("--user must be the id of a user, a number.")
  const reference = `operator:${more.reference ?? randomUUID()}`
  const credit = { userId, reason, micros, reference, actor: ACTOR, note: note ?? null }
  const { made, replayed } = await creditAccount(booksOf(ctx), credit)
  const again = replayed ? " (it was booked before)" : ""
  return `ledger_id ${made.ledger_id}${again}\nbalance ${usdText(made.balance_after_credit_micros)} USD`
}

export async function refund(ctx: SystemContext, { turn, note }: { turn: string; note: string }): Promise<string> {
  const { made, replayed } = await refundTurn(booksOf(ctx), { turnId: turn, actor: ACTOR, note })
  const again = replayed ? " (it was refunded before)" : ""
  return `ledger_id ${made.ledger_id}${again}\nrefunded ${usdText(made.amount_credit_micros ?? 0)} USD to user ${made.user_id}`
}

/** Runs a complete reconciliation. Returns the report as JSON; `sound` is true if it has no findings. */
export async function reconcileBooks(ctx: SystemContext): Promise<{ report: string; sound: boolean }> {
  const report = serializeReconciliation(await reconcileNow(booksOf(ctx)))
  const findings = report.findings.map((finding) => ({ ...finding, meaning: FINDING_KINDS[finding.kind] }))
  return { report: plainJson({ ...report, findings }, 2), sound: report.findings_total === 0 }
}
