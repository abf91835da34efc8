-- The version of a space's configuration that a turn began with.
create type turnpike.turn_config as (
  manifest jsonb,
  tools jsonb,
  mcp_servers jsonb,
  -- The tokens of each server's tools in a prompt, from their last listing.
  mcp_tokens jsonb,
  -- The pinned form of each server's tools.
  mcp_pins jsonb,
  -- Optional servers that did not answer lately, with the moment until which each is not asked.
  mcp_failing jsonb
);

create type turnpike.earlier_turn as (
  text text,
  result text,
  ended_at timestamptz,
  position bigint,
  messages jsonb, -- null: it was sent as one text
  calls jsonb, -- null: it has not called its caller
  -- True if it gave the results of the turn before.
  continues boolean
);

-- A step as it was committed (src/turns/step-row.ts).
create type turnpike.kept_step as (
  step integer,
  agent text, -- null: the space's own agent
  text text,
  content jsonb,
  finish text,
  results jsonb
);

-- A call that a turn has waited for (turn_calls).
create type turnpike.kept_call as (
  step integer,
  call integer,
  state text,
  offered boolean,
  edited_input jsonb, -- null: the model's own input
  message text -- null: without one
);

-- An earlier turn of the exchange that a turn with results continues.
create type turnpike.link as (
  turn_id text,
  text text,
  messages jsonb, -- null: it was sent as one text
  result text,
  calls jsonb,
  file_ids jsonb,
  metadata jsonb,
  started_at timestamptz,
  -- Those of the space's own agent. Empty: they are deleted.
  steps turnpike.kept_step[]
);

-- The caller's tools of a turn (turn_tools).
create type turnpike.caller_tools as (
  tools jsonb,
  choice jsonb,
  parallel boolean
);

-- Everything that a worker needs to continue a turn.
create type turnpike.claimed_turn as (
  turn turns,
  slug text,
  config turnpike.turn_config,
  models jsonb,
  accounts jsonb,
  roster jsonb, -- null: not requested
  history turnpike.earlier_turn[],
  summary turnpike.kept_summary, -- null: none
  -- The tools that earlier turns of the conversation have found.
  found_tools jsonb, -- null: none
  messages jsonb, -- null: it was sent as one text
  caller turnpike.caller_tools, -- null: no tools of its caller
  links turnpike.link[],
  steps turnpike.kept_step[],
  -- The calls that it has waited for.
  calls turnpike.kept_call[],
  files files[],
  secrets jsonb,
  engine_keys text, -- null: the environment has none
  containers turnpike.mapped_container[],
  image_model model_catalog, -- null: it makes no images
  -- True if a webhook receives an event of the claim.
  has_subscriber boolean
);

-- The terms that all turns of one claim share.
create type turnpike.claim_terms as (
  runner_id text,
  try integer,
  moment timestamptz,
  lease timestamptz,
  max_attempts integer,
  history_turns integer,
  history_within integer,
  history_bytes integer,
  bytes_per_token integer,
  history_tokens bigint,
  -- The servers that the pins of each engine mean.
  servers jsonb,
  served_after timestamptz,
  listed jsonb, -- null: no roster requested
  roster_accounts integer
);

-- Claims a turn for a worker. The caller has locked the turn. A queued turn becomes running.
-- accounts: the accounts by engine, from pick_accounts with p_drawn and p_random.
-- roster: all accounts of the engine of the turn's own model, if one of them
-- was drawn and `listed` does not name that engine.
create function turnpike.claim_turn(locked turns, terms turnpike.claim_terms, p_event_id text, p_drawn jsonb,
  p_random double precision, out claim turnpike.claimed_turn)
language plpgsql as $$
declare
  claimed turns;
  space spaces;
  version space_configs;
  begins boolean := locked.state = 'queued';
  before_it timestamptz;
  lost_before boolean;
  engine text;
