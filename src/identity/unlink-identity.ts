import { sql } from "kysely"
import type { Context } from "../context.ts"
import { TurnpikeError } from "../errors.ts"
import { queryAs } from "./actor.ts"
import { auditCte } from "./audit.ts"
import type { SessionCredential } from "./credential.ts"
import { identityId } from "./identity-row.ts"

/**
 * Takes an identity from the caller: it signs nobody in to their account any more. Their identities are locked, so that of two
 * that are taken at once the later one sees what is left. NOT_FOUND; LAST_WAY_IN: no other identity, and no email with a password.
 */
export async function unlinkIdentity(ctx: Context, credential: SessionCredential, id: string): Promise<void> {
  const { row } = await queryAs<{ found: boolean; unlinked: boolean }>(ctx, credential, {
    ctes: sql`mine as materialized (
      select i.*, ${identityId} as identity_id from identities i, caller where i.user_id = caller.user_id
      order by i.issuer, i.subject for update of i
    ), unlinked as (
      delete from identities i using mine, users u
      where mine.identity_id = ${id} and i.issuer = mine.issuer and i.subject = mine.subject and u.user_id = mine.user_id
        and ((select count(*) from mine) > 1 or (u.password_hash is not null and u.email is not null))
      returning i.*
    ), ${auditCte(ctx, {
      action: "identity.unlink",
      subject: { type: "user", id: sql`unlinked.user_id` },
      actor: sql`unlinked.user_id`,
      before: sql`jsonb_build_object('issuer', unlinked.issuer, 'subject', unlinked.subject)`,
      after: sql`'{}'`,
      from: sql`unlinked`,
    })}`,
    select: sql`select exists (select 1 from mine where identity_id = ${id}) as found,
      exists (select 1 from unlinked) as unlinked`,
  })
  if (!row.found) throw new TurnpikeError("NOT_FOUND", `There is no identity "${id}" of yours.`)
  if (!row.unlinked) throw new TurnpikeError("LAST_WAY_IN", "This is the last way in to your account.")
}
