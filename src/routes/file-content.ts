import type { Context as HonoContext } from "hono"
import * as z from "zod"
import { TurnpikeError } from "../base/errors.ts"
import { readContent } from "../files/get-file.ts"
import type { FileRow } from "../files/serialize-file.ts"
import type { AppEnv } from "../http/app-env.ts"
import { etagOf, fileHeaders, planDownload } from "../http/file-response.ts"

/** The query of an upload. */
export const nameQuery = {
  name: z
    .string()
    .min(1)
    .max(1024)
    .optional()
    .meta({ description: "Its name. Default: the part's filename.", example: "order.txt" }),
}

/** What operations that download a file declare. */
export const contentAnswer = {
  headers: { ETag: "Its SHA-256.", "Content-Disposition": "`attachment` with its name." },
  others: {
    206: "The bytes of the range.",
    304: "The caller has the file already: If-None-Match names its ETag.",
  },
}

/** Answers a file's bytes, or the part of them that the request asks for. */
export async function answerContent(c: HonoContext<AppEnv>, file: FileRow): Promise<Response> {
  const download = planDownload(file, (name) => c.req.header(name))
  if (download.status === 304) return new Response(null, { status: 304, headers: { etag: etagOf(file) } })
  if (download.status === 416) {
    c.header("Content-Range", `bytes */${file.bytes}`)
    throw new TurnpikeError("RANGE_NOT_SATISFIABLE", `The file has ${file.bytes} bytes.`)
  }
  const inPages = c.get("credential").kind === "session"
  const content = c.req.method === "HEAD" ? null : await readContent(c.get("ctx"), file, download.range)
  return new Response(content, { status: download.status, headers: fileHeaders(file, download, { inPages }) })
}
