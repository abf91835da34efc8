-- The version of a space's configuration that a turn began with.
create type turnpike.turn_config as (
  manifest jsonb,
  tools jsonb,
  mcp_servers jsonb,
  -- What the tools of each server counted in a prompt when they were listed last.
  mcp_tokens jsonb,
  -- What the tools of each server were when they were pinned.
  mcp_pins jsonb
);

create type turnpike.earlier_turn as (
  text text,
  result text,
  ended_at timestamptz
);

-- A step as it was committed (src/turns/step-row.ts).
create type turnpike.kept_step as (
  step integer,
  agent text, -- null: the space's own
  text text,
  content jsonb,
  finish text,
  results jsonb
);

-- Makes a turn a worker's own until p_lease: a queued one whose conversation is free (it becomes running), or a running one that nobody
-- holds and that was not lost p_max_attempts times. No row when there is nothing to do: late, duplicate, not its turn yet. Whoever
-- committed a step meanwhile has renewed the lease under the turn's lock, so nobody steps without the newest.
-- p_message and p_try: the queue's message that brought the worker here, and how often that was tried. A later try of the same message
-- takes over what an earlier one may have claimed without hearing of it.
-- accounts: by engine, as pick_accounts answers (p_servers, p_served_after, p_drawn and p_random are for that). roster: all accounts of the engine of
-- the turn's own model, where one of them was drawn and p_listed does not name that engine; p_listed null: none is wanted.
create function turnpike.claim_turn(p_turn_id text, p_message text, p_try integer, p_event_id text, p_moment timestamptz,
  p_lease timestamptz, p_max_attempts integer,
  p_history_turns integer, p_history_within integer, p_history_bytes integer, p_bytes_per_token integer, p_history_tokens bigint,
  p_servers jsonb, p_served_after timestamptz, p_drawn jsonb, p_listed text[], p_roster_accounts integer, p_random double precision[])
returns table (turn turns, slug text, config turnpike.turn_config, models jsonb, accounts jsonb, roster jsonb, history turnpike.earlier_turn[],
  steps turnpike.kept_step[], files files[], secrets jsonb, engine_keys text, containers turnpike.mapped_container[], image_model model_catalog,
    has_subscriber boolean)
language plpgsql rows 1 as $$
declare
  claimed turns;
  space spaces;
  version space_configs;
  begins boolean;
  before_it timestamptz;
  lost_before boolean;
  engine text;
