import * as z from "zod"
import type { SessionCredential } from "../../actor/actor.ts"
import type { Context } from "../../actor/context.ts"
import { DELETE_FILE_ERRORS, deleteFile } from "../../files/delete-file.ts"
import { fileNotFound, getFile } from "../../files/get-file.ts"
import { findFiles } from "../../files/list-files.ts"
import { FILE_POLICY } from "../../files/policies.ts"
import { deletedFileSchema, fileSchema, serializeFile } from "../../files/serialize-file.ts"
import { UPLOAD_FILE_ERRORS, uploadFile } from "../../files/upload-file.ts"
import type { App } from "../../http/app.ts"
import { readFileBody } from "../../http/file-body.ts"
import { madeOf } from "../../http/idempotency.ts"
import { createdQuery, idParam, listOf, listQuery, testQuery } from "../../http/query.ts"
import { sessionOf } from "../../http/session-of.ts"
import { answerContent, contentAnswer, nameQuery } from "../file-content.ts"

const tag = "Files"
const PATH = "/api/account/spaces/{space_id}/files"
const spaceParams = z.object({ space_id: idParam })
const params = z.object({ space_id: idParam, file_id: idParam })
const query = z.strictObject(testQuery)
const theFile = { status: 200, description: "The file.", schema: fileSchema } as const

/** Files of the caller's spaces and of spaces that are shared with the caller. The chat uses these routes. */
export function mountOwnFiles(app: App) {
  app.operation(
    {
      method: "post",
      path: PATH,
      id: "uploadFile",
      tag,
      summary: "Upload a file",
      description:
        `One file of at most ${FILE_POLICY.maxBytes} bytes. Send it as the part \`file\` of multipart/form-data, or as the raw body ` +
        "of any type, with its name in the query. The file belongs to the space, not to the user who uploads it.",
      idempotent: "replayed",
      params: spaceParams,
      query: z.strictObject({ ...nameQuery, ...testQuery }),
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
    async (c, { params: { space_id: spaceId }, query: { name }, once }) => {
      const upload = { spaceId, ...(await readFileBody(c.req.raw, name, c.get("ctx").clock)) }
      const file = madeOf(c, await uploadFile(c.get("ctx"), sessionOf(c), upload, once))
      c.header("Location", `/api/account/spaces/${spaceId}/files/${file.file_id}`)
      return serializeFile(file)
    },
  )

  app.operation(
    {
      method: "get",
      path: PATH,
      id: "listFiles",
      tag,
      summary: "List a space's files",
      description: "Uploads and outputs, newest first.",
      params: spaceParams,
      query: z.strictObject({
        turn: idParam.optional().meta({ description: "A `turn_id`: only files that the agent created in this turn." }),
        ...createdQuery,
        ...testQuery,
        ...listQuery,
      }),
      answer: { status: 200, description: "A page of files.", schema: listOf(fileSchema) },
      errors: ["NOT_FOUND"],
    },
    async (c, { params: { space_id: spaceId }, query: { limit, offset, test: _test, ...filters } }) => {
      const { files, total } = await findFiles(c.get("ctx"), sessionOf(c), { spaceId, filters, limit, offset })
      return { items: files.map(serializeFile), total, limit, offset }
    },
  )

  app.operation(
    {
      method: "get",
      path: `${PATH}/{file_id}`,
      id: "getFile",
      tag,
      summary: "Read a file's metadata",
      params,
      query,
      answer: theFile,
      errors: ["NOT_FOUND"],
    },
    async (c, { params }) => serializeFile(await fileIn(c.get("ctx"), sessionOf(c), params)),
  )

  app.operation(
    {
      method: "get",
      path: `${PATH}/{file_id}/content`,
      id: "getFileContent",
      tag,
      summary: "Download a file",
      description:
        "Returns the file's bytes with its media type, as an attachment. Supports Range, If-Range and If-None-Match.",
      params,
      query,
      answer: { status: 200, description: "The file's bytes.", schema: z.string(), binary: true, ...contentAnswer },
      errors: ["NOT_FOUND", "RANGE_NOT_SATISFIABLE"],
    },
    async (c, { params }) => answerContent(c, await fileIn(c.get("ctx"), sessionOf(c), params)),
  )

  app.operation(
    {
      method: "delete",
      path: `${PATH}/{file_id}`,
      id: "deleteFile",
      tag,
      summary: "Delete a file",
      description:
        "The file is deleted at once. A member of the space can delete files that they uploaded or that the agent created in their turns. " +
        "The owner of the space, and the owners and admins of its workspace, can delete any file.",
      params,
      query,
      answer: { status: 200, description: "The file that was deleted.", schema: deletedFileSchema },
      errors: DELETE_FILE_ERRORS,
    },
    async (c, { params }) => {
      await fileIn(c.get("ctx"), sessionOf(c), params)
      const file = await deleteFile(c.get("ctx"), sessionOf(c), params.file_id)
      return { ...serializeFile(file), deleted: true as const }
    },
  )
}

/** A file of the given space. Throws NOT_FOUND if the space has no such file. */
async function fileIn(ctx: Context, session: SessionCredential, { space_id, file_id }: z.output<typeof params>) {
  const file = await getFile(ctx, session, file_id)
  if (file.space !== space_id) throw fileNotFound(file_id)
  return file
}
