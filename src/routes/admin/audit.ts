import * as z from "zod"
import { plainJson } from "../../base/plain-json.ts"
import type { App } from "../../http/app.ts"
import { CSV_ANSWER, type CsvColumns, csvAnswer, csvQuery } from "../../http/csv.ts"
import { booleanParam, createdQuery, listOf, listQuery, numberParam } from "../../http/query.ts"
import { dropActingCookie, setActingCookie } from "../../http/session-auth.ts"
import { sessionOf } from "../../http/session-of.ts"
import { actingSchema, BEGIN_ACTING_ERRORS, beginActing, endActing } from "../../sign-in/act-as.ts"
import { type AuditEntry, auditEntrySchema, listAudit } from "../../system/list-audit.ts"

const tag = "admin"
const params = z.object({ user_id: numberParam.meta({ example: 42 }) })
const word = z.string().min(1).max(128).optional()

const CSV: CsvColumns<AuditEntry> = {
  audit_id: (entry) => entry.audit_id,
  created_at: (entry) => entry.created_at,
  actor_user_id: (entry) => entry.actor_user_id,
  actor_name: (entry) => entry.actor_name,
  action: (entry) => entry.action,
  subject_type: (entry) => entry.subject_type,
  subject_id: (entry) => entry.subject_id,
  before: (entry) => entry.before && plainJson(entry.before),
  after: (entry) => entry.after && plainJson(entry.after),
  request_id: (entry) => entry.request_id,
  address: (entry) => entry.address,
}

export function mountAudit(app: App) {
  app.operation(
    {
      method: "get",
      path: "/api/admin/audit",
      id: "listAudit",
      tag,
      summary: "List the audit log",
      description: "All recorded changes with their actors, newest first. Entries cannot be changed or removed.",
      query: z.strictObject({
        actor_user_id: numberParam.optional().meta({ description: "The user who made the change." }),
        changed_user_id: numberParam.optional().meta({
          description: "The user who was changed, alone or in an act on many users.",
          example: 42,
        }),
        subject_type: word.meta({
          description: "The type of the changed object: `user`, `setting`, …",
          example: "user",
        }),
        subject_id: word.meta({ description: "The id of the changed object.", example: "42" }),
        action: word.meta({ description: "The action.", example: "user.update" }),
        own: booleanParam.default(false).meta({
          description:
            "`true`: includes what owners changed in their own accounts, such as keys, webhooks and prices. A filter by actor, subject or action always includes them. Default: false.",
        }),
        ...createdQuery,
        ...listQuery,
        ...csvQuery,
      }),
      answer: { status: 200, description: "A page of entries.", schema: listOf(auditEntrySchema), also: CSV_ANSWER },
      errors: [],
    },
    async (c, { query: { limit, offset, format, ...filters } }) => {
      const [ctx, session] = [c.get("ctx"), sessionOf(c)]
      if (format === "csv")
        return csvAnswer(c, "audit", CSV, async ({ limit, after }) => {
          const older = { ...filters, before_id: after?.audit_id }
          return (await listAudit(ctx, session, { filters: older, limit, offset: 0 })).entries
        })
      const { entries, total } = await listAudit(ctx, session, { filters, limit, offset })
      return { items: entries, total, limit, offset }
    },
  )

  app.operation(
    {
      method: "post",
      path: "/api/admin/users/{user_id}/act-as",
      id: "actAsUser",
      tag,
      summary: "Act as a user",
      description:
        "For half an hour, your requests below `/api/account` read the user's data: the cookie `acting` takes precedence there " +
        "over your own session. Every change is rejected with ACTING_READ_ONLY. It also ends when your session or role ends, or " +
        "when the user's sessions end. `GET /api/account/me` names you as `acting_admin`. The audit log records each page with texts " +
        "that you read. If the setting `turn_texts_for_operators` asks for a reason, `reason` is required.",
      params,
      query: z.strictObject({ reason: z.string().trim().min(3).max(500).optional().meta({ example: "Ticket 4711" }) }),
      answer: { status: 200, description: "The cookie `acting` is set.", schema: actingSchema },
      errors: BEGIN_ACTING_ERRORS,
    },
    async (c, { params: { user_id }, query: { reason = null } }) => {
      const { token, acting } = await beginActing(c.get("ctx"), sessionOf(c), { userId: user_id, reason })
      await setActingCookie(c, token)
      return acting
    },
  )

  app.operation(
    {
      method: "delete",
      path: "/api/admin/users/{user_id}/act-as",
      id: "endActing",
      tag,
      summary: "Stop acting as a user",
      description:
        "Ends the acting of all admins as this user, from their next request on, and removes this browser's cookie.",
      params,
      answer: {
        status: 200,
        description: "Acting has ended.",
        schema: z.object({
          ended: z.int().meta({ description: "The number of acting sessions that were ended.", example: 1 }),
        }),
      },
      errors: ["NOT_FOUND"],
    },
    async (c, { params: { user_id } }) => {
      const ended = await endActing(c.get("ctx"), sessionOf(c), user_id)
      dropActingCookie(c)
      return ended
    },
  )
}
