import type { CapName } from "../../src/quotas/caps.ts"
import type { ModelPrice } from "./reference-sale.ts"

export interface ModelTurn {
  id: string
  key: number
  endUser: string
  conversation: string
  state: string
  hold: number
  max: number | null
  cost: number
  billed: number
  epoch: number
  attempts: number
  leaseUntil: number | null
  wakeAt: number
  created: number
  /** The start of the window that the turn counts in. */
  window: number | null
  cancelAsked: boolean
  steps: number
  toolCalls: number
  /** The price at acceptance, whether a wallet pays, and the charge of the end user. */
  price?: ModelPrice | null
  prepaid?: boolean
  charge?: number
  /** The earlier periods in which a turn counts that continued in a later one, with the cost in each. */
  past?: { created: number; window: number | null; spent: number }[]
  /** The moment whose periods the turn counts in now, if that is not `created`. */
  counted?: number
  isWaiting?: boolean
  /** It holds nothing, because a turn before it waited. */
  gaveBack?: boolean
  /** It has waited and can be claimed again. */
  isResumed?: boolean
  /** When its time to start began, if that is not `created`. */
  queuedAt?: number
}

interface Entry {
  created: number
  window: number | null
  spent: number
  reserved: number
}

/** The amounts that a turn takes from each period in which it counts. */
export function entriesOf(turn: ModelTurn): Entry[] {
  const past = turn.past ?? []
  const before = past.reduce((sum, { spent }) => sum + spent, 0)
  const isFree = !open(turn) && turn.billed === 0
  return [
    ...past.map(({ spent, ...at }) => ({ ...at, spent: isFree ? 0 : spent, reserved: 0 })),
    {
      created: turn.counted ?? turn.created,
      window: turn.window,
      spent: open(turn) ? 0 : Math.max(0, turn.billed - before),
      reserved: open(turn) ? turn.hold - before : 0,
    },
  ]
}

export const open = (turn: ModelTurn) => turn.state === "queued" || turn.state === "running"

export interface KeyLimits {
  daily: number | null
  monthly: number | null
  window: number | null
  seconds: number | null
  endUserDaily: number | null
  endUserMonthly: number | null
}

export interface EndUserLimits {
  daily: number | null
  monthly: number | null
}

export interface ModelCap {
  cap: CapName
  limit: number
  spent: number
  reserved: number
  resets: number
}

export const leftUnder = ({ limit, spent, reserved }: ModelCap) => Math.max(0, limit - spent - reserved)

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)
const monthOf = (ms: number) => dayOf(ms).slice(0, 7)

/** Start of the next UTC day or month. */
export function nextDay(ms: number): number {
  const at = new Date(ms)
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate() + 1)
}
export function nextMonth(ms: number): number {
  const at = new Date(ms)
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 1)
}

/** The caps of one account, computed from its turns by a simple model. */
export class ModelCaps {
  readonly keys: KeyLimits[] = [0, 1].map(() => {
    return { daily: null, monthly: null, window: null, seconds: null, endUserDaily: null, endUserMonthly: null }
  })
  readonly endUsers: Record<string, EndUserLimits> = {}
  account: EndUserLimits = { daily: null, monthly: null }
  private readonly turns: ModelTurn[]

  constructor(turns: ModelTurn[]) {
    this.turns = turns
  }

  /** The window that a key's new turn counts in: the latest open window with spend, or a new one. */
  windowOf(key: number, now: number): number | null {
    const seconds = this.keys[key]?.seconds ?? null
    if (seconds === null) return null
    const began = this.turns.flatMap((turn) => {
      return entriesOf(turn).flatMap(({ window, spent, reserved }) =>
        turn.key === key && window !== null && spent + reserved > 0 && window + seconds * 1000 > now ? [window] : [],
      )
    })
    return began.length > 0 ? Math.max(...began) : now
  }

