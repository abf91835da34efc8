import * as z from "zod"
import { toInstant } from "../base/time.ts"

export const identitySchema = z
  .object({
    identity_id: z.string(),
    issuer: z
      .string()
      .meta({ description: "Who vouches for it: an OpenID provider's issuer, or `messenger:<brand>`." }),
    subject: z.string().meta({ description: "Who you are there.", example: "248289761001" }),
    email: z.string().nullable().meta({ description: "As the issuer said at the last sign-in." }),
    email_verified: z.boolean().meta({ description: "Whether the issuer has verified that email." }),
    created_at: z.iso.datetime(),
    last_used_at: z.iso.datetime().nullable().meta({ description: "When it last signed you in.", example: null }),
  })
  .meta({ id: "Identity" })

export type IdentityRow = z.infer<typeof identitySchema>

export function serializeIdentity(row: IdentityRow): IdentityRow {
  return {
    ...row,
    created_at: toInstant(row.created_at),
    last_used_at: row.last_used_at === null ? null : toInstant(row.last_used_at),
  }
}
