import type { SystemContext } from "../actor/context.ts"
import { createKeyRing, parseKeyRing } from "../base/key-ring.ts"
import { plainJson } from "../base/plain-json.ts"
import type { Log } from "../platform/log.ts"
import type { BookContext } from "../provider-books/ask-report.ts"
import type { Book, BookDay } from "../provider-books/book-row.ts"
import { compareBookAsSystem, sweepProviderBooks } from "../provider-books/compare-book.ts"
import { BOOK_POLICY } from "../provider-books/policies.ts"
import { readBook, readBooks } from "../provider-books/read-books.ts"
import { seeBookAsSystem } from "../provider-books/see-book.ts"
import { noteAct } from "./audited.ts"

/** The days that `npm run admin -- books` shows without `--days`. */
export const SHOWN_DAYS = 30

export interface BooksOptions {
  days: number
  providerId: string | null
  day: string | null
  json: boolean
  /** The key ring, which opens the keys of reports. */
  keys: string | undefined
}

interface Report {
  report: string
  /** True if a shown day has findings that no operator has seen. */
  hasFindings: boolean
}

/** Lists the days of provider accounts next to their providers' reports, with the findings of each. */
export async function showBooks(ctx: SystemContext, { days, providerId, json }: BooksOptions): Promise<Report> {
  const books = await readBooks(ctx, { days, providerId })
  const hasFindings = books.items.some(isUnseen)
  if (json) return { report: plainJson(books, 2), hasFindings }
  if (books.reports.length === 0 && books.items.length === 0) {
    const report = 'No account has a key for its reports. Store one on the page "Provider\'s books".'
    return { report, hasFindings }
  }
  const found = books.items.flatMap(({ provider_id, day, findings }) =>
    findings.map((finding) => [day, provider_id, ...cellsOf(finding)]),
  )
  const parts = [
    table(DAY_FIELDS, books.items.map(figuresOf)),
    ...(found.length > 0 ? [table(["day", "provider_id", ...FINDING_FIELDS], found)] : []),
  ]
  return {
    report: books.items.length > 0 ? parts.join("\n\n") : `No day of the last ${days} was compared.`,
    hasFindings,
  }
}

/** Shows one day of an account: its figures, the numbers of each model, and its findings. */
export async function showBook(ctx: SystemContext, { json, ...options }: BooksOptions): Promise<Report> {
  const book = await readBook(ctx, dayOf(options))
  return { report: json ? plainJson(book, 2) : reportOf(book), hasFindings: isUnseen(book) }
}

/** Reads the providers' reports now and compares again: one day of an account, or without a day all that are due. */
export async function compareBooks(ctx: SystemContext, options: BooksOptions): Promise<Report> {
  if (!options.keys) throw new Error("Set SECRETS_KEYS, as the callbacks worker has them.")
  const books: BookContext = {
    ...ctx,
    fetch,
    urlPolicy: { allowLoopback: true, ownHosts: [] },
    keyRing: createKeyRing(parseKeyRing(options.keys)),
    log: logDefects,
  }
  if (options.day === null && options.providerId === null) {
    await noteAct(ctx, { action: "provider.compare", subject: ["provider", "each"] })
    const { days, unread, findings } = await sweepProviderBooks(books)
    const report = `${days} days compared, ${findings} new findings, ${unread} days whose reports could not be read.`
    return { report, hasFindings: findings + unread > 0 }
  }
  const { providerId, day } = dayOf(options)
  await compareBookAsSystem(books, { providerId, day })
  await noteAct(ctx, { action: "provider.compare", subject: ["provider", providerId], after: { day } })
  return showBook(ctx, options)
}

/** Marks the findings of a day as seen. */
export async function seeFindings(ctx: SystemContext, options: BooksOptions): Promise<string> {
  const { providerId, day } = dayOf(options)
  await seeBookAsSystem(ctx, { providerId, day })
  await noteAct(ctx, { action: "provider.findings_seen", subject: ["provider", providerId], after: { day } })
  return `The findings of ${providerId} on ${day} are marked as seen.`
}

function dayOf({ providerId, day }: Pick<BooksOptions, "providerId" | "day">) {
  if (providerId === null || day === null) throw new Error("Give --provider-id and --day together.")
  if (!/^\d{4}-\d\d-\d\d$/.test(day) || Number.isNaN(Date.parse(day))) {
    throw new Error(`--day: "${day}" is not a day, such as 2026-01-14.`)
  }
  return { providerId, day }
}

/** The number of days of `--days`. */
export function daysOf(text: string | undefined): number {
  const days = Number(text ?? SHOWN_DAYS)
  if (Number.isInteger(days) && days >= 1 && days <= BOOK_POLICY.keepDays) return days
  throw new Error(`--days must be a number from 1 to ${BOOK_POLICY.keepDays}.`)
}

/** A report that cannot be read is no defect: its day has the reason. */
const logDefects: Log = (_level, _event, fields) => {
  if (fields?.failure === "internal") console.error(fields.error)
}

const isUnseen = ({ findings_total, seen_at }: BookDay) => findings_total > 0 && seen_at === null

const DAY_FIELDS = [
  "day",
  "provider_id",
  "state",
  "provider_usd",
  "cost_usd",
  "billed_usd",
  "margin_usd",
  "findings_total",
]

const figuresOf = (of: BookDay) => [
  of.day,
  of.provider_id,
  of.failure ?? of.state,
  ...[of.provider_usd, of.cost_usd, of.billed_usd, of.margin_usd].map(wordOf),
  `${of.findings_total}${of.findings_total > 0 && of.seen_at !== null ? " (seen)" : ""}`,
]

const FINDING_FIELDS = ["kind", "model", "difference_usd", "units", "response_id", "turn_id"]

const cellsOf = ({ kind, model, difference_usd, units, response_id, turn_id }: Book["findings"][number]) => [
  kind,
  model,
  wordOf(difference_usd),
  units.map(({ unit, theirs, ours }) => `${unit} ${theirs} (ours ${ours})`).join(", "),
  response_id ?? "-",
  turn_id ?? "-",
]

const LINE_FIELDS = ["model", "unit", "theirs", "ours", "least", "most"] as const

function reportOf(book: Book): string {
  const lines = book.lines.map((line) => LINE_FIELDS.map((field) => String(line[field])))
  return [
    table(DAY_FIELDS, [figuresOf(book)]),
    lines.length > 0 ? table(LINE_FIELDS, lines) : "Neither the provider nor we have calls on this day.",
    book.findings.length > 0 ? table(FINDING_FIELDS, book.findings.map(cellsOf)) : "No findings.",
  ].join("\n\n")
}

const wordOf = (value: number | null) => (value === null ? "-" : String(value))

/** Rows as lines of text, in columns below the names of their fields. */
function table(fields: readonly string[], rows: string[][]): string {
  const all = [[...fields], ...rows]
  const widths = fields.map((_, at) => Math.max(...all.map((row) => row[at]?.length ?? 0)))
  return all
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n")
}
