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
    .meta({ description: "The file's name. Default: the `filename` of the multipart part.", example: "order.txt" }),
}

/** The response headers and statuses of operations that download a file. */
export const contentAnswer = {
  headers: { ETag: "The file's SHA-256.", "Content-Disposition": "`attachment` with the file's name." },
  others: {
    206: "The bytes of the requested range.",
    304: "The client already has the file: If-None-Match contains its ETag.",
  },
}

/** Returns a file's bytes, or the requested range of them. */
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