begin
  select s.* into space from spaces s where s.space_id = locked.space_id;
  if begins and locked.position > 1 then
    -- The turn before it may have ended by another clock. This turn must not begin earlier than that.
    select t.finished_at into before_it
      from turns t
      where t.conversation_id = locked.conversation_id and t.position < locked.position
      order by t.position desc limit 1;
  end if;
  -- An earlier worker has died or has committed nothing: the output of its models is lost.
  lost_before := not begins and (locked.attempts > 0 or locked.lease_until is not null);
  update turns t set state = 'running', epoch = t.epoch + 1, attempts = t.attempts + 1, lease_until = terms.lease,
    claim_message = terms.runner_id, claim_try = terms.try,
    started_at = coalesce(t.started_at, greatest(terms.moment, before_it)),
    config_version = coalesce(t.config_version, space.config_version),
    profile = case when t.started_at is null then turnpike.profile_at_start(locked, space) else t.profile end,
    last_event_seq = t.last_event_seq + case when begins then 1 else 0 end
    where t.turn_id = locked.turn_id
    returning t.* into claimed;
  if claimed.config_version = space.config_version then
    version.manifest := space.manifest;
    version.tools := space.tools;
    version.mcp_servers := space.mcp_servers;
  else
    select c.* into version
      from space_configs c
      where c.space_id = claimed.space_id and c.version = claimed.config_version;
  end if;
  select jsonb_build_object(m.pin, case when m.price_version = claimed.price_version then to_jsonb(m)
      else to_jsonb(m) || turnpike.prices_for(claimed, m.pin) end) into claim.models
    from model_catalog m
    where m.pin = claimed.model;
  if version.manifest ? 'subagents' or version.manifest -> 'history' ? 'model' then
    select coalesce(jsonb_object_agg(m.pin, to_jsonb(m) || turnpike.prices_for(claimed, m.pin)), '{}') into claim.models
      from model_catalog m
      where m.pin in (claimed.model, version.manifest -> 'history' ->> 'model')
        or m.pin in (select s ->> 'model' from jsonb_array_elements(version.manifest -> 'subagents') s);
  end if;
  claim.accounts := '{}';
  if not claimed.test and exists (select from provider_accounts) then
    claim.accounts := turnpike.pick_accounts(claimed, claim.models, terms.servers, terms.served_after, p_drawn,
      p_random, terms.moment);
    engine := claim.models -> claimed.model ->> 'engine';
    if terms.listed is not null and not terms.listed ? engine and claim.accounts ? engine
      and not coalesce((claim.accounts -> engine ->> 'bound')::boolean, false)
    then
      claim.roster := turnpike.account_roster(engine, terms.servers -> engine, terms.roster_accounts, terms.moment);
    end if;
  end if;
  update open_turns o set state = 'running', wake_at = terms.lease,
    provider_id = claim.accounts -> engine ->> 'provider_id'
    where o.user_id = claimed.user_id and o.test = claimed.test and o.turn_id collate "C" = claimed.turn_id;
  if lost_before then
    perform turnpike.add_loss(claimed, 'worker_lost', null, terms.moment);
  end if;
  claim.has_subscriber := false;
  if begins then
    claim.has_subscriber := turnpike.write_transition(claimed, space.created_by_key_id, p_event_id,
      jsonb_build_object('config_version', claimed.config_version), terms.moment);
  end if;

  claim.turn := claimed;
  claim.slug := space.slug;
  claim.config := row(version.manifest, version.tools, version.mcp_servers, space.mcp_tokens,
    turnpike.pins_of(space, version.mcp_servers), turnpike.failing_servers(claimed.space_id, version.mcp_servers));
  claim := turnpike.with_run_data(claim, terms);
end $$;

-- Returns the profile with which a turn starts; null if it has no end user, or if its configuration uses no profile.
-- The facts are those of the newest version, so a turn of another version may use one as well.
create function turnpike.profile_at_start(starting turns, space spaces) returns jsonb language plpgsql stable as $$
begin
  if starting.end_user_ref = '' or not (space.prompt_facts ? 'profile'
    or coalesce(starting.config_version <> space.config_version, false))
  then
    return null;
  end if;
  return (select e.profile from end_users e
    where e.user_id = starting.user_id and e.test = starting.test and e.end_user_ref = starting.end_user_ref);
end $$;

