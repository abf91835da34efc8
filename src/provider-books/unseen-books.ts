import type { Kysely } from "kysely"
import type { DB } from "../platform/db-types.ts"
import { BOOK_POLICY } from "./policies.ts"

/** Counts settled days with findings that no operator has seen, and days whose reports have failed for a day. */
export function unseenBooks(db: Pick<Kysely<DB>, "selectFrom">, now: Date) {
  return db
    .selectFrom("provider_book_days as b")
    .where((eb) =>
      eb.or([
        eb("b.failing_since", "<", new Date(now.getTime() - BOOK_POLICY.failingMs)),
        eb.and([
          eb("b.settled_at", "is not", null),
          eb("b.seen_at", "is", null),
          eb.exists(
            eb
              .selectFrom("provider_book_findings as f")
              .whereRef("f.provider_id", "=", "b.provider_id")
              .whereRef("f.day", "=", "b.day")
              .select("f.finding_id"),
          ),
        ]),
      ]),
    )
    .select(({ fn }) => fn.countAll<number>().as("n"))
}
