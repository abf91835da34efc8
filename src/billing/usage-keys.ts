import * as z from "zod"
import type { Credential } from "../actor/actor.ts"
import { callAs, readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import { metadataKey } from "../base/metadata.ts"
import { USAGE_KEY_POLICY } from "./policies.ts"

export const putUsageKeysSchema = z
  .strictObject({
    keys: z
      .array(metadataKey)
      .max(USAGE_KEY_POLICY.mostKeys)
      .refine((keys) => new Set(keys).size === keys.length, "must not repeat a key")
      .meta({
        description: `At most ${USAGE_KEY_POLICY.mostKeys} keys. A report shows the ${USAGE_KEY_POLICY.mostValues} values that were billed most, and all others as \`(other)\`.`,
        example: ["feature", "plan"],
      }),
  })
  .meta({ id: "PutUsageKeys", description: "Replaces all registered keys." })

export const usageKeysSchema = z
  .object({ keys: z.array(z.string()).meta({ description: "The registered keys.", example: ["feature", "plan"] }) })
  .meta({ id: "UsageKeys" })

export type UsageKeys = z.infer<typeof usageKeysSchema>

/** The registered keys of the caller's account. */
export async function getUsageKeys(ctx: Context, credential: Credential): Promise<UsageKeys> {
  const { rows } = await readAs(ctx, credential, (db) =>
    db.selectFrom("caller").innerJoin("wallets as w", "w.user_id", "caller.user_id").select("w.usage_keys as keys"),
  )
  return { keys: (rows[0]?.keys ?? []) as string[] }
}

/** Replaces the registered keys. Throws SCOPE_DENIED. */
export async function putUsageKeys(ctx: Context, credential: Credential, keys: string[]): Promise<UsageKeys> {
  const { row } = await callAs(ctx, credential, "put_usage_keys", { keys })
  if (row.refused)
    throw new TurnpikeError("SCOPE_DENIED", "Registering keys of metadata needs a live key with the scope `all`.")
  return { keys }
}

/** Throws VALIDATION_FAILED for a key that is not registered. */
export async function requireUsageKey(ctx: Context, credential: Credential, key: string): Promise<void> {
  const { keys } = await getUsageKeys(ctx, credential)
  if (keys.includes(key)) return
  const known = keys.length > 0 ? ` Registered: ${keys.join(", ")}.` : ""
  throw new TurnpikeError(
    "VALIDATION_FAILED",
    `group_by: register the key "${key}" with PUT /v1/usage-keys first.${known}`,
    {
      param: "group_by",
    },
  )
}
