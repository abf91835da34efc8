import { sql } from "kysely"
import type { EngineName } from "../agent/engine.ts"
import type { Price } from "../billing/price.ts"
import type { Context } from "../context.ts"
import { newId } from "../platform/ids.ts"
import type { Manifest } from "../spaces/manifest.ts"
import { TURN_POLICY } from "./policies.ts"
import { type TurnRow, turnJson } from "./turn-row.ts"

/** Everything a worker needs to go on with a turn, read in the statement that makes the turn its own. */
export interface Claim {
  turn: TurnRow
  manifest: Manifest
  /** The catalog's row of the turn's pin. A disabled one still serves the turns it was accepted for. */
  model: Price & { engine: EngineName; model: string; max_output_tokens: number; price_version: number }
  /** Earlier turns of the conversation that were done, oldest first: as many as the manifest's history lets through. */
  history: { text: string; result: string }[]
  /** Texts of this turn's committed steps, in order. */
  steps: { step: number; text: string }[]
}

/**
 * Takes a turn for `leaseMs`: a queued one whose conversation is free (it becomes running), or a running one that
 * nobody holds. Null when there is nothing to do: late, duplicate, not its turn yet, or lost too often.
 */
export async function claimTurn(ctx: Context, turnId: string): Promise<Claim | null> {
  const now = ctx.clock.now()
  const lease = new Date(now.getTime() + TURN_POLICY.leaseMs)
  const { rows } = await sql<Claim>`with claimed as (
      update turns t set state = 'running', epoch = t.epoch + 1, attempts = t.attempts + 1,
        lease_until = ${lease}::timestamptz, wake_at = ${lease}::timestamptz,
        started_at = coalesce(t.started_at, ${now}::timestamptz),
        config_version = coalesce(t.config_version, s.config_version),
        last_event_seq = t.last_event_seq + case when t.state = 'queued' then 1 else 0 end
      from spaces s
      where t.turn_id = ${turnId} and s.space_id = t.space_id and (
        (t.state = 'queued' and not exists (
          select 1 from turns e where e.conversation_id = t.conversation_id and e.position < t.position
            and e.state in ('queued', 'running')))
        or (t.state = 'running' and t.attempts < ${TURN_POLICY.maxAttempts}
          and (t.lease_until is null or t.lease_until <= ${now}::timestamptz)))
      returning t.*
    ), event as (
      insert into turn_events (turn_id, seq, event_id, type, data, created_at)
      select turn_id, last_event_seq, ${newId("event", now)}, 'turn.running', '{"state": "running"}', started_at
      from claimed where epoch = 1
    )
    select ${turnJson} as turn, s.manifest, to_jsonb(c) as model,
      coalesce((select jsonb_agg(jsonb_build_object('text', h.text, 'result', h.result) order by h.position) from (
        select e.text, e.result, e.position,
          sum(octet_length(e.text) + octet_length(e.result)) over newest_first as bytes,
          sum(octet_length(to_json(e.text)::text) + octet_length(to_json(e.result)::text)) over newest_first as json_bytes
        from (
          select text, result, position from turns
          where conversation_id = t.conversation_id and position < t.position and state = 'done'
          order by position desc
          limit coalesce((s.manifest -> 'history' ->> 'max_turns')::integer, ${TURN_POLICY.historyTurns})
        ) e
        window newest_first as (order by e.position desc)
      ) h where h.json_bytes <= ${TURN_POLICY.answerBytes}::integer and h.bytes <= ${TURN_POLICY.bytesPerToken} *
        coalesce((s.manifest -> 'history' ->> 'max_tokens')::bigint, ${TURN_POLICY.historyTokens})), '[]') as history,
      coalesce((select jsonb_agg(jsonb_build_object('step', p.step, 'text', p.text) order by p.step)
        from turn_steps p where p.turn_id = t.turn_id and t.epoch > 1), '[]') as steps
    from claimed t join spaces s on s.space_id = t.space_id join model_catalog c on c.pin = t.model`.execute(ctx.db)
  const claim = rows[0] ?? null
  // A claim that waited for another worker's last commit saw the turn after it, but the steps before it.
  if (claim && claim.turn.model_calls !== claim.steps.length) claim.steps = await readSteps(ctx, turnId)
  return claim
}

async function readSteps(ctx: Context, turnId: string): Promise<Claim["steps"]> {
  const { rows } = await sql<Claim["steps"][number]>`
    select step, text from turn_steps where turn_id = ${turnId} order by step`.execute(ctx.db)
  return rows
}
