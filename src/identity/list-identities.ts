import { sql } from "kysely"
import type { Context } from "../context.ts"
import { queryAs } from "./actor.ts"
import type { SessionCredential } from "./credential.ts"
import { type IdentityRow, identityJson, serializeIdentity } from "./identity-row.ts"

/** The caller's identities, the oldest first. */
export async function listIdentities(
  ctx: Context,
  credential: SessionCredential,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ identities: IdentityRow[]; total: number }> {
  const { row } = await queryAs<{ identities: IdentityRow[]; total: number }>(ctx, credential, {
    ctes: sql`mine as materialized (select i.* from identities i, caller where i.user_id = caller.user_id)`,
    select: sql`select (select count(*)::integer from mine) as total, coalesce((
      select jsonb_agg(${identityJson} order by i.created_at, i.issuer, i.subject) from (
        select * from mine order by created_at, issuer, subject limit ${limit} offset ${offset}) i), '[]') as identities`,
  })
  return { identities: row.identities.map(serializeIdentity), total: row.total }
}
