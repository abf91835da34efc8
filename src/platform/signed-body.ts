import { errors, jwtVerify } from "jose"

export const CLOCK_TOLERANCE_SECONDS = 5

interface SignedToken {
  token: string
  /** The expected issuer, and its possible keys. The first matching key counts. */
  issuer: string
  keys: Uint8Array[]
  /** The exact URL that was signed. */
  url: string
  now: Date
}

/**
 * Verifies a token that binds a body to a URL, in QStash's format: HS256, issuer, subject = URL,
 * valid at `now`. Returns the body's base64url SHA-256 (claim `body`), and the token's id, if any.
 * Throws an Error with the reason.
 */
export async function verifyToken({
  token,
  issuer,
  keys,
  url,
  now,
}: SignedToken): Promise<{ digest: string; id: string | undefined }> {
  const claims = await firstThatFits(keys, async (key) => {
    const { payload } = await jwtVerify(token, key, {
      algorithms: ["HS256"],
      issuer,
      subject: url,
      currentDate: now,
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      requiredClaims: ["exp", "nbf", "body"],
    })
    return payload
  })
  return { digest: String(claims.body).replace(/=+$/, ""), id: claims.jti }
}

/** SHA-256 of a body, in base64url without padding. */
export async function bodyDigest(body: ArrayBuffer | Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", body))
  return btoa(String.fromCharCode(...digest))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "")
}

/** The result of `verify` with the first key whose signature matches. Throws an Error with the reason. */
export async function firstThatFits<T>(keys: Uint8Array[], verify: (key: Uint8Array) => Promise<T>): Promise<T> {
  let wrong: unknown
  for (const key of keys) {
    try {
      return await verify(key)
    } catch (error) {
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) {
        throw new Error("The token is not valid here.", { cause: error })
      }
      wrong = error
    }
  }
  throw new Error("The signature is wrong.", { cause: wrong })
}
