import type { Credential } from "../actor/actor.ts"
import { readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import { toUsd } from "../base/money.ts"
import { toInstant } from "../base/time.ts"
import type { JsonRow } from "../platform/json-row.ts"
import type { Erasure } from "./schemas.ts"

/** The columns that a run of an erasure needs. */
export type OpenErasure = Pick<
  JsonRow<"erasures">,
  "erasure_id" | "user_id" | "test" | "end_user_ref" | "until_at" | "erased_at"
>

/** An erasure, with the amounts of its end user that are kept. */
export interface ErasureRow extends JsonRow<"erasures"> {
  kept_turns: number
  kept_billed: number
}

export function serializeErasure(row: ErasureRow): Erasure {
  const { turns, events, steps, files, conversations, tasks, profile } = row
  return {
    erasure_id: row.erasure_id,
    end_user_ref: row.end_user_ref,
    state: row.erased_at === null ? "erasing" : "erased",
    requested_at: toInstant(row.requested_at),
    erased_at: toInstant(row.erased_at),
    turns,
    events,
    steps,
    files,
    conversations,
    tasks,
    profile,
    kept: { turns: row.kept_turns, billed_usd: toUsd(row.kept_billed) },
  }
}

/** The receipt of an erasure, for callers that can access the whole account. Throws NOT_FOUND. */
export async function getErasure(ctx: Context, credential: Credential, erasureId: string): Promise<ErasureRow> {
  const { rows } = await readAs(ctx, credential, (db) =>
    db
      .selectFrom("erasures as e")
      .innerJoin("caller", (join) => join.onRef("caller.user_id", "=", "e.user_id").onRef("caller.test", "=", "e.test"))
      .where("e.erasure_id", "=", erasureId)
      .where("caller.scope", "=", "all")
      .selectAll("e")
      .select((erasure) => [
        erasure
          .selectFrom("conversations as c")
          .whereRef("c.user_id", "=", "e.user_id")
          .whereRef("c.test", "=", "e.test")
          .whereRef("c.end_user_ref", "=", "e.end_user_ref")
          .where("c.last_turn_at", "is not", null)
          .select(({ fn, lit }) => fn.coalesce(fn.sum<number>("c.last_position"), lit(0)).as("sum"))
          .as("kept_turns"),
        erasure
          .selectFrom("turns as t")
          .whereRef("t.user_id", "=", "e.user_id")
          .whereRef("t.test", "=", "e.test")
          .whereRef("t.end_user_ref", "=", "e.end_user_ref")
          .where("t.billed_credit_micros", ">", 0)
          .where("t.key_id", "is not", null)
          .select(({ fn, lit }) => fn.coalesce(fn.sum<number>("t.billed_credit_micros"), lit(0)).as("sum"))
          .as("kept_billed"),
      ]),
  )
  const [row] = rows
  if (!row) throw new TurnpikeError("NOT_FOUND", `There is no erasure "${erasureId}" that you can see.`)
  return { ...row, kept_turns: row.kept_turns ?? 0, kept_billed: row.kept_billed ?? 0 }
}
