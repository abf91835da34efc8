import { toUsd } from "../base/money.ts"

/** The column of `turns` and `ended_turns` with what an end user is charged: the portal shows no other amount. */
export const CHARGED = "billed_credit_micros"

/** What an end user is charged for a turn, in USD. */
export const chargeOf = (turn: Record<typeof CHARGED, number>): number => toUsd(turn[CHARGED])
