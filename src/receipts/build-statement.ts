import type { Context } from "../actor/context.ts"
import { storedRow, storedRows } from "../base/casts.ts"
import { inParallel } from "../base/in-parallel.ts"
import type { LedgerRow } from "../billing/ledger-entry.ts"
import { call, callOne } from "../platform/db.ts"
import type { JsonRow } from "../platform/json-row.ts"
import { describeError } from "../platform/log.ts"
import type { Answers } from "../platform/procedures.ts"
import { RECEIPT_POLICY } from "./policies.ts"
import { receiptDocument, refundDocument } from "./receipt-document.ts"
import { digestOf } from "./sign-document.ts"

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

/** Reads a page of receipts or refunds, and adds their digests. Two runs at once add each page once. */
export async function addStatementPage(ctx: Building, row: StatementRow): Promise<StatementRow> {
  const { user_id, month, pages } = row
  const digests = row.ledger_id === null ? await digestReceipts(ctx, row) : await digestRefunds(ctx, row, row.ledger_id)
  const args = { user_id, month, pages, digests, moment: ctx.clock.now() }
  const { keep_statement } = await callOne(ctx.db, "keep_statement", args)
  return storedRow<StatementRow>(keep_statement)
}

async function digestReceipts(ctx: Building, row: StatementRow): Promise<string[]> {
  const receipts = await readReceipts(ctx, {
    userId: row.user_id,
    ...spanOfMonth(row.month),
    ...{ after: row.read_at, afterTurn: row.read_turn_id, limit: RECEIPT_POLICY.page },
  })
  return receipts.map((receipt) => digestOf(receiptDocument(receipt)))
}

async function digestRefunds(ctx: Building, row: StatementRow, after: number): Promise<string[]> {
  const span = spanOfMonth(row.month)
  const refunds = await readRefunds(ctx, { userId: row.user_id, ...span, after, limit: RECEIPT_POLICY.page })
  const documents = refunds.map(({ refund, receipt }) => refundDocument(refund, receiptDocument(receipt)))
  return (await Promise.all(documents)).map(digestOf)
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
  return storedRows<{ refund: LedgerRow; receipt: Answers["receipt"] }>(rows)
}

/** Continues statements that a request has left. One that fails comes after all others. */
export async function sweepStatements(ctx: Context): Promise<{ pages: number; closed: number; failed: number }> {
  const swept = { pages: 0, closed: 0, failed: 0 }
  const before = ctx.clock.now()
  const isOver = () => ctx.clock.now().getTime() > before.getTime() + RECEIPT_POLICY.sweepMs
  while (!isOver()) {
    const args = { before, limit: RECEIPT_POLICY.atOnce, moment: ctx.clock.now() }
    const taken = await call(ctx.db, "take_statements", args)
    const rows = storedRows<StatementRow>(taken.flatMap(({ take_statements: rows }) => rows ?? []))
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
