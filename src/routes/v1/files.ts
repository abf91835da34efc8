import * as z from "zod"
import { deleteFile, fileNotFound, getFile, listSpaceFiles } from "../../files/get-file.ts"
import { FILE_POLICY } from "../../files/policies.ts"
import { fileSchema, serializeFile } from "../../files/serialize-file.ts"
import { uploadFile } from "../../files/upload-file.ts"
import type { App } from "../../http/app.ts"
import { readFileBody } from "../../http/file-body.ts"
import { etagOf, fileHeaders, parseRange } from "../../http/file-response.ts"
import { idParam, pageOf, pageQuery } from "../../http/query.ts"
import { decodeCursor, toPage } from "../../pagination.ts"
import { spaceNotFound } from "../../spaces/get-space.ts"

const tag = "Files"
const fileParams = z.object({ file_id: idParam })
const spaceParams = z.object({ space_id: idParam })

/** The one operation whose body is no JSON: mounted before the middleware that demands it. */
export function mountUpload(app: App) {
  app.operation(
    {
      method: "post",
      path: "/v1/spaces/{space_id}/files",
      id: "uploadFile",
      tag,
      summary: "Upload a file",
      description:
        `One file of at most ${FILE_POLICY.maxBytes} bytes: as the part \`file\` of multipart/form-data, or as the body ` +
        "itself with its name in the query. Names lose their folders and all that is invisible.",
      params: spaceParams,
      query: z.strictObject({
        name: z.string().min(1).max(1024).optional().meta({ description: "Its name. Default: the part's filename." }),
      }),
      upload: true,
      answer: { status: 201, description: "The file.", schema: fileSchema, headers: { Location: "Its path." } },
      errors: ["NOT_FOUND", "CONFLICT", "PAYLOAD_TOO_LARGE"],
    },
    async (c, { params, query }) => {
      const body = await readFileBody(c.req.raw, query.name)
      const file = await uploadFile(c.get("ctx"), c.get("credential"), { spaceId: params.space_id, ...body })
      c.header("Location", `/v1/files/${file.file_id}`)
      return serializeFile(file)
    },
  )
}

export function mountFiles(app: App) {
  app.operation(
    {
      method: "get",
      path: "/v1/spaces/{space_id}/files",
      id: "listFiles",
      tag,
      summary: "List a space's files",
      description: "Uploads and outputs, newest first.",
      params: spaceParams,
      query: z.strictObject(pageQuery),
      answer: { status: 200, description: "A page of files.", schema: pageOf(fileSchema) },
      errors: ["NOT_FOUND"],
    },
    async (c, { params: { space_id: spaceId }, query: { limit, cursor } }) => {
      const filters = { files_of: spaceId }
      const after = decodeCursor(cursor, filters)
      const files = await listSpaceFiles(c.get("ctx"), c.get("credential"), { spaceId, after, limit })
      if (!files) throw spaceNotFound(spaceId)
      const page = files.slice(0, limit)
      const { data, ...rest } = toPage(page, { more: files.length > limit, filters, idOf: (file) => file.file_id })
      return { data: data.map(serializeFile), ...rest }
    },
  )

  app.operation(
    {
      method: "get",
      path: "/v1/files/{file_id}",
      id: "getFile",
      tag,
      summary: "Read what a file is",
      params: fileParams,
      answer: { status: 200, description: "The file.", schema: fileSchema },
      errors: ["NOT_FOUND"],
    },
    async (c, { params }) => serializeFile(await getFile(c.get("ctx"), c.get("credential"), params.file_id)),
  )

  app.operation(
    {
      method: "get",
      path: "/v1/files/{file_id}/content",
      id: "getFileContent",
      tag,
      summary: "Download a file",
      description: "As an attachment of its media type. Takes Range and If-None-Match.",
      params: fileParams,
      answer: {
        status: 200,
        description: "Its bytes.",
        schema: z.string(),
        binary: true,
        headers: { ETag: "Its SHA-256.", "Content-Disposition": "`attachment` with its name." },
      },
      errors: ["NOT_FOUND", "RANGE_NOT_SATISFIABLE"],
    },
    async (c, { params: { file_id: fileId } }) => {
      const ctx = c.get("ctx")
      const file = await getFile(ctx, c.get("credential"), fileId)
      if (c.req.header("if-none-match")?.includes(etagOf(file))) {
        return new Response(null, { status: 304, headers: { etag: etagOf(file) } })
      }
      const range = parseRange(c.req.header("range"), file.bytes)
      const object = file.bytes === 0 ? null : await ctx.files.get(file.object_key, range ? { range } : {})
      if (!object && file.bytes > 0) throw fileNotFound(fileId)
      return new Response(object?.body ?? "", { status: range ? 206 : 200, headers: fileHeaders(file, range) })
    },
  )

  app.operation(
    {
      method: "delete",
      path: "/v1/files/{file_id}",
      id: "deleteFile",
      tag,
      summary: "Delete a file",
      description: "It is gone at once; its bytes are removed within minutes. Turns keep its name among their outputs.",
      params: fileParams,
      answer: {
        status: 200,
        description: "It is gone.",
        schema: z.object({ file_id: z.string(), deleted: z.literal(true) }).meta({ id: "DeletedFile" }),
      },
      errors: ["NOT_FOUND"],
    },
    async (c, { params: { file_id } }) => {
      await deleteFile(c.get("ctx"), c.get("credential"), file_id)
      return { file_id, deleted: true as const }
    },
  )
}
