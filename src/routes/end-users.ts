import * as z from "zod"
import { noteExport } from "../actor/note-export.ts"
import { ERASE_END_USER_ERRORS, eraseEndUser } from "../end-users/erase-end-user.ts"
import { exportEndUser, exportSchema } from "../end-users/export-end-user.ts"
import { getEndUser, serializeEndUser, serializeEndUsers } from "../end-users/get-end-user.ts"
import { getErasure, serializeErasure } from "../end-users/get-erasure.ts"
import { listEndUsers } from "../end-users/list-end-users.ts"
import { PUT_LIMITS_ERRORS, putLimits } from "../end-users/put-limits.ts"
import { endUserRefParam, endUserSchema, erasureSchema, putLimitsSchema } from "../end-users/schemas.ts"
import type { App } from "../http/app.ts"
import type { Tagged } from "../http/preconditions.ts"
import { booleanParam, idParam, pageOf, pageQuery, positionCursor } from "../http/query.ts"
import { textStream } from "../http/text-stream.ts"
import { bareQuery, type Mounting, toKeys } from "./mounting.ts"
import { raised } from "./raised.ts"

const tag = "End users"
/** The ETag changes with the end user's own limits, and not with each turn. */
const limits: Tagged = { of: (endUser: { limits: unknown }) => endUser.limits }
const params = z.object({ end_user_ref: endUserRefParam })

/** The end users of an account, by the `end_user_ref` of their turns. Mounted for keys and for a signed-in owner. */
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
        "The end users with turns, and their billed amounts, most recent turn first. End users with limits or a profile but without turns are sorted by " +
        `the time of these.${toKeys(mounting, " A key sees the turns in its spaces. It sees end users without turns only if it has the scope `all`.")}`,
      query: z.strictObject({
        ...mounting.query,
        limit: pageQuery.limit,
        cursor: positionCursor,
        q: z.string().min(1).max(128).optional().meta({
          description: "A part of the `end_user_ref`. Case does not matter.",
          example: "customer",
        }),
        blocked: booleanParam
          .optional()
          .meta({ description: "`true`: only blocked end users. `false`: only end users who are not blocked." }),
      }),
      answer: { status: 200, description: "A page of end users.", schema: pageOf(endUserSchema) },
      errors: [],
    },
    async (c, { query: { limit, cursor, ...filters } }) => {
      const page = await listEndUsers(c.get("ctx"), c.get("credential"), { filters, limit, cursor })
      return { ...page, data: await serializeEndUsers(c.get("ctx"), page.data) }
    },
  )

  app.operation(
    {
      method: "get",
      path: `${prefix}/end-users/{end_user_ref}`,
      id: "getEndUser",
      tagged: limits,
      tag,
      summary: "Read an end user",
      description:
        `The end user's turns${toKeys(mounting, " in the key's spaces")}, their billed amounts, the end user's own limits, and what ` +
        "is left of all limits that apply.",
      params,
      query,
      answer: { status: 200, description: "The end user.", schema: endUserSchema },
      errors: ["NOT_FOUND"],
    },
    async (c, { params: { end_user_ref } }) =>
      serializeEndUser(c.get("ctx"), await getEndUser(c.get("ctx"), c.get("credential"), end_user_ref)),
  )

  app.operation(
    {
      method: "put",
      path: `${prefix}/end-users/{end_user_ref}/limits`,
      id: "putEndUserLimits",
      tagged: { ...limits, read: `${prefix}/end-users/{end_user_ref}` },
      tag,
      summary: "Set an end user's limits",
      description:
        "Replaces the end user's limits. You can set them before the first turn. They apply to the whole account" +
        toKeys(mounting, ", so the key needs the scope `all`") +
        ". New turns of a blocked end user are rejected with 403 `END_USER_BLOCKED`. Turns that are already accepted continue, unless you cancel them.\n\nA " +
        "limit counts the spending of the end user's turns across all keys, and takes precedence over the " +
        "defaults of the key and the account. It applies from the next turn on. A higher limit admits " +
        "turns at once. A limit below the amount already spent rejects turns with 429 `QUOTA_EXCEEDED` " +
        "until the day or the month ends. 0 rejects all turns. See [Caps and quotas](/docs/caps).",
      params,
      query,
      body: putLimitsSchema,
      answer: { status: 200, description: "The end user with its new limits.", schema: endUserSchema },
      errors: PUT_LIMITS_ERRORS,
      keyScope: "all",
    },
    async (c, { params: { end_user_ref }, body }) =>
      serializeEndUser(c.get("ctx"), raised(c, await putLimits(c.get("ctx"), c.get("credential"), end_user_ref, body))),
  )

  app.operation(
    {
      method: "get",
      path: `${prefix}/end-users/{end_user_ref}/export`,
      id: "exportEndUser",
      tag,
      summary: "Export all data of an end user",
      description:
        `One JSON document to download: the end user with its limits and its profile, and each of its turns${toKeys(mounting, " in the key's spaces")} ` +
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
      // The audit log does not record the end user's name, which is the account's text.
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
        "Erases the content of all past turns of the end user, in the whole account: texts, " +
        "results, error messages, metadata, output of models and tools, tasks, names of conversations, and " +
        "files that their agents created, and the profile. It also erases files that were sent with these turns and with no other end " +
        "user's turns. A file that was never sent with a turn belongs to no end user: delete it yourself. Queued " +
        "turns are cancelled and running turns are stopped, with the status_reason `end_user_erased`. They are " +
        "erased when they have ended.\n\nErasure keeps amounts, token counts, times, states and codes, " +
        "your own identifiers (`end_user_ref`, Idempotency-Keys), and the limits. An erased turn has the " +
        'text `""` and the result `null`, and its Idempotency-Key returns 422 from now on. You can erase ' +
        "the end user again at any time, to erase newer turns. " +
        toKeys(mounting, "The key needs the scope `all`. ") +
        "Erasure cannot be " +
        "undone, so first export the data that you must keep.",
      params,
      query,
      answer: {
        status: 200,
        description: "The receipt. While its state is `erasing`, read it again with `getErasure`.",
        schema: erasureSchema,
      },
      errors: ERASE_END_USER_ERRORS,
      keyScope: "all",
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
      description: `The receipt lists the erased data and the data that is kept.${toKeys(mounting, " For keys with the scope `all`.")}`,
      params: z.object({ erasure_id: idParam }),
      query,
      answer: { status: 200, description: "The receipt.", schema: erasureSchema },
      errors: ["NOT_FOUND"],
    },
    async (c, { params: { erasure_id } }) =>
      serializeErasure(await getErasure(c.get("ctx"), c.get("credential"), erasure_id)),
  )
}
