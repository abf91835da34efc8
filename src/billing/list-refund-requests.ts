import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { storedRows } from "../base/casts.ts"
import type { Answers } from "../platform/procedures.ts"
import { type RefundRequest, refundRequestSchema, serializeRefundRequest } from "./refund-request.ts"

export const adminRefundRequestSchema = refundRequestSchema
  .extend({
    account: z.object({
      user_id: z.int().meta({ example: 42 }),
      name: z.string().nullable().meta({ example: "Ada" }),
      email: z.string().nullable().meta({ example: "ada@example.com" }),
    }),
  })
  .meta({ id: "AdminRefundRequest" })

interface Search {
  filters: { state?: RefundRequest["state"] | undefined; turn?: string | undefined; user_id?: number | undefined }
  limit: number
  offset: number
}

type Row = Answers["refund_request_answer"] & {
  user_id: number
  name: string | null
  email: string | null
  total: number
}

/** Requests of one account, or of all for an admin, newest first; open ones from the oldest on. */
async function read(
  ctx: Context,
  credential: SessionCredential,
  { all, filters, limit, offset }: Search & { all: boolean },
) {
  const { state, turn, user_id } = filters
  const direction = state === "open" ? "asc" : "desc"
  const { rows } = await readAs(
    ctx,
    credential,
    (db) =>
      db
        .selectFrom("refund_requests as r")
        .innerJoin("caller", (join) => join.onTrue())
        .innerJoin("users as u", "u.user_id", "r.user_id")
        .$if(!all, (query) => query.whereRef("r.user_id", "=", "caller.user_id"))
        .$if(state !== undefined, (query) => query.where("r.state", "=", state ?? ""))
        .$if(turn !== undefined, (query) => query.where("r.turn_id", "=", turn ?? ""))
        .$if(user_id !== undefined, (query) => query.where("r.user_id", "=", user_id ?? 0))
        .select(["r.turn_id", "r.state", "r.amount_credit_micros", "r.reason", "r.answer", "r.requested_at"])
        .select(["r.decided_at", "u.user_id", "u.name", "u.email"])
        .select((eb) => eb.fn.countAll<number>().over().as("total"))
        .orderBy("r.requested_at", direction)
        .orderBy("r.turn_id", direction)
        .limit(limit)
        .offset(offset),
    all ? { role: "admin" } : {},
  )
  return { rows: storedRows<Row>(rows), total: rows[0]?.total ?? 0 }
}

/** The caller's requests for refunds. */
export async function listRefundRequests(ctx: Context, credential: SessionCredential, search: Search) {
  const { rows, total } = await read(ctx, credential, { ...search, all: false })
  return { items: rows.map(serializeRefundRequest), total }
}

/** The requests of all accounts, for admins. */
export async function listAllRefundRequests(ctx: Context, credential: SessionCredential, search: Search) {
  const { rows, total } = await read(ctx, credential, { ...search, all: true })
  const items = rows.map(({ user_id, name, email, ...row }) => ({
    ...serializeRefundRequest(row),
    account: { user_id, name, email },
  }))
  return { items, total }
}
