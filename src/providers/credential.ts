import type { Context } from "../actor/context.ts"
import type { SealTarget } from "../base/key-ring.ts"

/** What opens an account, as it is sealed. */
export type AccountCredential =
  | { kind: "api_key"; api_key: string }
  | {
      kind: "oauth"
      access_token: string
      refresh_token: string | null
      /** Headers that calls with its tokens need beside them, as the login's configuration says. */
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

/** Throws when it cannot be opened. `stale`: it is sealed under an older key of the ring. */
export async function openCredential(
  { keyRing }: Pick<Context, "keyRing">,
  providerId: string,
  sealed: string,
): Promise<{ credential: AccountCredential; stale: boolean }> {
  const { text, stale } = await keyRing.open(sealed, target(providerId))
  return { credential: JSON.parse(text) as AccountCredential, stale }
}
