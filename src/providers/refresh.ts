import type { Context } from "../actor/context.ts"
import { openCredential } from "./credential.ts"

/** An account's credential as a statement has just read it. */
export interface SealedCredential {
  provider_id: string
  sealed: string
  /** When the access token ends; null: never, or not known. */
  expires_at: string | null
  credential_version: number
}

/** What a call sends: an API key, or a bearer token with the headers that belong to it. */
export interface CallCredential {
  kind: "api_key" | "bearer"
  secret: string
  headers: Record<string, string>
  credential_version: number
}

/** An account has no credential to call with. `health`: what it is noted as; null: it may have one again soon. */
export class ProviderUnusable extends Error {
  readonly health: "needs_login" | "contained" | null

  constructor(message: string, health: ProviderUnusable["health"]) {
    super(message)
    this.name = "ProviderUnusable"
    this.health = health
  }
}

/** What a call sends for an account. `after401`: its provider has refused the credential of this version. Throws ProviderUnusable. */
export async function freshCredential(
  ctx: Context,
  account: SealedCredential,
  { after401 = false }: { after401?: boolean } = {},
): Promise<CallCredential> {
  const { credential } = await openCredential(ctx, account.provider_id, account.sealed)
  const { credential_version } = account
  if (after401) throw new ProviderUnusable("Its credential was refused.", "needs_login")
  if (credential.kind === "api_key") {
    return { kind: "api_key", secret: credential.api_key, headers: {}, credential_version }
  }
  return { kind: "bearer", secret: credential.access_token, headers: credential.headers, credential_version }
}
