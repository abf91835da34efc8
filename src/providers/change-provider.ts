import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { editAs, type Refusals } from "../actor/edit-as.ts"
import { type PoolContext, publishSoon } from "./capacity.ts"
import { type Pool, type ProviderAccount, type ProviderRow, serializeProvider } from "./provider-row.ts"

/** DisableProviderRequest of docs/contract.md. */
export const disableProviderSchema = z
  .strictObject({
    reason: z
      .string()
      .trim()
      .min(1)
      .max(500)
      .optional()
      .meta({ description: "The reason, for other admins.", example: "Paid until Friday" }),
  })
  .meta({ id: "DisableProviderRequest" })

const REFUSALS: Refusals = {
  not_found: ["NOT_FOUND", "No account has this id."],
  last_healthy: [
    "LAST_HEALTHY_ACCOUNT",
    "This is the last enabled and healthy account of its pool. Add or enable another one first.",
  ],
}

/** The account to change. `pool`: the pool that it must be in; without it, `main` or `alt-pool`. */
interface Change {
  providerId: string
  pool?: Pool
  ifVersion: number | null
}

const serialize = (row: ProviderRow) => serializeProvider(row)

export const DISABLE_PROVIDER_ERRORS = ["NOT_FOUND", "LAST_HEALTHY_ACCOUNT"] as const

/** Disables an account: it gets no calls and no refresh. Throws LAST_HEALTHY_ACCOUNT in the alt-pool. */
export async function disableProvider(
  ctx: PoolContext,
  credential: SessionCredential,
  { providerId, pool, reason, ifVersion }: Change & { reason?: string | undefined },
): Promise<ProviderAccount> {
  const args = { provider_id: providerId, pool: pool ?? null, reason: reason ?? null, if_version: ifVersion }
  const provider = await editAs(ctx, credential, "disable_provider", { args, refusals: REFUSALS, serialize })
  publishSoon(ctx)
  return provider
}

/**
 * Enables an account. If it has a credential, it is called again even after a refused
 * login, suspension or containment.
 */
export async function enableProvider(
  ctx: PoolContext,
  credential: SessionCredential,
  { providerId, pool, ifVersion }: Change,
): Promise<ProviderAccount> {
  const args = { provider_id: providerId, pool: pool ?? null, if_version: ifVersion }
  const provider = await editAs(ctx, credential, "enable_provider", { args, refusals: REFUSALS, serialize })
  publishSoon(ctx)
  return provider
}

/** Removes an account with its credential, and returns it as it was. Its usage stays in every report. */
export async function removeProvider(
  ctx: PoolContext,
  credential: SessionCredential,
  { providerId, ifVersion }: Change,
): Promise<ProviderAccount> {
  const args = { provider_id: providerId, if_version: ifVersion }
  const provider = await editAs(ctx, credential, "remove_provider", { args, refusals: REFUSALS, serialize })
  publishSoon(ctx)
  return provider
}
