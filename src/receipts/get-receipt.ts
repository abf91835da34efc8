import * as z from "zod"
import type { Credential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { storedRow } from "../base/casts.ts"
import { TurnpikeError } from "../base/errors.ts"
import type { LedgerRow } from "../billing/ledger-entry.ts"
import type { Answers } from "../platform/procedures.ts"
import { turnNotFound } from "../turns/get-turn.ts"
import { endUserReceipt, endUserReceiptSchema } from "./end-user-receipt.ts"
import { receiptDocument, receiptSchema, refundDocument, refundDocumentSchema } from "./receipt-document.ts"
import { signDocument } from "./sign-document.ts"

/** The fields of a signed document. */
export const signedShape = {
  digest: z.string().meta({
    description: "SHA-256 of the document's canonical JSON (RFC 8785), in hex.",
    example: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  }),
  signature: z.string().meta({
    description:
      "A JWS with detached content (RFC 7515, appendix F): its payload is the canonical JSON of the document. `kid` in its header " +
      "names the key at `/.well-known/jwks.json`.",
    example: "eyJhbGciOiJFZERTQSIsImtpZCI6IuKApiJ9..c2lnbmF0dXJl",
  }),
}

export const signedReceiptSchema = z
  .object({ kind: z.literal("receipt"), document: receiptSchema, ...signedShape })
  .meta({ id: "SignedReceipt" })
export const signedRefundSchema = z
  .object({ kind: z.literal("refund"), document: refundDocumentSchema, ...signedShape })
  .meta({ id: "SignedRefund" })

const signedEndUserReceiptSchema = z
  .object({ kind: z.literal("end_user_receipt"), document: endUserReceiptSchema, ...signedShape })
  .meta({ id: "SignedEndUserReceipt" })

export const turnReceiptSchema = z
  .object({
    receipt: signedReceiptSchema,
    end_user_receipt: signedEndUserReceiptSchema.nullable().meta({
      description:
        "The receipt for the turn's end user, without your cost. Null: the end user was not charged by a price or from a wallet.",
    }),
    refund: signedRefundSchema.nullable().meta({ description: "The refund of the turn. Null: it was not refunded." }),
  })
  .meta({ id: "TurnReceipt" })

export type TurnReceipt = z.infer<typeof turnReceiptSchema>

export const GET_RECEIPT_ERRORS = ["NOT_FOUND", "TURN_NOT_ENDED"] as const

/** Returns the signed receipt of an ended turn, and its refund. Throws NOT_FOUND, TURN_NOT_ENDED. */
export async function getReceipt(ctx: Context, credential: Credential, turnId: string): Promise<TurnReceipt> {
  const { row } = await callAs(ctx, credential, "get_receipt", { turn_id: turnId })
  if (row.refused === "not_found") throw turnNotFound(turnId)
  if (row.refused === "not_ended") throw turnNotEnded()
  return signReceipt(ctx, storedRow<WholeReceipt>(row.whole))
}

export const turnNotEnded = () =>
  new TurnpikeError("TURN_NOT_ENDED", "The turn has not ended, so it has no receipt yet.")

export type WholeReceipt = Answers["whole_receipt"]

/** Signs the receipt of a turn, the one of its end user, and its refund. */
export async function signReceipt(ctx: Context, { receipt, sale, ...row }: WholeReceipt): Promise<TurnReceipt> {
  const refund = row.refund as LedgerRow | null
  const document = receiptDocument(receipt)
  const charged = sale?.prepaid != null ? endUserReceipt(receipt, sale) : null
  return {
    receipt: await signDocument(ctx, document),
    end_user_receipt: charged && (await signDocument(ctx, charged)),
    refund: refund?.ledger_id ? await signDocument(ctx, refundDocument(refund, document)) : null,
  }
}
