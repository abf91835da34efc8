import { type QueryCreator, sql } from "kysely"
import { jsonArrayFrom } from "kysely/helpers/postgres"
import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { storedRows } from "../base/casts.ts"
import { toUsd } from "../base/money.ts"
import { toInstant } from "../base/time.ts"
import type { DB } from "../platform/db-types.ts"
import type { JsonRow } from "../platform/json-row.ts"
import {
  type Book,
  type BookDayRow,
  bookDaySchema,
  serializeBookDay,
  serializeFinding,
  serializeLine,
} from "./book-row.ts"
import { BOOK_POLICY } from "./policies.ts"
import { providerReportSchema, serializeReport } from "./provider-report.ts"
import { dayBefore, endsOf } from "./report-day.ts"
import { notCompared } from "./see-book.ts"

export const booksSchema = z
  .object({
    reports: z.array(providerReportSchema).meta({ description: "The accounts that are compared." }),
    items: z.array(bookDaySchema).meta({ description: "Their days, the newest first." }),
  })
  .meta({ id: "ProviderBooks" })

interface BookFilter {
  days: number
  providerId: string | null
}
interface BookName {
  providerId: string
  day: string
}
type Queries = Pick<QueryCreator<DB>, "selectFrom">

/** Reads the compared days of the last `days` for admins, of all accounts or of one. */
export async function listBooks(ctx: Context, credential: SessionCredential, filter: BookFilter) {
  const now = ctx.clock.now()
  const { rows } = await readAs(ctx, credential, (db) => db.selectFrom("caller").select(listed(db, filter, now)), {
    role: "admin",
  })
  const { reports, days } = serializeListed(rows[0])
  return { reports, items: days.map(serializeBookDay) }
}

/** The same for the command line, with the findings of each day. */
export async function readBooks({ db, clock }: Pick<Context, "db" | "clock">, filter: BookFilter) {
  const row = await db.selectNoFrom(listed(db, filter, clock.now())).executeTakeFirst()
  const { reports, days } = serializeListed(row)
  const items = days.map((day) => ({ ...serializeBookDay(day), findings: day.findings.map(serializeFinding) }))
  return { reports, items }
}

function listed(db: Queries, { days, providerId }: BookFilter, now: Date) {
  return [
    jsonArrayFrom(
      daysOf(db)
        .where("d.day", ">=", sqlDay(dayBefore(now, days)))
        .$if(providerId !== null, (query) => query.where("d.provider_id", "=", providerId ?? ""))
        .orderBy("d.day", "desc")
        .orderBy("d.provider_id"),
    ).as("days"),
    jsonArrayFrom(
      db
        .selectFrom("provider_reports as r")
        .leftJoin("users as u", "u.user_id", "r.updated_by")
        .select(["r.provider_id", "r.format", "r.base_url", "r.scope_id", "r.shared", "r.first_day", "r.version"])
        .select(["r.created_at", "r.updated_at", "r.updated_by", "u.name as updated_by_name"])
        .orderBy("r.provider_id"),
    ).as("reports"),
  ] as const
}

const serializeListed = (row: { days: unknown[]; reports: unknown[] } | undefined) => ({
  reports: storedRows<Parameters<typeof serializeReport>[0]>(row?.reports).map(serializeReport),
  days: storedRows<BookDayRow>(row?.days),
})

/** Reads one day of an account for admins, with our calls. Throws NOT_FOUND. */
export async function getBook(ctx: Context, credential: SessionCredential, of: BookName): Promise<Book> {
  const { rows } = await readAs(ctx, credential, (db) => db.selectFrom("caller").select(oneDay(db, of)), {
    role: "admin",
  })
  return serializeBook(rows[0])
}

/** The same for the command line. */
export const readBook = async ({ db }: Pick<Context, "db">, of: BookName): Promise<Book> =>
  serializeBook(await db.selectNoFrom(oneDay(db, of)).executeTakeFirst())

function oneDay(db: Queries, { providerId, day }: BookName) {
  const { starts, ends } = endsOf(day)
  return [
    jsonArrayFrom(daysOf(db).where("d.day", "=", sqlDay(day)).where("d.provider_id", "=", providerId)).as("days"),
    jsonArrayFrom(
      db
        .selectFrom("model_calls as c")
        .where("c.subscription_id", "=", providerId)
        .where("c.created_at", ">=", starts)
        .where("c.created_at", "<", ends)
        .where("c.test", "=", false)
        .select(["c.turn_id", "c.step", "c.model", "c.response_id", "c.tokens_input", "c.tokens_cached"])
        .select(["c.tokens_output", "c.billed_credit_micros", "c.created_at"])
        .select(({ fn }) => fn.coalesce("c.provider_credit_micros", "c.cost_credit_micros").as("micros"))
        .orderBy("micros", "desc")
        .orderBy("c.turn_id")
        .orderBy("c.step")
        .limit(BOOK_POLICY.shownCalls),
    ).as("calls"),
  ] as const
}

type CallRow = Pick<
  JsonRow<"model_calls">,
  | "turn_id"
  | "step"
  | "model"
  | "response_id"
  | "tokens_input"
  | "tokens_cached"
  | "tokens_output"
  | "billed_credit_micros"
  | "created_at"
> & { micros: number }

function serializeBook(answer: { days: unknown[]; calls: CallRow[] } | undefined): Book {
  const [row] = storedRows<BookDayRow>(answer?.days)
  if (!answer || !row) throw notCompared()
  return {
    ...serializeBookDay(row),
    lines: row.lines.map(serializeLine),
    findings: row.findings.map(serializeFinding),
    calls: answer.calls.map(({ micros, billed_credit_micros, created_at, ...call }) => ({
      ...call,
      cost_usd: toUsd(micros),
      billed_usd: toUsd(billed_credit_micros),
      created_at: toInstant(created_at),
    })),
  }
}

const sqlDay = (day: string) => sql<Date>`${day}::date`

/** Days, each with the name of its account and its findings. Read as JSON, a row is a BookDayRow. */
function daysOf(db: Pick<QueryCreator<DB>, "selectFrom">) {
  return db
    .selectFrom("provider_book_days as d")
    .leftJoin("provider_accounts as a", "a.provider_id", "d.provider_id")
    .selectAll("d")
    .select((eb) => [
      "a.name as account",
      jsonArrayFrom(
        eb
          .selectFrom("provider_book_findings as f")
          .selectAll("f")
          .whereRef("f.provider_id", "=", "d.provider_id")
          .whereRef("f.day", "=", "d.day")
          .orderBy("f.model")
          .orderBy("f.finding_id"),
      ).as("findings"),
    ])
}
