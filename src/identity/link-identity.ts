import { sql } from "kysely"
import type { Context } from "../context.ts"
import { TurnpikeError } from "../errors.ts"
import { queryAs } from "./actor.ts"
import { auditCte } from "./audit.ts"
import type { SessionCredential } from "./credential.ts"
import { type ProvedIdentity, storable } from "./resolve-identity.ts"

/**
 * Gives the caller an identity, as one more way in, whatever its email. Again: no change. IDENTITY_TAKEN: it is somebody else's;
 * LOGIN_STATE_INVALID: the caller is not `userId`, who has asked for it.
 */
export async function linkIdentity(
  ctx: Context,
  credential: SessionCredential,
  { userId, identity }: { userId: number; identity: ProvedIdentity },
): Promise<void> {
  const { issuer, subject, email, emailVerified } = storable(identity)
  const { actor, row } = await queryAs<{ linked: boolean }>(ctx, credential, {
    ctes: sql`known as materialized (select i.user_id from identities i where i.issuer = ${issuer} and i.subject = ${subject}
    ), linked as (
      insert into identities as i (issuer, subject, user_id, email, email_verified, created_at)
      select ${issuer}, ${subject}, caller.user_id, ${email}, ${emailVerified}::boolean, ${ctx.clock.now()}::timestamptz
      from caller where caller.user_id = ${userId}::bigint
      on conflict (issuer, subject) do update set email = excluded.email, email_verified = excluded.email_verified
        where i.user_id = excluded.user_id
      returning i.*
    ), ${auditCte(ctx, {
      action: "identity.link",
      subject: { type: "user", id: sql`linked.user_id` },
      actor: sql`linked.user_id`,
      before: sql`'{}'`,
      after: sql`jsonb_build_object('issuer', linked.issuer, 'subject', linked.subject)`,
      from: sql`linked where not exists (select 1 from known)`,
    })}`,
    select: sql`select exists (select 1 from linked) as linked`,
  })
  if (actor.user_id !== userId) {
    throw new TurnpikeError("LOGIN_STATE_INVALID", "Another account has signed in here meanwhile. Nothing was linked.")
  }
  if (!row.linked) throw new TurnpikeError("IDENTITY_TAKEN", "This identity belongs to another account.")
}
