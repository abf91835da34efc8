import { type RawBuilder, sql } from "kysely"
import { accountsSlice } from "./reconcile-accounts.ts"
import { countersSlice } from "./reconcile-counters.ts"
import { ledgerSlice } from "./reconcile-ledger.ts"
import { turnsSlice } from "./reconcile-turns.ts"
import type { Phase } from "./reconciliation-row.ts"

/**
 * A part of a table, and what is wrong in it, as CTEs that only read: one statement, so one snapshot. Everything that moves
 * money is one statement too, so no snapshot has half of it, and nothing has to stand still.
 */
export interface Slice {
  /** `slice`: up to `size` rows behind `position`, and whatever `findings` needs. */
  ctes: RawBuilder<unknown>
  /** The position of the last row of `slice`, as text. */
  last: RawBuilder<unknown>
  /** Rows of kind, user_id, turn_id, ledger_id, counter, expected, found. */
  findings: RawBuilder<unknown>
}

export interface SliceOf {
  position: string
  size: number
  now: Date
}

/** The phases of a pass, in their order, each with the column that counts what it looked at. */
export const PHASES: Record<Phase, { counts: RawBuilder<unknown>; slice: (of: SliceOf) => Slice }> = {
  accounts: { counts: sql.ref("accounts"), slice: accountsSlice },
  ledger: { counts: sql.ref("ledger_rows"), slice: ledgerSlice },
  turns: { counts: sql.ref("turns"), slice: turnsSlice },
  counters: { counts: sql.ref("counters"), slice: countersSlice },
}
