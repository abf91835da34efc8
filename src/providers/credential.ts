import type { Context } from "../actor/context.ts"
import type { SealTarget } from "../base/key-ring.ts"

/** The credential of an account, as it is sealed. */
export type AccountCredential =
  | { kind: "api_key"; api_key: string }
  | {
      kind: "oauth"
      access_token: string
      refresh_token: string | null
      /** Further headers for calls with these tokens, from the login's configuration. */
      headers: Record<string, string>
    }

const target = (providerId: string): SealTarget => ({
  table: "provider_credentials",
  column: "sealed",
  row: providerId,
  owner: "operator",
})

export function sealCredential(
  { keyRing }: Pick<Context, "keyRing">,
  providerId: string,
  credential: AccountCredential,
): Promise<string> {
  return keyRing.seal(JSON.stringify(credential), target(providerId))
}

/** Throws if it cannot be opened. `stale`: it was sealed with an older key of the ring. */
export async function openCredential(
  { keyRing }: Pick<Context, "keyRing">,
  providerId: string,
  sealed: string,
): Promise<{ credential: AccountCredential; stale: boolean }> {
  const { text, stale } = await keyRing.open(sealed, target(providerId))
  return { credential: JSON.parse(text) as AccountCredential, stale }
}
