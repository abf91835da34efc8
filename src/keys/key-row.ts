import { expressionBuilder } from "kysely"
import * as z from "zod"
import { KEY_SCOPES, roleRequired } from "../actor/actor.ts"
import { TurnpikeError } from "../base/errors.ts"
import type { MemberRole } from "../base/member-roles.ts"
import { toInstant } from "../base/time.ts"
import type { DB } from "../platform/db-types.ts"
import type { Answers } from "../platform/procedures.ts"
import { capStateSchema } from "../quotas/cap-state.ts"
import { rateSchema, rateStateSchema, serializeRate } from "../quotas/rate.ts"
import { capsSchema, serializeCaps } from "./caps.ts"

/** The columns of a key `k` that can be returned. */
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
  "k.monthly_credit_micros",
  "k.end_user_daily_credit_micros",
  "k.end_user_monthly_credit_micros",
  "k.window_credit_micros",
  "k.window_seconds",
  "k.default_end_user_ref",
  "k.rate",
  "k.end_user_rate",
  "k.role",
] as const

/** The slug of the key's space, as the column `space`. */
export const keySpace = expressionBuilder<DB & { k: DB["api_keys"] }, "k">()
  .selectFrom("spaces as s")
  .select("s.slug")
  .whereRef("s.space_id", "=", "k.space_id")
  .as("space")

/** The public columns of a key, from procedures and from queries. */
export type KeyRow = Pick<Answers["key_answer"], KeyColumn | "space">

type KeyColumn = (typeof keyColumns)[number] extends `k.${infer Column}` ? Column : never

const KEY_ROLES = ["owner", "developer"] as const satisfies MemberRole[]

const instant = z.iso.datetime()

export const keySchema = z
  .object({
    key_id: z.string().meta({ example: "key_01jd3k9m2x4t8r5w6y7z0a1b2c" }),
    name: z.string().meta({ example: "Production server" }),
    scope: z.enum(KEY_SCOPES).meta({
      description:
        "`created`: only spaces that this key creates. `space`: one space. `all`: all spaces of the account.",
    }),
    space: z.string().nullable().meta({ description: "The space of a key with the scope `space`; otherwise null." }),
    test: z.boolean(),
    role: z.enum(KEY_ROLES).meta({
      description:
        "`owner`: the key may do everything that its scope allows. `developer`: a developer of the account made it, so " +
        "it changes no prices, wallets and limits, and erases no customers.",
    }),
    hint: z.string().meta({
      description: "The first and the last characters of the key's value.",
      example: "turnpike_live_4fQz…x81B",
    }),
    caps: capsSchema,
    default_end_user_ref: z
      .string()
      .nullable()
      .meta({
        description:
          "The end user of requests of `/v1/openai` and `/v1/anthropic` that name none, such as those of chat interfaces. Null: the `key_id`, as the " +
          "`end_user_ref` of its own end user.",
        example: null,
      }),
    rate: rateSchema.nullable().meta({
      description: "How much the key may send in a minute, and at the same time. Null: no limit.",
    }),
    end_user_rate: rateSchema.nullable().meta({
      description:
        "The default rate of each of your customers without a rate of their own, when this key sends their turns. Null: " +
        "the account's default.",
    }),
    created_at: instant,
    expires_at: instant.nullable(),
    last_used_at: instant
      .nullable()
      .meta({ description: "The time of the last request with the key, accurate to a minute; null: never used." }),
    revoked_at: instant.nullable(),
    previous_expires_at: instant.nullable().meta({
      description: "The time at which the last old value stops or stopped working; null: the key was never rotated.",
    }),
  })
  .meta({ id: "ApiKey" })

/** A key with the state of its caps. */
export const keyWithCapsSchema = keySchema
  .extend({
    cap_states: z.array(capStateSchema).meta({
      description:
        "The key's daily, monthly and window cap, with the amount spent. Only caps that are set are listed. A test " +
        "key has none.",
    }),
    rate_states: z.array(rateStateSchema).meta({ description: "The limits of the key's rate, with their use." }),
  })
  .meta({ id: "ApiKeyWithCaps" })

/** A key with its new value. */
export const newKeySchema = keySchema
  .extend({
    value: z
      .string()
      .meta({ description: "The key's value. Only this response contains it, and the service does not store it." }),
  })
  .meta({ id: "NewApiKey" })

export function serializeKey(row: KeyRow): z.infer<typeof keySchema> {
  return {
    key_id: row.key_id,
    name: row.name,
    scope: row.scope as (typeof KEY_SCOPES)[number],
    space: row.space,
    test: row.test,
    role: row.role as (typeof KEY_ROLES)[number],
    hint: row.hint,
    caps: serializeCaps(row),
    default_end_user_ref: row.default_end_user_ref,
    rate: serializeRate(row.rate),
    end_user_rate: serializeRate(row.end_user_rate),
    created_at: toInstant(row.created_at),
    expires_at: toInstant(row.expires_at),
    last_used_at: toInstant(row.last_used_at),
    revoked_at: toInstant(row.revoked_at),
    previous_expires_at: toInstant(row.previous_expires_at),
  }
}

/** The error of a caller who may not change a key, or learn its value, because it has more rights than the caller. */
export const keyBeyond = () => roleRequired("developer", "own")

export const keyNotFound = (keyId: string) => new TurnpikeError("NOT_FOUND", `There is no API key "${keyId}" of yours.`)

export const keyRevoked = () => new TurnpikeError("KEY_REVOKED", "This API key was revoked. Create a new one.")
