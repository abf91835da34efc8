import { createHash } from "node:crypto"
import { crc32 } from "node:zlib"
import type { KeyCredential } from "../actor/actor.ts"

/**
 * The format of an API key: `<brand>_live_` or `<brand>_test_`, 32 base62 characters, and 6 base62 characters of
 * the CRC-32.
 */
const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const KEY = /^([a-z][a-z0-9]{0,31})_(live|test)_([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/

/** `bytes`: the source of the secret. Each call returns 48 or more further bytes. */
export function generateApiKey(brand: string, test: boolean, bytes: () => Uint8Array = randomBytes) {
  let secret = ""
  while (secret.length < 32) {
    for (const byte of bytes()) {
      // 248 is 4 × 62. Larger bytes are skipped, so that all characters are equally likely.
      if (byte < 248 && secret.length < 32) secret += BASE62[byte % 62]
    }
  }
  const body = `${brand}_${test ? "test" : "live"}_${secret}`
  const value = body + checksum(body)
  return { value, hash: hashApiKey(value), hint: `${body.slice(0, body.length - 28)}…${value.slice(-4)}` }
}

const randomBytes = () => crypto.getRandomValues(new Uint8Array(48))

/** The credential of a key's text; null if its format or checksum is wrong. So a mistyped key needs no I/O. */
export function parseApiKey(value: string): KeyCredential | null {
  const match = KEY.exec(value)
  if (!match || checksum(value.slice(0, -6)) !== match[4]) return null
  return { kind: "key", hash: hashApiKey(value), test: match[2] === "test" }
}

const hashApiKey = (value: string) => createHash("sha256").update(value).digest("hex")

function checksum(text: string): string {
  let rest = crc32(text)
  let out = ""
  for (let i = 0; i < 6; i++) {
    out = BASE62[rest % 62] + out
    rest = Math.floor(rest / 62)
  }
  return out
}
