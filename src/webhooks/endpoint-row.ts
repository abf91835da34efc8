import { type Expression, type ExpressionBuilder, expressionBuilder, type SqlBool } from "kysely"
import type { CallerDB } from "../actor/call-as.ts"
import { TurnpikeError } from "../base/errors.ts"
import { toInstant } from "../base/time.ts"
import type { DB } from "../platform/db-types.ts"
import type { JsonRow } from "../platform/json-row.ts"
import type { Webhook } from "./schemas.ts"

/** A row of `webhook_endpoints` as to_jsonb returns it. */
export interface EndpointRow extends Omit<JsonRow<"webhook_endpoints">, "events" | "disabled_reason"> {
  events: string[] | null
  disabled_reason: "customer" | "gone" | "failing" | "account_disabled" | null
}

type OfEndpoint = CallerDB & { w: DB["webhook_endpoints"] }

/** True if the caller may use an endpoint `w`: any endpoint of its account, or only endpoints that it created. */
export const endpointInScope: Expression<SqlBool> = (() => {
  const eb: ExpressionBuilder<OfEndpoint, "w" | "caller"> = expressionBuilder()
  return eb.and([
    eb("w.user_id", "=", eb.ref("caller.user_id")),
    eb("w.test", "=", eb.ref("caller.test")),
    eb("w.deleted_at", "is", null),
    eb.or([eb("caller.scope", "=", "all"), eb("w.key_id", "=", eb.ref("caller.key_id"))]),
  ])
})()

export function serializeWebhook(row: EndpointRow, now: Date): Webhook {
  const rotating = row.previous_until !== null && new Date(row.previous_until) > now
  return {
    webhook_id: row.webhook_id,
    key_id: row.key_id,
    url: row.url,
    events: row.events,
    description: row.description,
    state: row.verified_at === null ? "pending" : "verified",
    verified_at: toInstant(row.verified_at),
    enabled: row.disabled_at === null,
    disabled_at: toInstant(row.disabled_at),
    disabled_reason: row.disabled_reason,
    failing_since: toInstant(row.failing_since),
    previous_secret_expires_at: rotating ? toInstant(row.previous_until) : null,
    test: row.test,
    created_at: toInstant(row.created_at),
    updated_at: toInstant(row.updated_at),
  }
}

/** The normalised URL that is called. An account has one endpoint per target, and a host has a rate limit. */
export function targetOf(url: string): string {
  const target = new URL(url)
  target.hash = ""
  target.hostname = target.hostname.replace(/\.+$/, "")
  return target.href
}

export function webhookExists(url: string): TurnpikeError {
  return new TurnpikeError("WEBHOOK_EXISTS", `The account already has a webhook for ${url}.`, { param: "url" })
}

export function webhookNotFound(webhookId: string): TurnpikeError {
  return new TurnpikeError("NOT_FOUND", `There is no webhook "${webhookId}" that you can see.`)
}
