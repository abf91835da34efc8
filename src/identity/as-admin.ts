import { type RawBuilder, sql } from "kysely"
import type { Context } from "../context.ts"
import { TurnpikeError } from "../errors.ts"
import { queryAs } from "./actor.ts"
import type { SessionCredential } from "./credential.ts"

/** What a change needs that nobody signed in asks for: the command line has no more. */
export type SystemContext = Pick<Context, "db" | "clock" | "requestId" | "address">

/** A statement for admins: its CTEs join `admin`, which is empty for anybody else, so that then it has no effect. */
export interface AdminStatement {
  /** `admin` has one column, user_id: who acts, or null for the system. */
  ctes: RawBuilder<unknown>
  select: RawBuilder<unknown>
}

/** Runs a statement of a signed-in admin: their role is read in it, not before. SESSION_REQUIRED, ADMIN_REQUIRED. */
export async function queryAsAdmin<Row>(
  ctx: Context,
  credential: SessionCredential,
  { ctes, select }: AdminStatement,
): Promise<Row> {
  const { actor, row } = await queryAs<Row>(ctx, credential, {
    ctes: sql`admin as materialized (select caller.user_id from caller where caller.role = 'admin'), ${ctes}`,
    select,
  })
  if (actor.kind !== "session" || actor.role !== "admin") {
    throw new TurnpikeError("ADMIN_REQUIRED", "This is for admins only.")
  }
  return row
}

/** The same for the system itself. */
export async function queryAsSystem<Row>(ctx: SystemContext, { ctes, select }: AdminStatement): Promise<Row> {
  const { rows } = await sql<Row>`with admin as materialized (select null::bigint as user_id), ${ctes}
    select answer.* from (select 1) as one left join lateral (${select}) as answer on true`.execute(ctx.db)
  return rows[0] as Row
}
