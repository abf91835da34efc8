import type { BillingDetails, Statement } from "../api/operations.ts"
import { dayOfInstant } from "../ui/days.ts"
import type { PdfCell, PdfContent, PdfDocument } from "./pdf-document.ts"
import type { StatementPart } from "./statement-parts.ts"
import { monthWords, usdWords } from "./statement-words.ts"

export interface PrintedStatement {
  document: Statement
  /** The digest of the document, by which its signature is verified. */
  digest: string
  details: BillingDetails
  /** The account: its name or email, and its id. */
  account: string
  parts: readonly StatementPart[]
}

/** Letters that Roboto, the font of the file, has: most of Latin, Greek and Cyrillic, with punctuation. */
const SHOWN =
  /^[\n\u0020-\u007e\u00a0-\u017f\u0218-\u021b\u0384-\u0386\u0388-\u038a\u038c\u038e-\u03a1\u03a3-\u03ce\u0400-\u0486\u0488-\u0513\u1ea0-\u1ef9\u2013\u2014\u2018-\u201e\u2022\u2026\u20a6-\u20ac\u2116\u2122]*$/

/** True if the file can show all texts of the statement. The print of the page can show any. */
export const isShowable = ({ details, account, parts }: PrintedStatement): boolean =>
  [
    details.company,
    details.address,
    details.tax_number,
    account,
    ...parts.flatMap(({ rows }) => rows.map(({ group }) => group)),
  ].every((text) => SHOWN.test(text))

/** The file's content: the account, the sums of the month, and the groups. Amounts are exact. */
export function pdfOf({ document, digest, details, account, parts }: PrintedStatement): PdfDocument {
  const { month, receipts, other_charges, refunds, total_usd, days } = document
  const title = `Statement ${month}`
  return {
    info: { title },
    pageSize: "A4",
    pageMargins: [56, 56, 56, 64],
    defaultStyle: { font: "Roboto", fontSize: 9, lineHeight: 1.2 },
    styles: { title: { fontSize: 18, bold: true }, heading: { fontSize: 11, bold: true, margin: [0, 18, 0, 6] } },
    footer: (page, pages) => ({
      columns: [`${title}, ${account}`, { text: `${page} / ${pages}`, alignment: "right" }],
      margin: [56, 24],
      color: "#565f69",
    }),
    content: [
      { text: `Statement for ${monthWords(month)}`, style: "title", margin: [0, 0, 0, 16] },
      {
        columns: [
          { stack: [{ text: details.company || account, bold: true }, ...linesOf(details)] },
          { table: { widths: ["auto", "*"], body: factsOf(document, account) }, layout: "noBorders" },
        ],
        columnGap: 24,
      },
      { text: "Summary", style: "heading" },
      tableOf(
        ["", "Number", "USD"],
        [
          ["Turns", receipts.count, receipts.amount_usd],
          ["Containers and storage", other_charges.count, other_charges.amount_usd],
          ["Refunds", refunds.count, 0 - Number(refunds.amount_usd)],
        ],
        ["Total", "", total_usd],
      ),
      { text: "The amounts were taken from the account's credit. Nothing is left to pay.", margin: [0, 8, 0, 0] },
      ...parts.flatMap((part) => partOfPdf(part, receipts.amount_usd)),
      { text: "By day (UTC)", style: "heading" },
      tableOf(
        ["Day", "Turns", "USD"],
        days.map(({ day, receipts, amount_usd }) => [day, receipts, amount_usd]),
        ["Total", receipts.count, receipts.amount_usd],
      ),
      { text: "Proof", style: "heading" },
      { text: `SHA-256 of the signed statement: ${digest}` },
      { text: `SHA-256 of the receipts' digests: ${receipts.digest}` },
    ],
  }
}

const linesOf = ({ address, tax_number }: BillingDetails): PdfContent[] => [
  ...address.split("\n").filter((line) => line !== ""),
  ...(tax_number === "" ? [] : [`Tax number: ${tax_number}`]),
]

const factsOf = ({ month, from, to, currency }: Statement, account: string): string[][] => [
  ["Number", month],
  ["Account", account],
  ["Period", `${from.slice(0, 10)} to ${dayOfInstant(to, -1)} (UTC)`],
  ["Currency", currency],
]

const partOfPdf = ({ title, rows, rest, restUsd }: StatementPart, total: string): PdfContent[] => [
  { text: title, style: "heading" },
  tableOf(
    ["", "Turns", "USD"],
    [
      ...rows.map(({ group, turns, usd }) => [group, turns, usd] as Line),
      ...(restUsd === 0 ? [] : [[rest, "", restUsd] as Line]),
    ],
    ["Total", "", total],
  ),
]

type Line = [name: string, count: number | "", usd: string | number]

/** A table with a header that repeats on each page, right-aligned numbers, and a sum. */
const tableOf = (header: [string, string, string], lines: Line[], sum: Line): PdfContent => ({
  table: {
    headerRows: 1,
    widths: ["*", "auto", "auto"],
    body: [
      cellsOf(header, { bold: true }),
      ...lines.map(([name, count, usd]) =>
        cellsOf([name, count === "" ? "" : count.toLocaleString("en-US"), usdWords(usd)]),
      ),
      cellsOf([sum[0], sum[1] === "" ? "" : sum[1].toLocaleString("en-US"), usdWords(sum[2])], { bold: true }),
    ],
  },
  layout: "lightHorizontalLines",
})

const cellsOf = (texts: string[], style: object = {}): PdfCell[] =>
  texts.map((text, at) => ({ text, ...style, ...(at > 0 && { alignment: "right" as const, noWrap: true }) }))
