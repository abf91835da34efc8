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

/**
 * The columns `balance` and `held` of a left-joined wallet `w` in credit micros,
 * computed as in wallet_sums(). Both are null if the account has no wallet.
 */
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

/**
 * True for every ledger row except a turn's charge. The index
 * `ledger_without_charges` has the same condition, so PostgreSQL can use it.
 */
export const isNoTurnsCharge = (reason: Expression<string>, turnId: Expression<string | null>) =>
  sql<SqlBool>`(${reason} not in ('usage', 'space_usage') or ${turnId} is null)`
