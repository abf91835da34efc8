/** What a sealed value belongs to. It cannot be opened for anything else (AES-GCM's additional data, design section 10). */
export interface SealTarget {
  table: string
  column: string
  row: string
  owner: string | number
}

export interface KeyRing {
  /** `<key id>.<iv>.<ciphertext>`, base64url, under the first key. */
  seal(text: string, target: SealTarget): Promise<string>
  /**
   * Throws when the value was altered or sealed for something else, or its key is gone. `stale`: it was sealed under an older key, so
   * seal it again.
   */
  open(sealed: string, target: SealTarget): Promise<{ text: string; stale: boolean }>
  /** A key for one purpose, derived from each key of the ring, the newest first. */
  derive(purpose: string): Promise<Uint8Array[]>
}

const encoder = new TextEncoder()
const IV_BYTES = 12

/** The ring `id:base64,id:base64,…` of 32-byte keys. The first one seals, all of them open. To rotate, put a new one first. */
export function parseKeyRing(text: string): Map<string, Uint8Array<ArrayBuffer>> {
  const keys = new Map<string, Uint8Array<ArrayBuffer>>()
  for (const entry of text.split(",")) {
    const [, id, encoded] = /^\s*([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/_-]+={0,2})\s*$/.exec(entry) ?? []
    const key = encoded ? fromBase64(encoded) : new Uint8Array()
    if (!id || key.length !== 32) throw new Error("a key ring is `id:base64` of 32 bytes, several joined by commas")
    if (keys.has(id)) throw new Error(`two keys of the ring have the id ${id}`)
    keys.set(id, key)
  }
  return keys
}

export function createKeyRing(keys: Map<string, Uint8Array<ArrayBuffer>>): KeyRing {
  const [newest] = keys.keys()
  if (newest === undefined) throw new Error("the key ring is empty")
  const use = (id: string) => {
    const key = keys.get(id)
    if (!key) throw new Error(`the key ${id} is not in the ring`)
    return crypto.subtle.importKey("raw", key, "AES-GCM", false, ["encrypt", "decrypt"])
  }
  return {
    async seal(text, target) {
      const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES))
      const params = { name: "AES-GCM", iv, additionalData: bytesOf(target) }
      const sealed = await crypto.subtle.encrypt(params, await use(newest), encoder.encode(text))
      return `${newest}.${toBase64(iv)}.${toBase64(new Uint8Array(sealed))}`
    },
    async open(sealed, target) {
      const [id = "", iv = "", data = ""] = sealed.split(".")
      const params = { name: "AES-GCM", iv: fromBase64(iv), additionalData: bytesOf(target) }
      const text = await crypto.subtle.decrypt(params, await use(id), fromBase64(data))
      return { text: new TextDecoder().decode(text), stale: id !== newest }
    },
    derive(purpose) {
      return Promise.all(
        [...keys.values()].map(async (key) => {
          const base = await crypto.subtle.importKey("raw", key, "HKDF", false, ["deriveBits"])
          const params = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: encoder.encode(purpose) }
          return new Uint8Array(await crypto.subtle.deriveBits(params, base, 256))
        }),
      )
    },
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
