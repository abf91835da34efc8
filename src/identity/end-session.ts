import { sql } from "kysely"
import type { Context } from "../context.ts"
import type { SessionCredential } from "./credential.ts"

/**
 * Ends a session: the very next request with its cookie is refused. One that was over stays as it was. Without `actorCte`,
 * since that may write the same row, and a statement can do so only once.
 */
export async function endSession(ctx: Context, { sessionId }: SessionCredential): Promise<void> {
  await sql`update sessions set ended_at = ${ctx.clock.now()}::timestamptz
    where session_id = ${sessionId} and ended_at is null`.execute(ctx.db)
}
