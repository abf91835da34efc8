/** The place of a sealed value, which opens for no other: AES-GCM's additional data (docs/decisions/0015-sealed-secrets.md). */
export interface SealTarget {
  table: string
  column: string
  row: string
  owner: string | number
}

export interface KeyRing {
  /** `<key id>.<table>.<iv>.<ciphertext>`, base64url, under the first key's own key for that table. */
  seal(text: string, target: SealTarget): Promise<string>
  /**
   * Throws when the value was altered or sealed for something else, or its key is gone. `stale`: it was sealed under an older key, so
   * seal it again.
   */
  open(sealed: string, target: SealTarget): Promise<{ text: string; stale: boolean }>
  /** The key for one purpose of each key of the ring, the newest first. */
  derive(purpose: DerivedPurpose): Promise<Uint8Array[]>
}

/** What keys are for, besides sealing (`seal-<table>`). */
export type DerivedPurpose = "sessions" | "internal-calls" | "idempotency-keys"

type Bytes = Uint8Array<ArrayBuffer>

/** One key of the ring: whole, or only what was derived of it for some purposes. `ciphers`: as they were imported, by purpose. */
interface RingKey {
  whole: Bytes | null
  derived: Map<string, Bytes>
  ciphers: Map<string, CryptoKey>
}

export type KeyRingKeys = ReadonlyMap<string, RingKey>

const encoder = new TextEncoder()
const IV_BYTES = 12

/**
 * The ring `id:base64,id:base64,…` of 32-byte keys. The first one seals, all of them open. To rotate, put a new one first. A worker that is to
 * know no more than it needs has `id/purpose:base64` instead, for each of its purposes (`deriveRing`).
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

/** The same ring, as a worker has it that needs these purposes only. */
export async function deriveRing(text: string, purposes: readonly string[]): Promise<string> {
  const entries = [...parseKeyRing(text)].map(([id, key]) =>
    purposes.map(async (purpose) => `${id}/${purpose}:${toBase64(await keyFor(id, key, purpose))}`),
  )
  return (await Promise.all(entries.flat())).join(",")
}

/** By HKDF-SHA-256 without a salt; the purpose is the info. */
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
  /** The key of the ring for a table. Imported once: each turn that is routed opens a credential. */
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
