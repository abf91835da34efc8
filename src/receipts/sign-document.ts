import { Buffer } from "node:buffer"
import { createHash } from "node:crypto"
import { FlattenedSign } from "jose"
import type { Context } from "../actor/context.ts"
import { type CanonicalValue, canonicalJson } from "../base/canonical-json.ts"
import { validKey } from "../signing/signing-keys.ts"

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
  const key = await validKey(ctx, "receipts", (keyRing) => keyRing.derive("receipts"))
  const text = canonicalJson(document)
  const { protected: header, signature } = await new FlattenedSign(new TextEncoder().encode(text))
    .setProtectedHeader({ alg: "EdDSA", kid: key.kid })
    .sign(key.secret)
  return { kind: document.document, document, digest: sha256(text), signature: `${header}..${signature}` }
}

/** SHA-256 of the canonical form of a document, in hex. */
export const digestOf = (document: CanonicalValue): string => sha256(canonicalJson(document))

/** SHA-256 of several digests, one after the other. A list without documents has 64 zeros (statement.sql). */
export const digestOfAll = (digests: readonly string[]): string => sha256(Buffer.from(digests.join(""), "hex"))

const sha256 = (content: string | Uint8Array) => createHash("sha256").update(content).digest("hex")
