import type { QueryCreator } from "kysely"
import type { CallerDB } from "../actor/call-as.ts"
import { sharedSpaces } from "../actor/shares.ts"

/**
 * A turn `t` with its space `s`, if a signed-in caller may see it: it is in their own space, or they sent it into a
 * space that is shared with them. The same rule as in the procedure `get_turn`.
 */
export const visibleTurn = (db: QueryCreator<CallerDB>, turnId: string) =>
  db
    .selectFrom("turns as t")
    .innerJoin("spaces as s", "s.space_id", "t.space_id")
    .innerJoin("caller", (join) => join.onTrue())
    .where("t.turn_id", "=", turnId)
    .whereRef("s.test", "=", "caller.test")
    .where((eb) =>
      eb.or([
        eb("s.user_id", "=", eb.ref("caller.user_id")),
        eb.and([eb("t.member_id", "=", eb.ref("caller.user_id")), eb("t.space_id", "in", sharedSpaces)]),
      ]),
    )
