import { jsonArrayFrom } from "kysely/helpers/postgres"
import { readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import type { SessionCredential } from "../actor/credential.ts"
import { RELEASE } from "../platform/procedures.ts"
import { type IdentityRow, serializeIdentity } from "./identity-row.ts"

/** The caller's identities, the oldest first. */
export async function listIdentities(
  ctx: Context,
  credential: SessionCredential,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ identities: IdentityRow[]; total: number }> {
  const { rows } = await readAs(ctx, credential, (db) =>
    db
      .with("mine", (cte) =>
        cte.selectFrom("identities as i").innerJoin("caller", "caller.user_id", "i.user_id").selectAll("i"),
      )
      .selectFrom((eb) =>
        eb
          .selectFrom("mine")
          .select((own) => own.fn.countAll<number>().as("total"))
          .as("counted"),
      )
      .select((eb) => [
        "counted.total",
        jsonArrayFrom(
          eb
            .selectFrom("mine")
            .select(["issuer", "subject", "email", "email_verified", "created_at", "last_used_at"])
            .select((own) => own.fn<string>(`${RELEASE}.identity_id`, ["issuer", "subject"]).as("identity_id"))
            .orderBy("created_at")
            .orderBy("issuer")
            .orderBy("subject")
            .limit(limit)
            .offset(offset),
        ).as("identities"),
      ]),
  )
  return { identities: (rows[0]?.identities ?? []).map(serializeIdentity), total: rows[0]?.total ?? 0 }
}
