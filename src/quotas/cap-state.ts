import * as z from "zod"
import { toUsd } from "../base/money.ts"
import { toInstant } from "../base/time.ts"
import type { Answers } from "../platform/procedures.ts"
import { CAP_NAMES, CAP_SOURCES, type CapName, type CapSource } from "./caps.ts"

/** A cap as procedures return it. Their type has plain text for the name and the source. */
export type CapRow = Answers["cap_state"] & { cap: CapName; source: CapSource }

export const capStateSchema = z
  .object({
    cap: z.enum(CAP_NAMES),
    source: z.enum(CAP_SOURCES).meta({
      description:
        "Where the limit is set: on the key, on this end user, as the account's default, by the account's plan, " +
        "on the space by its owner, or as the service's default.",
    }),
    limit_usd: z.number(),
    spent_usd: z.number().meta({
      description:
        "Amount billed to turns that were accepted in this period, whenever they ended. " +
        "For an end user, the turns of all keys of the account count.",
    }),
    reserved_usd: z.number().meta({ description: "Amount held by turns of this period that have not ended." }),
    left_usd: z
      .number()
      .meta({ description: "Amount that new turns can still hold: limit - spent - reserved, at least 0." }),
    resets_at: z.iso
      .datetime()
      .nullable()
      .meta({ description: "When the next period begins, with nothing spent. Null: no window is open." }),
  })
  .meta({ id: "CapState" })

export type CapState = z.infer<typeof capStateSchema>

/** Credit micros that a new turn may still hold under a cap. */
export const leftOf = (row: Answers["cap_state"]) =>
  Math.max(0, row.limit_credit_micros - row.spent_credit_micros - row.reserved_credit_micros)

export function serializeCapState(row: Answers["cap_state"]): CapState {
  return {
    cap: row.cap as CapName,
    source: row.source as CapSource,
    limit_usd: toUsd(row.limit_credit_micros),
    spent_usd: toUsd(row.spent_credit_micros),
    reserved_usd: toUsd(row.reserved_credit_micros),
    left_usd: toUsd(leftOf(row)),
    resets_at: toInstant(row.resets_at),
  }
}
