import type { SessionCredential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { storedRow, storedRows } from "../base/casts.ts"
import { TurnpikeError } from "../base/errors.ts"
import { call, callOne } from "../platform/db.ts"
import type { JsonRow } from "../platform/json-row.ts"
import { describeError } from "../platform/log.ts"
import type { Answers } from "../platform/procedures.ts"
import { askReports, type BookContext, type ReportAccess } from "./ask-report.ts"
import { type Comparison, compareDay } from "./compare-day.ts"
import { FORMATS, type FormatName } from "./formats.ts"
import { BOOK_POLICY } from "./policies.ts"
import { openReportKey } from "./provider-report.ts"
import { dayBefore, endsOf, ReportError } from "./report-day.ts"
import { findSingleCalls } from "./single-calls.ts"

type Taken = Answers["taken_book"]

/**
 * Compares the days that are due, one after another: a day is read, compared and stored before the next one is taken.
 * A day whose reports cannot be read is repeated later and keeps no other day waiting.
 */
export async function sweepProviderBooks(
  ctx: BookContext,
): Promise<{ days: number; findings: number; unread: number }> {
  const done = { days: 0, findings: 0, unread: 0 }
  const startedAt = ctx.clock.now().getTime()
  while (done.days + done.unread < BOOK_POLICY.days && ctx.clock.now().getTime() - startedAt < BOOK_POLICY.runMs) {
    const now = ctx.clock.now()
    const { take_due_book } = await callOne(ctx.db, "take_due_book", {
      oldest: dayBefore(now, BOOK_POLICY.keepDays),
      last: dayBefore(new Date(now.getTime() - BOOK_POLICY.firstAfterMs), 1),
      lease: leaseFrom(now),
      moment: now,
    })
    if (!take_due_book) return done
    const found = await compareTaken(ctx, storedRow<Taken>(take_due_book))
    if (found === null) done.unread++
    else done.days++
    done.findings += found ?? 0
  }
  return done
}

export const COMPARE_BOOK_ERRORS = ["NOT_FOUND", "PROVIDER_FAILED"] as const

/** Compares a day again for an admin. Throws NOT_FOUND, or PROVIDER_FAILED if the reports cannot be read. */
export async function compareBook(
  ctx: Context,
  credential: SessionCredential,
  { providerId, day }: { providerId: string; day: string },
): Promise<void> {
  const { row } = await callAs(ctx, credential, "take_book", claimOf(ctx.clock.now(), { providerId, day }))
  await compareClaimed(ctx, row.taken)
}

/** The same for the command line. */
export async function compareBookAsSystem(ctx: BookContext, of: { providerId: string; day: string }): Promise<void> {
  const moment = ctx.clock.now()
  const { claim_past_book } = await callOne(ctx.db, "claim_past_book", { ...claimOf(moment, of), moment })
  await compareClaimed(ctx, claim_past_book)
}

const claimOf = (now: Date, { providerId, day }: { providerId: string; day: string }) => ({
  provider_id: providerId,
  day,
  oldest: dayBefore(now, BOOK_POLICY.keepDays),
  lease: leaseFrom(now),
})

async function compareClaimed(ctx: BookContext, taken: object | null): Promise<void> {
  if (taken === null) throw new TurnpikeError("NOT_FOUND", "The account has no reports, or this day has not ended.")
  if ((await compareTaken(ctx, storedRow<Taken>(taken))) !== null) return
  throw new TurnpikeError("PROVIDER_FAILED", "The provider's reports could not be read. The day shows the reason.")
}

const leaseFrom = (now: Date) => new Date(now.getTime() + BOOK_POLICY.leaseMs)

/** Reads, compares and stores a taken day. Returns the number of new findings; null if the reports cannot be read. */
async function compareTaken(ctx: BookContext, taken: Taken): Promise<number | null> {
  const { provider_id, day } = taken
  try {
    const result = await compared(ctx, taken)
    const now = ctx.clock.now()
    const isSettled = now.getTime() >= endsOf(day).ends.getTime() + BOOK_POLICY.settlesAfterMs
    const next_at = isSettled ? null : new Date(now.getTime() + BOOK_POLICY.everyMs)
    const rows = await call(ctx.db, "note_book", { taken, result, next_at, moment: now })
    const found = storedRows<JsonRow<"provider_book_findings">>(rows.map(({ note_book }) => note_book))
    for (const { kind, model, credit_micros, calls } of found) {
      ctx.log("error", "provider_books.finding", { provider_id, day, kind, model, credit_micros, calls, isSettled })
    }
    return found.length
  } catch (error) {
    const failure = error instanceof ReportError ? error.code : "internal"
    ctx.log("error", "provider_books.unread", { provider_id, day, failure, error: describeError(error) })
    const now = ctx.clock.now()
    const next_at = new Date(now.getTime() + BOOK_POLICY.retryMs)
    await callOne(ctx.db, "note_book_failure", { taken, failure, next_at, moment: now })
    return null
  }
}

async function compared(ctx: BookContext, taken: Taken): Promise<Comparison> {
  const { provider_id, day, shared } = taken
  const format = FORMATS[taken.format as FormatName]
  const key = await openReportKey(ctx, provider_id, taken.sealed)
  const access: ReportAccess = { format, baseUrl: taken.base_url ?? format.baseUrl, key, scopeId: taken.scope_id }
  const report = await askReports(ctx, access, day)
  const of = { provider_id, day, slack: BOOK_POLICY.slackSeconds }
  const rows = await call(ctx.db, "our_book", of)
  const { lost_calls: lost } = await callOne(ctx.db, "lost_calls", of)
  const ours = rows.flatMap(({ our_book: sums }) => sums ?? [])
  const result = compareDay({ report, units: format.units, ours, lost: lost ?? 0, shared })
  return { ...result, findings: [...result.findings, ...(await findSingleCalls(ctx, access, { ...taken, result }))] }
}
