import { Buffer } from "node:buffer"
import { createHash } from "node:crypto"
import { calculateJwkThumbprint, FlattenedSign } from "jose"
import type { Context } from "../actor/context.ts"
import { type CanonicalValue, canonicalJson } from "../base/canonical-json.ts"
import { TurnpikeError } from "../base/errors.ts"
import { callOne } from "../platform/db.ts"

/** A public key of /.well-known/jwks.json (RFC 8037). */
interface PublicKey {
  kty: "OKP"
  crv: "Ed25519"
  x: string
  kid: string
  use: "sig"
  alg: "EdDSA"
}

interface SigningKey {
  shown: PublicKey
  secret: CryptoKey
}

/** PKCS #8 of an Ed25519 key up to its 32-byte seed (RFC 8410). */
const PKCS8 = [0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20]

/** The keys of an isolate by key ring, so that each is derived and stored once. */
const known = new WeakMap<Context["keyRing"], Promise<SigningKey[]>>()

/**
 * One key for each key of the ring that is not withdrawn, newest first. Their public halves are stored before the first
 * use.
 */
function signingKeys(ctx: Pick<Context, "keyRing" | "db" | "clock">): Promise<SigningKey[]> {
  const kept = known.get(ctx.keyRing)
  if (kept) return kept
  const made = (async () => {
    const seeds = await ctx.keyRing.derive("receipts")
    const keys = await Promise.all(seeds.map(keyOf))
    const stored = { public_keys: keys.map(({ shown }) => shown.x), moment: ctx.clock.now() }
    const { note_signing_keys: withdrawn } = await callOne(ctx.db, "note_signing_keys", stored)
    return keys.filter(({ shown }) => !withdrawn?.includes(shown.x))
  })()
  known.set(ctx.keyRing, made)
  made.catch(() => known.delete(ctx.keyRing))
  return made
}

async function keyOf(seed: Uint8Array): Promise<SigningKey> {
  const algorithm = { name: "Ed25519" }
  const secret = await crypto.subtle.importKey("pkcs8", Uint8Array.from([...PKCS8, ...seed]), algorithm, true, ["sign"])
  const { x = "" } = (await crypto.subtle.exportKey("jwk", secret)) as JsonWebKey
  return { secret, shown: await publicKey(x) }
}

/** Its id is its thumbprint (RFC 7638), so it is the same in each installation of the key. */
async function publicKey(x: string): Promise<PublicKey> {
  const key = { kty: "OKP", crv: "Ed25519", x } as const
  return { ...key, kid: await calculateJwkThumbprint(key), use: "sig", alg: "EdDSA" }
}

/** The public keys: those of the key ring, newest first, and then those that have left it. No withdrawn one. */
export async function listSigningKeys(ctx: Pick<Context, "keyRing" | "db" | "clock">): Promise<PublicKey[]> {
  const current = (await signingKeys(ctx)).map(({ shown }) => shown)
  const rows = await ctx.db
    .selectFrom("signing_keys")
    .select(["kid", "public_key"])
    .where("withdrawn_at", "is", null)
    .orderBy("created_at", "desc")
    .execute()
  // A key can be withdrawn after this isolate has read the ring.
  const valid = current.filter(({ kid }) => rows.some((row) => row.kid === kid))
  const former = rows.filter(({ kid }) => !current.some((key) => key.kid === kid))
  return [...valid, ...(await Promise.all(former.map(({ public_key }) => publicKey(public_key))))]
}

/** The newest key that is not withdrawn, as the database knows it now. */
async function validKey(ctx: Pick<Context, "keyRing" | "db" | "clock">): Promise<SigningKey> {
  const keys = await signingKeys(ctx)
  const rows = await ctx.db
    .selectFrom("signing_keys")
    .select("kid")
    .where("kid", "in", keys.map(({ shown }) => shown.kid).concat(""))
    .where("withdrawn_at", "is not", null)
    .execute()
  const key = keys.find(({ shown }) => !rows.some(({ kid }) => kid === shown.kid))
  if (!key) throw new TurnpikeError("UNAVAILABLE", "All signing keys are withdrawn. The operator must add a new one.")
  return key
}

/** `kind`: its field `document`, which tells signed documents of a list apart. */
export interface SignedDocument<Document extends { document: string }> {
  kind: Document["document"]
  document: Document
  digest: string
  signature: string
}

/** Signs the canonical form of a document with the newest key: a JWS with detached content (RFC 7515, appendix F). */
export async function signDocument<Document extends CanonicalValue & { document: string }>(
  ctx: Pick<Context, "keyRing" | "db" | "clock">,
  document: Document,
): Promise<SignedDocument<Document>> {
  const key = await validKey(ctx)
  const text = canonicalJson(document)
  const { protected: header, signature } = await new FlattenedSign(new TextEncoder().encode(text))
    .setProtectedHeader({ alg: "EdDSA", kid: key.shown.kid })
    .sign(key.secret)
  return { kind: document.document, document, digest: sha256(text), signature: `${header}..${signature}` }
}

/** SHA-256 of the canonical form of a document, in hex. */
export const digestOf = (document: CanonicalValue): string => sha256(canonicalJson(document))

/** The digest of a list before its first document. Each document is added with `digestOfAll([list, document])`. */
export const NO_DIGEST = "0".repeat(64)

/** SHA-256 of several digests, one after the other. */
export const digestOfAll = (digests: readonly string[]): string => sha256(Buffer.from(digests.join(""), "hex"))

const sha256 = (content: string | Uint8Array) => createHash("sha256").update(content).digest("hex")
