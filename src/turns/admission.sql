-- What a turn that somebody wants to send names, looked up. `refused` says what stands against it, apart from money: 'space' (there is
-- none that the caller sees), 'archived', 'end_user' (blocked), 'model', 'conversation', 'files'; null when nothing does.
create type turnpike.admission as (
  refused text,
  space_id bigint,
  slug text,
  made_by text,
  pin text,
  conversation_name text,
  -- The hold that it asks for, and what it must be able to hold at the least: what its first model call can cost. short_needed: had it
  -- a short text. Credit micros.
  wanted bigint,
  needed bigint,
  short_needed bigint,
  -- Whether the end user has limits of their own.
  limited boolean
);

-- p_conversation: a name, or an id (`conv_…`); p_wanted: the hold that is asked for; p_tokens: the most its prompt can count, and
-- p_short_tokens with a short text; p_min_output: the shortest answer that is worth a call.
create function turnpike.admit_turn(caller turnpike.caller, p_space text, p_end_user text, p_model text, p_conversation text,
  p_files jsonb, p_wanted bigint, p_tokens bigint, p_short_tokens bigint, p_min_output bigint)
returns turnpike.admission language plpgsql stable as $$
declare
  admission turnpike.admission;
  space spaces;
  customer end_users;
  model model_catalog;
  wanted_pin text;
  answer_tokens bigint;
begin
  admission.wanted := p_wanted;
  select s.* into space from spaces s where s.slug = p_space;
  if space.space_id is null or not turnpike.in_scope(caller, space.user_id, space.test, space.created_by_key_id, space.space_id) then
    admission.refused := 'space';
    return admission;
  end if;
  admission.space_id := space.space_id;
  admission.slug := space.slug;
  admission.made_by := space.created_by_key_id;
  if space.archived_at is not null then
    admission.refused := 'archived';
    return admission;
  end if;
  select e.* into customer from end_users e
    where e.user_id = caller.user_id and e.test = caller.test and e.end_user_ref = p_end_user;
  if customer.blocked then
    admission.refused := 'end_user';
    return admission;
  end if;
  admission.limited := num_nonnulls(customer.daily_limit_credit_micros, customer.monthly_limit_credit_micros) > 0;
  wanted_pin := coalesce(p_model, space.manifest ->> 'model', space.model);
  if caller.test then
    select c.* into model from model_catalog c where c.enabled and c.engine = 'rehearsal' order by c.sort_order, c.pin limit 1;
  elsif wanted_pin is not null then
    select c.* into model from model_catalog c where c.enabled and c.pin = wanted_pin;
  else
    select c.* into model from model_catalog c where c.enabled order by c.sort_order, c.pin limit 1;
  end if;
  if model.pin is null then
    admission.refused := 'model';
    return admission;
  end if;
  admission.pin := model.pin;
  admission.conversation_name := coalesce(p_conversation, 'default');
  if p_conversation like 'conv\_%' then
    select c.name into admission.conversation_name from conversations c
      where c.conversation_id = p_conversation and c.space_id = space.space_id and c.end_user_ref = p_end_user;
    if not found then
      admission.refused := 'conversation';
      return admission;
    end if;
  end if;
  if jsonb_array_length(p_files) > 0 and jsonb_array_length(p_files) <> (select count(*) from files f
      where f.space_id = space.space_id and f.state = 'ready' and f.file_id in (select jsonb_array_elements_text(p_files)))
  then
    admission.refused := 'files';
    return admission;
  end if;
  answer_tokens := least(p_min_output, model.max_output_tokens, (space.manifest ->> 'max_output_tokens')::bigint);
  admission.needed := greatest(1, least(p_wanted, turnpike.least_cost(model, p_tokens, answer_tokens)));
  admission.short_needed := greatest(1, least(p_wanted, turnpike.least_cost(model, p_short_tokens, answer_tokens)));
  return admission;
end $$;

-- Credit micros of a call with so many tokens, rounded up.
create function turnpike.least_cost(model model_catalog, p_prompt bigint, p_answer bigint) returns bigint language sql immutable as $$
  select ceil((greatest(model.price_input, model.price_cached, model.price_cache_write)::numeric * p_prompt + model.price_output::numeric * p_answer) / 1000000)::bigint
$$;

-- What accepting such a turn would answer now: the hold that it would take, or the limit that would refuse it. Takes and locks nothing.
create function turnpike.estimate_turn(p_caller_kind text, p_caller_token text, p_caller_test boolean, p_moment timestamptz,
  p_space text, p_end_user text, p_model text, p_conversation text, p_files jsonb, p_wanted bigint, p_tokens bigint,
  p_short_tokens bigint, p_min_output bigint,
  out actor jsonb, out refused text, out pin text, out hold jsonb, out balance bigint, out held bigint) language plpgsql as $$
declare
  caller turnpike.caller;
  admission turnpike.admission;
begin
  caller := turnpike.find_caller(p_caller_kind, p_caller_token, p_caller_test, p_moment);
  actor := to_jsonb(caller);
  if caller.usable is not true then
    return;
  end if;
  admission := turnpike.admit_turn(caller, p_space, p_end_user, p_model, p_conversation, p_files, p_wanted, p_tokens, p_short_tokens,
    p_min_output);
  refused := admission.refused;
  pin := admission.pin;
  select coalesce(max(w.balance_credit_micros), 0), coalesce(max(w.held_credit_micros), 0) into balance, held
    from wallets w where w.user_id = caller.user_id;
  if refused is null and not caller.test then
    select to_jsonb(r) || jsonb_build_object('needed', admission.needed) into hold from turnpike.room_for(caller.user_id, caller.key_id,
      p_end_user, admission.wanted, admission.needed, p_moment, true, null) r;
  end if;
  perform turnpike.note_use(caller, p_moment);
end $$;
