import type { SessionCredential } from "../src/actor/actor.ts"
import type { Context } from "../src/actor/context.ts"
import { databaseOver } from "../src/platform/db.ts"
import { Turnstile } from "../src/platform/turnstile.ts"
import type { Sql } from "./site.ts"

/** The number of failures, 250 per day. */
const ERRORS = 100_000
const SESSION = "ses_of_the_bench"
const TOKEN = `${SESSION}.secret`

/** Adds the admin who reads the reports, and failures on every day before `ends`. */
export async function prepareReports(sql: Sql, ends: Date): Promise<void> {
  await sql(
    `with admin as (insert into users (role, name, created_at) values ('admin', 'Operator', now()) returning user_id, session_epoch)
     insert into sessions (session_id, token_hash, user_id, epoch, created_at, last_seen_at, expires_at)
     select $1, sha256($2::text::bytea), user_id, session_epoch, now(), now(), 'infinity' from admin`,
    [SESSION, TOKEN],
  )
  await sql(
    `insert into infrastructure_errors (kind, name, code, created_at)
     select (array['container_start', 'container_exec', 'subagent_dispatch', 'model_call'])[1 + n % 4], 'x', 'X',
       $1::timestamptz - interval '400 days' * (n / ${ERRORS}.0) from generate_series(${ERRORS}, 1, -1) n`,
    [ends],
  )
  await sql("vacuum analyze users, sessions, infrastructure_errors")
}

/** Renews the admin's session, which lasts for 12 hours, in the hour of the reports. */
export async function renewSession(sql: Sql, ends: Date): Promise<void> {
  const renewed =
    "update sessions set created_at = $2, last_seen_at = $2, proved_at = $2 where session_id = $1 returning session_id"
  const rows = await sql(renewed, [SESSION, askedAt(ends)])
  if (rows.length !== 1) throw new Error("The database has no session of the reports' admin.")
}

const askedAt = (ends: Date) => new Date(ends.getTime() - 3_600_000)

/** The single statement of a report, as the admin sends it an hour before `ends`. */
export async function statementOf(
  ends: Date,
  report: (ctx: Context, credential: SessionCredential) => Promise<unknown>,
): Promise<{ sql: string; params: unknown[] }> {
  const asked: { sql: string; params: unknown[] }[] = []
  const db = databaseOver(async ({ sql, parameters }) => {
    asked.push({ sql, params: [...parameters] })
    throw new Error("This statement is only recorded.")
  })
  const config = { seen: null, expected: null }
  const statements = new Turnstile({ atOnce: 1, waiting: 0 })
  const ctx = { db, config, statements, clock: { now: () => askedAt(ends) } } as unknown as Context
  await report(ctx, { kind: "session", token: TOKEN, test: false }).catch((error: unknown) => {
    if (asked.length === 0) throw error
  })
  const [statement] = asked
  if (!statement || asked.length > 1) throw new Error("A report must be one statement.")
  return statement
}
