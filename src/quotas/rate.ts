import { createHash } from "node:crypto"
import * as z from "zod"
import type { Context } from "../actor/context.ts"

/** The bounds of rates. A window is as long as one minute. */
export const RATE_POLICY = {
  windowMs: 60_000,
  mostRequests: 1_000_000,
  mostTokens: 1_000_000_000,
  mostTurns: 100_000,
  /** How long an isolate refuses by a rate before it reads the rate again. */
  freshMs: 1_000,
  /** When a caller asks again whose open turns are too many, in seconds: nothing tells when a turn ends. */
  turnsAgainSeconds: 5,
  /** The most callers with a rate that an isolate remembers. */
  mostKnown: 10_000,
} as const

const WORDS = {
  requests: "The most turns that are accepted in a minute. Null: no limit.",
  tokens:
    "The most input tokens in a minute. A turn is accepted while the window has any left. It counts by an estimate of its " +
    "text, and from its end on by the tokens that its model calls had. Null: no limit.",
  turns: "The most turns that are queued or running at the same time. Null: no limit.",
  fail:
    "What happens while the counters cannot be read. `open`: turns are accepted. `closed`: they are rejected with " +
    "503 `UNAVAILABLE`. `concurrent_turns` is exact in both cases.",
}

const FAIL = ["open", "closed"] as const

export const rateSchema = z
  .object({
    requests_per_minute: z.int().nullable().meta({ description: WORDS.requests, example: 60 }),
    input_tokens_per_minute: z.int().nullable().meta({ description: WORDS.tokens, example: 100_000 }),
    concurrent_turns: z.int().nullable().meta({ description: WORDS.turns, example: 5 }),
    fail: z.enum(FAIL).meta({ description: WORDS.fail }),
  })
  .meta({ id: "Rate", description: "How much may be sent in a minute, and at the same time." })

const most = (limit: number) => z.int().min(1).max(limit).nullable().default(null)

export const setRateSchema = z
  .strictObject({
    requests_per_minute: most(RATE_POLICY.mostRequests).meta({ description: WORDS.requests, example: 60 }),
    input_tokens_per_minute: most(RATE_POLICY.mostTokens).meta({ description: WORDS.tokens, example: 100_000 }),
    concurrent_turns: most(RATE_POLICY.mostTurns).meta({ description: WORDS.turns, example: 5 }),
    fail: z.enum(FAIL).default("open").meta({ description: WORDS.fail }),
  })
  .meta({ id: "SetRate", description: "Replaces the whole rate." })

export type TurnRate = z.infer<typeof rateSchema>

/** A rate as the database has it: only the limits that are set. */
export type StoredRate = Partial<
  Record<"requests_per_minute" | "input_tokens_per_minute" | "concurrent_turns", number>
> &
  Pick<TurnRate, "fail">

/** A rate as it is stored, for a column. Null if it limits nothing. */
export function storedRate(rate: z.output<typeof setRateSchema> | null): { [field: string]: string | number } | null {
  const { fail, ...limits } = rate ?? { fail: "open" as const }
  const set = Object.entries(limits).filter(([, limit]) => limit !== null)
  return set.length === 0 ? null : { ...(Object.fromEntries(set) as Record<string, number>), fail }
}

export function serializeRate(stored: unknown): TurnRate | null {
  if (!stored) return null
  const none = { requests_per_minute: null, input_tokens_per_minute: null, concurrent_turns: null }
  return { ...none, ...(stored as StoredRate) }
}

/** The rates of a caller, as accept_turn answers them. */
export interface CallerRates {
  user_id: number
  test: boolean
  /** Left out for a session, which sees only the rates of end users. */
  key_id?: string
  key?: StoredRate
  end_user?: StoredRate
}

const SUBJECTS = ["key", "end_user"] as const

const KINDS = {
  requests: { field: "requests_per_minute", unit: null, words: "turns in a minute" },
  input_tokens: { field: "input_tokens_per_minute", unit: "input-tokens", words: "input tokens in a minute" },
} as const

type Subject = (typeof SUBJECTS)[number]
type Kind = keyof typeof KINDS

