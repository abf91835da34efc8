/** The one table of prefixes of identifiers. */
export const ID_PREFIXES = {
  space: "spc",
  turn: "turn",
  conversation: "conv",
  file: "file",
  event: "evt",
  webhook: "whk",
  delivery: "dlv",
  key: "key",
  request: "req",
  session: "ses",
  erasure: "era",
  reconciliation: "rec",
} as const

export type IdKind = keyof typeof ID_PREFIXES

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"

/** `<prefix>_` + 10 characters of time + 16 of chance (Crockford base 32): sortable by creation, as a ULID. */
export function newId(kind: IdKind, now: Date): string {
  const random = crypto.getRandomValues(new Uint8Array(16))
  return firstIdAt(kind, now) + Array.from(random, (byte) => ALPHABET[byte & 31]).join("")
}

/** What every id of that millisecond begins with: in "C" order it is before all of them and after all earlier ones. */
export function firstIdAt(kind: IdKind, at: Date): string {
  let time = at.getTime()
  let out = ""
  for (let place = 0; place < 10; place++) {
    out = ALPHABET[time % 32] + out
    time = Math.floor(time / 32)
  }
  return `${ID_PREFIXES[kind]}_${out}`
}
