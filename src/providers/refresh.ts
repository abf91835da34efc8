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

/** What a call sends for an account. */
export async function freshCredential(ctx: Context, account: SealedCredential): Promise<CallCredential> {
  const { credential } = await openCredential(ctx, account.provider_id, account.sealed)
  const { credential_version } = account
  if (credential.kind === "api_key") {
    return { kind: "api_key", secret: credential.api_key, headers: {}, credential_version }
  }
  return { kind: "bearer", secret: credential.access_token, headers: credential.headers, credential_version }
}