  /** The caps that apply to a turn that was accepted at `created` and counts in `window`. */
  of(key: number, endUser: string, created: number, window: number | null): ModelCap[] {
    const limits = this.keys[key] as KeyLimits
    const own = this.endUsers[endUser] ?? { daily: null, monthly: null }
    const cap = (
      name: CapName,
      limit: number | null,
      resets: number,
      which: (turn: ModelTurn, entry: Entry) => boolean,
    ) => {
      if (limit === null) return []
      const counted = this.turns.flatMap((turn) => entriesOf(turn).filter((entry) => which(turn, entry)))
      const spent = counted.reduce((sum, entry) => sum + entry.spent, 0)
      const reserved = counted.reduce((sum, entry) => sum + entry.reserved, 0)
      return [{ cap: name, limit, spent, reserved, resets }]
    }
    const isKeys = (turn: ModelTurn) => turn.key === key
    const isUsers = (turn: ModelTurn) => turn.endUser === endUser
    const sameDay = (entry: Entry) => dayOf(entry.created) === dayOf(created)
    const sameMonth = (entry: Entry) => monthOf(entry.created) === monthOf(created)
    const [day, month] = [nextDay(created), nextMonth(created)]
    // Sorted by name, the order in which the service checks them.
    return [
      ...cap("end_user_daily", own.daily ?? limits.endUserDaily ?? this.account.daily, day, (turn, entry) => {
        return isUsers(turn) && sameDay(entry)
      }),
      ...cap("end_user_monthly", own.monthly ?? limits.endUserMonthly ?? this.account.monthly, month, (turn, entry) => {
        return isUsers(turn) && sameMonth(entry)
      }),
      ...cap("key_daily", limits.daily, day, (turn, entry) => isKeys(turn) && sameDay(entry)),
      ...cap("key_monthly", limits.monthly, month, (turn, entry) => isKeys(turn) && sameMonth(entry)),
      ...(window === null
        ? []
        : cap("key_window", limits.window, window + (limits.seconds ?? 0) * 1000, (turn, entry) => {
            return isKeys(turn) && entry.window === window
          })),
    ]
  }

  /** The expected counters as [subject, period, start, spent, reserved], without those that are 0 and 0. */
  counters(keyIds: string[]): unknown[][] {
    const sums = new Map<string, [spent: number, reserved: number]>()
    for (const { turn, entry } of this.turns.flatMap((turn) => entriesOf(turn).map((entry) => ({ turn, entry })))) {
      const places = [
        [keyIds[turn.key], "day", Date.parse(dayOf(entry.created))],
        [keyIds[turn.key], "month", Date.parse(`${monthOf(entry.created)}-01`)],
        ...(entry.window === null ? [] : [[keyIds[turn.key], "window", entry.window]]),
        [turn.endUser, "day", Date.parse(dayOf(entry.created))],
        [turn.endUser, "month", Date.parse(`${monthOf(entry.created)}-01`)],
      ]
      for (const place of places.map((parts) => JSON.stringify(parts))) {
        const [spent, reserved] = sums.get(place) ?? [0, 0]
        sums.set(place, [spent + entry.spent, reserved + entry.reserved])
      }
    }
    const said = [...sums].filter(([, [spent, reserved]]) => spent + reserved > 0)
    return said.map(([place, amounts]) => [...(JSON.parse(place) as unknown[]), ...amounts])
  }
}

/** A wait of a turn. Amounts in credit micros. */
export interface Wait {
  since: number
  expires: number
  needed: number
  wanted: number
  /** The limit, as limit_key of waiting_turns; null: calls. */
  key: string | null
}

export type CallState = "asked" | "allowed" | "denied" | "awaited" | "answered"

/** The expected refusal under these caps; null if all of them leave enough. */
export function capRefusalOf(caps: ModelCap[], needed: number, now: number) {
  // A cap that is smaller than the turn's need comes before all others, since no later period helps.
  const isTooSmall = ({ limit }: ModelCap) => limit < needed
  const exceeded = caps.filter((cap) => leftUnder(cap) < needed)
  const last = exceeded
    .toSorted((one, other) => Number(isTooSmall(one)) - Number(isTooSmall(other)) || one.resets - other.resets)
    .at(-1)
  if (!last) return null
  const wait = Math.max(1, Math.ceil((last.resets - now) / 1000))
  const numbers = { limit_usd: last.limit / 1e7, spent_usd: last.spent / 1e7, reserved_usd: last.reserved / 1e7 }
  return {
    code: "QUOTA_EXCEEDED",
    details: { cap: last.cap, ...numbers, left_usd: leftUnder(last) / 1e7, needed_usd: needed / 1e7 },
    retryAfter: exceeded.some(isTooSmall) ? undefined : wait,
    retryable: !exceeded.some(isTooSmall),
  }
}
