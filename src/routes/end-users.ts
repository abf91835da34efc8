import * as z from "zod"
import { noteExport } from "../actor/note-export.ts"
import { eraseEndUser } from "../end-users/erase-end-user.ts"
import { exportEndUser, exportSchema } from "../end-users/export-end-user.ts"
import { getEndUser, serializeEndUser } from "../end-users/get-end-user.ts"
import { getErasure, serializeErasure } from "../end-users/get-erasure.ts"
import { listEndUsers } from "../end-users/list-end-users.ts"
import { putLimits } from "../end-users/put-limits.ts"
import { endUserRefParam, endUserSchema, erasureSchema, putLimitsSchema } from "../end-users/schemas.ts"
import type { App } from "../http/app.ts"
import { booleanParam, idParam, pageOf, pageQuery, positionCursor } from "../http/query.ts"
import { textStream } from "../http/text-stream.ts"
import { bareQuery, errorsAt, type Mounting, toKeys } from "./mounting.ts"

const tag = "End users"
const params = z.object({ end_user_ref: endUserRefParam })

/** The customers of an account, by the references that their turns carry; the same for keys and for a signed-in owner. */
export function mountEndUsers(app: App, mounting: Mounting) {
  const { prefix } = mounting
  const query = bareQuery(mounting)

  app.operation(
    {
      method: "get",
      path: `${prefix}/end-users`,
      id: "listEndUsers",
      tag,
      summary: "List end users",
      description:
        "The end users with turns, and what they were billed, the newest turn first. Those with limits but no turns are listed at " +
        `the time of their limits.${toKeys(mounting, " A key sees the turns of its spaces, and those without turns when it has the scope `all`.")}`,
      query: z.strictObject({
        ...mounting.query,
        limit: pageQuery.limit,
        cursor: positionCursor,
        q: z.string().min(1).max(128).optional().meta({
          description: "A part of the `end_user_ref`. Upper and lower case count as the same.",
          example: "customer",
        }),
        blocked: booleanParam
          .optional()
          .meta({ description: "Only end users who are blocked, or only those who are not." }),
      }),
      answer: { status: 200, description: "A page of end users.", schema: pageOf(endUserSchema) },
      errors: [],
    },
    async (c, { query: { limit, cursor, ...filters } }) => {
      const page = await listEndUsers(c.get("ctx"), c.get("credential"), { filters, limit, cursor })
      return { ...page, data: page.data.map(serializeEndUser) }
    },
  )

  app.operation(
    {
      method: "get",
      path: `${prefix}/end-users/{end_user_ref}`,
      id: "getEndUser",
      tag,
      summary: "Read an end user",
      description:
        `The end user's turns${toKeys(mounting, " in the key's spaces")} and what was billed for them, its own limits, and what ` +
        "is left of the limits that apply to it.",
      params,
      query,
      answer: { status: 200, description: "The end user.", schema: endUserSchema },
      errors: ["NOT_FOUND"],
    },
    async (c, { params: { end_user_ref } }) =>
      serializeEndUser(await getEndUser(c.get("ctx"), c.get("credential"), end_user_ref)),
  )

  app.operation(
    {
      method: "put",
      path: `${prefix}/end-users/{end_user_ref}/limits`,
      id: "putEndUserLimits",
      tag,
      summary: "Set an end user's limits",
      description:
        "Replaces the end user's limits, also before its first turn. They apply to the whole account" +
        toKeys(mounting, ", so the key needs the scope `all`") +
        ". New turns of a blocked end user are refused with 403 `END_USER_BLOCKED`. Turns that were accepted before go on; cancel them if they should not.\n\nA " +
        "limit counts what the end user's turns spend over all keys, and takes precedence over the " +
        "defaults of the key and the account. It applies from the next turn on: a higher limit admits " +
        "turns at once, and a limit below what is already spent refuses them with 429 `QUOTA_EXCEEDED` " +
        "until the day or the month ends. 0 refuses all turns. See [Caps and quotas](#tag/caps-and-quotas).",
      params,
      query,
      body: putLimitsSchema,
      answer: { status: 200, description: "The end user with its new limits.", schema: endUserSchema },
      errors: errorsAt(mounting, ["SCOPE_DENIED", "LIMIT_REACHED"]),
    },
    async (c, { params: { end_user_ref }, body }) =>
      serializeEndUser(await putLimits(c.get("ctx"), c.get("credential"), end_user_ref, body)),
  )

  app.operation(
    {
      method: "get",
      path: `${prefix}/end-users/{end_user_ref}/export`,
      id: "exportEndUser",
      tag,
      summary: "Export all data of an end user",
      description:
        `One JSON document to download: the end user with its limits, and each of its turns${toKeys(mounting, " in the key's spaces")} ` +
        "with its events, model calls, tool inputs and results, tasks and files (their bytes are at " +
        "`content`). The document is streamed, so its size is not limited. If the connection breaks before " +
        "the end, the document is incomplete.",
      params,
      query,
      answer: { status: 200, description: "The document.", schema: exportSchema },
      errors: ["NOT_FOUND"],
    },
    async (c, { params: { end_user_ref } }) => {
      const pieces = await exportEndUser(c.get("ctx"), c.get("credential"), end_user_ref)
      // Its name is the customer's text, which the log does without.
      await noteExport(c.get("ctx"), c.get("credential"), { what: "end-user" })
      return textStream(pieces, c.get("ctx"), {
        "content-type": "application/json",
        "content-disposition": 'attachment; filename="end-user.json"',
      })
    },
  )

  app.operation(
    {
      method: "delete",
      path: `${prefix}/end-users/{end_user_ref}`,
      id: "eraseEndUser",
      tag,
      summary: "Erase an end user",
      description:
        "Erases what the end user's turns have said and made until now, in the whole account: texts, " +
        "results, error messages, metadata, what models and tools said, tasks, names of conversations, " +
        "files that their agents made, and files that were sent with these turns and with no other end " +
        "user's. A file that was never sent with a turn belongs to no end user: delete it yourself. Queued " +
        "turns are cancelled and running turns stopped, with the status_reason `end_user_erased`; they are " +
        "erased when they have ended.\n\nThese stay: amounts, counts of tokens, times, states and codes, " +
        "your own identifiers (`end_user_ref`, Idempotency-Keys), and the limits. An erased turn has the " +
        'text `""` and the result `null`, and its Idempotency-Key answers 422 from now on. You can erase ' +
        "again at any time to erase what came since. " +
        toKeys(mounting, "The key needs the scope `all`. ") +
        "Erasing cannot be " +
        "undone: first export what you must keep.",
      params,
      query,
      answer: {
        status: 200,
        description: "The receipt. While its state is `erasing`, read it again by its id.",
        schema: erasureSchema,
      },
      errors: errorsAt(mounting, ["NOT_FOUND", "SCOPE_DENIED"]),
    },
    async (c, { params: { end_user_ref } }) =>
      serializeErasure(await eraseEndUser(c.get("ctx"), c.get("credential"), end_user_ref)),
  )

  app.operation(
    {
      method: "get",
      path: `${prefix}/erasures/{erasure_id}`,
      id: "getErasure",
      tag,
      summary: "Read the receipt of an erasure",
      description: `What was erased, and what stays.${toKeys(mounting, " For keys with the scope `all`.")}`,
      params: z.object({ erasure_id: idParam }),
      query,
      answer: { status: 200, description: "The receipt.", schema: erasureSchema },
      errors: ["NOT_FOUND"],
    },
    async (c, { params: { erasure_id } }) =>
      serializeErasure(await getErasure(c.get("ctx"), c.get("credential"), erasure_id)),
  )
}
