import type { Context as HonoContext } from "hono"
import * as z from "zod"
import { noteExport } from "../actor/note-export.ts"
import { csvLine, harmless } from "../base/csv.ts"
import type { AppEnv } from "./app-env.ts"
import { sessionOf } from "./session-of.ts"
import { textStream } from "./text-stream.ts"

type Field = string | number | boolean | null

/** The columns of a CSV: names, and functions that return a row's value. Text is escaped for spreadsheets. */
export type CsvColumns<Row> = Record<string, (row: Row) => Field>

/** How many rows each statement reads. */
const PAGE = 1_000

export const bom = z
  .enum(["true", "false"])
  .default("false")
  .meta({ description: "`true`: a CSV begins with a byte order mark, so that Excel reads it as UTF-8." })

/** The pieces of a CSV, after a byte order mark if `asked` is "true". */
export async function* markedPieces(pieces: AsyncGenerator<string>, asked: string | undefined): AsyncGenerator<string> {
  if (asked === "true") yield "\ufeff"
  yield* pieces
}

export const csvQuery = {
  format: z
    .enum(["json", "csv"])
    .default("json")
    .meta({ description: "`csv`: the whole list with these filters as a file, without pages." }),
  bom,
}

/** The description of the CSV response, for `answer.also` of an operation. */
export const CSV_ANSWER = {
  "text/csv":
    "The whole list (RFC 4180, UTF-8, with a header line). A text that looks like a formula is prefixed with an apostrophe. So " +
    "is a formula inside a text after `;`, `|`, a tab or a line break.",
}

/**
 * The next page to read: `limit` rows after the row `after`. While rows are added or removed, an
 * offset would skip or repeat some.
 */
interface CsvPage<Row> {
  limit: number
  offset: number
  after: Row | undefined
}

export const csvHeader = (columns: CsvColumns<never>) => csvLine(Object.keys(columns))

/** Makes the line of a row. */
export function csvLineOf<Row>(columns: CsvColumns<Row>): (row: Row) => string {
  const shown = Object.values(columns)
  return (row) =>
    csvLine(shown.map((show) => show(row)).map((field) => (typeof field === "string" ? harmless(field) : field)))
}

/**
 * Sends a whole list as a file and records it in the audit log. `read` is called until a page is not
 * full. The first page is read before anything is sent, so that a refusal is still an error response.
 */
export const csvAnswer = <Row>(
  c: HonoContext<AppEnv>,
  name: string,
  columns: CsvColumns<Row>,
  read: (page: CsvPage<Row>) => Promise<Row[]>,
): Promise<Response> => csvInParts(c, name, columns, pagesOf(read))

async function* pagesOf<Row>(read: (page: CsvPage<Row>) => Promise<Row[]>): AsyncGenerator<Row[]> {
  let after: Row | undefined
  for (let offset = 0; ; offset += PAGE) {
    const page = await read({ limit: PAGE, offset, after })
    yield page
    if (page.length < PAGE) return
    after = page.at(-1)
  }
}

/** Like `csvAnswer`, for rows that arrive in parts. */
export async function csvInParts<Row>(
  c: HonoContext<AppEnv>,
  name: string,
  columns: CsvColumns<Row>,
  parts: AsyncGenerator<Row[]>,
): Promise<Response> {
  const lineOf = csvLineOf(columns)
  const first = await parts.next()
  const ofAccount = !c.req.path.startsWith("/api/admin/")
  await noteExport(c.get("ctx"), sessionOf(c), { what: name, query: c.req.query(), ofAccount })
  const pieces = (async function* () {
    yield csvHeader(columns)
    for (let part = first; !part.done; part = await parts.next()) {
      for (let at = 0; at < part.value.length; at += PAGE)
        yield part.value
          .slice(at, at + PAGE)
          .map(lineOf)
          .join("")
    }
  })()
  return textStream(markedPieces(pieces, c.req.query("bom")), c.get("ctx"), csvHeaders(name))
}

/** The headers of a CSV that a browser saves under this name. */
export const csvHeaders = (name: string) => ({
  "content-type": "text/csv; charset=utf-8; header=present",
  "content-disposition": `attachment; filename="${name}.csv"`,
  "x-content-type-options": "nosniff",
})

/** Sends rows that are already in memory as a file. */
export const csvOf = <Row>(c: HonoContext<AppEnv>, name: string, columns: CsvColumns<Row>, rows: Row[]) =>
  csvAnswer(c, name, columns, async ({ offset, limit }) => rows.slice(offset, offset + limit))

/** The rows of an item that has one for each of its parts. An item without parts has one row, too. */
export const rowsOfParts = <Item, Part>(item: Item, parts: Part[]): { item: Item; part: Part | undefined }[] =>
  parts.length === 0 ? [{ item, part: undefined }] : parts.map((part) => ({ item, part }))

/** The rows of all items of each part. */
export async function* rowsInParts<Item, Row>(parts: AsyncGenerator<Item[]>, rowsOfItem: (item: Item) => Row[]) {
  for await (const part of parts) yield part.flatMap(rowsOfItem)
}
