import { sql } from "kysely"
import type { EngineName } from "../agent/engine.ts"
import type { Context } from "../context.ts"
import { newId } from "../platform/ids.ts"
import type { JsonRow } from "../platform/json-row.ts"
import type { Manifest } from "../spaces/manifest.ts"
import type { McpServer } from "../spaces/mcp-server.ts"
import type { Tool } from "../spaces/tool.ts"
import { TURN_POLICY } from "./policies.ts"
import type { StepRow } from "./step-row.ts"
import { type TurnRow, turnJson } from "./turn-row.ts"

/** A row of the catalog. A disabled one still serves the turns it was accepted for. */
export interface ModelRow extends Omit<JsonRow<"model_catalog">, "engine"> {
  engine: EngineName
}

/** A file that was sent with the turn. */
export type AttachedFile = JsonRow<"files">

/** Everything a worker needs to go on with a turn, read in the statement that makes the turn its own. */
export interface Claim {
  turn: TurnRow
  /** The version of the space's configuration that the turn began with. */
  config: { manifest: Manifest; tools: Record<string, Tool>; mcp_servers: Record<string, McpServer> }
  /** The turn's model and those of its sub-agents, by pin. */
  models: Record<string, ModelRow>
  /** Earlier turns of the conversation that were done, oldest first: as many as the manifest's history lets through. */
  history: { text: string; result: string }[]
  steps: StepRow[]
  files: AttachedFile[]
  /** The space's secrets, sealed, by name; none when nothing could use them. */
  secrets: Record<string, string>
}

/**
 * Takes a turn for `leaseMs`: a queued one whose conversation is free (it becomes running), or a running one that
 * nobody holds. Null when there is nothing to do: late, duplicate, not its turn yet, or lost too often. Every commit of
 * a step renews the lease, so a claim that had to wait for one finds the turn taken, and never steps without the newest.
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
      select turn_id, last_event_seq, ${newId("event", now)}, 'turn.running',
        jsonb_build_object('state', 'running', 'config_version', config_version), started_at
      from claimed where epoch = 1
    )
    select ${turnJson} as turn,
      jsonb_build_object('manifest', c.manifest, 'tools', c.tools, 'mcp_servers', c.mcp_servers) as config,
      coalesce((select jsonb_object_agg(m.pin, to_jsonb(m)) from model_catalog m where m.pin = t.model or m.pin in (
        select a ->> 'model' from jsonb_array_elements(coalesce(c.manifest -> 'subagents', '[]')) a)), '{}') as models,
      coalesce((select jsonb_agg(jsonb_build_object('text', h.text, 'result', h.result) order by h.position) from (
        select e.text, e.result, e.position,
          sum(octet_length(e.text) + octet_length(e.result)) over newest_first as bytes,
          sum(octet_length(to_json(e.text)::text) + octet_length(to_json(e.result)::text)) over newest_first as json_bytes
        from (
          select text, result, position from turns
          where conversation_id = t.conversation_id and position < t.position and state = 'done'
          order by position desc
          limit coalesce((c.manifest -> 'history' ->> 'max_turns')::integer, ${TURN_POLICY.historyTurns})
        ) e
        window newest_first as (order by e.position desc)
      ) h where h.json_bytes <= ${TURN_POLICY.historyBytes}::integer and h.bytes <= ${TURN_POLICY.bytesPerToken} *
        coalesce((c.manifest -> 'history' ->> 'max_tokens')::bigint, ${TURN_POLICY.historyTokens})), '[]') as history,
      case when t.epoch > 1 then coalesce((select jsonb_agg(jsonb_build_object('step', p.step, 'agent', p.agent,
          'text', p.text, 'content', p.content, 'finish', p.finish, 'results', p.results) order by p.step)
        from turn_steps p where p.turn_id = t.turn_id), '[]') else '[]' end as steps,
      case when t.file_ids <> '[]' then coalesce((select jsonb_agg(to_jsonb(f)) from files f
        where f.file_id in (select jsonb_array_elements_text(t.file_ids)) and f.state = 'ready'), '[]')
        else '[]' end as files,
      case when c.tools <> '{}' or c.mcp_servers <> '{}' then coalesce((select jsonb_object_agg(o.name, o.sealed)
        from space_secrets o where o.space_id = t.space_id), '{}') else '{}' end as secrets
    from claimed t join spaces s on s.space_id = t.space_id
      join space_configs c on c.space_id = t.space_id and c.version = t.config_version`.execute(ctx.db)
  return rows[0] ?? null
}
