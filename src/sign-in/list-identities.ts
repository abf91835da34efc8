import { jsonArrayFrom } from "kysely/helpers/postgres"
import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { toInstant } from "../base/time.ts"
import { released } from "../platform/db.ts"

export const identitySchema = z
  .object({
    identity_id: z.string(),
    issuer: z.string().meta({
      description: "The service that issued the identity: an OpenID provider's issuer, or `messenger:<brand>`.",
    }),
    subject: z.string().meta({ description: "Your id at this service.", example: "248289761001" }),
    email: z.string().nullable().meta({ description: "The email that the issuer reported at the last sign-in." }),
    email_verified: z.boolean().meta({ description: "True if the issuer has verified this email." }),
    created_at: z.iso.datetime(),
    last_used_at: z.iso
      .datetime()
      .nullable()
      .meta({ description: "When you last signed in with it; null if never.", example: null }),
  })
  .meta({ id: "Identity" })

type IdentityRow = z.infer<typeof identitySchema>

function serializeIdentity(row: IdentityRow): IdentityRow {
  return {
    ...row,
    created_at: toInstant(row.created_at),
    last_used_at: row.last_used_at === null ? null : toInstant(row.last_used_at),
  }
}

/** Lists the caller's identities, oldest first. */
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
            .select((own) => own.fn<string>(released("identity_id"), ["issuer", "subject"]).as("identity_id"))
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
