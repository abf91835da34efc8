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
} from "./actor.ts"
import type { Context } from "./context.ts"
import { fingerprintsOf, type Once, replayedBy, type UsedKey } from "./once.ts"

/** What every procedure of a caller takes first. */
export type CallerArguments = "request"
type CallersProcedure = {
  [Name in ProcedureName]: Procedures[Name]["row"] extends { actor: unknown } ? Name : never
}[ProcedureName]

/** The columns of a procedure's answer without the caller. */
type AnswerOf<Name extends ProcedureName> = Omit<Procedures[Name]["row"], "actor">

/**
 * Calls a procedure as a caller of a request: one statement. `Row` narrows what it answers. Throws the 401 of the
 * credential's kind when it may not act: then the procedure has done nothing. What it refuses as `admin` is ADMIN_REQUIRED, and as
 * `proof` REAUTHENTICATION_REQUIRED.
 */
export async function callAs<Name extends CallersProcedure, Row extends AnswerOf<Name> = AnswerOf<Name>>(
  ctx: Context,
  credential: Credential,
  name: Name,
  args: Omit<ArgumentsOf<Name>, CallerArguments>,
): Promise<{ actor: Actor; row: Row }> {
  const all = { request: requestOf(ctx, credential), ...args } as unknown as ArgumentsOf<Name>
  const row: unknown = await callOne(ctx.db, name, all)
  const { refused, actor: caller } = row as { refused?: unknown; actor: ActorRow | null }
  const actor = requireActor(caller, credential, { forAdmins: refused === "admin" })
  if (refused === "proof") throw proofRequired()
  if (refused === "admin") throw adminRequired(actor)
  return { actor, row: row as Row }
}

/**
 * The arguments that a procedure with Idempotency-Keys takes too. When the key was used before, it does nothing and answers a UsedKey
 * as `already`.
 */
export type OnceArguments = "once_key" | "fingerprint"
export type OnceProcedure = {
  [Name in CallersProcedure]: Procedures[Name]["row"] extends { already: unknown } ? Name : never
}[CallersProcedure]

/**
 * The same for a request that may have an Idempotency-Key. `replayOf`: the id of what an earlier request made under the key; then this
 * call had no effect. IDEMPOTENCY_KEY_REUSED when that request was a different one.
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
  const { actor, row } = await callAs(ctx, credential, name, all as unknown as Omit<ArgumentsOf<Name>, CallerArguments>)
  const { already } = row as unknown as { already: UsedKey | null }
  return { actor, row: row as unknown as Row, replayOf: replayedBy(already, fingerprints) }
}

function requestOf(ctx: Context, credential: Credential): Records["request"] {
  return {
    kind: credential.kind === "session" && credential.proved ? "proved" : credential.kind,
    token: credential.kind === "key" ? credential.hash : credential.token,
    test: credential.test,
    moment: ctx.clock.now(),
    request_id: ctx.requestId,
    address: ctx.address,
  }
}

/** The row of the caller as queries see it: the type `caller` of src/actor/caller.sql. */
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
}

export type CallerDB = DB & { caller: CallerColumns }

/** A row as it comes in JSON: its times are texts (ISO 8601, with their offset). */
type JsonRowOf<Row> = { [Column in keyof Row]: InJson<Row[Column]> }

/**
 * Reads as a caller, in one statement. The query may join `caller`, which has one row when the credential may act and no row otherwise.
 * `role`: only a session of a user who has this role now may read (ADMIN_REQUIRED). Throws the 401 of the credential's kind.
 */
export async function readAs<Row>(
  ctx: Context,
  credential: Credential,
  build: (db: QueryCreator<CallerDB>) => SelectQueryBuilder<never, never, Row>,
  { role }: { role?: "admin" } = {},
): Promise<{ actor: Actor; rows: Simplify<JsonRowOf<Row>>[] }> {
  const request = recordText("request", requestOf(ctx, credential))
  const row = await ctx.db
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
      jsonArrayFrom(build(ctx.db as unknown as QueryCreator<CallerDB>) as SelectQueryBuilder<never, never, Row>).as(
        "rows",
      ),
    ])
    .executeTakeFirstOrThrow()
  const actor = requireActor(row.actor, credential, { forAdmins: role === "admin" })
  if (role && !(actor.kind === "session" && actor.role === role)) throw adminRequired(actor)
  return { actor, rows: row.rows as Simplify<JsonRowOf<Row>>[] }
}

type InSpace = CallerDB & { s: DB["spaces"] }

/** Whether a space `s` belongs to the caller, in the same mode (live or test) and within the scope (docs/contract.md). */
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
 * `spaceInScope` for a column with a space's id. The query itself must compare the table's owner and mode with the caller's. It is a
 * subquery, not a join: the planner would guess that a scope has few rows, and not start from the table's own index.
 */
export function isOfScope(spaceId: Expression<number>): Expression<SqlBool> {
  const eb: ExpressionBuilder<CallerDB, never> = expressionBuilder()
  const spaces = eb.selectFrom(["spaces as s", "caller"]).where(spaceInScope).select("s.space_id")
  return eb.or([eb(eb.selectFrom("caller").select("caller.scope"), "=", "all"), eb(spaceId, "in", spaces)])
}
