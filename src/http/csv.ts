import type { Context as HonoContext } from "hono"
import * as z from "zod"
import { noteExport } from "../actor/note-export.ts"
import { csvLine, harmless } from "../base/csv.ts"
import type { AppEnv } from "./app-env.ts"
import { sessionOf } from "./session-of.ts"
import { textStream } from "./text-stream.ts"

type Field = string | number | boolean | null

/** The columns of a list as CSV: each with its name and what it shows of a row. Texts are made harmless for spreadsheets. */
export type CsvColumns<Row> = Record<string, (row: Row) => Field>

/** How many rows one statement of a CSV reads. */
const PAGE = 1_000

export const bom = z
  .enum(["true", "false"])
  .default("false")
  .meta({ description: "`true`: a CSV begins with a byte order mark, so that Excel reads it as UTF-8." })

/** The pieces of a CSV, after a byte order mark where that was asked for. */
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

/** What the documents say about it: `answer.also` of the operation. */
export const CSV_ANSWER = {
  "text/csv":
    "The whole list (RFC 4180, UTF-8, with a header line). A text like a formula gets an apostrophe in front. So " +
    "does a formula within a text after `;`, `|`, a tab or a line break.",
}

/** A page of a list: so many rows behind `after`, the last one of the page before. Where rows come and go meanwhile, an offset would miss some or repeat them. */
interface CsvPage<Row> {
  limit: number
  offset: number
  after: Row | undefined
}

/**
 * A whole list as a file, which the audit log notes. `read` is called until a page is not full; the first page is read before anything is
 * sent, so a refusal is an error as usual.
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

/** The same of rows that come in parts. */
export async function csvInParts<Row>(
  c: HonoContext<AppEnv>,
  name: string,
  columns: CsvColumns<Row>,
  parts: AsyncGenerator<Row[]>,
): Promise<Response> {
  const shown = Object.values(columns)
  const lineOf = (row: Row) =>
    csvLine(shown.map((show) => show(row)).map((field) => (typeof field === "string" ? harmless(field) : field)))
  const first = await parts.next()
  await noteExport(c.get("ctx"), sessionOf(c), { what: name, query: c.req.query() })
  const pieces = (async function* () {
    yield csvLine(Object.keys(columns))
    for (let part = first; !part.done; part = await parts.next()) {
      for (let at = 0; at < part.value.length; at += PAGE)
        yield part.value
          .slice(at, at + PAGE)
          .map(lineOf)
          .join("")
    }
  })()
  return textStream(markedPieces(pieces, c.req.query("bom")), c.get("ctx"), {
    "content-type": "text/csv; charset=utf-8; header=present",
    "content-disposition": `attachment; filename="${name}.csv"`,
  })
}

/** Rows that are all there already, as a file. */
export const csvOf = <Row>(c: HonoContext<AppEnv>, name: string, columns: CsvColumns<Row>, rows: Row[]) =>
  csvAnswer(c, name, columns, async ({ offset, limit }) => rows.slice(offset, offset + limit))

/** The rows that the items of each part come to. */
export async function* rowsInParts<Item, Row>(parts: AsyncGenerator<Item[]>, rowsOfItem: (item: Item) => Row[]) {
  for await (const part of parts) yield part.flatMap(rowsOfItem)
}
