import { sql } from "kysely"
import type { Context } from "../context.ts"
import { queryAs } from "./actor.ts"
import type { SessionCredential } from "./credential.ts"
import { goesOn, type SessionRow, serializeSession, sessionJson } from "./session-row.ts"

/** The caller's sessions that go on, the one last used first. */
export async function listSessions(
  ctx: Context,
  credential: SessionCredential,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ sessions: SessionRow[]; total: number }> {
  const { row } = await queryAs<{ sessions: SessionRow[]; total: number }>(ctx, credential, {
    ctes: sql`mine as materialized (
      select ${sessionJson} as seen, n.last_seen_at, n.session_id from sessions n, users u, caller where ${goesOn(ctx.clock.now())}
    )`,
    select: sql`select (select count(*)::integer from mine) as total, coalesce((
      select jsonb_agg(m.seen order by m.last_seen_at desc, m.session_id desc) from (
        select * from mine order by last_seen_at desc, session_id desc limit ${limit} offset ${offset}) m), '[]') as sessions`,
  })
  return { sessions: row.sessions.map(serializeSession), total: row.total }
}
