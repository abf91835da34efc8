import { sql } from "kysely"
import type { EngineName } from "../agent/engine.ts"
import type { Context } from "../context.ts"
import { newId } from "../platform/ids.ts"
import type { JsonRow } from "../platform/json-row.ts"
import type { Manifest } from "../spaces/manifest.ts"
import type { McpServer } from "../spaces/mcp-server.ts"
import type { Tool } from "../spaces/tool.ts"
import { hookedJson, wakeWebhooks } from "../webhooks/wake-webhooks.ts"
import { TURN_POLICY } from "./policies.ts"
import { releaseTurn } from "./release-turn.ts"
import type { StepRow } from "./step-row.ts"
import { type TurnRow, turnJson } from "./turn-row.ts"

/** A row of the catalog. A disabled one still serves the turns it was accepted for. */
export interface ModelRow extends Omit<JsonRow<"model_catalog">, "engine"> {
  engine: EngineName
}

/** A file that was sent with the turn. */
export type AttachedFile = JsonRow<"files">

/** Everything a worker needs to go on with a turn. */
export interface Claim extends Claimed {
  /** The turn's model and those of its sub-agents, by pin. */
  models: Record<string, ModelRow>
  steps: StepRow[]
  files: AttachedFile[]
  /** The space's secrets, sealed, by name; none when nothing could use them. */
  secrets: Record<string, string>
}

/** What the statement reads that makes the turn a worker's own. */
interface Claimed {
  turn: TurnRow
  /** The version of the space's configuration that the turn began with. */
  config: { manifest: Manifest; tools: Record<string, Tool>; mcp_servers: Record<string, McpServer> }
  model: ModelRow | null
  /** Earlier turns of the conversation that were done, oldest first: as many as the manifest's history lets through. */
  history: { text: string; result: string }[]
}

/**
 * Takes a turn for `leaseMs`: a queued one whose conversation is free (it becomes running), or a running one that
 * nobody holds. Null when there is nothing to do: late, duplicate, not its turn yet, or lost too often. Every commit of
 * a step renews the lease, so a claim that had to wait for one finds the turn taken, and never steps without the newest.
 */
export async function claimTurn(ctx: Context, turnId: string): Promise<Claim | null> {
  const now = ctx.clock.now()
  const lease = new Date(now.getTime() + TURN_POLICY.leaseMs)
  const { rows } = await sql<Claimed>`with claimed as (
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
    select ${turnJson} || ${hookedJson} as turn,
      jsonb_build_object('manifest', c.manifest, 'tools', c.tools, 'mcp_servers', c.mcp_servers) as config,
      to_jsonb(m) as model,
      coalesce((select jsonb_agg(jsonb_build_object('text', h.text, 'result', h.result) order by h.position) from (
        select e.text, e.result, e.position,
          sum(octet_length(e.text) + octet_length(e.result)) over newest_first as bytes,
          sum(octet_length(to_json(e.text)::text) + octet_length(to_json(e.result)::text)) over newest_first as json_bytes
        from (
          select text, result, position from turns
          where conversation_id = t.conversation_id and position < t.position and state = 'done' and erased_at is null
          order by position desc
          limit coalesce((c.manifest -> 'history' ->> 'max_turns')::integer, ${TURN_POLICY.historyTurns})
        ) e
        window newest_first as (order by e.position desc)
      ) h where h.json_bytes <= ${TURN_POLICY.historyBytes}::integer and h.bytes <= ${TURN_POLICY.bytesPerToken} *
        coalesce((c.manifest -> 'history' ->> 'max_tokens')::bigint, ${TURN_POLICY.historyTokens})), '[]') as history
    from claimed t join spaces s on s.space_id = t.space_id
      join space_configs c on c.space_id = t.space_id and c.version = t.config_version
      left join model_catalog m on m.pin = t.model`.execute(ctx.db)
  const claimed = rows[0]
  if (!claimed) return null
  if (claimed.turn.epoch === 1) wakeWebhooks(ctx, claimed.turn)
  try {
    return await withDetails(ctx, claimed)
  } catch (error) {
    await releaseTurn(ctx, claimed.turn)
    throw error
  }
}

/** A plain turn needs nothing more. Reading the rest in the same statement would make every claim dearer to plan. */
async function withDetails(ctx: Context, claimed: Claimed): Promise<Claim> {
  const { turn, config, model } = claimed
  const none = { models: model ? { [model.pin]: model } : {}, steps: [], files: [], secrets: {} }
  const usesSecrets = Object.keys(config.tools).length + Object.keys(config.mcp_servers).length > 0
  const pins = (config.manifest.subagents ?? []).flatMap((subagent) => subagent.model ?? [])
  const plain = turn.epoch === 1 && turn.file_ids.length === 0 && pins.length === 0 && !usesSecrets
  if (plain) return { ...claimed, ...none }
  const { rows } = await sql<Pick<Claim, "models" | "steps" | "files" | "secrets">>`select
    coalesce((select jsonb_object_agg(m.pin, to_jsonb(m)) from model_catalog m
      where m.pin in (select jsonb_array_elements_text(${JSON.stringify([turn.model, ...pins])}::jsonb))), '{}') as models,
    coalesce((select jsonb_agg(jsonb_build_object('step', p.step, 'agent', p.agent, 'text', p.text, 'content', p.content,
      'finish', p.finish, 'results', p.results) order by p.step)
      from turn_steps p where p.turn_id = ${turn.turn_id}), '[]') as steps,
    coalesce((select jsonb_agg(to_jsonb(f)) from files f where f.state = 'ready'
      and f.file_id in (select jsonb_array_elements_text(${JSON.stringify(turn.file_ids)}::jsonb))), '[]') as files,
    case when ${usesSecrets} then coalesce((select jsonb_object_agg(o.name, o.sealed) from space_secrets o
      where o.space_id = ${turn.space_id}), '{}') else '{}' end as secrets`.execute(ctx.db)
  return { ...claimed, ...none, ...rows[0] }
}
