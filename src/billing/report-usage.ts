import type { Credential } from "../actor/actor.ts"
import { readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import { toUsd } from "../base/money.ts"
import { decodePosition, encodePosition } from "../base/pagination.ts"
import { refundsOf } from "../base/refunds.ts"
import { DAY_MS } from "../base/time.ts"
import { usageGroups } from "./usage-groups.ts"
import { requireUsageKey } from "./usage-keys.ts"
import { sumOf } from "./usage-order.ts"
import {
  type GroupPlace,
  metadataKeyOf,
  type SumsRow,
  type UsageGroupKind,
  type UsageQuery,
  type UsageReport,
  type UsageSums,
} from "./usage-schemas.ts"

export interface GroupRow extends SumsRow, GroupPlace {}

export interface UsagePage {
  from: string
  to: string
  groups: GroupRow[]
  more: boolean
  total: SumsRow
}

export const DEFAULT_USAGE_DAYS = 30

/**
 * The range of a report, by default the last `DEFAULT_USAGE_DAYS`
 * days (UTC) including today. VALIDATION_FAILED for an empty range.
 */
export function usageRange(now: Date, { from, to }: Pick<UsageQuery, "from" | "to">): { from: string; to: string } {
  const tomorrow = (Math.floor(now.getTime() / DAY_MS) + 1) * DAY_MS
  const end = to === undefined ? tomorrow : Date.parse(to)
  const start = from === undefined ? end - DEFAULT_USAGE_DAYS * DAY_MS : Date.parse(from)
  if (!(start < end)) throw new TurnpikeError("VALIDATION_FAILED", "from: must be before `to`", { param: "from" })
  return { from: new Date(start).toISOString(), to: new Date(end).toISOString() }
}

/** Returns a page of a report, with the total over all groups. A cursor contains the range of its first page. */
export async function reportUsage(
  ctx: Context,
  credential: Credential,
  { query, limit, cursor }: { query: UsageQuery; limit: number; cursor?: string | undefined },
): Promise<UsageReport> {
  const [group, from = query.from, to = query.to, kind = "value", sum] = decodePosition(cursor, { usage: query }) ?? []
  const range = usageRange(ctx.clock.now(), { from, to })
  const after =
    group === undefined
      ? undefined
      : { group, kind: kind as UsageGroupKind, sum: sum === undefined ? sum : Number(sum) }
  const page = await sumUsage(ctx, credential, { ...query, ...range }, { after, limit })
  const last = placeOfLast(page, query)
  const goesOn = page.more && last !== undefined
  return {
    from: page.from,
    to: page.to,
    group_by: query.group_by,
    data: page.groups.map(({ group, kind, ...sums }) => ({ group, kind, ...serializeSums(sums) })),
    total: serializeSums(page.total),
    has_more: goesOn,
    next_cursor: goesOn ? encodePosition(positionOf(last, page), { usage: query }) : null,
  }
}

/** The place after which the next page begins. */
export function placeOfLast({ groups }: UsagePage, query: UsageQuery): GroupPlace | undefined {
  const last = groups.at(-1)
  const sum = sumOf(query)
  return last && { group: last.group, kind: last.kind, sum: sum && last[sum] }
}

const positionOf = ({ group, kind, sum }: GroupPlace, { from, to }: UsagePage): string[] => [
  group,
  from,
  to,
  kind,
  ...(sum === undefined ? [] : [String(sum)]),
]

function serializeSums({ billed, refunded, charged, margin, charged_billed, ...counts }: SumsRow): UsageSums {
  const usd = (micros: number | null) => (micros === null ? null : toUsd(micros))
  return {
    billed_usd: toUsd(billed),
    ...refundsOf({ billed, refunded }),
    end_user_charge_usd: usd(charged),
    margin_usd: usd(margin),
    charged_turns_billed_usd: usd(charged_billed),
    ...counts,
  }
}

/**
 * Sums the billed usage of a range by group. A turn counts with the time, amount and key of its ledger row, so every
 * grouping adds up to the rows with the reason `usage`, by model from the bills of calls. Refunds count when they are
 * booked.
 */
export async function sumUsage(
  ctx: Context,
  credential: Credential,
  query: UsageQuery & { from: string; to: string },
  { after, limit }: { after?: GroupPlace | undefined; limit: number },
): Promise<UsagePage> {
  const { from, to } = query
  const key = metadataKeyOf(query.group_by)
  if (key !== null) await requireUsageKey(ctx, credential, key)
  const { rows } = await readAs(ctx, credential, (db) => usageGroups(db, query, { after, limit: limit + 1 }))
  const { groups = [], total } = rows[0] ?? {}
  if (!total) throw new Error("a report has no total")
  return { from, to, groups: groups.slice(0, limit), more: groups.length > limit, total }
}