-- Adds to a claim with a turn and its configuration what the agent reads: earlier turns, the steps and calls that were
-- kept, files, secrets and keys. A plain turn needs none of the conditional parts.
create function turnpike.with_run_data(claim turnpike.claimed_turn, terms turnpike.claim_terms)
returns turnpike.claimed_turn
language plpgsql stable as $$
declare
  claimed turns := claim.turn;
  config turnpike.turn_config := claim.config;
  named jsonb := claimed.file_ids;
begin
  claim.links := '{}';
  claim.history := '{}';
  claim.steps := '{}';
  claim.calls := '{}';
  claim.files := '{}';
  claim.secrets := '{}';
  claim.engine_keys := turnpike.engine_keys();
  claim.containers := turnpike.containers_of(claimed.space_id);
  if config.manifest -> 'builtin_tools' ? 'generate_image' then
    claim.image_model := turnpike.image_model(claimed, config.manifest);
  end if;
  if claimed.message_bytes is not null then
    claim.messages := turnpike.messages_of(claimed.turn_id);
  end if;
  if claimed.has_tools then
    claim.caller := turnpike.tools_of(claimed.turn_id);
  end if;
  if claimed.continues_from is not null then
    claim.links := turnpike.links_of(claimed);
    named := named
      || coalesce((select jsonb_agg(f) from unnest(claim.links) l, jsonb_array_elements(l.file_ids) f), '[]');
    -- The history ends before the exchange.
    claimed.position := claimed.continues_from;
  end if;
  if claimed.position > 1 and (config.manifest -> 'history' ->> 'summary')::boolean then
    claim.summary := turnpike.summary_for(claimed);
    -- All turns after the summary: the run decides which of them leave.
    claim.history := turnpike.history_of(claimed, terms.history_within, least(terms.history_within,
      claimed.position - 1 - coalesce((claim.summary).until_position, 0))::integer, terms.history_bytes,
        terms.history_bytes);
  elsif claimed.position > 1 then
    claim.history := turnpike.history_of(claimed,
      coalesce((config.manifest -> 'history' ->> 'max_turns')::integer, terms.history_turns), terms.history_within,
      terms.history_bytes,
      terms.bytes_per_token * coalesce((config.manifest -> 'history' ->> 'max_tokens')::bigint, terms.history_tokens));
  end if;
  if claimed.position > 1 and (config.tools <> '{}' or config.mcp_servers <> '{}') then
    claim.found_tools := (select c.found_tools from conversations c
      where c.conversation_id = claimed.conversation_id);
  end if;
  if claimed.epoch > 1 then
    claim.steps := array(select (p.step, p.agent, p.text, p.content, p.finish, p.results)::turnpike.kept_step
      from turn_steps p where p.turn_id = claimed.turn_id order by p.step);
    if claimed.waited_ms is not null then
      claim.calls := array(select (k.step, k.call, k.state, k.offered, k.edited_input, k.message)::turnpike.kept_call
        from turn_calls k where k.turn_id = claimed.turn_id order by k.step, k.call);
    end if;
  end if;
  if named <> '[]' then
    claim.files := array(select f from files f
      where f.state = 'ready' and f.file_id in (select jsonb_array_elements_text(named)));
  end if;
  if config.tools <> '{}' or config.mcp_servers <> '{}' then
    select coalesce(jsonb_object_agg(o.name, o.sealed), '{}') into claim.secrets
      from space_secrets o
      where o.space_id = claimed.space_id;
  end if;
  return claim;
end $$;

-- Makes the turns of earlier deliveries of a runner's message ready, because the worker has died.
-- A turn that has committed nothing since its last claim keeps its
-- attempts, so it counts as lost. Locked turns are skipped.
create function turnpike.release_runner(p_terms turnpike.claim_terms) returns void language plpgsql as $$
declare
  mine turns;
begin
  for mine in select t.*
    from open_turns o
      join turns t on t.turn_id = o.turn_id
    where o.state = 'running' and t.claim_message = p_terms.runner_id and t.claim_try < p_terms.try
      and t.lease_until is not null
    order by t.turn_id for no key update of t skip locked
  loop
    update turns t set lease_until = null where t.turn_id = mine.turn_id;
    perform turnpike.set_wake(mine, p_terms.moment);
  end loop;
