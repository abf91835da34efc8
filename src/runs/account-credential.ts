import { ModelError } from "../agent/engine.ts"
import { TurnpikeError } from "../base/errors.ts"
import { noteError } from "../infrastructure/errors.ts"
import { describeError } from "../platform/log.ts"
import { coolsMeanwhile, noteAccount } from "../providers/cooling.ts"
import { PROVIDER_POLICY } from "../providers/policies.ts"
import type { CallFault } from "../providers/reactions.ts"
import { type CallCredential, freshCredential, ProviderUnusable } from "../providers/refresh.ts"
import type { KnownAccount } from "./route.ts"
import type { Run } from "./run.ts"

interface NoCredential {
  fault: "needs_login" | "contained" | "no_credential"
}

/**
 * Returns the credential of a call. `after401`: the provider has just refused this version. The version must belong
 * to the sealed text that was read with it, because a refresh token must never be sent twice. Without a credential
 * the account is dropped; it cools for a minute if the reason may pass by itself.
 */
export async function callCredentialOf(
  run: Run,
  account: KnownAccount,
  { after401 }: { after401: boolean },
): Promise<CallCredential | NoCredential> {
  const { ctx, route, alive } = run
  try {
    return await alive.during(() => freshCredential(ctx, account, { after401 }))
  } catch (error) {
    if (error instanceof TurnpikeError) throw error
    const health = error instanceof ProviderUnusable ? error.health : null
    const fault = health ?? "no_credential"
    const told = new ModelError("unavailable", "The account has no credential to call with.")
    if (!(error instanceof ProviderUnusable)) {
      ctx.log("error", "provider.unreadable", { provider_id: account.provider_id, error: describeError(error) })
    }
    if (!after401) noteFailure(run, account, fault, told)
    route.drop([account.provider_id])
    // If many calls wait for the same refresh, only one of them notes its failure.
    if (health !== "contained" && !coolsMeanwhile(ctx, account.provider_id, account.readAt)) {
      const coolUntil = health === null ? new Date(run.time.now + PROVIDER_POLICY.coolAgainMs) : null
      await noteAccount(ctx, account, { coolUntil, health, reason: fault, windows: [] })
    }
    return { fault }
  }
}

/** Writes a failed try to the log and to the list of failures. Messages of ModelErrors contain no keys. */
export function noteFailure(
  run: Run,
  { provider_id, engine }: KnownAccount,
  code: CallFault | NoCredential["fault"],
  error: ModelError,
) {
  const { ctx, turn } = run
  const { status, message } = error
  ctx.log("error", "provider.failed", { turn_id: turn.turn_id, provider_id, engine, code, status, error: message })
  noteError(ctx, turn, { kind: "model_call", name: provider_id, code, details: error.details, said: error.whole })
}
