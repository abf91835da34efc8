import { decodeJwt } from "jose"

/** The claims of a token that is a JWT; none for any other. It came from its issuer itself, so its signature says nothing more. */
export function claimsOf(token: unknown): Record<string, unknown> {
  try {
    return typeof token === "string" ? decodeJwt(token) : {}
  } catch {
    return {}
  }
}
