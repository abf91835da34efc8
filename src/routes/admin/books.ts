import * as z from "zod"
import { fromUsd } from "../../base/money.ts"
import { creditSchema, GRANT_CREDIT_ERRORS, grantCredit } from "../../billing/credit-account.ts"
import { adminLedgerEntrySchema, serializeAdminLedgerEntry } from "../../billing/ledger-entry.ts"
import { REFUND_TURN_AS_ERRORS, refundSchema, refundTurnAs } from "../../billing/refund-turn.ts"
import type { App } from "../../http/app.ts"
import { madeOf, parseIdempotencyKey, REPLAYED } from "../../http/idempotency.ts"
import { idParam, numberParam } from "../../http/query.ts"
import { sessionOf } from "../../http/session-of.ts"
import { raised } from "../raised.ts"

const tag = "admin"

export function mountBooks(app: App) {
  app.operation(
    {
      method: "post",
      path: "/api/admin/users/{user_id}/credits",
      id: "creditUser",
      tag,
      summary: "Credit an account",
      description:
        "Books an amount with its entry in the account's ledger. One Idempotency-Key books it once, however " +
        "often you send it. A negative `admin_action` reverses an incorrect booking, up to the available " +
        "balance.",
      params: z.object({
        user_id: numberParam.meta({ description: "The account.", example: 42 }),
      }),
      headers: [
        {
          name: "Idempotency-Key",
          required: true,
          description:
            "A unique value per credit, of 1–255 printable ASCII characters. Keys belong to the admin who sends them.",
          example: "outage-2026-01-14-user-42",
        },
      ],
      body: creditSchema,
      answer: {
        status: 201,
        description: "The entry.",
        schema: adminLedgerEntrySchema,
        headers: { [REPLAYED]: "`true` if an earlier request with this key booked the entry." },
      },
      errors: [...GRANT_CREDIT_ERRORS, "IDEMPOTENCY_KEY_REQUIRED", "IDEMPOTENCY_KEY_INVALID"],
      example: { answer: CREDIT },
    },
    async (c, { params, body: { reason, amount_usd, note } }) => {
      const idempotencyKey = parseIdempotencyKey(c.req.header("idempotency-key"))
      const credit = { userId: params.user_id, reason, micros: fromUsd(amount_usd) ?? 0, note, idempotencyKey }
      return serializeAdminLedgerEntry(madeOf(c, raised(c, await grantCredit(c.get("ctx"), sessionOf(c), credit))))
    },
  )

  app.operation(
    {
      method: "post",
      path: "/api/admin/turns/{turn_id}/refund",
      id: "refundTurn",
      tag,
      summary: "Refund a turn",
      description:
        "Refunds the full charge of an ended turn, as an `admin_action` with its `turn_id` in " +
        "the owner's ledger. A turn is refunded at most once: a second request returns the first refund. The turn has the amount as " +
        "`refunded_usd`, and reports count it at the time of its booking. `billed_cost_usd`, and the spending that caps count, do not " +
        "change. If the turn was paid from a prepaid wallet of an end user, the same transaction returns that charge to the wallet. A " +
        "turn that the service lost is not billed, so it needs no refund.",
      params: z.object({ turn_id: idParam }),
      body: refundSchema,
      answer: {
        status: 200,
        description: "The refund's entry.",
        schema: adminLedgerEntrySchema,
        headers: { [REPLAYED]: "`true` if the turn was already refunded." },
      },
      errors: REFUND_TURN_AS_ERRORS,
      example: { answer: REFUND },
    },
    async (c, { params, body }) => {
      const refund = { turnId: params.turn_id, note: body.note }
      return serializeAdminLedgerEntry(madeOf(c, raised(c, await refundTurnAs(c.get("ctx"), sessionOf(c), refund))))
    },
  )
}

const CREDIT = {
  reason: "admin_grant",
  bucket: "free",
  amount_credit_micros: 50_000_000,
  amount_energy: 50,
  amount_usd: 5,
  turn_id: null,
  note: "For the outage of 14 January.",
}
const REFUND = {
  reason: "admin_action",
  bucket: "refunded",
  amount_credit_micros: 41_000,
  amount_energy: 0.041,
  amount_usd: 0.0041,
  note: "For the outage of 14 January.",
}
