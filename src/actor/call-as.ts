import {
  type Expression,
  type ExpressionBuilder,
  expressionBuilder,
  type QueryCreator,
  type SelectQueryBuilder,
  type Simplify,
  type SqlBool,
  sql,
} from "kysely"
import { jsonArrayFrom } from "kysely/helpers/postgres"
import { composed, sameQuery, storedRow } from "../base/casts.ts"
import { TurnpikeError } from "../base/errors.ts"
import { callOne } from "../platform/db.ts"
import type { DB } from "../platform/db-types.ts"
import type { InJson } from "../platform/json-row.ts"
import { type ArgumentsOf, type ProcedureName, type Procedures, RELEASE, type Records } from "../platform/procedures.ts"
import { recordText } from "../platform/records.ts"
import {
  type Actor,
  type ActorRow,
  adminRequired,
  type Credential,
  type KeyScope,
  proofRequired,
  requireActor,
  tokenOf,
} from "./actor.ts"
import type { Context } from "./context.ts"
import { fingerprintsOf, type Once, replayedBy, type UsedKey } from "./once.ts"

/** The first argument of every procedure that acts for a caller. */
export type CallerArguments = "request"
type CallersProcedure = {
  [Name in ProcedureName]: Procedures[Name]["row"] extends { actor: unknown } ? Name : never
}[ProcedureName]

/** The columns of a procedure's answer, without the caller. */
type AnswerOf<Name extends ProcedureName> = Omit<Procedures[Name]["row"], "actor">

/**
 * Calls a procedure as the caller of a request, in one statement. `Row` narrows the type of its
 * answer. Throws the credential's 401 if it may not act; the procedure has changed nothing then.
 * Maps the refusals `admin` and `proof` to ADMIN_REQUIRED and REAUTHENTICATION_REQUIRED.
 */
export async function callAs<Name extends CallersProcedure, Row extends AnswerOf<Name> = AnswerOf<Name>>(
  ctx: Context,
  credential: Credential,
  name: Name,
  args: Omit<ArgumentsOf<Name>, CallerArguments>,
): Promise<{ actor: Actor; row: Row }> {
  const all = composed<ArgumentsOf<Name>>({ request: requestOf(ctx, credential), ...args })
  const row: unknown = await inTurn(ctx, credential, () => callOne(ctx.db, name, all))
  const { refused, actor: caller } = row as { refused?: unknown; actor: ActorRow | null }
  const actor = requireActor(caller, credential, { forAdmins: refused === "admin" })
  ctx.logged.account = actor.user_id
  if (refused === "proof") throw proofRequired()
  if (refused === "admin") throw adminRequired(actor)
  return { actor, row: row as Row }
}

/**
 * Like `callAs`, for a procedure that may let refused callers of the same account continue: it raises or removes a
 * limit, or lowers what a turn needs. Removes the account's remembered refusals (docs/architecture/edge.md).
 */
export async function callFreeing<Name extends CallersProcedure, Row extends AnswerOf<Name> = AnswerOf<Name>>(
  ctx: Context,
  credential: Credential,
  name: Name,
  args: Omit<ArgumentsOf<Name>, CallerArguments>,
): Promise<{ actor: Actor; row: Row }> {
  const called = await callAs<Name, Row>(ctx, credential, name, args)
  await ctx.refusals.free(called.actor.user_id)
  return called
}

/**
 * The additional arguments of a procedure that supports Idempotency-Keys. For a used key, the
 * procedure changes nothing and returns the UsedKey as `already`.
 */
export type OnceArguments = "once_key" | "fingerprint"
export type OnceProcedure = {
  [Name in CallersProcedure]: Procedures[Name]["row"] extends { already: unknown } ? Name : never
}[CallersProcedure]

/**
 * Like `callAs`, for a request that may have an Idempotency-Key. `replayOf` is the id of the
 * resource that an earlier request created with the key; this call had no effect then. Throws
 * IDEMPOTENCY_KEY_REUSED if the earlier request was different.
 */
export async function callOnce<
  Name extends OnceProcedure,
  Row extends Omit<AnswerOf<Name>, "already"> = Omit<AnswerOf<Name>, "already">,
>(
  ctx: Context,
  credential: Credential,
  name: Name,
  { once, args }: { once: Once | undefined; args: Omit<ArgumentsOf<Name>, CallerArguments | OnceArguments> },
): Promise<{ actor: Actor; row: Row; replayOf: string | null }> {
  const fingerprints = once?.request === undefined ? [] : await fingerprintsOf(ctx, once.request)
  const all = { ...args, once_key: once?.key ?? null, fingerprint: fingerprints[0] ?? null }
  const { actor, row } = await callAs(ctx, credential, name, composed<Omit<ArgumentsOf<Name>, CallerArguments>>(all))
  const { already } = storedRow<{ already: UsedKey | null }>(row)
  return { actor, row: storedRow<Row>(row), replayOf: replayedBy(already, fingerprints) }
}

/**
 * Runs a caller's statement when the isolate has a place for it (docs/architecture/connections.md). Throws UNAVAILABLE
 * if too many wait.
 */
function inTurn<T>({ statements }: Context, credential: Credential, run: () => Promise<T>): Promise<T> {
  return statements.pass(run, tooManyStatements, tokenOf(credential))
}

