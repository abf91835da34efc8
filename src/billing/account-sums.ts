import {
  type AliasedRawBuilder,
  type Expression,
  type ExpressionBuilder,
  expressionBuilder,
  type SqlBool,
  sql,
} from "kysely"
import type { CallerDB } from "../actor/call-as.ts"
import type { DB } from "../platform/db-types.ts"

const eb: ExpressionBuilder<CallerDB & { w: DB["wallets"] }, "w"> = expressionBuilder()

const shards = (column: "p.balance_credit_micros" | "p.held_credit_micros") =>
  eb
    .selectFrom("wallet_shards as p")
    .whereRef("p.user_id", "=", "w.user_id")
    .where("w.shards", ">", 0)
    .select((own) => own.cast<number>(own.fn.sum(column), "bigint").as("sum"))

/** `balance` and `held` of a wallet `w`, joined on the left, as wallet_sums has them: null without a wallet. Credit micros. */
export const walletColumns: readonly [
  AliasedRawBuilder<number | null, "balance">,
  AliasedRawBuilder<number | null, "held">,
] = [
  sql<
    number | null
  >`${eb.ref("w.balance_credit_micros")} - ${eb.ref("w.folded_credit_micros")} + coalesce(${shards("p.balance_credit_micros")}, 0)`.as(
    "balance",
  ),
  sql<number | null>`${eb.ref("w.held_credit_micros")} + coalesce(${shards("p.held_credit_micros")}, 0)`.as("held"),
]

/** Whether a ledger row is anything but a turn's charge, in the words of the index `ledger_without_charges`. */
export const isNoTurnsCharge = (reason: Expression<string>, turnId: Expression<string | null>) =>
  sql<SqlBool>`(${reason} not in ('usage', 'space_usage') or ${turnId} is null)`
