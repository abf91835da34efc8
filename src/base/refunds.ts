import * as z from "zod"
import { toUsd } from "./money.ts"

/** The refund of a turn. */
export const refundOfTurn = z.number().meta({
  description:
    "Amount of `billed_cost_usd` that the operator has returned to your balance: 0, or all of it. Reports count it when it was booked.",
  example: 0,
})

/** The fields of a report that tell what was refunded. They come after the billed amount. */
export const refundSums = {
  refunded_usd: z.number().meta({
    description: "The exact amount that was refunded. A refund counts when it was booked, not when its turn ended.",
    example: 0.0041,
  }),
  net_usd: z.number().meta({
    description: "The billed amount less `refunded_usd`. Negative if more was refunded than billed in this time.",
    example: 4.1166,
  }),
}

/** The same fields for amounts in credit micros. */
export const refundsOf = ({ billed, refunded }: { billed: number; refunded: number }) => ({
  refunded_usd: toUsd(refunded),
  net_usd: toUsd(billed - refunded),
})
