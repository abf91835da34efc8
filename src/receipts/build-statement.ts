import type { Context } from "../actor/context.ts"
import { inParallel } from "../base/in-parallel.ts"
import type { LedgerRow } from "../billing/ledger-entry.ts"
import { call, callOne } from "../platform/db.ts"
import type { JsonRow } from "../platform/json-row.ts"
import { describeError } from "../platform/log.ts"
import type { Answers } from "../platform/procedures.ts"
import { RECEIPT_POLICY } from "./policies.ts"
import { receiptDocument, refundDocument } from "./receipt-document.ts"
import { digestOf, digestOfAll, NO_DIGEST } from "./signing-keys.ts"

/** The receipts of one day (UTC). `charged`: credit micros. */
export interface StatementDay {
  day: string
  receipts: number
  charged: number
  digest: string
}

export interface StatementRow extends Omit<JsonRow<"statements">, "days"> {
  days: StatementDay[]
}

/** The first and the last moment (exclusive) of a month (UTC), given by its first day. */
export function spanOfMonth(month: string): { from: string; to: string } {
  const from = new Date(`${month.slice(0, 7)}-01T00:00:00Z`)
  const to = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + 1, 1))
  return { from: from.toISOString(), to: to.toISOString() }
}

type Building = Pick<Context, "db" | "clock">

/** Reads a page of receipts or refunds and adds it. Two runs at once add each page once. */
export async function addStatementPage(ctx: Building, row: StatementRow): Promise<StatementRow> {
  const { next, done } = row.ledger_id === null ? await nextReceipts(ctx, row) : await nextRefunds(ctx, row)
  const { keep_statement } = await callOne(ctx.db, "keep_statement", { next, done, moment: ctx.clock.now() })
  return keep_statement as unknown as StatementRow
}

async function nextReceipts(ctx: Building, row: StatementRow): Promise<{ next: StatementRow; done: boolean }> {
  const { from, to } = spanOfMonth(row.month)
  const rows = await readReceipts(ctx, {
    userId: row.user_id,
    ...{ from, to, after: row.read_at, afterTurn: row.read_turn_id, limit: RECEIPT_POLICY.page },
  })
  const next = { ...row, days: [...row.days] }
  for (const receipt of rows) {
    const document = receiptDocument(receipt)
    const day = document.ended_at.slice(0, 10)
    const last = next.days.at(-1)
    const sums = last?.day === day ? last : { day, receipts: 0, charged: 0, digest: NO_DIGEST }
    if (last?.day === day) next.days.pop()
    next.days.push({
      day,
      receipts: sums.receipts + 1,
      charged: sums.charged + receipt.billed,
      digest: digestOfAll([sums.digest, digestOf(document)]),
    })
    next.receipts++
    next.charged_credit_micros += receipt.billed
    next.read_at = receipt.finished_at
    next.read_turn_id = receipt.turn_id
  }
  if (rows.length < RECEIPT_POLICY.page) Object.assign(next, { ledger_id: 0, refund_digest: NO_DIGEST })
  return { next, done: false }
}

async function nextRefunds(ctx: Building, row: StatementRow): Promise<{ next: StatementRow; done: boolean }> {
  const next = { ...row }
  const { from, to } = spanOfMonth(row.month)
  const rows = await readRefunds(ctx, {
    userId: row.user_id,
    ...{ from, to, after: row.ledger_id ?? 0, limit: RECEIPT_POLICY.page },
  })
  for (const { refund, receipt } of rows) {
    const document = await refundDocument(refund, receiptDocument(receipt))
    next.refund_digest = digestOfAll([next.refund_digest, digestOf(document)])
    next.refunds++
    next.refunded_credit_micros += refund.amount_credit_micros ?? 0
    next.ledger_id = refund.ledger_id
  }
  return { next, done: rows.length < RECEIPT_POLICY.page }
}

interface Span {
  userId: number
  from: string
  to: string
  limit: number
}

/** A page of the receipts of turns that ended in a span, after one of them. */
export async function readReceipts(
  ctx: Pick<Context, "db">,
  { userId, from, to, limit, after, afterTurn }: Span & { after: string; afterTurn: string },
): Promise<Answers["receipt"][]> {
  const rows = await call(ctx.db, "receipts_between", {
    user_id: userId,
    from: new Date(from),
    to: new Date(to),
    after: after === "-infinity" ? new Date(0) : new Date(after),
    after_turn: afterTurn,
    limit,
  })
  return rows.flatMap(({ receipts_between: receipts }) => receipts ?? []) as Answers["receipt"][]
}

/** A page of the refunds that were booked in a span, by id, after one of them. */
export async function readRefunds(
  ctx: Pick<Context, "db">,
  { userId, from, to, limit, after }: Span & { after: number },
): Promise<{ refund: LedgerRow; receipt: Answers["receipt"] }[]> {
  const args = { user_id: userId, from: new Date(from), to: new Date(to), after, limit }
  const rows = await call(ctx.db, "refunds_between", args)
  return rows as unknown as { refund: LedgerRow; receipt: Answers["receipt"] }[]
}

/** Continues statements that a request has left. One that fails comes after all others. */
export async function sweepStatements(ctx: Context): Promise<{ pages: number; closed: number; failed: number }> {
  const swept = { pages: 0, closed: 0, failed: 0 }
  const before = ctx.clock.now()
  const isOver = () => ctx.clock.now().getTime() > before.getTime() + RECEIPT_POLICY.sweepMs
  while (!isOver()) {
    const args = { before, limit: RECEIPT_POLICY.atOnce, moment: ctx.clock.now() }
    const taken = await call(ctx.db, "take_statements", args)
    const rows = taken.flatMap(({ take_statements: rows }) => rows ?? []) as unknown as StatementRow[]
    await inParallel(rows, async (row) => {
      try {
        let current = row
        while (current.closed_at === null && !isOver()) {
          current = await addStatementPage(ctx, current)
          swept.pages++
        }
        if (current.closed_at !== null) swept.closed++
      } catch (error) {
        swept.failed++
        const month = row.month.slice(0, 7)
        ctx.log("error", "statements.failed", { user_id: row.user_id, month, error: describeError(error) })
      }
    })
    if (rows.length < RECEIPT_POLICY.atOnce) break
  }
  return swept
}
