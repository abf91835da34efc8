import * as z from "zod"
import { KEY_SCOPES, type KeyScope, type SessionCredential } from "../actor/actor.ts"
import { callOnce, readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import type { Made, Once } from "../actor/once.ts"
import { countReached, dailyExceeded } from "../base/counted.ts"
import { endUserRef } from "../base/end-user-ref.ts"
import { TurnpikeError } from "../base/errors.ts"
import { newId } from "../base/ids.ts"
import { isPlain, PLAIN_FAULT } from "../base/plain-text.ts"
import { instantParam } from "../base/time.ts"
import { released } from "../platform/db.ts"
import { sendEmail } from "../platform/email-hook.ts"
import { setRateSchema, storedRate } from "../quotas/rate.ts"
import { generateApiKey } from "./api-key.ts"
import { capColumns, type SetCaps, setCapsSchema } from "./caps.ts"
import { type KeyRow, keyBeyond } from "./key-row.ts"
import { repeatedValue, secretSources } from "./repeated-value.ts"

export const keyName = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .refine(isPlain, PLAIN_FAULT)
  .meta({ example: "Production server" })

/** The end user of requests that name none. */
export const defaultEndUser = endUserRef.meta({
  description:
    "The end user of requests of `/v1/openai` and `/v1/anthropic` that name none, such as those of chat interfaces. Null: the `key_id`, as the " +
    "`end_user_ref` of the key's own end user.",
  example: "open-webui",
})

/** The rates of a key in requests. */
export const keyRates = {
  rate: setRateSchema.nullable().optional().meta({
    description:
      "How much the key may send in a minute, and at the same time. Null: no limit. A rate that you leave out keeps its value.",
  }),
  end_user_rate: setRateSchema
    .nullable()
    .optional()
    .meta({
      description:
        "The default rate of each of your customers without a rate of their own, when this key sends their turns. Null: " +
        "the account's default.",
    }),
}

/** The columns of the given rates. */
export const rateColumns = ({ rate, end_user_rate }: z.output<z.ZodObject<typeof keyRates>>) => ({
  ...(rate !== undefined && { rate: storedRate(rate) }),
  ...(end_user_rate !== undefined && { end_user_rate: storedRate(end_user_rate) }),
})

export const createKeySchema = z
  .strictObject({
    name: keyName,
    scope: z.enum(KEY_SCOPES).default("created").meta({
      description:
        "`created` (recommended): only spaces that this key creates. `space`: one space. `all`: all your spaces. Default: `created`.",
    }),
    space: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .meta({ description: "The `space_id`. Required for the scope `space`, and not allowed otherwise." }),
    test: z.boolean().default(false).meta({
      description:
        "`true`: a test key. It uses the rehearsal model, costs nothing and can access only test data. Default: false.",
    }),
    expires_at: instantParam
      .nullable()
      .optional()
      .meta({ description: "The time at which the key expires. Null or left out: never." }),
    default_end_user_ref: defaultEndUser.nullable().optional(),
    caps: setCapsSchema.optional().meta({
      description:
        "The spending caps of the key. Default: no caps. With a test key, only the limits of its end users apply, to the rehearsed cost of turns.",
    }),
  })
  .extend(keyRates)
  .refine(({ scope, space }) => (scope === "space") === (space !== undefined), {
    path: ["space"],
    message: "is required with the scope `space`, and not allowed otherwise",
  })
  .meta({ id: "CreateApiKey" })

export type CreateKey = z.output<typeof createKeySchema>

export const CREATE_KEY_ERRORS = ["NOT_FOUND", "LIMIT_REACHED", "QUOTA_EXCEEDED", "IDEMPOTENCY_KEY_REUSED"] as const

/**
 * Creates a key of the caller, and notifies them. A repeat with the same Idempotency-Key returns the same value. Throws
 * NOT_FOUND for the space, VALIDATION_FAILED for a past expiry, LIMIT_REACHED, QUOTA_EXCEEDED, and
 * REAUTHENTICATION_REQUIRED for a key with the scope `all`.
 */
export async function createKey(
  ctx: Context,
  credential: SessionCredential,
  { space, expires_at, caps = {}, rate, end_user_rate, default_end_user_ref: endUser = null, ...input }: CreateKey,
  once?: Once,
): Promise<Made<{ key: KeyRow; value: string }>> {
  const now = ctx.clock.now()
  const expiresAt = expires_at ? futureInstant(expires_at, now) : null
  const owner = await readOwner(ctx, credential)
  const sources = await secretSources(ctx, once, { userId: owner.user_id, purpose: "create-key" })
  const { value, row: made } = newKey(
    { ...input, brand: owner.brand, expiresAt, caps, endUser, rates: { rate, end_user_rate }, bytes: sources?.[0]?.() },
    now,
  )
  const { row, replayOf } = await callOnce(ctx, credential, "create_key", {
    once,
    args: { key: made, space: space ?? null },
  })
  if (replayOf && row.key) {
    const values = (sources ?? []).map((bytes) => generateApiKey(owner.brand, input.test, bytes()))
    return { made: { key: row.key, value: repeatedValue(row.key, values) }, replayed: true }
  }
  if (row.key) {
    sendKeyNotice(ctx, owner, row.key)
    return { made: { key: row.key, value }, replayed: false }
  }
  if (row.refused === "role") throw keyBeyond()
  if (row.reached) throw countReached(row.reached)
  if (row.daily) throw dailyExceeded(row.daily)
  const mode = input.test ? "test" : "live"
  throw new TurnpikeError("NOT_FOUND", `There is no ${mode} space "${space}" of yours.`, { param: "space" })
}

interface Owner {
  user_id: number
  /** The prefix of the values of the owner's keys. */
  brand: string
  email: string | null
}

/** The brand and the email of the caller. */
export async function readOwner(ctx: Context, credential: SessionCredential): Promise<Owner> {
  const { rows } = await readAs(ctx, credential, (db) =>
    db
      .selectFrom("users as u")
      .innerJoin("caller", "caller.user_id", "u.user_id")
      .select("caller.user_id")
      .select("u.brand")
      .select((eb) => eb.fn<string | null>(released("owner_email"), ["u.user_id"]).as("email")),
  )
  return rows[0] ?? { user_id: 0, brand: ctx.brand, email: null }
}

/** Sends the owner an email about a key's new value. */
export function sendKeyNotice(ctx: Context, { email, brand }: Owner, { key_id, name, scope, hint }: KeyRow): void {
  sendEmail(ctx, { kind: "key_created", to: email, brand, data: { key_id, name, scope, hint } })
}

/** The instant. Throws VALIDATION_FAILED if it is not in the future. */
export function futureInstant(text: string, now: Date): Date {
  const instant = new Date(text)
  if (instant > now) return instant
  throw new TurnpikeError("VALIDATION_FAILED", "expires_at: must be in the future", { param: "expires_at" })
}

export interface NewKey {
  brand: string
  name: string
  /** Default: created. */
  scope?: KeyScope
  test?: boolean
  expiresAt?: Date | null
  caps?: SetCaps
  endUser?: string | null
  rates?: z.output<z.ZodObject<typeof keyRates>>
  /** The source of the value's secret. Default: random bytes. */
  bytes?: (() => Uint8Array) | undefined
}

/**
 * A new key's value, and its row of api_keys without owner and space, for `jsonb_populate_record`. All keys are created
 * here. The value is not stored.
 */
export function newKey(
  {
    brand,
    name,
    scope = "created",
    test = false,
    expiresAt = null,
    caps = {},
    endUser = null,
    rates = {},
    bytes,
  }: NewKey,
  now: Date,
) {
  const { value, hash, hint } = generateApiKey(brand, test, bytes)
  const row = {
    key_id: newId("key", now),
    hash: `\\x${hash}`,
    hint,
    name,
    scope,
    test,
    expires_at: expiresAt?.toISOString() ?? null,
    default_end_user_ref: endUser,
    created_at: now.toISOString(),
    ending_turns: false,
    role: "owner",
    ...capColumns(caps),
    ...rateColumns(rates),
  } satisfies Partial<KeyRow> & { hash: string; ending_turns: boolean }
  return { value, row }
}
