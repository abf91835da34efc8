import { sql } from "kysely"
import type { Context } from "../context.ts"
import { TurnpikeError } from "../errors.ts"
import { queryAs } from "./actor.ts"
import type { SessionCredential } from "./credential.ts"
import { endAllCtes, renewedCte } from "./renew-session.ts"
import { goesOn } from "./session-row.ts"

/**
 * Ends a session: the very next request with its cookie is refused. One that was over stays as it was. Without `actorCte`,
 * since that may write the same row, and a statement can do so only once.
 */
export async function endSession(ctx: Context, { sessionId }: SessionCredential): Promise<void> {
  await sql`update sessions set ended_at = ${ctx.clock.now()}::timestamptz
    where session_id = ${sessionId} and ended_at is null`.execute(ctx.db)
}

/** Ends one of the caller's sessions, which may be the one that asks. NOT_FOUND: none of theirs that goes on. */
export async function endOneSession(ctx: Context, credential: SessionCredential, sessionId: string): Promise<void> {
  const now = ctx.clock.now()
  const isOwn = sessionId === credential.sessionId
  const { row } = await queryAs<{ ended: boolean }>(ctx, credential, {
    ctes: sql`target as materialized (
      select n.session_id from sessions n, users u, caller
      where n.session_id = ${sessionId} and n.session_id <> caller.session_id and ${goesOn(now)}
    ), ended as (
      update sessions n set ended_at = ${now}::timestamptz from target
      where n.session_id = target.session_id and n.ended_at is null returning 1
    )`,
    select: sql`select exists (select 1 from ended) as ended`,
  })
  if (isOwn) await endSession(ctx, credential)
  else if (!row.ended) throw new TurnpikeError("NOT_FOUND", `There is no session "${sessionId}" of yours.`)
}

/**
 * Ends all sessions of the caller, whatever is being started at the same moment included, and all tokens that would start one.
 * `others`: then the caller goes on in a new session, whose id is returned; else null. SESSION_REQUIRED also for one that was
 * ended in this way at the same moment.
 */
export async function endSessions(
  ctx: Context,
  credential: SessionCredential,
  which: "others" | "all",
): Promise<string | null> {
  const { row } = await queryAs<{ ended: boolean; session_id: string | null }>(ctx, credential, {
    ctes: sql`${endAllCtes(sql`true`)}${which === "others" ? sql`, ${renewedCte(ctx)}` : sql``}`,
    select: sql`select exists (select 1 from bumped) as ended,
      ${which === "others" ? sql`(select session_id from renewed)` : sql`null`} as session_id`,
  })
  if (!row.ended) throw new TurnpikeError("SESSION_REQUIRED", "There is no such session any more. Sign in again.")
  return row.session_id
}
