import { sql } from "kysely"
import { TurnpikeError } from "../errors.ts"
import type { JsonRow } from "../platform/json-row.ts"
import { toInstant } from "../time.ts"
import type { Webhook } from "./schemas.ts"

/** A row of `webhook_endpoints`, as to_jsonb gives it. */
export interface EndpointRow extends Omit<JsonRow<"webhook_endpoints">, "events" | "disabled_reason"> {
  events: string[] | null
  disabled_reason: "customer" | "gone" | "failing" | "account_disabled" | null
}

/** The endpoints `w` that a key may touch: all of its account's, or those that it made itself. */
export const endpointInScope = sql`w.user_id = caller.user_id and w.test = caller.test and w.deleted_at is null
  and (caller.scope = 'all' or w.key_id = caller.key_id)`

export function serializeWebhook(row: EndpointRow, now: Date): Webhook {
  const rotating = row.previous_until !== null && new Date(row.previous_until) > now
  return {
    webhook_id: row.webhook_id,
    key_id: row.key_id,
    url: row.url,
    events: row.events,
    description: row.description,
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

export function webhookNotFound(webhookId: string): TurnpikeError {
  return new TurnpikeError("NOT_FOUND", `There is no webhook "${webhookId}" that you can see.`)
}