const RATE_LIMITS = [
  "key_requests",
  "key_input_tokens",
  "key_turns",
  "end_user_requests",
  "end_user_input_tokens",
  "end_user_turns",
] as const satisfies `${Subject}_${Kind | "turns"}`[]

type RateLimitName = (typeof RATE_LIMITS)[number]

export const rateStateSchema = z
  .object({
    limit: z.enum(RATE_LIMITS).meta({
      description:
        "The limit: `requests` and `input_tokens` in a minute, or `turns` at the same time, of the key or of the end user.",
    }),
    most: z.int().meta({ description: "The limit's value." }),
    used: z.int().nullable().meta({
      description: "How much of it is used now. It can exceed `most`. Null: the counters cannot be read at the moment.",
    }),
    window_seconds: z.int().nullable().meta({ description: "The length of the window. Null: no window." }),
  })
  .meta({ id: "RateState", example: { limit: "key_requests", most: 60, used: 12, window_seconds: 60 } })

export type RateState = z.infer<typeof rateStateSchema>

/** A limit of a window. */
export interface RateWindow {
  name: RateLimitName
  kind: Kind
  limit: number
  /** The name of its counter. */
  counter: string
  unit: string | null
}

/** The windows of a caller's rates. Turns of a key's former values count for the same key. */
export function rateWindows(rates: CallerRates, endUser: string): RateWindow[] {
  const parts = JSON.stringify([rates.user_id, rates.test, endUser])
  const digest = createHash("sha256").update(parts).digest("hex").slice(0, 32)
  const owners = { key: rates.key_id, end_user: digest }
  return SUBJECTS.flatMap((subject) =>
    (Object.keys(KINDS) as Kind[]).flatMap((kind) => {
      const limit = rates[subject]?.[KINDS[kind].field]
      const { unit } = KINDS[kind]
      const name = `${subject}_${kind}` as const
      return limit === undefined ? [] : [{ name, kind, limit, counter: `${owners[subject]}:${kind}`, unit }]
    }),
  )
}

/** The open turns of a key and of an end user. */
export type OpenTurns = Partial<Record<Subject, number>>

/** The limits of concurrent turns, with the numbers of open turns. */
export const openTurnStates = (rates: CallerRates, open: OpenTurns): RateState[] =>
  SUBJECTS.flatMap((subject) => {
    const most = rates[subject]?.concurrent_turns
    const limit = `${subject}_turns` as const
    return most === undefined ? [] : [{ limit, most, used: open[subject] ?? 0, window_seconds: null }]
  })

/** A limit as the error of a refused turn names it. */
export function rateWords({ limit, most }: RateState): string {
  const whose = limit.startsWith("key") ? "The key" : "The end user"
  if (limit.endsWith("_turns")) return `${whose} may have ${most} turns queued or running at the same time.`
  const kind = limit.endsWith("tokens") ? "input_tokens" : "requests"
  return `${whose} may send ${most} ${KINDS[kind].words}.`
}

/** Rates with their use, as procedures answer them. `endUser`: "" for the key alone. */
interface RatesRow {
  rates: unknown
  open_turns: unknown
  endUser: string
}

/** The limits of the rates of several callers with their use. Redis gets one command, or none without a window. */
export async function rateStates(ctx: Pick<Context, "windows">, rows: readonly RatesRow[]): Promise<RateState[][]> {
  const rated = rows.map(({ rates, open_turns, endUser }) => {
    const known = rates as CallerRates | null
    return {
      windows: known ? rateWindows(known, endUser) : [],
      turns: known ? openTurnStates(known, (open_turns ?? {}) as OpenTurns) : [],
    }
  })
  const counters = [...new Set(rated.flatMap(({ windows }) => windows.map(({ counter }) => counter)))]
  const used = await ctx.windows.used(counters).catch(() => null)
  return rated.map(({ windows, turns }) => [
    ...windows.map(({ name, limit, counter }) => ({
      limit: name,
      most: limit,
      used: used?.[counters.indexOf(counter)] ?? null,
      window_seconds: RATE_POLICY.windowMs / 1000,
    })),
    ...turns,
  ])
}
