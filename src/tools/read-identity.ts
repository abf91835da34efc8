import { createLocalJWKSet, decodeJwt, type JWTPayload, jwtVerify } from "jose"
import type { Context } from "../actor/context.ts"
import { listSigningKeys } from "../signing/signing-keys.ts"
import { IDENTITY_HEADER, IDENTITY_TYPE } from "./identity.ts"

/** The claims that a server reads from the identity of a request, and whether a published key confirms them. */
export async function readIdentity(
  { db, clock, site }: Pick<Context, "db" | "clock" | "site">,
  { url, headers }: { url: string; headers: Record<string, string> },
): Promise<{ valid: boolean; claims: JWTPayload } | null> {
  const token = headers[IDENTITY_HEADER]
  if (token === undefined) return null
  const keys = createLocalJWKSet({ keys: await listSigningKeys({ db }) })
  const expected = { issuer: site.origin, audience: new URL(url).origin, typ: IDENTITY_TYPE, currentDate: clock.now() }
  return jwtVerify(token, keys, expected).then(
    ({ payload: claims }) => ({ valid: true, claims }),
    () => ({ valid: false, claims: decodeJwt(token) }),
  )
}
