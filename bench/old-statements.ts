/**
 * The statements that workers from before there were migrations send for a plain turn, with their columns, locks, functions and
 * triggers; shortened where that affects neither locks nor tables. Each $1 is one object of parameters, as JSON.
 */
const p = (name: string, type: string) => `($1::jsonb ->> '${name}')::${type}`
const NOW = p("now", "timestamptz")

const CALLER = `caller as materialized (
  select k.key_id, k.user_id, k.test, k.space_id from api_keys k join users u on u.user_id = k.user_id
  where k.key_id = ${p("key", "text")} and k.revoked_at is null and u.disabled_at is null
), noted_use as (
  update api_keys set last_used_at = ${NOW}
  where key_id = ${p("key", "text")} and (last_used_at is null or last_used_at < ${NOW} - interval '1 minute')
)`

const ACCEPT = `with ${CALLER}, existing as materialized (
  select t.* from turns t, caller where t.user_id = caller.user_id and t.test = caller.test
    and t.idempotency_key = ${p("turn", "text")}
), space as materialized (
  select s.space_id, c.user_id, c.key_id, c.test, m.pin from spaces s join caller c on c.user_id = s.user_id
    join model_catalog m on m.pin = s.model where s.space_id = ${p("space", "bigint")} and s.archived_at is null
    and not exists (select 1 from existing)
), hold as materialized (
  select h.* from space, lateral take_hold(space.user_id, space.key_id, ${p("end_user", "text")}, 100000, 1000, ${NOW}, true, null) h
), conversation as (
  insert into conversations (conversation_id, space_id, user_id, test, end_user_ref, name, last_turn_at, created_at)
  select ${p("conversation", "text")}, space_id, user_id, test, ${p("end_user", "text")}, 'default', ${NOW}, ${NOW} from space, hold
    where hold.amount is not null
  on conflict (space_id, end_user_ref, name) do update set last_position = conversations.last_position + 1,
    user_id = excluded.user_id, test = excluded.test, last_turn_at = greatest(conversations.last_turn_at, excluded.last_turn_at)
  returning conversation_id, last_position
), made as (
  insert into turns (turn_id, user_id, key_id, space_id, conversation_id, position, test, end_user_ref, idempotency_key,
    request_hash, text, file_ids, model, metadata, hold_credit_micros, held_credit_micros, window_started_at, wake_at, created_at)
  select ${p("turn", "text")}, user_id, key_id, space_id, conversation_id, last_position, test, ${p("end_user", "text")},
    ${p("turn", "text")}, 'hash', 'Where is my order?', '[]', pin, '{}', amount, amount, window_started_at,
    ${NOW} + interval '30 seconds', ${NOW}
  from space, hold, conversation returning *
), event as (
  insert into turn_events (turn_id, seq, event_id, type, data, created_at)
  select turn_id, last_event_seq, ${p("event", "text")}, 'turn.queued', '{"state": "queued"}', created_at from made
)
select to_jsonb(made) as made from made`

const CLAIM = `with claimed as (
  update turns t set state = 'running', epoch = t.epoch + 1, attempts = t.attempts + 1, lease_until = ${NOW} + interval '1 minute',
    wake_at = ${NOW} + interval '1 minute', started_at = coalesce(t.started_at, ${NOW}),
    config_version = coalesce(t.config_version, s.config_version), last_event_seq = t.last_event_seq + 1
  from spaces s
  where t.turn_id = ${p("turn", "text")} and s.space_id = t.space_id and t.state = 'queued' and not exists (
    select 1 from turns e where e.conversation_id = t.conversation_id and e.position < t.position and e.state in ('queued', 'running'))
  returning t.*
), event as (
  insert into turn_events (turn_id, seq, event_id, type, data, created_at)
  select turn_id, last_event_seq, ${p("event", "text")}, 'turn.running', '{"state": "running"}', started_at from claimed
)
select to_jsonb(t) as turn, to_jsonb(c) as config, to_jsonb(m) as model, (
    select jsonb_agg(h.text) from (select e.text from turns e where e.conversation_id = t.conversation_id
      and e.position < t.position and e.state = 'done' and e.erased_at is null order by e.position desc limit 20) h) as history
from claimed t join space_configs c on c.space_id = t.space_id and c.version = t.config_version
  left join model_catalog m on m.pin = t.model`

