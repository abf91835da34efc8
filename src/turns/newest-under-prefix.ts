import { sql } from "kysely"
import type { Credential } from "../actor/actor.ts"
import { readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import type { TurnRow } from "./turn-row.ts"

/** The digits of the number with which a numbered key ends, so that keys sort by age. */
const DIGITS = 10

/** The n-th Idempotency-Key of a prefix. */
export const numberedKey = (prefix: string, n: number) => prefix + String(n).padStart(DIGITS, "0")

/** The number of a key that `numberedKey` made. */
export const numberOf = (key: string) => Number(key.slice(-DIGITS))

/** The account's newest turn with a numbered key of this prefix; null without one. Reads one entry of an index. */
export async function newestUnderPrefix(
  ctx: Context,
  credential: Credential,
  prefix: string,
): Promise<Pick<TurnRow, "idempotency_key" | "finished_at" | "cancel_requested_at"> | null> {
  const { rows } = await readAs(ctx, credential, (db) => {
    // The expression of the index turns_once.
    const once = sql<string>`(t.user_id::text || ' ' || t.test::text || ' ' || t.idempotency_key)`
    const key = (number: string) =>
      sql<string>`((select user_id::text || ' ' || test::text || ' ' from caller) || ${prefix + number})`
    return db
      .selectFrom("turns as t")
      .where(once, ">=", key("0".repeat(DIGITS)))
      .where(once, "<=", key("9".repeat(DIGITS)))
      .orderBy(once, "desc")
      .limit(1)
      .select(["t.idempotency_key", "t.finished_at", "t.cancel_requested_at"])
  })
  return rows[0] ?? null
}
