import { type RawBuilder, sql } from "kysely"
import type { Context } from "../context.ts"
import type { OpenErasure } from "./erasure-row.ts"
import { ERASURE_POLICY } from "./policies.ts"
import { redactElsewhere } from "./redact-elsewhere.ts"

/** The turns `t` that an erasure covers. */
export function coveredBy({ user_id, test, end_user_ref, until_at }: OpenErasure): RawBuilder<unknown> {
  return sql`t.user_id = ${user_id}::bigint and t.test = ${test}::boolean and t.end_user_ref = ${end_user_ref}
    and t.created_at <= ${until_at}::timestamptz`
}

/** What an event may keep: numbers, states and names of our own or of the configuration. */
const KEPT_OF_EVENTS =
  "state status_reason error_code config_version step agent delegated_by call ok finish duration_ms tokens_input tokens_cached " +
  "tokens_output model attempt"

/**
 * Redacts some of the turns that have ended, with everything that hangs on them, in one statement: text, results, events,
 * steps, the names of their conversations, what they made and what was sent with them. Where their objects are in the bucket is
 * noted in the same statement, so that nothing is forgotten when the worker dies behind it. Returns how many turns it took.
 */
export async function redactTurns(ctx: Context, erasure: OpenErasure): Promise<number> {
  const now = ctx.clock.now()
  const { erasure_id, user_id, end_user_ref, until_at } = erasure
  const { rows } = await sql<{ turns: number }>`with ended as materialized (
      select t.turn_id, t.file_ids, t.last_event_seq from turns t
      where ${coveredBy(erasure)} and t.finished_at is not null and t.erased_at is null
      order by t.turn_id collate "C" limit ${ERASURE_POLICY.turnsPerStatement}::integer
      -- Another run may be at it.
      for update skip locked
    ), picked as materialized (
      select * from (
        select ended.*, row_number() over by_id as place, sum(last_event_seq) over by_id as events_so_far
        from ended window by_id as (order by turn_id collate "C")
      ) e where place = 1 or events_so_far <= ${ERASURE_POLICY.eventsPerStatement}::integer
    ), made_calls as materialized (
      select distinct p.turn_id from turn_steps p, picked
      where p.turn_id = picked.turn_id and p.content @> '[{"type": "tool-call"}]'
    ), redacted as (
      update turns t set text = '', result = null, error_message = null, metadata = '{}', file_ids = '[]', outputs = '[]',
        request_hash = '', erased_at = ${now}::timestamptz
      from picked where t.turn_id = picked.turn_id and t.erased_at is null
      returning t.turn_id, t.conversation_id, picked.file_ids as had_files
    ), redacted_steps as (
      update turn_steps p set text = '', content = '[]', results = '{}'
      from redacted where p.turn_id = redacted.turn_id returning 1
    ), redacted_events as (
      update turn_events e set data = kept.data
      from redacted, turn_events old, lateral (
        select coalesce(jsonb_object_agg(key, value), '{}') as data from jsonb_each(old.data)
        where key = any (string_to_array(${KEPT_OF_EVENTS}, ' '))
      ) kept
      where old.turn_id = redacted.turn_id and e.turn_id = old.turn_id and e.seq = old.seq and old.data <> kept.data
      returning 1
    ), redacted_conversations as (
      update conversations c set name = c.conversation_id
      where c.conversation_id in (select conversation_id from redacted) and c.name <> c.conversation_id returning 1
    ), attached as materialized (
      select distinct file_id from redacted, jsonb_array_elements_text(had_files) as file_id
    ), their_files as materialized (
      select f.file_id from files f, redacted where f.turn_id = redacted.turn_id
      union
      -- An upload that a turn of somebody else uses too stays theirs, and so does what another's agent has made.
      select f.file_id from files f, attached
      where f.file_id = attached.file_id and f.user_id = ${user_id}::bigint and not exists (
        select 1 from turns t where t.turn_id = f.turn_id and t.end_user_ref <> ${end_user_ref}
      ) and not exists (
        select 1 from turns t where t.user_id = ${user_id}::bigint and t.file_ids @> jsonb_build_array(f.file_id)
          and t.file_ids <> '[]' and (t.end_user_ref <> ${end_user_ref} or t.created_at > ${until_at}::timestamptz)
      )
    ), redacted_files as (
      update files f set state = 'deleted', name = '', media_type = 'application/octet-stream', sha256 = '',
        updated_at = ${now}::timestamptz
      from their_files where f.file_id = their_files.file_id
      returning f.object_key
    ), objects as (
      insert into erased_objects (erasure_id, object_key)
      select ${erasure_id}, 'turns/' || turn_id || '/' from made_calls
      union select ${erasure_id}, object_key from redacted_files
      on conflict do nothing
    ), ${redactElsewhere(now)}, counted as (
      update erasures set turns = turns + (select count(*) from redacted), steps = steps + (select count(*) from redacted_steps),
        events = events + (select count(*) from redacted_events), files = files + (select count(*) from redacted_files),
        conversations = conversations + (select count(*) from redacted_conversations),
        tasks = tasks + (select count(*) from redacted_tasks)
      where erasure_id = ${erasure_id} and exists (select 1 from redacted)
    ) select count(*)::integer as turns from redacted`.execute(ctx.db)
  return rows[0]?.turns ?? 0
}
