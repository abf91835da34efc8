import * as z from "zod"
import { toUsd } from "../base/money.ts"
import { isPlainNote, PLAIN_FAULT } from "../base/plain-text.ts"
import { toInstant } from "../base/time.ts"
import type { Answers } from "../platform/procedures.ts"
import { BOOKING_POLICY } from "./policies.ts"

export const REFUND_STATES = ["open", "refunded", "declined"] as const
type RefundState = (typeof REFUND_STATES)[number]

/** A text of the owner or of the operator about a refund. */
export const refundWords = z.string().trim().min(3).max(BOOKING_POLICY.noteCharacters).refine(isPlainNote, PLAIN_FAULT)

export const refundRequestSchema = z
  .object({
    turn_id: z.string(),
    state: z.enum(REFUND_STATES).meta({ example: "declined" }),
    amount_usd: z.number().meta({ description: "What the turn was billed.", example: 0.0041 }),
    reason: z.string().meta({
      description: "Empty after the erasure of the turn's end user.",
      example: "The agent answered the wrong customer.",
    }),
    answer: z.string().nullable().meta({
      description: "The operator's words about the decision. Null: the request is open.",
      example: "The tool of your space returned this customer.",
    }),
    requested_at: z.iso.datetime(),
    decided_at: z.iso.datetime().nullable(),
  })
  .meta({ id: "RefundRequest" })

export type RefundRequest = z.infer<typeof refundRequestSchema>

export const serializeRefundRequest = (row: Answers["refund_request_answer"]): RefundRequest => ({
  turn_id: row.turn_id,
  state: row.state as RefundState,
  amount_usd: toUsd(row.amount_credit_micros),
  reason: row.reason,
  answer: row.answer,
  requested_at: toInstant(row.requested_at),
  decided_at: toInstant(row.decided_at),
})
