import * as z from "zod"
import { LOGIN_POOLS } from "../base/provider-logins.ts"
import { toInstant } from "../base/time.ts"
import { REAL_ENGINES } from "../base/words.ts"
import type { Answers } from "../platform/procedures.ts"
import { ACCOUNT_HEALTH, ACCOUNT_KINDS } from "./account.ts"

export const providerId = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,63}$/)
  .refine((id) => id !== "media" && !/^alt-[0-9a-f]{12}$/.test(id), "is reserved")

/** An account as the answer to an add or a login. It never includes the credential. */
export const savedProviderSchema = z
  .object({
    provider_id: z
      .string()
      .meta({ description: "The account's id. Usage reports name it `subscription_id`.", example: "team-ada" }),
    pool: z.enum(LOGIN_POOLS).meta({ example: "main" }),
    name: z.string().meta({ example: "Team of Ada" }),
    kind: z.enum(ACCOUNT_KINDS).meta({ example: "oauth_code" }),
    engine: z.enum(REAL_ENGINES).meta({ example: "anthropic" }),
    base_url: z
      .string()
      .nullable()
      .meta({ description: "The URL that calls go to. Null: the engine's own URL.", example: null }),
    external_id: z.string().nullable().meta({
      description:
        "The account's id at its provider. Another login with this id renews the account. Null for an API key.",
      example: "acc_7f3a",
    }),
    disabled: z.boolean().meta({ example: false }),
    health: z.enum(ACCOUNT_HEALTH).meta({
      description:
        "`needs_login`: its credential was refused for good. `contained`: a refreshed credential may have been lost; enable the account " +
        "or log in to it again.",
      example: "healthy",
    }),
    expires_at: z.iso
      .datetime()
      .nullable()
      .meta({ description: "When the access token expires. Null: never, or not known." }),
    version: z.int().meta({ description: "The version of the account. Each change increments it." }),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    updated_by: z
      .object({ user_id: z.int(), name: z.string().nullable().meta({ example: "Ada" }) })
      .nullable()
      .meta({ description: "The user who last changed it. Null: the command line." }),
  })
  .meta({ id: "SavedProvider" })

export type SavedProvider = z.infer<typeof savedProviderSchema>

/** The row that procedures return. */
export type SavedProviderRow = Answers["saved_provider"] & Pick<SavedProvider, "pool" | "kind" | "engine" | "health">

export function serializeSaved(row: SavedProviderRow): SavedProvider {
  return {
    provider_id: row.provider_id,
    pool: row.pool,
    name: row.name,
    kind: row.kind,
    engine: row.engine,
    base_url: row.base_url,
    external_id: row.external_id,
    disabled: row.disabled_at !== null,
    health: row.health,
    expires_at: toInstant(row.expires_at),
    version: row.version,
    created_at: toInstant(row.created_at),
    updated_at: toInstant(row.updated_at),
    updated_by: row.updated_by === null ? null : { user_id: row.updated_by, name: row.updated_by_name },
  }
}
