// Checks the receipt of an end user with the platform's own crypto. It shares no code with the example that checks the
// side of the seller.

interface SignedDocument {
  // biome-ignore lint/suspicious/noExplicitAny: a document as JSON
  document: any
  digest: string
  signature: string
}

interface Jwks {
  keys: (JsonWebKey & { kid?: string; purpose?: string })[]
}

/** Amounts as whole numbers of the last of `decimals` places. */
const whole = (text: string, decimals: number): bigint => {
  const [units = "0", fraction = ""] = text.split(".")
  return BigInt(units + fraction.padEnd(decimals, "0"))
}

const MODES: Record<string, (value: bigint, step: bigint) => bigint> = {
  down: (value, step) => value - (value % step),
  up: (value, step) => value + ((step - (value % step)) % step),
  nearest: (value, step) => value + step / 2n - ((value + step / 2n) % step),
}

/** RFC 8785 for documents without fractions: sorted names, no spaces. */
const sorted = (_name: string, value: unknown) =>
  value !== null && typeof value === "object" && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
    : value

const bytesOf = (base64url: string) =>
  Uint8Array.from(atob(base64url.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0))

/** Everything that is wrong with a receipt; an empty list for a receipt that is right. */
export async function faultsOf({ document, digest, signature }: SignedDocument, jwks: Jwks): Promise<string[]> {
  const faults: string[] = []
  const sum = document.components.reduce(
    (total: bigint, { amount_usd }: { amount_usd: string }) => total + whole(amount_usd, 13),
    0n,
  )
  if (sum !== whole(document.exact_usd, 13)) faults.push("the components do not add up to exact_usd")
  const { to_usd, mode } = document.rounding
  const rounded = MODES[mode]?.(sum, whole(to_usd, 13))
  if (rounded !== whole(document.charge_usd, 13)) faults.push("charge_usd is not exact_usd rounded")

  const payload = new TextEncoder().encode(JSON.stringify(document, sorted))
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", payload))
  const hex = [...hash].map((byte) => byte.toString(16).padStart(2, "0")).join("")
  if (hex !== digest) faults.push("the digest belongs to another document")

  const [header = "", , sign = ""] = signature.split(".")
  const { kid } = JSON.parse(new TextDecoder().decode(bytesOf(header)))
  const jwk = jwks.keys.find((key) => key.kid === kid && key.purpose === "receipts")
  if (!jwk) return [...faults, "the key is not published"]
  const { kty = "OKP", crv = "Ed25519", x = "" } = jwk
  const key = await crypto.subtle.importKey("jwk", { kty, crv, x }, { name: "Ed25519" }, false, ["verify"])
  const encoded = btoa(String.fromCharCode(...payload))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "")
  const signed = new TextEncoder().encode(`${header}.${encoded}`)
  if (!(await crypto.subtle.verify("Ed25519", key, bytesOf(sign), signed))) faults.push("the signature is wrong")
  return faults
}
