/**
 * The place of a sealed value, as AES-GCM's additional data: the value opens nowhere else
 * (docs/decisions/0015-sealed-secrets.md).
 */
export interface SealTarget {
  table: string
  column: string
  row: string
  owner: string | number
}

export interface KeyRing {
  /** Returns `<key id>.<table>.<iv>.<ciphertext>` in base64url, sealed with the newest key's subkey for that table. */
  seal(text: string, target: SealTarget): Promise<string>
  /**
   * Throws if the value was altered, was sealed for another place, or its key is missing. `stale`:
   * sealed with an older key; seal it again.
   */
  open(sealed: string, target: SealTarget): Promise<{ text: string; stale: boolean }>
  /** Derives the subkey of each key for one purpose, newest first. */
  derive(purpose: DerivedPurpose): Promise<Uint8Array[]>
}

/** The purposes of subkeys, besides sealing (`seal-<table>`). */
export type DerivedPurpose =
  | "sessions"
  | "internal-calls"
  | "idempotency-keys"
  | "call-results"
  | "receipts"
  | "identity"

type Bytes = Uint8Array<ArrayBuffer>

/** One key of the ring: the whole key, or only subkeys for some purposes. `ciphers`: imported subkeys, by purpose. */
interface RingKey {
  whole: Bytes | null
  derived: Map<string, Bytes>
  ciphers: Map<string, CryptoKey>
}

export type KeyRingKeys = ReadonlyMap<string, RingKey>

const encoder = new TextEncoder()
const IV_BYTES = 12

/**
 * Parses a ring `id:base64,id:base64,…` of 32-byte keys. The first key seals, and all keys open. To
 * rotate, put a new key first. A worker with limited access gets `id/purpose:base64` for each of
 * its purposes instead (`deriveRing`).
 */
export function parseKeyRing(text: string): KeyRingKeys {
  const keys = new Map<string, RingKey>()
  for (const entry of text.split(",")) {
    const [, id, purpose, encoded] = ENTRY.exec(entry) ?? []
    const bytes = encoded ? fromBase64(encoded) : new Uint8Array()
    if (!id || bytes.length !== 32) throw new Error("a key ring is `id:base64` of 32 bytes, several joined by commas")
    const key = keys.get(id) ?? { whole: null, derived: new Map<string, Bytes>(), ciphers: new Map() }
    if (purpose === undefined ? key.whole : key.derived.has(purpose))
      throw new Error(`two keys of the ring have the id ${id}`)
    if (purpose === undefined) key.whole = bytes
    else key.derived.set(purpose, bytes)
    keys.set(id, key)
  }
  return keys
}

const ENTRY = /^\s*([A-Za-z0-9_-]{1,32})(?:\/([a-z_-]{1,64}))?:([A-Za-z0-9+/_-]+={0,2})\s*$/

/** Derives the ring of a worker that needs only these purposes. */
export async function deriveRing(text: string, purposes: readonly string[]): Promise<string> {
  const entries = [...parseKeyRing(text)].map(([id, key]) =>
    purposes.map(async (purpose) => `${id}/${purpose}:${toBase64(await keyFor(id, key, purpose))}`),
  )
  return (await Promise.all(entries.flat())).join(",")
}

/** Derives a subkey by HKDF-SHA-256 without a salt. The purpose is the info. */
async function keyFor(id: string, { whole, derived }: RingKey, purpose: string): Promise<Bytes> {
  const known = derived.get(purpose)
  if (known) return known
  if (!whole) throw new Error(`the key ${id} of the ring is not for ${purpose}`)
  const base = await crypto.subtle.importKey("raw", whole, "HKDF", false, ["deriveBits"])
  const info = encoder.encode(`turnpike ${purpose.replaceAll("-", " ")}`)
  const params = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info }
  const made = new Uint8Array(await crypto.subtle.deriveBits(params, base, 256))
  derived.set(purpose, made)
  return made
}

export function createKeyRing(keys: KeyRingKeys): KeyRing {
  const [newest] = keys.keys()
  if (newest === undefined) throw new Error("the key ring is empty")
  const keyOf = (id: string) => {
    const key = keys.get(id)
    if (!key) throw new Error(`the key ${id} is not in the ring`)
    return key
  }
  /** The ring's subkey for a table. It is imported once, since routing each turn opens a credential. */
  const cipherOf = async (id: string, table: string) => {
    const key = keyOf(id)
    const purpose = `seal-${table}`
    const known = key.ciphers.get(purpose)
    if (known) return known
    const raw = await keyFor(id, key, purpose)
    const made = await crypto.subtle.importKey("raw", raw, "AES-GCM", false, ["encrypt", "decrypt"])
    key.ciphers.set(purpose, made)
    return made
  }
  return {
    async seal(text, target) {
      const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES))
      const params = { name: "AES-GCM", iv, additionalData: bytesOf(target) }
      const sealed = await crypto.subtle.encrypt(params, await cipherOf(newest, target.table), encoder.encode(text))
      return `${newest}.${target.table}.${toBase64(iv)}.${toBase64(new Uint8Array(sealed))}`
    },
    async open(sealed, target) {
      const [id = "", , iv = "", data = ""] = sealed.split(".")
      const cipher = await cipherOf(id, target.table)
      const params = { name: "AES-GCM", iv: fromBase64(iv), additionalData: bytesOf(target) }
      const text = await crypto.subtle.decrypt(params, cipher, fromBase64(data))
      return { text: new TextDecoder().decode(text), stale: id !== newest }
    },
    derive: (purpose) => Promise.all([...keys].map(([id, key]) => keyFor(id, key, purpose))),
  }
}

function bytesOf({ table, column, row, owner }: SealTarget) {
  return encoder.encode(JSON.stringify([table, column, row, String(owner)]))
}

function toBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "")
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0))
}