begin
  select t.* into claimed from turns t where t.turn_id = p_turn_id for no key update;
  begins := claimed.state = 'queued';
  if begins then
    if exists (select from open_turns o where o.conversation_id = claimed.conversation_id and o.position < claimed.position) then
      return;
    end if;
  elsif claimed.state is distinct from 'running' or claimed.attempts >= p_max_attempts then
    return;
  elsif coalesce(claimed.lease_until > p_moment, false) and (claimed.claim_message = p_message and claimed.claim_try < p_try) is not true then
    return;
  end if;
  select s.* into space from spaces s where s.space_id = claimed.space_id;
  if begins and claimed.position > 1 then
    -- By whose clock the one before it ended is not known: it does not begin earlier.
    select t.finished_at into before_it from turns t
      where t.conversation_id = claimed.conversation_id and t.position < claimed.position order by t.position desc limit 1;
  end if;
  -- A worker before this one has died, or has committed nothing: what its models had said is lost.
  lost_before := not begins and (claimed.attempts > 0 or claimed.lease_until is not null);
  update turns t set state = 'running', epoch = t.epoch + 1, attempts = t.attempts + 1, lease_until = p_lease,
    claim_message = p_message, claim_try = p_try, started_at = coalesce(t.started_at, greatest(p_moment, before_it)),
    config_version = coalesce(t.config_version, space.config_version),
    last_event_seq = t.last_event_seq + case when begins then 1 else 0 end
    where t.turn_id = p_turn_id returning t.* into claimed;
  if claimed.config_version = space.config_version then
    version.manifest := space.manifest;
    version.tools := space.tools;
    version.mcp_servers := space.mcp_servers;
  else
    select c.* into version from space_configs c where c.space_id = claimed.space_id and c.version = claimed.config_version;
  end if;
  select jsonb_build_object(m.pin, case when m.price_version = claimed.price_version then to_jsonb(m)
      else to_jsonb(m) || turnpike.prices_for(claimed, m.pin) end) into models
    from model_catalog m where m.pin = claimed.model;
  if version.manifest ? 'subagents' then
    select coalesce(jsonb_object_agg(m.pin, to_jsonb(m) || turnpike.prices_for(claimed, m.pin)), '{}') into models
      from model_catalog m
      where m.pin = claimed.model or m.pin in (select s ->> 'model' from jsonb_array_elements(version.manifest -> 'subagents') s);
  end if;
  accounts := '{}';
  if not claimed.test and exists (select from provider_accounts) then
    accounts := turnpike.pick_accounts(claimed, models, p_servers, p_served_after, p_drawn, p_random, p_moment);
    engine := models -> claimed.model ->> 'engine';
    if p_listed is not null and engine <> all (p_listed) and accounts ? engine
      and not coalesce((accounts -> engine ->> 'bound')::boolean, false)
    then
      roster := turnpike.account_roster(engine, p_servers -> engine, p_roster_accounts, p_moment);
    end if;
  end if;
  update open_turns o set state = 'running', wake_at = p_lease,
    provider_id = accounts -> engine ->> 'provider_id' where o.turn_id = p_turn_id;
  if lost_before then
    perform turnpike.add_loss(claimed, 'worker_lost', null, p_moment);
  end if;
  has_subscriber := false;
  if begins then
    has_subscriber := turnpike.write_transition(claimed, space.created_by_key_id, p_event_id,
      jsonb_build_object('state', 'running', 'config_version', claimed.config_version), p_moment);
  end if;

  -- What its agent needs. A plain turn has none of the parts behind an if.
  turn := claimed;
  slug := space.slug;
  config := row(version.manifest, version.tools, version.mcp_servers, space.mcp_tokens, turnpike.pins_of(space, version.mcp_servers));
  history := '{}';
  steps := '{}';
  files := '{}';
  secrets := '{}';
  engine_keys := turnpike.engine_keys();
  containers := turnpike.containers_of(claimed.space_id);
  if version.manifest -> 'builtin_tools' ? 'generate_image' then
    image_model := turnpike.image_model(claimed, version.manifest);
  end if;
  if claimed.position > 1 then
    history := turnpike.history_of(claimed,
      coalesce((version.manifest -> 'history' ->> 'max_turns')::integer, p_history_turns), p_history_within, p_history_bytes,
      p_bytes_per_token * coalesce((version.manifest -> 'history' ->> 'max_tokens')::bigint, p_history_tokens));
  end if;
  if claimed.epoch > 1 then
    steps := array(select (p.step, p.agent, p.text, p.content, p.finish, p.results)::turnpike.kept_step
      from turn_steps p where p.turn_id = p_turn_id order by p.step);
  end if;
  if claimed.file_ids <> '[]' then
    files := array(select f from files f
      where f.state = 'ready' and f.file_id in (select jsonb_array_elements_text(claimed.file_ids)));
  end if;
  if version.tools <> '{}' or version.mcp_servers <> '{}' then
    select coalesce(jsonb_object_agg(o.name, o.sealed), '{}') into secrets from space_secrets o where o.space_id = claimed.space_id;
  end if;
  return next;
end $$;

-- Earlier turns of its conversation that were done, oldest first: the newest p_turns of them among the last p_within turns, as far as
-- their texts go into p_bytes and, written as JSON, into p_json_bytes.
create function turnpike.history_of(claimed turns, p_turns integer, p_within integer, p_json_bytes bigint, p_bytes bigint)
returns turnpike.earlier_turn[] language plpgsql stable as $$
begin
  return array(select (h.text, h.result, h.finished_at)::turnpike.earlier_turn from (
    select e.text, e.result, e.position, e.finished_at,
      sum(octet_length(e.text) + octet_length(e.result)) over newest_first as bytes,
      sum(octet_length(to_json(e.text)::text) + octet_length(to_json(e.result)::text)) over newest_first as json_bytes
    from (
      select t.text, t.result, t.position, t.finished_at from turns t
      where t.conversation_id = claimed.conversation_id and t.position < claimed.position and t.position >= claimed.position - p_within
        and t.state = 'done' and t.erased_at is null
      order by t.position desc limit p_turns
    ) e
    window newest_first as (order by e.position desc)
  ) h where h.json_bytes <= p_json_bytes and h.bytes <= p_bytes order by h.position);
end $$;
