import { decodeJwt } from "jose"

/**
 * Returns the claims of a JWT, or {} for any other token. The token came from its issuer directly,
 * so its signature is not checked.
 */
export function claimsOf(token: unknown): Record<string, unknown> {
  try {
    return typeof token === "string" ? decodeJwt(token) : {}
  } catch {
    return {}
  }
}
