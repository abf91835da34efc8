/** PKCS #8 of an Ed25519 key up to its 32-byte seed (RFC 8410). */
const PKCS8 = [0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20]

/** A key pair. `x`: the public half, as in its JWK (RFC 8037). */
export interface Ed25519Pair {
  x: string
  secret: CryptoKey
}

export async function ed25519Of(seed: Uint8Array): Promise<Ed25519Pair> {
  const algorithm = { name: "Ed25519" }
  const secret = await crypto.subtle.importKey("pkcs8", Uint8Array.from([...PKCS8, ...seed]), algorithm, true, ["sign"])
  const { x = "" } = (await crypto.subtle.exportKey("jwk", secret)) as JsonWebKey
  return { x, secret }
}
