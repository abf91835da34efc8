import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { dailyExceeded } from "../base/counted.ts"
import { TurnpikeError } from "../base/errors.ts"
import { instantParam } from "../base/time.ts"
import { endKeyTurns } from "../ending/causes.ts"
import type { Procedures } from "../platform/procedures.ts"
import { generateApiKey } from "./api-key.ts"
import { capColumns, setCapsSchema } from "./caps.ts"
import { futureInstant, keyName, readOwner, sendKeyNotice } from "./create-key.ts"
import { type KeyRow, keyNotFound, keyRevoked } from "./key-row.ts"

/** How long a key's former value goes on working when it is rotated, in seconds. */
const ROTATION_POLICY = {
  overlapSeconds: 86_400,
  maxOverlapSeconds: 7 * 86_400,
  /** How many former values may work at once. */
  mostFormer: 10,
} as const

export const updateKeySchema = z
  .strictObject({
    name: keyName.optional(),
    expires_at: instantParam.nullable().optional().meta({ description: "Null: never." }),
    caps: setCapsSchema.optional().meta({ description: "Caps that are left out stay as they are." }),
  })
  .meta({ id: "UpdateApiKey" })

/** Renames a key, sets its expiry or its caps; fields that are left out stay. NOT_FOUND, KEY_REVOKED, VALIDATION_FAILED,
 * QUOTA_EXCEEDED. */
export async function updateKey(
  ctx: Context,
  credential: SessionCredential,
  keyId: string,
  { name, expires_at, caps = {} }: z.output<typeof updateKeySchema>,
): Promise<KeyRow> {
  if (expires_at) futureInstant(expires_at, ctx.clock.now())
  const changes: Partial<KeyRow> = {
    ...(name !== undefined && { name }),
    ...(expires_at !== undefined && { expires_at }),
    ...capColumns(caps),
  }
  const { row } = await callAs(ctx, credential, "update_key", {
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
          "How many seconds the former value goes on working. 0: only the new value works from now on, and values of earlier " +
          "rotations end too.",
      }),
  })
  .meta({ id: "RotateApiKey" })

/**
 * Gives a key a new value; its id, scope and caps stay. Each former value works until its own overlap ends; an overlap of 0 ends
 * them all. NOT_FOUND, KEY_REVOKED, LIMIT_REACHED, REAUTHENTICATION_REQUIRED for a key to all spaces.
 */
export async function rotateKey(
  ctx: Context,
  credential: SessionCredential,
  { keyId, overlapSeconds }: { keyId: string; overlapSeconds: number },
): Promise<{ key: KeyRow; value: string }> {
  const owner = await readOwner(ctx, credential)
  const [live, test] = [generateApiKey(owner.brand, false), generateApiKey(owner.brand, true)]
  const former_until = overlapSeconds > 0 ? new Date(ctx.clock.now().getTime() + overlapSeconds * 1000) : null
  const { row } = await callAs(ctx, credential, "rotate_key", {
    key_id: keyId,
    live_hash: live.hash,
    live_hint: live.hint,
    test_hash: test.hash,
    test_hint: test.hint,
    former_until,
    most_former: ROTATION_POLICY.mostFormer,
  })
  const key = changedOf(keyId, row)
  sendKeyNotice(ctx, owner, key)
  return { key, value: key.test ? test.value : live.value }
}

type Changed = Omit<Procedures["update_key" | "rotate_key"]["row"], "actor">

function changedOf(keyId: string, { key, refused, daily }: Changed): KeyRow {
  if (key) return key
  if (daily) throw dailyExceeded(daily)
  if (refused === "former") throw tooManyFormer()
  throw refused === "revoked" ? keyRevoked() : keyNotFound(keyId)
}

const tooManyFormer = () =>
  new TurnpikeError(
    "LIMIT_REACHED",
    `${ROTATION_POLICY.mostFormer} former values of this key still work. Wait until the overlap of one ends, or rotate with ` +
      "overlap_seconds 0, which ends them all.",
    { param: "overlap_seconds" },
  )

/**
 * Revokes a key for good: its next request is refused. Its queued turns are cancelled (`key_revoked`), its running ones stop at their
 * next boundary; the sweeper ends those that are left. Repeating it gives the same answer. NOT_FOUND.
 */
export async function revokeKey(ctx: Context, credential: SessionCredential, keyId: string): Promise<KeyRow> {
  const { actor, row } = await callAs(ctx, credential, "revoke_key", { key_id: keyId })
  if (!row.key) throw keyNotFound(keyId)
  if (row.ending) await endKeyTurns(ctx, { key_id: keyId, user_id: actor.user_id })
  return row.key
}
