import type { QueryCreator } from "kysely"
import type { CallerDB } from "../actor/call-as.ts"

/**
 * Turns that are not yet in the totals: open turns, and ended turns in the queue, without refunds. Together with the
 * totals, one statement counts each turn once. `offset 0` keeps the planner from pushing down a condition on a space
 * and reading all its turns.
 */
export function recentTurns(db: QueryCreator<CallerDB>) {
  return db
    .selectFrom("turn_ends as e")
    .where("e.refunded_credit_micros", "=", 0)
    .select([
      "e.turn_id",
      "e.space_id",
      "e.writer_id as user_id",
      "e.end_user_ref",
      "e.turns",
      "e.tokens_input",
      "e.tokens_cached",
      "e.tokens_output",
      "e.billed_credit_micros",
      "e.ended_at as changed_at",
    ])
    .unionAll(
      db
        .selectFrom("open_turns as o")
        .innerJoin("turns as t", "t.turn_id", "o.turn_id")
        .select((eb) => [
          "t.turn_id",
          "t.space_id",
          // A member's turn counts for the member who sent it, and not for the owner who is billed.
          eb.fn.coalesce("t.member_id", "t.user_id").as("user_id"),
          "t.end_user_ref",
          eb.lit(1).as("turns"),
          "t.tokens_input",
          "t.tokens_cached",
          "t.tokens_output",
          "t.billed_credit_micros",
          eb.fn.coalesce("t.started_at", "t.created_at").as("changed_at"),
        ]),
    )
    .offset(0)
}

/** The same turns, summed by space. */
export function recentBySpace(db: QueryCreator<CallerDB>) {
  return db
    .selectFrom(recentTurns(db).as("n"))
    .groupBy("n.space_id")
    .select((eb) => [
      "n.space_id",
      eb.cast<number>(eb.fn.sum("n.turns"), "bigint").as("turns"),
      // The sum of bigint is numeric, which is slow to add and to compare.
      eb.cast<number>(eb.fn.sum("n.billed_credit_micros"), "bigint").as("billed_credit_micros"),
      eb.fn.max("n.changed_at").as("changed_at"),
    ])
}
