-- Stores the result of a call that comes later. The caller has locked the turn. A result counts once, and the same one
-- again has the same outcome at any time: its fingerprint is kept as long as the turn.
-- A result that comes while its call still runs is kept until the turn waits for it.
-- outcome: 'taken', 'same' (the same result came before), 'other' (another one came before), 'not_awaited' or 'ended'.
create function turnpike.take_result(p_turn turns, p_sent turnpike.sent_answer, p_output jsonb, p_event_id text,
  p_moment timestamptz, out outcome text, out turn turns, out went_on boolean, out has_subscriber boolean)
language plpgsql as $$
declare
  mine turns := p_turn;
  earlier call_answers := turnpike.answer_of_call(p_sent, 'result');
  called turn_calls;
  asked jsonb;
  calls integer;
  resumed record;
begin
  went_on := false;
  has_subscriber := false;
  select k.* into called
    from turn_calls k
    where k.turn_id = mine.turn_id and k.step = p_sent.step and k.call = p_sent.call;
  outcome := case when p_sent.fingerprints ? earlier.fingerprint then 'same'
    when mine.state <> 'running' then 'ended'
    when earlier.turn_id is not null then 'other'
    when called.state = 'awaited' and not turnpike.wait_is_over(mine, p_moment) then 'taken'
    when called.state is null or (called.state = 'allowed' and mine.waiting is null) then 'early'
    else 'not_awaited' end;
  if outcome is not distinct from 'early' then
    -- The request may still run: the call is known from its step and has no result yet.
    select p.content into asked
      from turn_steps p
      where p.turn_id = mine.turn_id and p.step = p_sent.step and not p.results ? p_sent.call::text;
    calls := (select count(*) from jsonb_array_elements(asked) c where c ->> 'type' = 'tool-call');
    outcome := case when coalesce(p_sent.call < calls, false) then 'taken' else 'not_awaited' end;
    if outcome is not distinct from 'taken' then
      perform turnpike.note_answer(p_sent, 'result', p_moment);
      insert into turn_calls as k (
          turn_id, step, call, user_id, test, space_id, tool, input,
          input_schema, state, output)
      values (
          mine.turn_id, p_sent.step, p_sent.call, mine.user_id, mine.test, mine.space_id, '', '{}',
          '{}', 'early', p_output)
      on conflict (turn_id, step, call) do update set state = 'early', output = excluded.output;
      update turns t set waited_ms = coalesce(t.waited_ms, 0)
        where t.turn_id = mine.turn_id
        returning t.* into mine;
    end if;
  elsif outcome is not distinct from 'taken' then
    perform turnpike.note_answer(p_sent, 'result', p_moment);
    update turn_calls k set state = 'answered', output = p_output, taken_until = null
      where k.turn_id = mine.turn_id and k.step = p_sent.step and k.call = p_sent.call
      returning k.* into called;
    mine := turnpike.keep_result(mine, called, p_moment);
    if mine.waiting is not null then
      update turns t set waiting = jsonb_set(t.waiting, '{calls}', turnpike.shown_calls(mine.turn_id))
        where t.turn_id = mine.turn_id
        returning t.* into mine;
      if mine.waiting ->> 'for' <> 'limit'
        and not exists (select from turn_calls k where k.turn_id = mine.turn_id and k.state in ('asked', 'awaited'))
      then
        resumed := turnpike.resume_turn(mine, p_event_id, p_moment);
        mine := resumed.turn;
        has_subscriber := resumed.has_subscriber;
        went_on := true;
        perform turnpike.follow_period(mine, p_moment);
      end if;
    end if;
  end if;
  turn := mine;
end $$;

-- take_result for a caller. outcome is 'unknown' for a turn that the caller does not see, and 'used' if the
-- Idempotency-Key was used for another request.
create function turnpike.deliver_result(p_request turnpike.request, p_once_key text, p_fingerprint text,
  p_sent turnpike.sent_answer, p_output jsonb, p_event_id text, out actor turnpike.caller,
  out already turnpike.earlier_request, out outcome text, out turn turns, out went_on boolean,
  out has_subscriber boolean)
language plpgsql as $$
declare
  caller turnpike.caller;
  known record;
  taken record;
  id text := turnpike.answer_id(p_sent, 'result');
begin
  {{caller.opens}}
  went_on := false;
  has_subscriber := false;
  already := turnpike.used_key(caller, p_once_key);
  outcome := 'used';
  if coalesce(already.resource_id = id, true) then
    outcome := 'unknown';
    known := turnpike.find_call(caller, p_sent.turn_id, p_sent.step, p_sent.call, false);
    if (known.asked).slug is not null then
      taken := turnpike.take_result((known.asked).turn, p_sent, p_output, p_event_id, p_request.moment);
      outcome := taken.outcome;
      turn := taken.turn;
      went_on := taken.went_on;
      has_subscriber := taken.has_subscriber;
      if already.resource_id is null and outcome in ('taken', 'same') then
        perform turnpike.note_key(caller, p_once_key, p_fingerprint, id, p_request.moment);
      end if;
    end if;
  end if;
  {{caller.closes}}
end $$;

-- take_result for the token of one call, whose hash its step or its result has (note_result_token, note_answer).
-- outcome: as deliver_result; 'unknown' for another token. An Idempotency-Key belongs to the call, so that a server
-- with a token neither uses up nor finds out keys of the account. Only the key of the result that counts is kept.
create function turnpike.deliver_by_token(p_token text, p_once_key text, p_fingerprint text,
  p_sent turnpike.sent_answer, p_output jsonb, p_event_id text, p_moment timestamptz,
  out already turnpike.earlier_request, out outcome text, out turn turns, out went_on boolean,
  out has_subscriber boolean)
