import { expressionBuilder } from "kysely"
import * as z from "zod"
import { TurnpikeError } from "../base/errors.ts"
import { toInstant } from "../base/time.ts"
import type { DB } from "../platform/db-types.ts"
import type { Answers } from "../platform/procedures.ts"
import { capStateSchema } from "../quotas/cap-state.ts"
import { capsSchema, serializeCaps } from "./caps.ts"

export const KEY_SCOPES = ["created", "space", "all"] as const

/** The columns of a key `k` that may be shown. */
export const keyColumns = [
  "k.key_id",
  "k.name",
  "k.scope",
  "k.test",
  "k.hint",
  "k.created_at",
  "k.expires_at",
  "k.last_used_at",
  "k.revoked_at",
  "k.previous_expires_at",
  "k.daily_credit_micros",
  "k.end_user_daily_credit_micros",
  "k.end_user_monthly_credit_micros",
  "k.window_credit_micros",
  "k.window_seconds",
] as const

/** The slug of its space, as the column `space`. */
export const keySpace = expressionBuilder<DB & { k: DB["api_keys"] }, "k">()
  .selectFrom("spaces as s")
  .select("s.slug")
  .whereRef("s.space_id", "=", "k.space_id")
  .as("space")

/** What is shown of a key, as procedures answer it and as queries read it. */
export type KeyRow = Pick<Answers["key_answer"], KeyColumn | "space">

type KeyColumn = (typeof keyColumns)[number] extends `k.${infer Column}` ? Column : never

const instant = z.iso.datetime()

export const keySchema = z
  .object({
    key_id: z.string().meta({ example: "key_01jd3k9m2x4t8r5w6y7z0a1b2c" }),
    name: z.string().meta({ example: "Production server" }),
    scope: z.enum(KEY_SCOPES).meta({
      description:
        "`created`: only spaces that this key creates. `space`: one space. `all`: all spaces of the account.",
    }),
    space: z.string().nullable().meta({ description: "The one space of a key with the scope `space`." }),
    test: z.boolean(),
    hint: z
      .string()
      .meta({ description: "The beginning and the end of its value.", example: "turnpike_live_4fQz…x81B" }),
    caps: capsSchema,
    created_at: instant,
    expires_at: instant.nullable(),
    last_used_at: instant.nullable().meta({ description: "Accurate to a minute." }),
    revoked_at: instant.nullable(),
    previous_expires_at: instant
      .nullable()
      .meta({ description: "When the last value from before a rotation stops, or stopped, working." }),
  })
  .meta({ id: "ApiKey" })

/** A key with what its caps have left. */
export const keyWithCapsSchema = keySchema
  .extend({
    cap_states: z.array(capStateSchema).meta({
      description:
        "The key's daily cap and its window's cap, with what is spent now. Only caps that are set; a test " +
        "key has none.",
    }),
  })
  .meta({ id: "ApiKeyWithCaps" })

/** A key with the value that it was just given. */
export const newKeySchema = keySchema
  .extend({ value: z.string().meta({ description: "The key's value. It is shown only here and stored nowhere." }) })
  .meta({ id: "NewApiKey" })

export function serializeKey(row: KeyRow): z.infer<typeof keySchema> {
  return {
    key_id: row.key_id,
    name: row.name,
    scope: row.scope as (typeof KEY_SCOPES)[number],
    space: row.space,
    test: row.test,
    hint: row.hint,
    caps: serializeCaps(row),
    created_at: toInstant(row.created_at),
    expires_at: toInstant(row.expires_at),
    last_used_at: toInstant(row.last_used_at),
    revoked_at: toInstant(row.revoked_at),
    previous_expires_at: toInstant(row.previous_expires_at),
  }
}

export const keyNotFound = (keyId: string) => new TurnpikeError("NOT_FOUND", `There is no API key "${keyId}" of yours.`)

export const keyRevoked = () => new TurnpikeError("KEY_REVOKED", "This API key was revoked: create a new one.")
