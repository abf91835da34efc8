import type { App } from "../../http/app.ts"
import { madeOf, parseIdempotencyKey, REPLAYED } from "../../http/idempotency.ts"
import { sessionOf } from "../../http/session-of.ts"
import {
  CHANGE_USERS_ERRORS,
  changeUsers,
  changeUsersSchema,
  previewUsersChange,
  previewUsersChangeSchema,
  usersChangeSchema,
} from "../../users/bulk.ts"
import { raised } from "../raised.ts"

const tag = "admin"

export function mountBulk(app: App) {
  app.operation(
    {
      method: "post",
      path: "/api/admin/users/bulk/preview",
      id: "previewUsersChange",
      tag,
      summary: "Preview an act on many users",
      description:
        "Says for each user what the act would do now: its effect, or why the user is refused. Nothing is changed. Send the `state` of the " +
        "response to `POST /api/admin/users/bulk`.",
      body: previewUsersChangeSchema,
      answer: { status: 200, description: "The outcome for each user.", schema: usersChangeSchema },
      errors: [],
    },
    async (c, { body }) => previewUsersChange(c.get("ctx"), sessionOf(c), body),
  )

  app.operation(
    {
      method: "post",
      path: "/api/admin/users/bulk",
      id: "changeUsers",
      tag,
      summary: "Act on many users",
      description:
        "Books credit, gives a plan, or disables accounts, as in the preview whose `state` you send. Users who are refused do not keep the others " +
        "from being changed. All changes are one transaction with one audit entry, which names the users. The credit of plans is booked, and " +
        "turns of disabled accounts end, within a minute.",
      headers: [
        {
          name: "Idempotency-Key",
          required: true,
          description:
            "A unique value per act, of 1–255 printable ASCII characters. A repeat returns the response of the first request.",
          example: "outage-2026-01-14",
        },
      ],
      body: changeUsersSchema,
      answer: {
        status: 200,
        description: "The outcome for each user.",
        schema: usersChangeSchema,
        headers: { [REPLAYED]: "`true` if an earlier request with this key acted." },
      },
      errors: [...CHANGE_USERS_ERRORS, "IDEMPOTENCY_KEY_REUSED", "IDEMPOTENCY_KEY_REQUIRED", "IDEMPOTENCY_KEY_INVALID"],
    },
    async (c, { body }) => {
      const idempotencyKey = parseIdempotencyKey(c.req.header("idempotency-key"))
      return madeOf(c, raised(c, await changeUsers(c.get("ctx"), sessionOf(c), body, idempotencyKey)))
    },
  )
}
