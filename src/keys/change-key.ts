import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { callAs, callFreeing, callOnce } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import type { Made, Once } from "../actor/once.ts"
import { dailyExceeded } from "../base/counted.ts"
import { TurnpikeError } from "../base/errors.ts"
import { instantParam } from "../base/time.ts"
import { endKeyTurns } from "../ending/causes.ts"
import type { Procedures } from "../platform/procedures.ts"
import { generateApiKey } from "./api-key.ts"
import { capColumns, setCapsSchema } from "./caps.ts"
import {
  defaultEndUser,
  futureInstant,
  keyName,
  keyRates,
  rateColumns,
  readOwner,
  sendKeyNotice,
} from "./create-key.ts"
import { type KeyRow, keyBeyond, keyNotFound, keyRevoked } from "./key-row.ts"
import { repeatedValue, secretSources } from "./repeated-value.ts"

/** How long a key's old value works after a rotation, in seconds. */
const ROTATION_POLICY = {
  overlapSeconds: 86_400,
  maxOverlapSeconds: 7 * 86_400,
  /** The number of old values that can work at the same time. */
  mostFormer: 10,
} as const

export const updateKeySchema = z
  .strictObject({
    name: keyName.optional(),
    expires_at: instantParam
      .nullable()
      .optional()
      .meta({ description: "The time at which the key expires. Null: never." }),
    default_end_user_ref: defaultEndUser.nullable().optional(),
    caps: setCapsSchema.optional().meta({ description: "Caps that you leave out keep their values." }),
  })
  .extend(keyRates)
  .meta({ id: "UpdateApiKey" })

export const UPDATE_KEY_ERRORS = ["NOT_FOUND", "KEY_REVOKED", "QUOTA_EXCEEDED"] as const

/**
 * Changes a key's name, expiry, default end user, caps or rates. Throws NOT_FOUND, KEY_REVOKED, VALIDATION_FAILED,
 * QUOTA_EXCEEDED, REAUTHENTICATION_REQUIRED.
 */
export async function updateKey(
  ctx: Context,
  credential: SessionCredential,
  keyId: string,
  { name, expires_at, default_end_user_ref, caps = {}, ...rates }: z.output<typeof updateKeySchema>,
): Promise<KeyRow> {
  if (expires_at) futureInstant(expires_at, ctx.clock.now())
  const changes: Partial<KeyRow> = {
    ...(name !== undefined && { name }),
    ...(expires_at !== undefined && { expires_at }),
    ...(default_end_user_ref !== undefined && { default_end_user_ref }),
    ...capColumns(caps),
    ...rateColumns(rates),
  }
  const { row } = await callFreeing(ctx, credential, "update_key", {
    key_id: keyId,
    changes,
  })
  return changedOf(keyId, row)
}

export const rotateKeySchema = z
  .strictObject({
    overlap_seconds: z
      .int()
      .min(0)
      .max(ROTATION_POLICY.maxOverlapSeconds)
      .default(ROTATION_POLICY.overlapSeconds)
      .meta({
        description:
          "The time in seconds for which the old value still works. 0: only the new value works from now on, and the values of earlier " +
          "rotations end too.",
      }),
  })
  .meta({ id: "RotateApiKey" })

export const ROTATE_KEY_ERRORS = [
  "NOT_FOUND",
  "KEY_REVOKED",
  "LIMIT_REACHED",
  "QUOTA_EXCEEDED",
  "IDEMPOTENCY_KEY_REUSED",
] as const

/**
 * Gives a key a new value. Each old value works until its own overlap ends, and an overlap of 0 ends them all. A
 * repeat with the same Idempotency-Key returns the same value. Throws
 * NOT_FOUND, KEY_REVOKED, LIMIT_REACHED, QUOTA_EXCEEDED, and REAUTHENTICATION_REQUIRED for a key with the scope `all`.
 */
export async function rotateKey(
  ctx: Context,
  credential: SessionCredential,
  { keyId, overlapSeconds }: { keyId: string; overlapSeconds: number },
  once?: Once,
): Promise<Made<{ key: KeyRow; value: string }>> {
  const owner = await readOwner(ctx, credential)
  const sources = await secretSources(ctx, once, { userId: owner.user_id, purpose: "rotate-key" })
  const [live, test] = [false, true].map((test) => generateApiKey(owner.brand, test, sources?.[0]?.())) as [
    Value,
    Value,
  ]
  const former_until = overlapSeconds > 0 ? new Date(ctx.clock.now().getTime() + overlapSeconds * 1000) : null
  const { row, replayOf } = await callOnce(ctx, credential, "rotate_key", {
    once,
    args: {
      key_id: keyId,
      live_hash: live.hash,
      live_hint: live.hint,
      test_hash: test.hash,
      test_hint: test.hint,
      former_until,
      most_former: ROTATION_POLICY.mostFormer,
    },
  })
  const key = changedOf(keyId, row)
  if (replayOf) {
    const values = (sources ?? []).map((bytes) => generateApiKey(owner.brand, key.test, bytes()))
    return { made: { key, value: repeatedValue(key, values) }, replayed: true }
  }
  sendKeyNotice(ctx, owner, key)
  return { made: { key, value: key.test ? test.value : live.value }, replayed: false }
}

type Value = ReturnType<typeof generateApiKey>

type Changed = Omit<Procedures["update_key" | "rotate_key"]["row"], "actor">

function changedOf(keyId: string, { key, refused, daily }: Changed): KeyRow {
  if (key) return key
  if (daily) throw dailyExceeded(daily)
  if (refused === "former") throw tooManyFormer()
  if (refused === "role") throw keyBeyond()
  throw refused === "revoked" ? keyRevoked() : keyNotFound(keyId)
}

const tooManyFormer = () =>
  new TurnpikeError(
    "LIMIT_REACHED",
    `${ROTATION_POLICY.mostFormer} old values of this key still work. Wait until one of them expires, or rotate with ` +
      "overlap_seconds 0, which ends them all.",
    { param: "overlap_seconds" },
  )

/**
 * Revokes a key permanently and starts to end its open turns; the sweeper ends the rest. Can be repeated. Throws
 * NOT_FOUND.
 */
export async function revokeKey(ctx: Context, credential: SessionCredential, keyId: string): Promise<KeyRow> {
  const { actor, row } = await callAs(ctx, credential, "revoke_key", { key_id: keyId })
  if (!row.key) throw keyNotFound(keyId)
  if (row.ending) await endKeyTurns(ctx, { key_id: keyId, user_id: actor.user_id })
  return row.key
}