language plpgsql as $$
declare
  mine turns;
  taken record;
  noted text := turnpike.result_token(p_sent.call, p_token);
  id text := turnpike.answer_id(p_sent, 'result');
  -- No key of an account has a line feed.
  own_key text := id || chr(10) || p_once_key;
  owner turnpike.caller;
begin
  outcome := 'unknown';
  went_on := false;
  has_subscriber := false;
  select t.* into mine
    from turns t
    where t.turn_id = p_sent.turn_id and (
    exists (select from turn_steps p where p.turn_id = t.turn_id and p.step = p_sent.step
      and noted = any (p.result_tokens))
    or noted = any ((turnpike.answer_of_call(p_sent, 'result')).result_tokens));
  if mine.turn_id is null then
    return;
  end if;
  owner.user_id := mine.user_id;
  owner.test := mine.test;
  already := turnpike.used_key(owner, own_key);
  select t.* into mine from turns t where t.turn_id = p_sent.turn_id for no key update;
  taken := turnpike.take_result(mine, p_sent, p_output, p_event_id, p_moment);
  outcome := taken.outcome;
  turn := taken.turn;
  went_on := taken.went_on;
  has_subscriber := taken.has_subscriber;
  if outcome is not distinct from 'taken' then
    perform turnpike.note_key(owner, own_key, p_fingerprint, id, p_moment);
  end if;
end $$;

-- A call that a worker of the owner has taken.
create type turnpike.taken_call as (
  turn_id text,
  conversation_id text,
  step integer,
  call integer,
  space text,
  config_version integer,
  -- The sub-agent that makes the call.
  agent text, -- null: the space's own agent
  end_user_ref text, -- null: a web chat without an end user
  metadata jsonb,
  test boolean,
  tool text,
  -- False if the tool wants no identity.
  signed boolean,
  input jsonb,
  -- How often the call was taken, with this time.
  takes integer
);

-- The name of the sub-agent that makes a call: its task was given to it by a call of `delegate`.
create function turnpike.agent_of_call(picked turn_calls) returns text language sql stable as $$
  select jsonb_path_query_array(p.content, '$[*] ? (@.type == "tool-call")') -> split_part(picked.agent, '.',
    2)::integer -> 'input' ->> 'agent'
    from turn_steps p
    where p.turn_id = picked.turn_id and p.step = split_part(picked.agent, '.', 1)::integer
$$;

-- Gives a worker of the owner up to p_limit calls of tools without a request, until p_until. A call whose worker did
-- not answer or renew is given again. p_space: a slug. p_tools: names of tools.
create function turnpike.take_calls(p_request turnpike.request, p_space text, p_tools text[], p_limit integer,
  p_until timestamptz, out actor turnpike.caller, out calls turnpike.taken_call[])
language plpgsql set enable_seqscan = off as $$
declare
  caller turnpike.caller;
  picked turn_calls;
  mine turns;
  space spaces;
begin
  {{caller.opens}}
  calls := '{}';
  for picked in
    select k.*
      from turn_calls k
      where k.user_id = caller.user_id and k.test = caller.test and k.state = 'awaited' and k.offered
        and coalesce(k.taken_until <= p_request.moment, true) and (p_tools is null or k.tool = any (p_tools))
        and exists (select from spaces s where s.space_id = k.space_id and (p_space is null or s.slug = p_space)
          and turnpike.in_scope(caller, s.user_id, s.test, s.created_by_key_id, s.space_id))
      order by k.turn_id collate "C", k.step, k.call limit p_limit for no key update of k skip locked
  loop
    update turn_calls k set taken_until = p_until, takes = k.takes + 1
      where k.turn_id = picked.turn_id and k.step = picked.step and k.call = picked.call;
    select t.* into mine from turns t where t.turn_id = picked.turn_id;
    select s.* into space from spaces s where s.space_id = picked.space_id;
    calls := calls || row(picked.turn_id, mine.conversation_id, picked.step, picked.call,
      space.slug, mine.config_version, turnpike.agent_of_call(picked),
      nullif(mine.end_user_ref, ''), mine.metadata, mine.test, picked.tool,
      space.tools -> picked.tool ->> 'identity' is distinct from 'none', coalesce(picked.edited_input, picked.input),
      picked.takes + 1)::turnpike.taken_call;
  end loop;
  {{caller.closes}}
end $$;

-- Renews a taken call until p_until. p_takes: as take_calls returned it. outcome: 'renewed', 'lost' (the call has its
-- result, its turn has ended, or another worker has it) or 'unknown'.
create function turnpike.renew_call(p_request turnpike.request, p_turn_id text, p_step integer, p_call integer,
  p_takes integer, p_until timestamptz, out actor turnpike.caller, out outcome text) language plpgsql as $$
declare
  caller turnpike.caller;
  known record;
begin
  {{caller.opens}}
  known := turnpike.find_call(caller, p_turn_id, p_step, p_call, false);
  outcome := case when (known.asked).slug is null then 'unknown' else 'lost' end;
  update turn_calls k set taken_until = p_until
    where outcome = 'lost' and k.turn_id = p_turn_id and k.step = p_step and k.call = p_call and k.state = 'awaited'
      and k.offered
      and k.takes = p_takes;
  if found then
    outcome := 'renewed';
  end if;
  {{caller.closes}}
end $$;
