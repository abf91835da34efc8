import type { liveAccount } from "./books.ts"

export interface Plant {
  /**
   * SQL that corrupts the books, and the findings that the report must contain. Both can read the
   * correct rows.
   */
  plant: (facts: Facts) => string
  finds: (facts: Facts) => object[]
  /**
   * True if the pass repairs something, with a check of the result. Otherwise the next pass must
   * report the same findings again.
   */
  repaired?: true
}

export interface Facts {
  user: number
  /** Another account, and one of its turns that was cancelled before it ran. */
  other: { user: number; cancelled: string }
  entries: Entry[]
  charge: Entry
  turn: Awaited<ReturnType<typeof liveAccount>>["turns"]
  key: string
}

export interface Entry {
  ledger_id: number
  amount: number
  total: number
  turn_id: string | null
}

export const set = (table: string, what: string, where: string) => `update ${table} set ${what} where ${where}`
export const id = (turn: { turn_id: string }) => `turn_id = '${turn.turn_id}'`
export const copyEntry = (from: string, columns: Record<string, string | number>) => {
  const all = [
    "user_id",
    "reason",
    "amount_credit_micros",
    "balance_after_credit_micros",
    "turn_id",
    "actor",
    "created_at",
  ]
  return `insert into ledger (${all}) select ${all.map((name) => columns[name] ?? name)} from ledger where ${from}`
}
/** A second charge for a turn that agrees with the running total, so that only the turn's books are wrong. */
export const charge = ({ user, entries }: Facts, turnId: string, amount: number, like: string) => {
  const total = (entries.at(-1)?.total ?? 0) + amount
  return `${copyEntry(like, { user_id: user, amount_credit_micros: amount, balance_after_credit_micros: total, turn_id: `'${turnId}'` })};
    ${set("wallets", `balance_credit_micros = ${total}`, `user_id = ${user}`)}`
}
export const nothing = { user: null, turn: null, entry: null, counter: null, repaired: false }
export const entryAt = (entries: Entry[], at: number) => entries.at(at) as Entry
/** The entry of the refund of the refunded turn. */
export const refundIn = (entries: Entry[], { refunded }: Facts["turn"]) =>
  entries.find(({ turn_id, amount }) => turn_id === refunded.turn_id && amount > 0) as Entry
