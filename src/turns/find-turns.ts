import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { MICROS_PER_USD, toUsd } from "../base/money.ts"
import { refundOfTurn } from "../base/refunds.ts"
import { toInstant } from "../base/time.ts"
import type { ERROR_KINDS } from "../base/words.ts"
import type { Answers, Records } from "../platform/procedures.ts"
import { EXPLORER_POLICY } from "./policies.ts"
import { TURN_STATES, type TurnState, turnSchema } from "./schemas.ts"
import { startOfRange } from "./start-of-range.ts"
import type { TurnRow } from "./turn-row.ts"
import type { Waiting } from "./waiting-schema.ts"

export const FOUND_TURN_SORTS = ["newest", "cost", "duration"] as const

export interface ExplorerFilters {
  /** Only for admins: the turns of this account. */
  user_id?: number | undefined
  space?: string | undefined
  key?: string | undefined
  end_user_ref?: string | undefined
  conversation?: string | undefined
  state?: TurnState | undefined
  waiting?: Waiting["for"] | "any" | undefined
  reason?: string | undefined
  /** Only for admins: turns with a failure of this kind, and turns with calls of this provider account or provider. */
  failure?: (typeof ERROR_KINDS)[number] | undefined
  provider?: string | undefined
  model?: string | undefined
  min_cost_usd?: number | undefined
  min_seconds?: number | undefined
  q?: string | undefined
  created_after?: string | undefined
  created_before?: string | undefined
}

export interface ExplorerPage {
  sort: (typeof FOUND_TURN_SORTS)[number]
  direction: "asc" | "desc"
  limit: number
  offset: number
}

const excerpt = (what: string) =>
  z.nullable(z.string()).meta({ description: `The first ${EXPLORER_POLICY.excerpt} characters of ${what}.` })

const summary = {
  turn_id: z.string(),
  state: z.enum(TURN_STATES),
  waiting: turnSchema.shape.waiting
    .unwrap()
    .pick({ for: true, since: true, expires_at: true })
    .nullable()
    .meta({ id: "WaitSummary", description: "Why a running turn waits. Null: it does not wait." }),
  status_reason: z.string().nullable().meta({
    description: "Why the turn is `failed` (the error's code) or `cancelled`. Otherwise null.",
    example: null,
  }),
  space: z.string(),
  space_title: z.string().meta({ example: "Support" }),
  key: z
    .object({ key_id: z.string(), name: z.string().meta({ example: "Production" }) })
    .nullable()
    .meta({ description: "The API key that sent the turn. Null for a web chat." }),
  end_user_ref: z.string(),
  conversation: z.string(),
  model: z.string(),
  billed_cost_usd: z.number(),
  refunded_usd: refundOfTurn,
  held_usd: z.number().meta({ example: 0 }),
  seconds: z.number().meta({ description: "The time from acceptance to the end, or until now.", example: 1.8 }),
  model_calls: z.int().meta({ example: 2 }),
  tool_calls: z.int().meta({ example: 1 }),
  test: z.boolean(),
  created_at: z.iso.datetime(),
  finished_at: z.iso.datetime().nullable(),
}

export const turnSummarySchema = z
  .object({ ...summary, text: excerpt("the request"), result: excerpt("the reply. Null without one") })
  .meta({ id: "TurnSummary" })

export type TurnSummary = z.infer<typeof turnSummarySchema>

/** A turn in a list of operators: with its account, and without its texts. */
export const adminTurnSummarySchema = z
  .object({
    ...summary,
    account: z
      .object({
        user_id: z.int().meta({ example: 42 }),
        name: z.string().nullable().meta({ example: "Ada" }),
        email: z.string().nullable().meta({ example: "ada@example.com" }),
      })
      .meta({ description: "The account that is billed." }),
  })
  .meta({ id: "AdminTurnSummary" })

export type AdminTurnSummary = z.infer<typeof adminTurnSummarySchema>

