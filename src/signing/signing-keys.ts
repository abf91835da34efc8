import { calculateJwkThumbprint } from "jose"
import type { Context } from "../actor/context.ts"
import { ed25519Of } from "../base/ed25519.ts"
import { TurnpikeError } from "../base/errors.ts"

/** A key signs receipts and statements, or the identity that calls of tools carry. No key signs both. */
export const SIGNING_PURPOSES = ["receipts", "identity"] as const
export type SigningPurpose = (typeof SIGNING_PURPOSES)[number]

/** A public key of /.well-known/jwks.json (RFC 8037). `purpose` is an additional member (RFC 7517, section 4). */
interface PublicKey {
  kty: "OKP"
  crv: "Ed25519"
  x: string
  kid: string
  use: "sig"
  alg: "EdDSA"
  purpose: SigningPurpose
}

export interface SigningKey {
  /** Its thumbprint (RFC 7638), so it is the same in each installation of the key. */
  kid: string
  secret: CryptoKey
}

/** The keys of an isolate by key ring, so that each is derived once. */
type KnownKeys = WeakMap<Context["keyRing"], Promise<SigningKey[]>>
const known: Record<SigningPurpose, KnownKeys> = { receipts: new WeakMap(), identity: new WeakMap() }

/** One key for each seed. */
function keysOf(keyRing: Context["keyRing"], purpose: SigningPurpose, derive: Derive): Promise<SigningKey[]> {
  const kept = known[purpose].get(keyRing)
  if (kept) return kept
  const made = derive(keyRing).then((seeds) => Promise.all(seeds.map(keyOf)))
  known[purpose].set(keyRing, made)
  made.catch(() => known[purpose].delete(keyRing))
  return made
}

async function keyOf(seed: Uint8Array): Promise<SigningKey> {
  const { x, secret } = await ed25519Of(seed)
  return { secret, kid: await calculateJwkThumbprint({ kty: "OKP", crv: "Ed25519", x }) }
}

/**
 * The published keys that are not withdrawn, newest first, also those that have left the key ring. A key is published
 * by the command line (src/ops/publish-signing-keys.ts).
 */
export async function listSigningKeys({ db }: Pick<Context, "db">): Promise<PublicKey[]> {
  const rows = await db
    .selectFrom("signing_keys")
    .select(["kid", "public_key", "purpose"])
    .where("withdrawn_at", "is", null)
    .orderBy("created_at", "desc")
    .orderBy("kid")
    .execute()
  return rows.map(({ kid, public_key: x, purpose }) => ({
    ...{ kty: "OKP", crv: "Ed25519", x, kid, use: "sig", alg: "EdDSA" },
    purpose: purpose as SigningPurpose,
  }))
}

type Derive = (keyRing: Context["keyRing"]) => Promise<Uint8Array[]>

/**
 * Returns the newest key of the ring that is published and not withdrawn, or null. The database is asked each time.
 * `derive`: the seeds of the purpose. The caller derives them, so that a worker gets the keys of the purposes that it
 * uses, and no others.
 */
export async function findValidKey(
  { keyRing, db }: Pick<Context, "keyRing" | "db">,
  purpose: SigningPurpose,
  derive: Derive,
): Promise<SigningKey | null> {
  const keys = await keysOf(keyRing, purpose, derive)
  const rows = await db
    .selectFrom("signing_keys")
    .select("kid")
    .where("kid", "in", keys.map(({ kid }) => kid).concat(""))
    .where("purpose", "=", purpose)
    .where("withdrawn_at", "is", null)
    .execute()
  return keys.find(({ kid }) => rows.some((row) => row.kid === kid)) ?? null
}

/** As `findValidKey`. Throws UNAVAILABLE if there is no such key. */
export async function validKey(...args: Parameters<typeof findValidKey>): Promise<SigningKey> {
  const key = await findValidKey(...args)
  if (!key) {
    throw new TurnpikeError(
      "UNAVAILABLE",
      "No key that may sign is published. The operator must add a new one, and run `npm run admin -- worker-keys`.",
    )
  }
  return key
}
