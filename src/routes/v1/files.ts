import * as z from "zod"
import { DELETE_FILE_ERRORS, deleteFile } from "../../files/delete-file.ts"
import { getFile } from "../../files/get-file.ts"
import { listFiles } from "../../files/list-files.ts"
import { FILE_POLICY } from "../../files/policies.ts"
import { deletedFileSchema, fileSchema, serializeFile } from "../../files/serialize-file.ts"
import { UPLOAD_FILE_ERRORS, uploadFile } from "../../files/upload-file.ts"
import type { App } from "../../http/app.ts"
import { readFileBody } from "../../http/file-body.ts"
import { madeOf } from "../../http/idempotency.ts"
import { createdQuery, idParam, pageOf, pageQuery } from "../../http/query.ts"
import { answerContent, contentAnswer, nameQuery } from "../file-content.ts"

const tag = "Files"
const fileParams = z.object({ file_id: idParam })
const spaceParams = z.object({ space_id: idParam })

export function mountFiles(app: App) {
  app.operation(
    {
      method: "post",
      path: "/v1/spaces/{space_id}/files",
      id: "uploadFile",
      tag,
      summary: "Upload a file",
      description:
        `One file of at most ${FILE_POLICY.maxBytes} bytes. Send it as the part \`file\` of multipart/form-data, or as the raw body ` +
        "of any type, with its name in the query. Folders and invisible characters are removed from the name.",
      idempotent: "replayed",
      params: spaceParams,
      query: z.strictObject(nameQuery),
      upload: true,
      answer: { status: 201, description: "The file.", schema: fileSchema, headers: { Location: "The file's path." } },
      errors: [
        ...UPLOAD_FILE_ERRORS,
        "INVALID_ENCODING",
        "UNSUPPORTED_MEDIA_TYPE",
        "PAYLOAD_TOO_LARGE",
        "REQUEST_TIMEOUT",
      ],
    },
    async (c, { params, query, once }) => {
      const body = await readFileBody(c.req.raw, query.name, c.get("ctx").clock)
      const upload = { spaceId: params.space_id, ...body }
      const file = madeOf(c, await uploadFile(c.get("ctx"), c.get("credential"), upload, once))
      c.header("Location", `/v1/files/${file.file_id}`)
      return serializeFile(file)
    },
  )

  app.operation(
    {
      method: "get",
      path: "/v1/spaces/{space_id}/files",
      id: "listFiles",
      tag,
      summary: "List a space's files",
      description: "Uploads and outputs, newest first.",
      params: spaceParams,
      query: z.strictObject({
        turn: idParam.optional().meta({ description: "A `turn_id`: only files that the agent created in this turn." }),
        ...createdQuery,
        ...pageQuery,
      }),
      answer: { status: 200, description: "A page of files.", schema: pageOf(fileSchema) },
      errors: ["NOT_FOUND"],
    },
    async (c, { params: { space_id: spaceId }, query: { limit, cursor, ...filters } }) => {
      const page = await listFiles(c.get("ctx"), c.get("credential"), { spaceId, filters, limit, cursor })
      return { ...page, data: page.data.map(serializeFile) }
    },
  )

  app.operation(
    {
      method: "get",
      path: "/v1/files/{file_id}",
      id: "getFile",
      tag,
      summary: "Read a file's metadata",
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
      description:
        "Returns the file's bytes with its media type, as an attachment. Supports Range, If-Range and If-None-Match.",
      params: fileParams,
      answer: {
        status: 200,
        description: "The file's bytes.",
        schema: z.string(),
        binary: true,
        ...contentAnswer,
      },
      errors: ["NOT_FOUND", "RANGE_NOT_SATISFIABLE"],
    },
    async (c, { params }) => answerContent(c, await getFile(c.get("ctx"), c.get("credential"), params.file_id)),
  )

  app.operation(
    {
      method: "delete",
      path: "/v1/files/{file_id}",
      id: "deleteFile",
      tag,
      summary: "Delete a file",
      description: "The file is no longer available from now on. Its bytes are deleted within minutes.",
      params: fileParams,
      answer: { status: 200, description: "The file that was deleted.", schema: deletedFileSchema },
      errors: DELETE_FILE_ERRORS,
    },
    async (c, { params }) => {
      const file = await deleteFile(c.get("ctx"), c.get("credential"), params.file_id)
      return { ...serializeFile(file), deleted: true as const }
    },
  )
}
