import type { ExpressionBuilder } from "kysely"
import { jsonArrayFrom } from "kysely/helpers/postgres"
import type { CallerDB } from "../actor/call-as.ts"

/** The entries of the turn `t` in the ledger, newest first. Each of the two reasons has an index by turn. */
export const entriesOfTurn = (turn: ExpressionBuilder<CallerDB & { t: CallerDB["turns"] }, "t">) =>
  jsonArrayFrom(
    turn
      .selectFrom("ledger as l")
      .whereRef("l.turn_id", "=", "t.turn_id")
      .where((entry) =>
        entry.or([entry("l.reason", "in", ["usage", "space_usage"]), entry("l.reason", "=", "admin_action")]),
      )
      .selectAll("l")
      .orderBy("l.ledger_id", "desc"),
  )
