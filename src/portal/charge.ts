import { sql } from "kysely"

/**
 * The charge of an end user for a turn, in credit micros: by the owner's price, else the billed amount. The portal
 * shows no other amount of a turn. `t` is a row of `turns` or `ended_turns`.
 */
export const charged = sql<number>`coalesce(t.end_user_charge_credit_micros, t.billed_credit_micros)`
