import { sql } from "kysely"
import type { Context } from "../context.ts"
import { TurnpikeError } from "../errors.ts"
import { newId } from "../platform/ids.ts"
import { SESSION_POLICY } from "./policies.ts"

export interface NewSession {
  userId: number
  /** What the session can later be told by: the browser, and where it was. */
  userAgent?: string | null
  address?: string | null
}

/** Starts a session of a user who has proved who they are, and returns its id. SESSION_REQUIRED for a disabled user. */
export async function startSession(ctx: Context, { userId, userAgent, address }: NewSession): Promise<string> {
  const now = ctx.clock.now()
  const until = new Date(now.getTime() + SESSION_POLICY.lifeMs)
  const { rows } = await sql<{ session_id: string }>`
    insert into sessions (session_id, user_id, user_agent, address, created_at, last_seen_at, expires_at)
    select ${newId("session", now)}, u.user_id, ${userAgent?.slice(0, 512) ?? null}, ${address ?? null}, ${now}::timestamptz,
      ${now}::timestamptz, ${until}::timestamptz
    from users u where u.user_id = ${userId}::bigint and u.disabled_at is null
    returning session_id`.execute(ctx.db)
  if (!rows[0]) throw new TurnpikeError("SESSION_REQUIRED", "This account cannot sign in.")
  return rows[0].session_id
}
