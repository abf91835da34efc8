import * as z from "zod"
import type { App } from "../../http/app.ts"
import { CSV_ANSWER, type CsvColumns, csvOf, csvQuery } from "../../http/csv.ts"
import { daysQuery, idParam } from "../../http/query.ts"
import { sessionOf } from "../../http/session-of.ts"
import { type BookDay, bookSchema } from "../../provider-books/book-row.ts"
import { COMPARE_BOOK_ERRORS, compareBook } from "../../provider-books/compare-book.ts"
import { BOOK_POLICY } from "../../provider-books/policies.ts"
import {
  providerReportSchema,
  putProviderReport,
  putProviderReportSchema,
  removeProviderReport,
} from "../../provider-books/provider-report.ts"
import { booksSchema, getBook, listBooks } from "../../provider-books/read-books.ts"
import { seeBook } from "../../provider-books/see-book.ts"

const tag = "admin"
const REPORT = "/api/admin/providers/{provider_id}/report"
const DAY = "/api/admin/provider-books/{provider_id}/{day}"
const provider_id = idParam.meta({ description: "The account.", example: "team-one" })
const params = z.object({
  provider_id,
  day: z.iso.date().meta({ description: "The day (UTC).", example: "2026-01-14" }),
})
const report = { status: 200, description: "How its reports are read.", schema: providerReportSchema } as const
const book = { status: 200, description: "The day.", schema: bookSchema } as const

const CSV: CsvColumns<BookDay> = {
  provider_id: (row) => row.provider_id,
  day: (row) => row.day,
  state: (row) => row.state,
  failure: (row) => row.failure,
  provider_usd: (row) => row.provider_usd,
  credits_usd: (row) => row.credits_usd,
  other_usd: (row) => row.other_usd,
  foreign_usd: (row) => row.foreign_usd,
  explained_usd: (row) => row.explained_usd,
  cost_usd: (row) => row.cost_usd,
  billed_usd: (row) => row.billed_usd,
  margin_usd: (row) => row.margin_usd,
  model_calls: (row) => row.model_calls,
  lost_calls: (row) => row.lost_calls,
  findings_total: (row) => row.findings_total,
}

/** Our calls next to the reports of the providers. */
export function mountProviderBooks(app: App) {
  app.operation(
    {
      method: "get",
      path: "/api/admin/provider-books",
      id: "listProviderBooks",
      tag,
      summary: "List days of provider accounts next to their providers' reports",
      description:
        "The provider's cost, our cost and the billed amount of each compared day (UTC), with the real margin. A day is compared from some hours after its end " +
        "until two days later, when it is settled.",
      query: z.strictObject({
        ...daysQuery(BOOK_POLICY.keepDays),
        provider_id: provider_id
          .optional()
          .meta({ description: "Only this account. Default: all.", example: "team-one" }),
        ...csvQuery,
      }),
      answer: { status: 200, description: "The days.", schema: booksSchema, also: CSV_ANSWER },
      errors: [],
    },
    async (c, { query: { days, provider_id, format } }) => {
      const books = await listBooks(c.get("ctx"), sessionOf(c), { days, providerId: provider_id ?? null })
      return format === "csv" ? csvOf(c, "provider-books", CSV, books.items) : books
    },
  )

  app.operation(
    {
      method: "get",
      path: DAY,
      id: "getProviderBook",
      tag,
      summary: "Read a day of a provider account",
      description:
        "The numbers of each model, the findings, and our calls with the largest cost. A call at an end of the day may be on either day, so a number has a range.",
      params,
      answer: book,
      errors: ["NOT_FOUND"],
    },
    async (c, { params: { provider_id: providerId, day } }) => getBook(c.get("ctx"), sessionOf(c), { providerId, day }),
  )

  app.operation(
    {
      method: "post",
      path: `${DAY}/compare`,
      id: "compareProviderBook",
      tag,
      summary: "Compare a day again",
      description:
        "Reads the provider's reports of the day now, and replaces its numbers and findings. PROVIDER_FAILED: they could not be read, and the day has the reason.",
      params,
      answer: book,
      errors: COMPARE_BOOK_ERRORS,
    },
    async (c, { params: { provider_id: providerId, day } }) => {
      const [ctx, credential, of] = [c.get("ctx"), sessionOf(c), { providerId, day }] as const
      await compareBook(ctx, credential, of)
      return getBook(ctx, credential, of)
    },
  )

  app.operation(
    {
      method: "post",
      path: `${DAY}/seen`,
      id: "seeProviderBook",
      tag,
      summary: "Mark the findings of a day as seen",
      description: "The health check `provider_books` no longer counts them. A new finding of the day counts again.",
      params,
      answer: book,
      errors: ["NOT_FOUND"],
    },
    async (c, { params: { provider_id: providerId, day } }) => {
      const [ctx, credential, of] = [c.get("ctx"), sessionOf(c), { providerId, day }] as const
      await seeBook(ctx, credential, of)
      return getBook(ctx, credential, of)
    },
  )

  app.operation(
    {
      method: "put",
      path: REPORT,
      id: "putProviderReport",
      tag,
      summary: "Set how the reports of a provider account are read",
      description: `Compares the account's days, from ${BOOK_POLICY.backDays} days ago on, with the provider's own reports of its use and cost.`,
      versioned: "checked",
      params: z.object({ provider_id }),
      body: putProviderReportSchema,
      answer: report,
      errors: ["NOT_FOUND"],
    },
    async (c, { params: { provider_id: providerId }, body: wanted, ifVersion }) =>
      putProviderReport(c.get("ctx"), sessionOf(c), { providerId, ifVersion, wanted }),
  )

  app.operation(
    {
      method: "delete",
      path: REPORT,
      id: "removeProviderReport",
      tag,
      summary: "End the comparison of a provider account",
      description: "Forgets the key of its reports. Compared days stay.",
      versioned: "checked",
      params: z.object({ provider_id }),
      answer: { ...report, description: "The removed setting." },
      errors: ["NOT_FOUND"],
    },
    async (c, { params: { provider_id: providerId }, ifVersion }) =>
      removeProviderReport(c.get("ctx"), sessionOf(c), { providerId, ifVersion }),
  )
}