end $$;

-- Returns about how many bytes a claim has as JSON. Small claims are only
-- estimated: an escape makes at most six bytes of one.
create function turnpike.claim_bytes(claim turnpike.claimed_turn) returns bigint language plpgsql stable as $$
declare
  bytes bigint := 6 * (octet_length((claim.turn).text) + coalesce((claim.turn).message_bytes, 0)
    + coalesce(octet_length((claim.turn).response_format), 0));
begin
  -- A compressed value may be fifty times as long as JSON.
  if cardinality(claim.history) + cardinality(claim.steps) + cardinality(claim.links) > 0 or claim.caller is not null
    or cardinality(claim.files) > 20 or bytes > 100000
    or claim.roster is not null or pg_column_size(claim.config) + pg_column_size(claim.secrets) > 2000
  then
    return octet_length(to_json(claim)::text);
  end if;
  return bytes;
end $$;

-- Returns the messages of a turn that was sent as messages.
create function turnpike.messages_of(p_turn_id text) returns jsonb language plpgsql stable as $$
begin
  return (select m.messages from turn_messages m where m.turn_id = p_turn_id);
end $$;

-- Returns the caller's tools of a turn; null without them.
create function turnpike.tools_of(p_turn_id text) returns turnpike.caller_tools language plpgsql stable as $$
begin
  return (select row(o.tools, o.choice, o.parallel)::turnpike.caller_tools from turn_tools o
    where o.turn_id = p_turn_id);
end $$;

-- Returns the earlier turns of the exchange that a turn with results continues, oldest first.
create function turnpike.links_of(claimed turns) returns turnpike.link[] language plpgsql stable as $$
begin
  return array(select (t.turn_id, t.text,
      case when t.message_bytes is not null then turnpike.messages_of(t.turn_id) end, t.result, t.calls, t.file_ids,
      t.metadata, t.started_at,
      array(select (p.step, p.agent, p.text, p.content, p.finish, p.results)::turnpike.kept_step
        from turn_steps p where p.turn_id = t.turn_id and p.agent is null order by p.step))::turnpike.link
    from turns t
    where t.conversation_id = claimed.conversation_id and t.position >= claimed.continues_from
      and t.position < claimed.position and t.state = 'done' and t.erased_at is null and t.texts_deleted_at is null
    order by t.position);
end $$;

-- Returns earlier turns of the conversation that were done, oldest first:
-- the newest p_turns of the last p_within turns.
-- Their texts must fit into p_bytes and, as JSON, into p_json_bytes.
create function turnpike.history_of(claimed turns, p_turns integer, p_within integer, p_json_bytes bigint,
  p_bytes bigint)
returns turnpike.earlier_turn[] language plpgsql stable as $$
begin
  return array(select (h.text, h.result, h.finished_at, h.position, case when h.message_bytes is not null
      then turnpike.messages_of(h.turn_id) end, h.calls, h.continues_from is not null)::turnpike.earlier_turn from (
    select e.*, sum(turnpike.said_bytes(e.text, e.message_bytes) + octet_length(e.result)
        + turnpike.call_bytes(e.calls)) over newest_first as bytes,
      sum(octet_length(to_json(e.text)::text) + coalesce(e.message_bytes, 0)
        + octet_length(to_json(e.result)::text) + turnpike.call_bytes(e.calls)) over newest_first as json_bytes
    from (
      select t.turn_id, t.text, t.message_bytes, t.result, t.position, t.finished_at, t.calls, t.continues_from
      from turns t
      where t.conversation_id = claimed.conversation_id and t.position < claimed.position
        and t.position >= claimed.position - p_within
        and t.state = 'done' and t.erased_at is null and t.texts_deleted_at is null
      order by t.position desc limit p_turns
    ) e
    window newest_first as (order by e.position desc)
  ) h where h.json_bytes <= p_json_bytes and h.bytes <= p_bytes order by h.position);
end $$;
