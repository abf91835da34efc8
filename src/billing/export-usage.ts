import type { Credential } from "../actor/actor.ts"
import type { Context } from "../actor/context.ts"
import { csvLine, harmless } from "../base/csv.ts"
import { toUsd } from "../base/money.ts"
import { type GroupRow, placeOfLast, sumUsage, usageRange } from "./report-usage.ts"
import type { GroupPlace, UsageQuery } from "./usage-schemas.ts"

const COUNTS = ["turns", "model_calls", "tokens_input", "tokens_cached", "tokens_output"] as const

/** Groups per statement. Each statement sums the whole range again. */
const PAGE = 10_000

/**
 * Exports a whole report as CSV (RFC 4180), in pieces. The first page is
 * read before this resolves, so errors occur before anything is sent.
 */
export async function exportUsage(
  ctx: Context,
  credential: Credential,
  query: UsageQuery,
): Promise<{ from: string; to: string; pieces: AsyncGenerator<string> }> {
  const range = usageRange(ctx.clock.now(), query)
  const pageAfter = (after?: GroupPlace) => sumUsage(ctx, credential, { ...query, ...range }, { after, limit: PAGE })
  const first = await pageAfter()
  const pieces = (async function* () {
    yield csvLine([
      query.group_by,
      "billed_usd",
      "end_user_charge_usd",
      "margin_usd",
      ...COUNTS,
      "charged_turns_billed_usd",
      "kind",
      "refunded_usd",
      "net_usd",
    ])
    for (let page = first; ; page = await pageAfter(placeOfLast(page, query))) {
      yield page.groups.map(groupLine).join("")
      if (!page.more) return
    }
  })()
  return { ...range, pieces }
}

const usd = (micros: number | null) => (micros === null ? "" : toUsd(micros).toFixed(7))

function groupLine(row: GroupRow): string {
  return csvLine([
    harmless(row.group),
    toUsd(row.billed).toFixed(7),
    usd(row.charged),
    usd(row.margin),
    ...COUNTS.map((name) => String(row[name])),
    usd(row.charged_billed),
    row.kind,
    toUsd(row.refunded).toFixed(7),
    toUsd(row.billed - row.refunded).toFixed(7),
  ])
}
