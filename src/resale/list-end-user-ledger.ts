import type { Credential } from "../actor/actor.ts"
import { readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { storedRows } from "../base/casts.ts"
import { decodeCursor, type Page, toPage } from "../base/pagination.ts"
import type { EndUserEntryRow } from "./end-user-ledger.ts"
import { resaleNeedsScopeAll } from "./price.ts"

export interface EndUserLedgerFilters {
  reason?: EndUserEntryRow["reason"] | undefined
  turn?: string | undefined
}

/** The ledger of an end user's wallet, newest first. Throws SCOPE_DENIED. */
export async function listEndUserLedger(
  ctx: Context,
  credential: Credential,
  input: { ref: string; filters: EndUserLedgerFilters; limit: number; cursor?: string | undefined },
): Promise<Page<EndUserEntryRow>> {
  const { ref, limit } = input
  const filters = { ledger_of: ref, ...input.filters }
  const { reason, turn } = input.filters
  const before = decodeCursor(input.cursor, filters)
  const { actor, rows } = await readAs(ctx, credential, (db) =>
    db
      .selectFrom("end_user_ledger as l")
      .selectAll("l")
      .where((eb) => eb("l.user_id", "=", eb.selectFrom("caller").select("caller.user_id")))
      .where((eb) => eb("l.test", "=", eb.selectFrom("caller").select("caller.test")))
      .where((eb) => eb(eb.selectFrom("caller").select("caller.scope"), "=", "all"))
      .where("l.end_user_ref", "=", ref)
      .$if(reason !== undefined, (query) => query.where("l.reason", "=", reason as string))
      .$if(turn !== undefined, (query) => query.where("l.turn_id", "=", turn as string))
      .$if(before !== undefined, (query) => query.where("l.entry_id", "<", Number(before)))
      .orderBy("l.entry_id", "desc")
      .limit(limit + 1),
  )
  if (actor.scope !== "all") throw resaleNeedsScopeAll()
  const entries = storedRows<EndUserEntryRow>(rows)
  return toPage(entries.slice(0, limit), {
    more: entries.length > limit,
    filters,
    idOf: ({ entry_id }) => String(entry_id),
  })
}
