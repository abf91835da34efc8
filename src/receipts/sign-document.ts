import { Buffer } from "node:buffer"
import { createHash } from "node:crypto"
import { calculateJwkThumbprint, FlattenedSign } from "jose"
import type { Context } from "../actor/context.ts"
import { type CanonicalValue, canonicalJson } from "../base/canonical-json.ts"
import { ed25519Of } from "../base/ed25519.ts"
import { TurnpikeError } from "../base/errors.ts"

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

/** The keys of an isolate by key ring, so that each is derived once. */
const known = new WeakMap<Context["keyRing"], Promise<SigningKey[]>>()

/** One key for each key of the ring, newest first. */
function signingKeys({ keyRing }: Pick<Context, "keyRing">): Promise<SigningKey[]> {
  const kept = known.get(keyRing)
  if (kept) return kept
  const made = (async () => Promise.all((await keyRing.derive("receipts")).map(keyOf)))()
  known.set(keyRing, made)
  made.catch(() => known.delete(keyRing))
  return made
}

async function keyOf(seed: Uint8Array): Promise<SigningKey> {
  const { x, secret } = await ed25519Of(seed)
  return { secret, shown: await publicKey(x) }
}

/** Its id is its thumbprint (RFC 7638), so it is the same in each installation of the key. */
async function publicKey(x: string): Promise<PublicKey> {
  const key = { kty: "OKP", crv: "Ed25519", x } as const
  return { ...key, kid: await calculateJwkThumbprint(key), use: "sig", alg: "EdDSA" }
}

/**
 * The published keys that are not withdrawn: those of the key ring, newest first, and then those that have left it. A
 * key is published by the command line (src/ops/publish-signing-keys.ts).
 */
export async function listSigningKeys(ctx: Pick<Context, "keyRing" | "db">): Promise<PublicKey[]> {
  const current = (await signingKeys(ctx)).map(({ shown }) => shown)
  const rows = await ctx.db
    .selectFrom("signing_keys")
    .select(["kid", "public_key"])
    .where("withdrawn_at", "is", null)
    .orderBy("created_at", "desc")
    .execute()
  const valid = current.filter(({ kid }) => rows.some((row) => row.kid === kid))
  const former = rows.filter(({ kid }) => !current.some((key) => key.kid === kid))
  return [...valid, ...(await Promise.all(former.map(({ public_key }) => publicKey(public_key))))]
}

/** The newest key of the ring that is published and not withdrawn, as the database knows it now. */
async function validKey(ctx: Pick<Context, "keyRing" | "db">): Promise<SigningKey> {
  const keys = await signingKeys(ctx)
  const rows = await ctx.db
    .selectFrom("signing_keys")
    .select("kid")
    .where("kid", "in", keys.map(({ shown }) => shown.kid).concat(""))
    .where("withdrawn_at", "is", null)
    .execute()
  const key = keys.find(({ shown }) => rows.some(({ kid }) => kid === shown.kid))
  if (!key) {
    throw new TurnpikeError(
      "UNAVAILABLE",
      "No key that may sign is published. The operator must add a new one, and run `npm run admin -- worker-keys`.",
    )
  }
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
  ctx: Pick<Context, "keyRing" | "db">,
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

/** SHA-256 of several digests, one after the other. A list without documents has 64 zeros (statement.sql). */
export const digestOfAll = (digests: readonly string[]): string => sha256(Buffer.from(digests.join(""), "hex"))

const sha256 = (content: string | Uint8Array) => createHash("sha256").update(content).digest("hex")
