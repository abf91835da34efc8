/** The only table of prefixes of ids. */
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
  acting: "act",
  invitation: "inv",
  erasure: "era",
  login: "lgn",
  reconciliation: "rec",
  bulk: "blk",
  report: "rpt",
  anomaly: "ano",
} as const

export type IdKind = keyof typeof ID_PREFIXES

/** The digits of Crockford's base 32. */
export const ID_DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"

/**
 * Makes `<prefix>_` + 10 characters of time + 16 random ones (Crockford base 32). Ids sort by creation, like ULIDs.
 */
export function newId(kind: IdKind, now: Date): string {
  if (used === chance.length) {
    crypto.getRandomValues(chance)
    used = 0
  }
  let id = firstIdAt(kind, now)
  for (const end = used + CHANCE; used < end; used++) id += ID_DIGITS[(chance[used] as number) & 31]
  return id
}

const CHANCE = 16
/** Random bytes for the next ids; each is used once. Requesting them per id would cost more than making the id. */
const chance = new Uint8Array(64 * CHANCE)
let used = chance.length

/** The common prefix of all ids of this millisecond. In "C" order it precedes them and follows all earlier ids. */
export function firstIdAt(kind: IdKind, at: Date): string {
  let time = at.getTime()
  let out = ""
  for (let digit = 0; digit < 10; digit++) {
    out = ID_DIGITS[time % 32] + out
    time = Math.floor(time / 32)
  }
  return `${ID_PREFIXES[kind]}_${out}`
}

/** The creation time in an id; null for any other text. */
export function idTime(id: string): Date | null {
  const [, prefix = "", time = ""] = /^([a-z]+)_([0-9a-z]{10})[0-9a-z]{16}$/.exec(id) ?? []
  if (!Object.values<string>(ID_PREFIXES).includes(prefix)) return null
  const ms = [...time].reduce((sum, digit) => sum * 32 + ID_DIGITS.indexOf(digit), 0)
  // The latest time that a Date can hold is less than what ten digits can say.
  return ms >= 0 && ms <= 8.64e15 ? new Date(ms) : null
}
