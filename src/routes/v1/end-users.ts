import * as z from "zod"
import { eraseEndUser } from "../../end-users/erase-end-user.ts"
import { exportEndUser, exportSchema } from "../../end-users/export-end-user.ts"
import { getEndUser, serializeEndUser } from "../../end-users/get-end-user.ts"
import { getErasure, serializeErasure } from "../../end-users/get-erasure.ts"
import { listEndUsers } from "../../end-users/list-end-users.ts"
import { putLimits } from "../../end-users/put-limits.ts"
import { endUserRefParam, endUserSchema, erasureSchema, putLimitsSchema } from "../../end-users/schemas.ts"
import type { App } from "../../http/app.ts"
import { idParam, pageOf, pageQuery, positionCursor } from "../../http/query.ts"
import { textStream } from "../../http/text-stream.ts"

const tag = "End users"
const params = z.object({ end_user_ref: endUserRefParam })

/** The customers of the key's owner, by the references that their turns carry. */
export function mountEndUsers(app: App) {
  app.operation(
    {
      method: "get",
      path: "/v1/end-users",
      id: "listEndUsers",
      tag,
      summary: "List end users",
      description:
        "Those who sent turns into the key's spaces, the newest turn first, with what they were billed there. A key with the " +
        "scope `all` also sees those who only have limits so far.",
      query: z.strictObject({
        limit: pageQuery.limit,
        cursor: positionCursor,
        blocked: z.enum(["true", "false"]).optional().meta({ description: "Only those who are blocked, or are not." }),
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
      path: "/v1/end-users/{end_user_ref}",
      id: "getEndUser",
      tag,
      summary: "Read an end user",
      description:
        "Its turns and what was billed for them in the key's spaces, the account's limits for it, and what is left of those that " +
        "bind it.",
      params,
      answer: { status: 200, description: "The end user.", schema: endUserSchema },
      errors: ["NOT_FOUND"],
    },
    async (c, { params: { end_user_ref } }) =>
      serializeEndUser(await getEndUser(c.get("ctx"), c.get("credential"), end_user_ref)),
  )

  app.operation(
    {
      method: "put",
      path: "/v1/end-users/{end_user_ref}/limits",
      id: "putEndUserLimits",
      tag,
      summary: "Set an end user's limits",
      description:
        "Replaces its limits; it need not have sent a turn yet. They hold for the whole account, so the key needs the scope " +
        "`all`. A blocked end user's new turns are refused with 403 `END_USER_BLOCKED`; turns that were accepted before go on: " +
        "cancel them where they should not.\n\n" +
        "An amount counts what its turns of all keys spend, and goes before the key's and the account's default. It binds the next " +
        "turn: a higher one admits at once, one below what is spent already refuses with 429 `QUOTA_EXCEEDED` until the day or the " +
        "month ends; 0 refuses all. See [Caps and quotas](#tag/caps-and-quotas).",
      params,
      body: putLimitsSchema,
      answer: { status: 200, description: "The end user with its new limits.", schema: endUserSchema },
      errors: ["SCOPE_DENIED"],
    },
    async (c, { params: { end_user_ref }, body }) =>
      serializeEndUser(await putLimits(c.get("ctx"), c.get("credential"), end_user_ref, body)),
  )

  app.operation(
    {
      method: "get",
      path: "/v1/end-users/{end_user_ref}/export",
      id: "exportEndUser",
      tag,
      summary: "Export all that is known of an end user",
      description:
        "One JSON document, to be downloaded: the end user with its limits, and each of its turns in the key's spaces with its " +
        "events, model calls, tool inputs and results, tasks, and files, whose bytes are at `content`. It is sent while it is " +
        "read, so that its size does not matter; a connection that breaks before its end means that it is not whole.",
      params,
      answer: { status: 200, description: "The document.", schema: exportSchema },
      errors: ["NOT_FOUND"],
    },
    async (c, { params: { end_user_ref } }) => {
      const pieces = await exportEndUser(c.get("ctx"), c.get("credential"), end_user_ref)
      return textStream(pieces, c.get("ctx").log, {
        "content-type": "application/json",
        "content-disposition": 'attachment; filename="end-user.json"',
      })
    },
  )

  app.operation(
    {
      method: "delete",
      path: "/v1/end-users/{end_user_ref}",
      id: "eraseEndUser",
      tag,
      summary: "Erase an end user",
      description:
        "Erases what the end user's turns up to now said and made, in the whole account: texts, results, error messages, " +
        "metadata, what models and tools said, tasks, names of conversations, files that its agents made, and files that were " +
        "sent with its turns and with nobody else's. A file that was never sent with a turn belongs to nobody: delete it " +
        "yourself. Queued turns are cancelled and running ones stopped, with the status_reason `end_user_erased`; they are " +
        "erased when they have ended.\n\n" +
        "What stays: amounts, counts of tokens, times, states and codes, your own identifiers (`end_user_ref`, " +
        'Idempotency-Keys), and the limits. An erased turn has the text `""` and the result `null`, and its Idempotency-Key ' +
        "answers 422 from now on. Erasing again erases what came since, and may be repeated at will. The key needs the scope " +
        "`all`. Export first what you must keep: this cannot be undone.",
      params,
      answer: {
        status: 200,
        description: "The receipt. While its state is `erasing`, read it again under its id.",
        schema: erasureSchema,
      },
      errors: ["NOT_FOUND", "SCOPE_DENIED"],
    },
    async (c, { params: { end_user_ref } }) =>
      serializeErasure(await eraseEndUser(c.get("ctx"), c.get("credential"), end_user_ref)),
  )

  app.operation(
    {
      method: "get",
      path: "/v1/erasures/{erasure_id}",
      id: "getErasure",
      tag,
      summary: "Read the receipt of an erasure",
      description: "For keys with the scope `all`.",
      params: z.object({ erasure_id: idParam }),
      answer: { status: 200, description: "The receipt.", schema: erasureSchema },
      errors: ["NOT_FOUND"],
    },
    async (c, { params: { erasure_id } }) =>
      serializeErasure(await getErasure(c.get("ctx"), c.get("credential"), erasure_id)),
  )
}
