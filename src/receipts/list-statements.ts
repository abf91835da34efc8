import * as z from "zod"
import type { Credential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { storedRows } from "../base/casts.ts"
import { usdDecimal } from "../base/money.ts"
import { decodePosition, encodePosition, type Page } from "../base/pagination.ts"
import { readReceipts, readRefunds, type StatementRow, spanOfMonth } from "./build-statement.ts"
import { signedReceiptSchema, signedRefundSchema } from "./get-receipt.ts"
import { accountScope, settledAt, totalOf } from "./get-statement.ts"
import { type Receipt, type RefundDocument, receiptDocument, refundDocument } from "./receipt-document.ts"
import { type SignedDocument, signDocument } from "./sign-document.ts"

export const listedStatementSchema = z
  .object({
    month: z.string().meta({ example: "2026-10" }),
    state: z.enum(["open", "closed", "building", "final"]).meta({
      description:
        "`open`: the month is not over. `closed`: its statement was not read yet. `building`: it is being built. `final`: it never changes.",
      example: "final",
    }),
    receipts: z
      .int()
      .nullable()
      .meta({ description: "The number of receipts. Null unless it is final.", example: 1042 }),
    total_usd: z
      .string()
      .nullable()
      .meta({ format: "decimal", description: "Null unless it is final.", example: "12.3456789" }),
  })
  .meta({ id: "ListedStatement" })

export type ListedStatement = z.infer<typeof listedStatementSchema>

async function readAccount(ctx: Context, credential: Credential, { lists }: { lists: boolean }) {
  const { row } = await callAs(ctx, credential, "statement_account", { lists })
  if (row.refused === "scope") throw accountScope()
  return {
    userId: row.user_id as number,
    since: row.since as Date,
    rows: storedRows<StatementRow>(row.statements),
  }
}

/** Lists the months of an account since its first usage, newest first. Throws SCOPE_DENIED. */
export async function listStatements(ctx: Context, credential: Credential): Promise<ListedStatement[]> {
  const { since, rows } = await readAccount(ctx, credential, { lists: true })
  const byMonth = new Map(rows.map((row) => [row.month.slice(0, 7), row]))
  const settled = settledAt(ctx).getTime()
  const listed: ListedStatement[] = []
  const first = since.toISOString().slice(0, 7)
  for (let month = ctx.clock.now().toISOString().slice(0, 7); month >= first; month = monthBefore(month)) {
    const row = byMonth.get(month)
    const isFinal = row?.closed_at != null
    const isOpen = Date.parse(spanOfMonth(month).to) > settled
    listed.push({
      month,
      state: isFinal ? "final" : row ? "building" : isOpen ? "open" : "closed",
      receipts: isFinal ? row.receipts : null,
      total_usd: isFinal ? usdDecimal(totalOf(row)) : null,
    })
  }
  return listed
}

const monthBefore = (month: string) => new Date(Date.parse(spanOfMonth(month).from) - 1).toISOString().slice(0, 7)

export const statementDocumentSchema = z
  .union([signedReceiptSchema, signedRefundSchema])
  .meta({ id: "StatementDocument" })

type Listed = SignedDocument<Receipt> | SignedDocument<RefundDocument>

/**
 * Lists the signed documents of a month in the order of the statement: the receipts, then the refunds. Also for a month
 * that is not over. Throws SCOPE_DENIED.
 */
export async function listStatementDocuments(
  ctx: Context,
  credential: Credential,
  { month, limit, cursor }: { month: string; limit: number; cursor?: string | undefined },
): Promise<Page<Listed>> {
  const filters = { documents: month }
  const [kind = "receipts", ...place] = decodePosition(cursor, filters) ?? []
  const { userId } = await readAccount(ctx, credential, { lists: false })
  const span = { userId, ...spanOfMonth(month), limit: limit + 1 }
  const page = (data: Listed[], next: string[] | null): Page<Listed> => {
    return { data, has_more: next !== null, next_cursor: next && encodePosition(next, filters) }
  }
  if (kind === "receipts") {
    const [after = "-infinity", afterTurn = ""] = place
    const rows = await readReceipts(ctx, { ...span, after, afterTurn })
    const shown = rows.slice(0, limit)
    const last = shown.at(-1)
    const data = await Promise.all(shown.map((row) => signDocument(ctx, receiptDocument(row))))
    if (rows.length > limit && last) return page(data, ["receipts", last.finished_at, last.turn_id])
    return page(data, ["refunds", "0"])
  }
  const rows = await readRefunds(ctx, { ...span, after: Number(place[0] ?? 0) })
  const shown = rows.slice(0, limit)
  const data = await Promise.all(
    shown.map(({ refund, receipt }) => signDocument(ctx, refundDocument(refund, receiptDocument(receipt)))),
  )
  return page(data, rows.length > limit ? ["refunds", String(shown.at(-1)?.refund.ledger_id)] : null)
}