/** The calls of a wait have inputs, which operators do not see in lists. */
const serializeWaitSummary = (waiting: TurnRow["waiting"]) =>
  waiting && { for: waiting.for, since: toInstant(waiting.since), expires_at: toInstant(waiting.expires_at) }

function serializeSummary({ turn, took_us, slug, space_title, key_name }: Answers["found_turn"]) {
  return {
    turn_id: turn.turn_id,
    state: turn.state as TurnState,
    waiting: serializeWaitSummary(turn.waiting as TurnRow["waiting"]),
    status_reason: turn.status_reason,
    space: slug,
    space_title,
    key: turn.key_id === null ? null : { key_id: turn.key_id, name: key_name ?? "" },
    end_user_ref: turn.end_user_ref,
    conversation: turn.conversation_id,
    model: turn.model,
    billed_cost_usd: toUsd(turn.billed_credit_micros),
    refunded_usd: toUsd(turn.refunded_credit_micros ?? 0),
    held_usd: toUsd(turn.held_credit_micros),
    seconds: took_us / 1e6,
    model_calls: turn.model_calls,
    tool_calls: turn.tool_calls,
    test: turn.test,
    created_at: toInstant(turn.created_at),
    finished_at: toInstant(turn.finished_at),
  }
}

const serializeOwn = (row: Answers["found_turn"]): TurnSummary => ({
  ...serializeSummary(row),
  text: row.turn.text,
  result: row.turn.result,
})

const serializeForAdmin = (row: Answers["found_turn"]): AdminTurnSummary => ({
  ...serializeSummary(row),
  account: { user_id: row.turn.user_id, name: row.account_name, email: row.account_email },
})

function filterOf(ctx: Context, all: boolean, filters: ExplorerFilters): Records["turn_filter"] {
  const { min_cost_usd: cost, min_seconds: seconds, created_before } = filters
  return {
    account: filters.user_id ?? null,
    space: filters.space ?? null,
    key: filters.key ?? null,
    end_user: filters.end_user_ref ?? null,
    conversation: filters.conversation ?? null,
    state: filters.state ?? null,
    waiting: filters.waiting ?? null,
    reason: filters.reason ?? null,
    failure: filters.failure ?? null,
    provider: filters.provider ?? null,
    model: filters.model ?? null,
    min_cost: cost === undefined ? null : Math.ceil(cost * MICROS_PER_USD),
    min_took_us: seconds === undefined ? null : Math.ceil(seconds * 1e6),
    q: filters.q ?? null,
    created_after: startOfRange(ctx.clock.now(), all, filters),
    created_before: created_before === undefined ? null : new Date(created_before),
  }
}

async function find(
  ctx: Context,
  credential: SessionCredential,
  { all, filters, page }: { all: boolean; filters: ExplorerFilters; page: ExplorerPage },
): Promise<{ rows: Answers["found_turn"][]; total: number }> {
  const { row } = await callAs(ctx, credential, "find_turns", {
    all,
    filter: filterOf(ctx, all, filters),
    page: { sort: page.sort, descending: page.direction === "desc", most: page.limit, skipped: page.offset },
    searched: EXPLORER_POLICY.searched,
    excerpt: EXPLORER_POLICY.excerpt,
  })
  return { rows: row.turns ?? [], total: row.total ?? 0 }
}

/** The turns of the caller's account that match, sorted and in pages. */
export async function exploreTurns(
  ctx: Context,
  credential: SessionCredential,
  { filters, page }: { filters: ExplorerFilters; page: ExplorerPage },
): Promise<{ items: TurnSummary[]; total: number }> {
  const { rows, total } = await find(ctx, credential, { all: false, filters, page })
  return { items: rows.map(serializeOwn), total }
}

/** The turns of all accounts that match, for admins, without their texts. */
export async function exploreAllTurns(
  ctx: Context,
  credential: SessionCredential,
  { filters, page }: { filters: ExplorerFilters; page: ExplorerPage },
): Promise<{ items: AdminTurnSummary[]; total: number }> {
  const { rows, total } = await find(ctx, credential, { all: true, filters, page })
  return { items: rows.map(serializeForAdmin), total }
}

