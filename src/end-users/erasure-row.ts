import { toUsd } from "../base/money.ts"
import { toInstant } from "../base/time.ts"
import type { JsonRow } from "../platform/json-row.ts"
import type { Erasure } from "./schemas.ts"

/** What a run of an erasure needs of it. */
export type OpenErasure = Pick<
  JsonRow<"erasures">,
  "erasure_id" | "user_id" | "test" | "end_user_ref" | "until_at" | "erased_at"
>

/** An erasure with what stays of its end user. */
export interface ErasureRow extends JsonRow<"erasures"> {
  kept_turns: number
  kept_billed: number
}

export function serializeErasure(row: ErasureRow): Erasure {
  const { turns, events, steps, files, conversations, tasks } = row
  return {
    erasure_id: row.erasure_id,
    end_user_ref: row.end_user_ref,
    state: row.erased_at === null ? "erasing" : "erased",
    requested_at: toInstant(row.requested_at),
    erased_at: toInstant(row.erased_at),
    ...{ turns, events, steps, files, conversations, tasks },
    kept: { turns: row.kept_turns, billed_usd: toUsd(row.kept_billed) },
  }
}
