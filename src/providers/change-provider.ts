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
      .meta({ description: "For other admins.", example: "Paid until Friday" }),
  })
  .meta({ id: "DisableProviderRequest" })

const REFUSALS: Refusals = {
  not_found: ["NOT_FOUND", "There is no account with this id."],
  last_healthy: ["LAST_HEALTHY_ACCOUNT", "It is the last account of its pool that is enabled and healthy."],
}

/** An account to change. `pool`: it must belong to it; else it may be of either. */
interface Change {
  providerId: string
  pool?: Pool
  ifVersion: number | null
}

const serialize = (row: ProviderRow) => serializeProvider(row)

/** Disables an account: it is neither routed to nor refreshed. LAST_HEALTHY_ACCOUNT in the alt-pool. */
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

/** Enables an account. One that needed a login, was suspended or was contained is tried again, if it has a credential. */
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

/** Removes an account with its credential; what it served stays in every report. */
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
