/** The one table of prefixes of /v1 identifiers. */
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
} as const

export type IdKind = keyof typeof ID_PREFIXES

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"

/** `<prefix>_` + 10 characters of time + 16 of chance (Crockford base 32): sortable by creation, as a ULID. */
export function newId(kind: IdKind, now: Date): string {
  let time = now.getTime()
  const out = new Array<string>(26)
  for (let i = 9; i >= 0; i--) {
    out[i] = ALPHABET[time % 32] as string
    time = Math.floor(time / 32)
  }
  const random = crypto.getRandomValues(new Uint8Array(16))
  for (let i = 0; i < 16; i++) out[10 + i] = ALPHABET[(random[i] as number) & 31] as string
  return `${ID_PREFIXES[kind]}_${out.join("")}`
}
