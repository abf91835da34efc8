import * as z from "zod"
import type { Credential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { storedRow } from "../base/casts.ts"
import { TurnpikeError } from "../base/errors.ts"
import { usdDecimal } from "../base/money.ts"
import { addStatementPage, type StatementRow, spanOfMonth } from "./build-statement.ts"
import { signedShape } from "./get-receipt.ts"
import { RECEIPT_POLICY } from "./policies.ts"
import { digestOfAll, signDocument } from "./sign-document.ts"

const decimal = z.string().meta({ format: "decimal", example: "12.3456789" })
const count = z.int().meta({ example: 1042 })
const digest = z.string().meta({ example: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" })

/** A month (UTC) in a path. */
export const monthParam = z
  .string()
  .regex(/^(19[7-9]\d|[2-9]\d{3})-(0[1-9]|1[0-2])$/, "must be a month, such as 2026-11")
  .meta({ description: "A month (UTC).", example: "2026-10" })

export const statementSchema = z
  .object({
    document: z.literal("statement"),
    version: z.literal(1),
    month: z.string().meta({ example: "2026-10" }),
    from: z.iso.datetime(),
    to: z.iso.datetime().meta({ description: "Exclusive." }),
    currency: z.literal("USD"),
    receipts: z
      .object({
        count,
        amount_usd: decimal,
        digest: digest.meta({ description: "SHA-256 of the digests in `days`, one after the other." }),
      })
      .meta({ id: "StatementReceipts", description: "The receipts of all live turns that ended in the month." }),
    days: z
      .array(
        z
          .object({
            day: z.string().meta({ example: "2026-10-01" }),
            receipts: count,
            amount_usd: decimal,
            digest: digest.meta({
              description:
                "It begins with zero bytes. For each receipt, by `ended_at` and then `turn_id`, it becomes the SHA-256 of itself and " +
                "the receipt's digest.",
            }),
          })
          .meta({ id: "StatementDay" }),
      )
      .meta({ description: "The days (UTC) with receipts." }),
    refunds: z
      .object({
        count: count.meta({ example: 0 }),
        amount_usd: decimal.meta({ example: "0.0000000" }),
        digest: digest.meta({ description: "As in `days`, over the refunds by `ledger_id`." }),
      })
      .meta({
        id: "StatementRefunds",
        description: "The refunds that were booked in the month, whenever their turns ended.",
      }),
    other_charges: z
      .object({ count: count.meta({ example: 0 }), amount_usd: decimal.meta({ example: "0.0000000" }) })
      .meta({ id: "StatementOther", description: "Charges for containers and storage." }),
    total_usd: decimal.meta({ description: "Receipts and other charges less refunds." }),
  })
  .meta({ id: "Statement" })

export type MonthSums = z.infer<typeof statementSchema>

export const monthStatementSchema = z
  .object({
    month: z.string().meta({ example: "2026-10" }),
    state: z.enum(["open", "building", "final"]).meta({
      description:
        "`open`: the month is not over. `building`: the receipts of a large month are still being read. Read it again after a minute. " +
        "Never `closed`, as in the list: reading a closed month builds its statement.",
      example: "final",
    }),
    receipts_read: z.int().meta({ description: "The number of receipts that were read so far.", example: 1042 }),
    statement: z
      .object({ kind: z.literal("statement"), document: statementSchema, ...signedShape })
      .meta({ id: "SignedStatement" })
      .nullable()
      .meta({ description: "The signed statement, which never changes. Null unless `state` is `final`." }),
  })
  .meta({ id: "MonthStatement" })

export type MonthStatement = z.infer<typeof monthStatementSchema>

export const accountScope = () =>
  new TurnpikeError("SCOPE_DENIED", "Only a live key to all spaces can read the account's statements.")

const monthUnknown = (why: string) => new TurnpikeError("NOT_FOUND", why, { param: "month" })

export const GET_STATEMENT_ERRORS = ["SCOPE_DENIED", "NOT_FOUND"] as const

/** The moment before which every turn has ended, and every refund is booked. */
export const settledAt = (ctx: Pick<Context, "clock">) => new Date(ctx.clock.now().getTime() - RECEIPT_POLICY.settlesMs)

/**
 * Returns the statement of a month. The first request for a month reads its receipts; a sweep reads the rest of a large
 * month. Throws SCOPE_DENIED, and NOT_FOUND for a month that has not begun or is before the account's usage.
 */
export async function getStatement(ctx: Context, credential: Credential, month: string): Promise<MonthStatement> {
  const { row } = await callAs(ctx, credential, "open_statement", { month: `${month}-01` })
  if (row.refused === "scope") throw accountScope()
  if (row.refused === "future") throw monthUnknown(`The month ${month} has not begun.`)
  if (row.refused === "before") throw monthUnknown(`The usage of the account began after ${month}.`)
  if (!row.statement?.month) return { month, state: "open", receipts_read: 0, statement: null }
  let statement = storedRow<StatementRow>(row.statement)
  for (let page = 0; statement.closed_at === null && page < RECEIPT_POLICY.requestPages; page++) {
    statement = await addStatementPage(ctx, statement)
  }
  const isFinal = statement.closed_at !== null
  return {
    month,
    state: isFinal ? "final" : "building",
    receipts_read: statement.receipts,
    statement: isFinal ? await signDocument(ctx, statementDocument(month, statement)) : null,
  }
}

function statementDocument(month: string, row: StatementRow): MonthSums {
  return {
    document: "statement",
    version: 1,
    month,
    ...spanOfMonth(month),
    currency: "USD",
    receipts: {
      count: row.receipts,
      amount_usd: usdDecimal(row.charged_credit_micros),
      digest: digestOfAll(row.days.map((day) => day.digest)),
    },
    days: row.days.map(({ day, receipts, charged, digest }) => {
      return { day, receipts, amount_usd: usdDecimal(charged), digest }
    }),
    refunds: { count: row.refunds, amount_usd: usdDecimal(row.refunded_credit_micros), digest: row.refund_digest },
    other_charges: { count: row.other_charges, amount_usd: usdDecimal(row.other_credit_micros) },
    total_usd: usdDecimal(totalOf(row)),
  }
}

/** Credit micros. */
export const totalOf = (row: StatementRow): number =>
  row.charged_credit_micros + row.other_credit_micros - row.refunded_credit_micros
