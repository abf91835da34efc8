// Checks signed documents with node:crypto alone.
import { createHash, createPublicKey, type JsonWebKey, type KeyObject, verify } from "node:crypto"

export interface Call {
  lines: { quantity: number; unit_price_usd: string; per: number }[]
  computed_usd: string
  waived_usd: string
  waived_for: string | null
  amount_usd: string
}

export interface Signed {
  // biome-ignore lint/suspicious/noExplicitAny: a document of any kind
  document: any
  digest: string
  signature: string
}

/** Amounts have 7 decimals, so they are whole numbers of ten-millionths. */
export const micros = (usd: string) => BigInt(usd.replace(".", ""))

export function decimal(value: bigint) {
  const digits = String(value < 0n ? -value : value).padStart(8, "0")
  return `${value < 0n ? "-" : ""}${digits.slice(0, -7)}.${digits.slice(-7)}`
}

/** The sum of a call's lines, rounded up once. */
export function computed({ lines }: Call): bigint {
  const scale = 1_000_000n
  let sum = 0n
  for (const { quantity, unit_price_usd, per } of lines) {
    sum += BigInt(quantity) * micros(unit_price_usd) * (scale / BigInt(per))
  }
  return (sum + scale - 1n) / scale
}

/** RFC 8785. These documents have only texts, whole numbers, booleans and null. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`
  if (value === null || typeof value !== "object") return JSON.stringify(value)
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([name, item]) => `${JSON.stringify(name)}:${canonical(item)}`).join(",")}}`
}

/** SHA-256 of a text, or of digests one after the other, in hex. */
export const digestOf = (text: string) => createHash("sha256").update(text).digest("hex")
export const digestOfAll = (digests: string[]) =>
  createHash("sha256")
    .update(Buffer.from(digests.join(""), "hex"))
    .digest("hex")
export const NO_DIGEST = "0".repeat(64)

const keys = new Map<string, KeyObject>()

/** Learns the published keys that sign receipts. Keys of other purposes must not verify one. */
export function learnKeys(jwks: { keys: (JsonWebKey & { kid: string; purpose: string })[] }) {
  for (const jwk of jwks.keys)
    if (jwk.purpose === "receipts") keys.set(jwk.kid, createPublicKey({ key: jwk, format: "jwk" }))
}

/** True if the digest is that of the document, and a published key has signed it. */
export function isSigned({ document, digest, signature }: Signed): boolean {
  const payload = canonical(document)
  const [header = "", detached, sign = ""] = signature.split(".")
  const { alg, kid } = JSON.parse(Buffer.from(header, "base64url").toString())
  const key = keys.get(kid)
  if (digestOf(payload) !== digest || detached !== "" || alg !== "EdDSA" || !key) return false
  const input = Buffer.from(`${header}.${Buffer.from(payload).toString("base64url")}`)
  return verify(null, input, key, Buffer.from(sign, "base64url"))
}