const SETTLE = `with turn as (
  update turns t set state = case when t.cancel_requested_at is not null then 'cancelled' else 'done' end, result = 'It is on its way.',
    cost_credit_micros = 500, billed_credit_micros = 500, model_calls = 1, tokens_input = 10, tokens_output = 10,
    held_credit_micros = 0, lease_until = null, wake_at = null, finished_at = ${NOW}, last_event_seq = t.last_event_seq + 1
  where t.turn_id = ${p("turn", "text")} and t.epoch = 1 and t.state = 'running' returning t.*
), step as (
  insert into turn_steps (turn_id, step, epoch, text, finish, cost_credit_micros, created_at)
  select turn_id, 0, 1, 'It is on its way.', 'stop', 500, ${NOW} from turn
), used as (
  insert into usage (turn_id, step, user_id, space_id, key_id, end_user_ref, provider, model, tokens_input, tokens_cached,
    tokens_output, duration_sec, price_version, cost_credit_micros, billed_credit_micros, created_at, settled_at)
  select turn_id, 0, user_id, space_id, key_id, end_user_ref, 'rehearsal', model, 10, 0, 10, 0.1, 1, 500, 500, ${NOW}, ${NOW} from turn
), kept_files as (
  update files f set updated_at = ${NOW}, state = 'deleted' from turn where f.turn_id = turn.turn_id and f.state = 'pending'
), events as (
  insert into turn_events (turn_id, seq, event_id, type, data, created_at)
  select turn_id, last_event_seq, ${p("event", "text")}, 'turn.' || state, jsonb_build_object('state', state), finished_at from turn
), wallet as materialized (
  select w.* from wallets w, turn where w.user_id = turn.user_id and turn.hold_credit_micros > 0 for update of w
), paid as (
  update wallets w set balance_credit_micros = wallet.balance_credit_micros - turn.billed_credit_micros,
    held_credit_micros = wallet.held_credit_micros - turn.hold_credit_micros
  from turn, wallet where w.user_id = wallet.user_id returning w.user_id, w.balance_credit_micros as balance
), entry as (
  insert into ledger (user_id, reason, amount_credit_micros, balance_after_credit_micros, turn_id, actor, created_at)
  select turn.user_id, 'usage', -turn.billed_credit_micros, paid.balance, turn.turn_id, 'turn', finished_at
  from turn join paid on paid.user_id = turn.user_id
), place as materialized (
  select c.last_position from conversations c, turn left join paid on true where c.conversation_id = turn.conversation_id for update of c
)
select to_jsonb(t) as turn, place.last_position from turn t, place`

const DELIVER = `with due as materialized (
  select d.delivery_id from webhook_deliveries d where d.webhook_id = ${p("webhook", "text")} and d.state = 'pending'
    and d.next_attempt_at <= ${NOW} + interval '1 second' and (d.lease_until is null or d.lease_until <= ${NOW})
  order by d.next_attempt_at, d.event_id collate "C" limit 3 for update skip locked
), sent as (
  update webhook_deliveries d set state = 'delivered', attempts = d.attempts + 1, epoch = d.epoch + 1, next_attempt_at = null,
    finished_at = ${NOW} from due where d.delivery_id = due.delivery_id returning d.delivery_id, d.attempts
)
insert into webhook_attempts (delivery_id, attempt, status, duration_ms, created_at) select delivery_id, attempts, 200, 5, ${NOW} from sent`

const GET = `with ${CALLER} select to_jsonb(t) || jsonb_build_object('space', s.slug) as turn
  from turns t join spaces s on s.space_id = t.space_id, caller
  where t.turn_id = ${p("turn", "text")} and t.user_id = caller.user_id and t.test = caller.test`

const LIST = `with ${CALLER} select coalesce(jsonb_agg(to_jsonb(l) order by l.turn_id collate "C" desc), '[]') as turns from (
    select t.* from turns t where t.user_id = (select user_id from caller) and t.test = (select test from caller)
    order by t.turn_id collate "C" desc limit 20) l`

const EVENTS = `select e.event_id, e.type, e.data from events e where e.user_id = ${p("user", "bigint")} and not e.test
  and e.xact < pg_snapshot_xmin(pg_current_snapshot()) order by e.event_id collate "C" desc limit 50`

const BALANCE = `with ${CALLER} select w.balance_credit_micros, w.held_credit_micros from wallets w join caller on caller.user_id = w.user_id`

/** One turn's life, in order. */
export const OLD_STATEMENTS = {
  accept: ACCEPT,
  claim: CLAIM,
  get: GET,
  settle: SETTLE,
  deliver: DELIVER,
  list: LIST,
  events: EVENTS,
  balance: BALANCE,
}

/** The statements among them that every release could send. */
export const READS: (keyof typeof OLD_STATEMENTS)[] = ["get", "list", "balance"]
