import { createHash, createHmac, randomUUID } from "node:crypto"

const HEADER = base64url(JSON.stringify({ alg: "HS256", typ: "JWT" }))
const LIFETIME_SECONDS = 300

interface SignatureInput {
  key: string
  url: string
  body: Buffer
  nowMs: number
}

/** The Upstash-Signature of one attempt: a JWT over the destination and the exact bytes of the body. */
export function signDelivery({ key, url, body, nowMs }: SignatureInput): string {
  const issuedAt = Math.floor(nowMs / 1000)
  const payload = base64url(
    JSON.stringify({
      iss: "Upstash",
      sub: url,
      exp: issuedAt + LIFETIME_SECONDS,
      nbf: issuedAt,
      iat: issuedAt,
      jti: `jwt_${randomUUID().replaceAll("-", "")}`,
      // The real service pads this claim, and verifiers strip the padding.
      body: `${createHash("sha256").update(body).digest("base64url")}=`,
    }),
  )
  const signature = createHmac("sha256", key).update(`${HEADER}.${payload}`).digest("base64url")
  return `${HEADER}.${payload}.${signature}`
}

export function newSigningKey(): string {
  return `sig_${randomUUID().replaceAll("-", "").slice(0, 28)}`
}

function base64url(text: string): string {
  return Buffer.from(text).toString("base64url")
}
