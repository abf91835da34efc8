import { sql } from "kysely"
import type { Context } from "../context.ts"
import { TurnpikeError } from "../errors.ts"
import { newId } from "../platform/ids.ts"
import type { Attempt } from "./attempt-delivery.ts"
import type { EndpointRow } from "./endpoint-row.ts"
import { WEBHOOK_POLICY } from "./policies.ts"
import { givenUp, pendingOf } from "./sweep-stopped.ts"

/**
 * Commits what became of a run's attempts: log, states, retry times, the endpoint's health. An endpoint that answered 410, or
 * has only failed for `disableAfterMs`, is disabled with an event, and what was pending for it has failed, visibly. Returns why
 * it was disabled, if it was. Tried again when the database does not answer, since what is not recorded is sent again; what was
 * recorded is so once.
 */
export async function recordAttempts(
  ctx: Context,
  endpoint: Tried,
  attempts: Attempt[],
): Promise<EndpointRow["disabled_reason"]> {
  for (let tries = 1; ; tries++) {
    try {
      return await record(ctx, endpoint, attempts)
    } catch (error) {
      if (tries === WEBHOOK_POLICY.recordTries || !(error instanceof TurnpikeError)) throw error
    }
  }
}

/** An endpoint as it was when the attempts were made. */
type Tried = Pick<EndpointRow, "webhook_id" | "url">

async function record(
  ctx: Context,
  { webhook_id: webhookId, url }: Tried,
  attempts: Attempt[],
): Promise<EndpointRow["disabled_reason"]> {
  const now = ctx.clock.now()
  const limit = new Date(now.getTime() - WEBHOOK_POLICY.disableAfterMs)
  const { rows } = await sql<{ reason: EndpointRow["disabled_reason"] }>`with endpoint as materialized (
      -- Not FOR UPDATE: that would hold up every statement that makes an event for it.
      select w.* from webhook_endpoints w where w.webhook_id = ${webhookId} for no key update
    ), mine as materialized (
      select r.delivery_id, r.epoch, r.ok, r.status, r.error, r.duration_ms, r.at, r.next_attempt_at,
        d.attempts + 1 as attempt, d.round + 1 as round,
        -- A receiver may repeat what it was told of somebody who was erased meanwhile.
        case when t.erased_at is null then r.answer end as answer
      from jsonb_to_recordset(${JSON.stringify(attempts)}::jsonb) as r(delivery_id text, epoch integer, ok boolean,
          status integer, error text, answer text, duration_ms integer, at timestamptz, next_attempt_at timestamptz)
        join webhook_deliveries d on d.delivery_id = r.delivery_id and d.epoch = r.epoch and d.state = 'pending'
          and d.lease_until is not null
        left join turns t on t.turn_id = d.turn_id
    ), verdict as materialized (
      select case
        when endpoint.disabled_at is not null or endpoint.deleted_at is not null then null
        -- What its former place has answered says nothing about the one it has now.
        when endpoint.url <> ${url} then null
        when exists (select 1 from mine where status = 410) then 'gone'
        when endpoint.failing_since <= ${limit}::timestamptz and exists (select 1 from mine)
          and not exists (select 1 from mine where ok) then 'failing'
        end as reason
      from endpoint
    ), recorded as (
      update webhook_deliveries d set attempts = mine.attempt, round = mine.round, lease_until = null,
        state = case when mine.ok then 'delivered' when over.reason is not null then 'failed' else 'pending' end,
        status_reason = case when not mine.ok then over.reason end,
        next_attempt_at = case when not mine.ok and over.reason is null then mine.next_attempt_at end,
        finished_at = case when mine.ok or over.reason is not null then ${now}::timestamptz end
      from mine, verdict, lateral (select coalesce('endpoint_' || verdict.reason,
        case when mine.next_attempt_at is null then 'attempts_exhausted' end) as reason) as over
      where d.delivery_id = mine.delivery_id and d.epoch = mine.epoch and d.state = 'pending' and d.lease_until is not null
      returning d.*
    ), logged as (
      insert into webhook_attempts (delivery_id, attempt, status, error, answer, duration_ms, created_at)
      -- Only of deliveries that are still this run's: another may have stopped or taken them while this waited for the endpoint.
      select delivery_id, attempt, status, error, answer, duration_ms, at from mine
      where delivery_id in (select delivery_id from recorded)
    ), behind as (
      -- Later events of the turn wait as long as this one keeps them from being sent, and no longer.
      update webhook_deliveries f set next_attempt_at = case when waits then recorded.next_attempt_at else ${now}::timestamptz end
      from recorded, lateral (
        select recorded.state = 'pending' and recorded.round < ${WEBHOOK_POLICY.attemptsBeforeNext}::integer as waits) w
      where f.webhook_id = ${webhookId} and f.turn_id = recorded.turn_id and f.seq > recorded.seq and f.state = 'pending'
        and case when waits then f.next_attempt_at < recorded.next_attempt_at
          else f.round = 0 and f.next_attempt_at > ${now}::timestamptz end
        and f.delivery_id not in (select delivery_id from mine)
    ), stopped as (
      update webhook_deliveries f set ${givenUp(sql`'endpoint_' || verdict.reason`, now)}
      from verdict, (${pendingOf(sql`${webhookId}`, sql`(select reason from verdict) is not null`)}) as pending
      where verdict.reason is not null and f.delivery_id = pending.delivery_id and f.state = 'pending'
        and f.delivery_id not in (select delivery_id from mine)
    ), health as (
      update webhook_endpoints w set
        failing_since = case when exists (select 1 from mine where ok) then null
          else coalesce(w.failing_since, (select min(at) from mine)) end,
        disabled_at = case when verdict.reason is not null then ${now}::timestamptz else w.disabled_at end,
        disabled_reason = coalesce(verdict.reason, w.disabled_reason),
        stopping = w.stopping or verdict.reason is not null,
        updated_at = case when verdict.reason is not null then ${now}::timestamptz else w.updated_at end
      from verdict where w.webhook_id = ${webhookId} and exists (select 1 from mine) and (
        verdict.reason is not null or (w.failing_since is null) <> exists (select 1 from mine where ok))
    ), event as (
      insert into events (event_id, user_id, test, type, space_id, created_by_key_id, data, created_at)
      select ${newId("event", now)}, user_id, test, 'endpoint.disabled', space_id, case when scope <> 'all' then key_id end,
        jsonb_build_object('webhook_id', webhook_id, 'url', url, 'reason', verdict.reason), ${now}::timestamptz
      from endpoint, verdict where verdict.reason is not null
    )
    select reason from verdict`.execute(ctx.db)
  return rows[0]?.reason ?? null
}