const counted = (what: string) =>
  z
    .array(
      z.object({
        value: z.string().meta({ example: "MODEL_UNAVAILABLE" }),
        turns: z.int().meta({ example: 3 }),
        billed_usd: z.number(),
      }),
    )
    .meta({ description: `The most frequent ${what}, at most ${EXPLORER_POLICY.mostValues}.` })

export const turnStatsSchema = z
  .object({
    since: z.iso.datetime().nullable().meta({ description: "The start of the range. Null: all turns." }),
    turns: z.int().meta({ example: 120 }),
    done: z.int().meta({ example: 110 }),
    failed: z.int().meta({ example: 3 }),
    cancelled: z.int().meta({ example: 2 }),
    open: z.int().meta({ description: "Queued and running turns.", example: 5 }),
    billed_usd: z.number(),
    success_rate: z
      .number()
      .nullable()
      .meta({ description: "done / (done + failed). Null without such turns.", example: 0.97 }),
    p50_seconds: z.number().nullable().meta({ description: "The median time from acceptance to end.", example: 1.4 }),
    p95_seconds: z.number().nullable().meta({ description: "The 95th percentile of that time.", example: 4.2 }),
    bucket_seconds: z.int().meta({ description: "The length of a bucket.", example: 3600 }),
    buckets: z
      .array(
        z.object({
          starts_at: z.iso.datetime(),
          turns: z.int().meta({ example: 12 }),
          failed: z.int().meta({ example: 0 }),
          cancelled: z.int().meta({ example: 0 }),
          billed_usd: z.number(),
        }),
      )
      .meta({ description: "The turns by the time of their acceptance, oldest first. Empty buckets are left out." }),
    reasons: counted("reasons of failed and cancelled turns"),
    models: counted("models"),
  })
  .meta({ id: "TurnStats" })

const HOUR = 3600

/** The length of a bucket: at most some hundred of them fit into a range. */
function bucketOf(since: Date | null, until: Date): number {
  const hours = since === null ? Number.POSITIVE_INFINITY : (until.getTime() - since.getTime()) / (HOUR * 1000)
  return hours <= 6 ? 60 : hours <= 24 ? HOUR / 4 : hours <= 7 * 24 ? HOUR : 24 * HOUR
}

const serializeCount = ({ value, turns, billed }: Answers["turn_count"]) => ({
  value,
  turns,
  billed_usd: toUsd(billed),
})

/** Figures and a histogram of all turns that match: of the caller's account, or for admins of all accounts. */
export async function getTurnStats(
  ctx: Context,
  credential: SessionCredential,
  { all, filters }: { all: boolean; filters: ExplorerFilters },
): Promise<z.infer<typeof turnStatsSchema>> {
  const filter = filterOf(ctx, all, filters)
  const since = filter.created_after as Date | null
  const bucket = bucketOf(since, (filter.created_before as Date | null) ?? ctx.clock.now())
  const { row } = await callAs(ctx, credential, "count_turns", {
    all,
    filter,
    bucket,
    most: EXPLORER_POLICY.mostValues,
    searched: EXPLORER_POLICY.searched,
  })
  if (!row.stats) throw new Error("count_turns returned nothing for a usable caller")
  const { turns, done, failed, cancelled, open, billed, took_us_half, took_us_most, buckets, reasons, models } =
    row.stats
  return {
    since: since === null ? null : since.toISOString(),
    turns,
    done,
    failed,
    cancelled,
    open,
    billed_usd: toUsd(billed),
    success_rate: done + failed === 0 ? null : done / (done + failed),
    p50_seconds: took_us_half === null ? null : took_us_half / 1e6,
    p95_seconds: took_us_most === null ? null : took_us_most / 1e6,
    bucket_seconds: bucket,
    buckets: buckets.map(({ starts_at, billed: amount, ...bucketRow }) => ({
      starts_at: toInstant(starts_at),
      ...bucketRow,
      billed_usd: toUsd(amount),
    })),
    reasons: reasons.map(serializeCount),
    models: models.map(serializeCount),
  }
}
