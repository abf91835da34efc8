import type * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { storedRow } from "../base/casts.ts"
import { released } from "../platform/db.ts"
import { turnNotFound } from "../turns/get-turn.ts"
import { costsOfTurn, serializeTurnCosts, turnCostsSchema } from "../turns/turn-costs.ts"
import { signReceipt, turnNotEnded, turnReceiptSchema, type WholeReceipt } from "./get-receipt.ts"

export const anyReceiptSchema = turnReceiptSchema
  .extend({
    costs: turnCostsSchema.meta({
      description: "The cost for us of the receipt's calls, in the same order. No signed document has it.",
    }),
  })
  .meta({ id: "AnyTurnReceipt" })

/**
 * The signed receipt of an ended turn of any account, as its owner reads it, and next to it the cost of each call for
 * us. Throws NOT_FOUND, TURN_NOT_ENDED.
 */
export async function getAnyReceipt(
  ctx: Context,
  credential: SessionCredential,
  turnId: string,
): Promise<z.infer<typeof anyReceiptSchema>> {
  const { rows } = await readAs(
    ctx,
    credential,
    (db) =>
      db
        .selectFrom("turns as t")
        .innerJoin("caller", (join) => join.onTrue())
        .where("t.turn_id", "=", turnId)
        .select(({ fn }) => fn<WholeReceipt | null>(released("whole_receipt_of"), ["t.turn_id"]).as("whole"))
        .select((turn) => costsOfTurn(turn).as("calls_made")),
    { role: "admin" },
  )
  const [row] = rows
  if (!row) throw turnNotFound(turnId)
  if (row.whole === null) throw turnNotEnded()
  const signed = await signReceipt(ctx, storedRow<WholeReceipt>(row.whole))
  return { ...signed, costs: serializeTurnCosts(row.calls_made) }
}