function tooManyStatements(): TurnpikeError {
  const message = "Too many requests are waiting for the database. Nothing was done. Send the request again shortly."
  return new TurnpikeError("UNAVAILABLE", message, { retryAfter: 1 })
}

function requestOf(ctx: Context, credential: Credential): Records["request"] {
  return {
    kind: credential.kind === "session" && credential.proved ? "proved" : credential.kind,
    token: tokenOf(credential),
    test: credential.test,
    moment: ctx.clock.now(),
    request_id: ctx.requestId,
    address: ctx.address,
    page_user: credential.kind === "session" ? (credential.page?.user ?? null) : null,
    page_account: credential.kind === "session" ? (credential.page?.account ?? null) : null,
    if_config: ctx.config.expected,
    needs: credential.needs ?? null,
  }
}

/** The caller's row as queries see it: the type `caller` of src/actor/caller-of-session.sql. */
export interface CallerColumns {
  kind: "key" | "session"
  key_id: string | null
  name: string | null
  user_id: number
  scope: KeyScope
  space_id: number | null
  test: boolean
  expires_at: Date | null
  created_at: Date
  session_id: string | null
  role: string | null
  usable: boolean
  expired: boolean
  acting_user_id: number | null
  account_role: string
  person_id: number | null
}

export type CallerDB = DB & { caller: CallerColumns }

/** A row as JSON returns it. Times are ISO 8601 texts with an offset. */
type JsonRowOf<Row> = { [Column in keyof Row]: InJson<Row[Column]> }
export type JsonRowsOf<Row> = Simplify<JsonRowOf<Row>>[]

/** A query of a caller. */
export type QueryOf<Row> = (db: QueryCreator<CallerDB>) => SelectQueryBuilder<never, never, Row>

/** Runs a query whose caller is known already. */
export type ReadRows = <Row>(build: QueryOf<Row>) => Promise<JsonRowsOf<Row>>

/**
 * Runs a query as a caller, in one statement. The query may join `caller`, which has one row if the
 * credential may act, and otherwise none. Throws the credential's 401, or ADMIN_REQUIRED if the
 * user does not have `role` now.
 */
export async function readAs<Row>(
  ctx: Context,
  credential: Credential,
  build: QueryOf<Row>,
  { role }: { role?: "admin" } = {},
): Promise<{ actor: Actor; rows: JsonRowsOf<Row> }> {
  const request = recordText("request", requestOf(ctx, credential))
  const query = ctx.db
    .with(
      (cte) => cte("actor").materialized(),
      () => sql<CallerColumns>`(select * from ${sql.raw(RELEASE)}.act_as(${request}))`,
    )
    .with(
      (cte) => cte("caller").materialized(),
      (db) =>
        db
          .selectFrom("actor")
          .selectAll()
          .where("usable", "=", true)
          .$if(role !== undefined, (query) => query.where("role", "=", role ?? null)),
    )
    .selectNoFrom((eb) => [
      eb
        .selectFrom("actor")
        .select(sql<ActorRow | null>`to_jsonb(actor)`.as("actor"))
        .where("user_id", "is not", null)
        .as("actor"),
      jsonArrayFrom(build(sameQuery<QueryCreator<CallerDB>>(ctx.db)) as SelectQueryBuilder<never, never, Row>).as(
        "rows",
      ),
    ])
  const row = await inTurn(ctx, credential, () => query.executeTakeFirstOrThrow())
  const actor = requireActor(row.actor, credential, { forAdmins: role === "admin" })
  ctx.logged.account = actor.user_id
  if (role && !(actor.kind === "session" && actor.role === role)) throw adminRequired(actor)
  return { actor, rows: row.rows as JsonRowsOf<Row> }
}

type InSpace = CallerDB & { s: DB["spaces"] }

/**
 * True if the caller owns space `s`, in the same mode (live or test) and within the caller's scope (docs/contract.md).
 */
export const spaceInScope: Expression<SqlBool> = (() => {
  const eb: ExpressionBuilder<InSpace, "s" | "caller"> = expressionBuilder()
  return eb.and([
    eb("s.user_id", "=", eb.ref("caller.user_id")),
    eb("s.test", "=", eb.ref("caller.test")),
    eb.or([
      eb("caller.scope", "=", "all"),
      eb.and([eb("caller.scope", "=", "created"), eb("s.created_by_key_id", "=", eb.ref("caller.key_id"))]),
      eb.and([eb("caller.scope", "=", "space"), eb("s.space_id", "=", eb.ref("caller.space_id"))]),
    ]),
  ])
})()

export function spaceNotFound(spaceId: string): TurnpikeError {
  return new TurnpikeError("NOT_FOUND", `There is no space "${spaceId}" that you can see.`)
}

/**
 * `spaceInScope` for a column with a space's id. The query itself must compare owner and mode with
 * the caller's. It is a subquery and no join, since the planner would underestimate the rows of a
 * scope and not start from the table's index.
 */
export function isOfScope(spaceId: Expression<number>): Expression<SqlBool> {
  const eb: ExpressionBuilder<CallerDB, never> = expressionBuilder()
  const spaces = eb.selectFrom(["spaces as s", "caller"]).where(spaceInScope).select("s.space_id")
  return eb.or([eb(eb.selectFrom("caller").select("caller.scope"), "=", "all"), eb(spaceId, "in", spaces)])
}
