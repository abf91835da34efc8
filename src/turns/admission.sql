-- The calls of a caller's tools that are open in a conversation: those of its last turn, if it is done.
create type turnpike.open_calls as (
  turn_id text,
  -- The position of the first turn of their exchange.
  begins_at bigint,
  calls jsonb,
  has_tools boolean,
  -- The most tokens of the exchange in a prompt.
  tokens bigint
);

-- The decision of admit_turn about a new turn, with the rows that the turn names.
-- refused: 'space' (the caller sees no such space), 'archived', 'end_user' (blocked), 'end_user_of_owner' (named by a
-- member), 'model', 'conversation' or 'files'. Or 'max_output' (above most_output), or 'max_cost' (the turn's own
-- limit is below `needed`). 'tool_names': a tool of the caller has the name of a tool of the space, or of a server.
-- 'calls': no calls are open. 'results': they are not exactly those of the open calls. 'exchange': it is too long.
-- Null: it may be sent if the balance and the caps allow it.
create type turnpike.admission as (
  refused text,
  space_id bigint,
  slug text,
  made_by text,
  pin text,
  price_version integer,
  conversation_name text,
  -- In credit micros: the hold that the turn wants, and the smallest hold that it needs. The latter is the worst case of
  -- its first model call with the shortest answer. Null: a test turn without rehearsed amounts.
  wanted bigint,
  needed bigint,
  -- In tokens: the first call with a short text, without history and files, and the shortest answer.
  short_tokens bigint,
  answer_tokens bigint,
  -- The short first call without values of variables, which differ from turn to turn.
  least_tokens bigint,
  -- How the provider is asked to serve its calls.
  tier text, -- null: as usual
  -- The most output tokens that its model takes.
  most_output integer,
  -- True if the end user has individual limits.
  limited boolean,
  open turnpike.open_calls, -- null: the turn gives no results
  -- What the account says about the end user.
  price_name text, -- null: the default
  prepaid boolean, -- null: the default
  rate jsonb -- null: the default
);

-- The turn that a request wants to send or to estimate.
create type turnpike.asked_turn as (
  space text,
  end_user text,
  model text, -- null: the space's model
  -- A name, or an id (`conv_…`).
  conversation text, -- null: the default conversation
  files jsonb,
  -- The wanted hold in credit micros.
  max_cost bigint, -- null: default_hold, or more if the first call needs more
  -- The most output tokens of each call.
  max_output integer, -- null: the configuration says it
  default_hold bigint,
  -- The most tokens that its text and a short text can have.
  tokens bigint,
  short_tokens bigint,
  -- The counts of all other parts of the first call (first-call.sql).
  bounds jsonb,
  -- The shortest answer that is worth a call, in tokens.
  min_output bigint,
  -- The names of the caller's tools.
  tool_names jsonb,
  -- The ids of the calls whose results it gives.
  answers jsonb, -- null: it gives none
  -- The most tokens of an exchange that is continued.
  most_exchange bigint
);

create function turnpike.admit_turn(caller turnpike.caller, p_asked turnpike.asked_turn, p_moment timestamptz)
returns turnpike.admission language plpgsql stable as $$
declare
  admission turnpike.admission;
  space spaces;
  customer end_users;
  model model_catalog;
  talk conversations;
  of_files bigint := 0;
begin
  select s.* into space from spaces s where s.slug = p_asked.space;
  if space.space_id is null
    or not turnpike.in_scope(caller, space.user_id, space.test, space.created_by_key_id, space.space_id) then
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
  -- A member of a shared space must not read conversations and tasks of its owner's customers.
  if caller.member_id is not null and p_asked.end_user <> '' then
    admission.refused := 'end_user_of_owner';
    return admission;
  end if;
  select e.* into customer
    from end_users e
    where e.user_id = caller.user_id and e.test = caller.test and e.end_user_ref = p_asked.end_user;
  if customer.blocked then
    admission.refused := 'end_user';
    return admission;
  end if;
  admission := turnpike.of_customer(admission, customer);
  model := turnpike.model_of_turn(caller, coalesce(p_asked.model, space.prompt_facts ->> 'model', space.model),
    p_moment);
  if model.pin is null then
    admission.refused := 'model';
    return admission;
  end if;
  admission.pin := model.pin;
  admission.price_version := model.price_version;
  admission.most_output := model.max_output_tokens;
  if coalesce(p_asked.max_output > model.max_output_tokens, false) then
    admission.refused := 'max_output';
    return admission;
  end if;
  admission := turnpike.admit_conversation(admission, caller, space, p_asked);
  if admission.refused is not null then
    return admission;
  end if;
  if p_asked.files <> '[]' then
    of_files := turnpike.file_tokens(space.space_id, p_asked.files, model.engine, p_asked.bounds);
    if of_files is null then
      admission.refused := 'files';
      return admission;
    end if;
  end if;
  if caller.test and not turnpike.is_rehearsed(caller, admission, p_moment) then
    return admission;
  end if;

  select c.* into talk
    from conversations c
    where c.space_id = space.space_id and c.end_user_ref = p_asked.end_user and c.name = admission.conversation_name;
  return turnpike.with_amounts(admission, caller, p_asked, model, space.prompt_facts, talk, of_files);
end $$;

-- Returns the open calls of a conversation; all null if there are none. Turns that failed or were cancelled do not
-- count, so the results can be sent again after one.
create function turnpike.open_calls_of(p_space_id bigint, p_end_user text, p_name text) returns turnpike.open_calls
language plpgsql stable as $$
declare
  last turns;
begin
  select t.* into last
    from turns t
    where t.conversation_id = (select c.conversation_id from conversations c
      where c.space_id = p_space_id and c.end_user_ref = p_end_user and c.name = p_name)
      and t.state in ('queued', 'running', 'done')
    order by t.position desc limit 1;
  if last.state = 'done' and jsonb_array_length(last.calls) > 0 then
    return row(last.turn_id, coalesce(last.continues_from, last.position), last.calls, last.has_tools,
      last.calls_tokens)::turnpike.open_calls;
  end if;
  return null;
end $$;

-- Adds to an admission the conversation of the turn and the calls that it answers, or why it cannot be sent.
create function turnpike.admit_conversation(admission turnpike.admission, caller turnpike.caller, space spaces,
  p_asked turnpike.asked_turn) returns turnpike.admission language plpgsql stable as $$
declare
  talk conversations;
begin
  if p_asked.conversation like 'conv\_%' then
    select c.* into talk
      from conversations c
      where c.conversation_id = p_asked.conversation and c.space_id = space.space_id
        and c.end_user_ref = p_asked.end_user;
    if not found or substring(talk.name from '^conv_(\d+) ')::bigint is distinct from caller.member_id then
      admission.refused := 'conversation';
      return admission;
    end if;
    admission.conversation_name := talk.name;
  else
    -- Each member has separate conversations. No request can send such a name, because it begins like an id.
    admission.conversation_name := concat('conv_' || caller.member_id || ' ',
      coalesce(p_asked.conversation, 'default'));
  end if;
  if p_asked.tool_names <> '[]' and exists (select from jsonb_array_elements_text(p_asked.tool_names) n
    where space.tools ? n or (n like '%\_\_%' and space.mcp_servers ? split_part(n, '__', 1)))
  then
    admission.refused := 'tool_names';
  elsif p_asked.answers is not null then
    admission.open := turnpike.open_calls_of(space.space_id, p_asked.end_user, admission.conversation_name);
    admission.refused := case
      when (admission.open).turn_id is null then 'calls'
      when jsonb_array_length(p_asked.answers) is distinct from jsonb_array_length((admission.open).calls)
        or exists (select from jsonb_array_elements((admission.open).calls) c
          where (p_asked.answers ? (c ->> 'id')) is not true)
        then 'results'
      when coalesce((admission.open).tokens + p_asked.tokens > p_asked.most_exchange, true) then 'exchange' end;
  end if;
  return admission;
end $$;

-- Adds what the account says about the end user.
create function turnpike.of_customer(admission turnpike.admission, customer end_users) returns turnpike.admission
language plpgsql immutable as $$
begin
  admission.limited := turnpike.end_user_has_caps(customer);
  admission.price_name := customer.price_name;
  admission.prepaid := customer.prepaid;
  admission.rate := customer.rate;
  return admission;
end $$;

-- Returns the model of a new turn, with the prices of the moment; all null if there is no such enabled model.
-- p_pin: null: the first of the catalog.
create function turnpike.model_of_turn(caller turnpike.caller, p_pin text, p_moment timestamptz) returns model_catalog
language plpgsql stable as $$
declare
  model model_catalog;
begin
  if caller.test then
    -- The rehearsal model serves test turns even if it is disabled.
    select c.* into model from model_catalog c where c.pin = turnpike.rehearsal_pin();
  elsif p_pin is not null then
    select c.* into model from model_catalog c where c.enabled and c.kind = 'chat' and c.pin = p_pin;
  else
    select c.* into model
      from model_catalog c
      where c.enabled and c.kind = 'chat'
      order by c.sort_order, c.pin limit 1;
  end if;
  return turnpike.model_at(model, p_moment);
end $$;

-- Returns the admission of a turn with its amounts. They come from the bound of the first call by stored counts,
-- as boundCall computes it when the call is made. talk: the conversation; all null if it is new. p_of_files: the tokens
-- of the files.
create function turnpike.with_amounts(admission turnpike.admission, caller turnpike.caller, p_asked turnpike.asked_turn,
  model model_catalog, p_facts jsonb, talk conversations, p_of_files bigint) returns turnpike.admission
language plpgsql stable as $$
declare
  -- A schema is sent with at most four times the bytes that are stored (src/agent/estimate.ts).
  tokens bigint := turnpike.config_tokens(p_facts, model, p_asked.bounds)
    + coalesce((p_asked.bounds -> 'asked_form')::bigint,
      (p_facts -> 'form')::bigint * 4 + (p_asked.bounds -> 'form')::bigint, 0);
begin
  admission.answer_tokens := least(p_asked.min_output, model.max_output_tokens,
    coalesce(p_asked.max_output, (p_facts -> 'answer')::bigint));
  admission.least_tokens := tokens + p_asked.short_tokens;
  if p_facts ? 'note' then
    tokens := tokens + turnpike.note_tokens(p_facts, caller, p_asked.end_user, p_asked.bounds);
  end if;
  admission.short_tokens := tokens + p_asked.short_tokens;
  tokens := tokens + p_asked.tokens + p_of_files + coalesce((admission.open).tokens, 0);
  if talk.conversation_id is not null then
    tokens := tokens
      + turnpike.history_tokens(talk.conversation_id, talk.last_position + 1, p_facts -> 'history', p_asked.bounds)
      + case when (p_facts -> 'history' ->> 'summary')::boolean then turnpike.summary_tokens(talk.conversation_id,
        p_asked.bounds) else 0 end
      + case when talk.found_tools is not null then turnpike.found_tokens(talk.found_tools, p_asked.bounds) else 0 end;
  end if;
  admission.tier := p_facts ->> 'tier';
  admission.needed := turnpike.least_cost(model, tokens, admission.answer_tokens, admission.tier);
  if coalesce(p_asked.max_cost < admission.needed, false) then
    admission.refused := 'max_cost';
  end if;
  -- The first hold of a turn that asks for a long answer pays for it.
  admission.wanted := coalesce(p_asked.max_cost, greatest(p_asked.default_hold, admission.needed,
    turnpike.least_cost(model, tokens, p_asked.max_output, admission.tier)));
  if caller.member_id is not null then
    -- A member's turn holds no more of the owner's balance than a turn gets by default.
    admission.wanted := least(admission.wanted, greatest(p_asked.default_hold, admission.needed));
  end if;
  return admission;
end $$;

-- Returns the hold that pays for a call with this many tokens, in credit micros, at least 1. It pays for each tier that
-- the prompt can reach. It pays for the dearest region, and for the service that is asked for (p_tier). Prompt and
-- answer are rounded up separately, as in affordableOutput (src/billing/price.ts).
create function turnpike.least_cost(model model_catalog, p_prompt bigint, p_answer bigint, p_tier text) returns bigint
language plpgsql stable as $$
declare
  prompt numeric := greatest({{prices.ofPrompt model}});
  answer numeric := greatest({{prices.ofOutput model}});
  factor numeric := turnpike.dearest_factor(model, p_tier);
begin
  if model.price_tiers is not null then
    select greatest(prompt, max(greatest({{prices.ofPrompt t}}))),
      greatest(answer, max(greatest({{prices.ofOutput t}})))
      into prompt, answer
      from jsonb_array_elements(model.price_tiers) e, jsonb_populate_record(null::model_catalog, e) t
      where (e -> 'above_input_tokens')::bigint < p_prompt;
  end if;
  return greatest(1, ceil((ceil(prompt * factor) * p_prompt{{prices.plusMost model}}) / 1000000)
    + ceil(ceil(answer * factor) * p_answer / 1000000));
end $$;

-- The highest factor that a call can have: that of its region, times that of the tier that it asks for unless the model
-- refuses tiers (src/catalog/price-terms.ts).
create function turnpike.dearest_factor(model model_catalog, p_tier text) returns numeric
language plpgsql stable as $$
declare
  region numeric;
  tier numeric;
begin
  if model.price_modifiers is null then
    return 1;
  end if;
  select max(m.value::numeric) filter (where m.key like {{prices.regions}}),
    max(m.value::numeric) filter (where m.key = any({{prices.namesOfTier p_tier}})
      and not coalesce(model.learned -> 'without' ? 'service_tier', false))
    into region, tier
    from jsonb_each_text(model.price_modifiers) m;
  return greatest({{prices.wholeFactor}}, region) * greatest({{prices.wholeFactor}}, tier)
    / ({{prices.wholeFactor}}::numeric * {{prices.wholeFactor}});
end $$;

-- True if a new test turn has rehearsed amounts: its end user is charged, or has limits.
create function turnpike.is_rehearsed(caller turnpike.caller, admission turnpike.admission, p_moment timestamptz)
returns boolean language plpgsql stable as $$
declare
  sale turnpike.sale := turnpike.sale_for(caller, admission, null, p_moment);
begin
  return caller.key_id is not null
    and (admission.limited is true or sale.prepaid is true or (sale.price).price_id is not null
    or (caller.capped is true
      and exists (select from turnpike.test_cap_states(caller.user_id, caller.key_id, '', 'epoch'))));
end $$;

-- Returns how a new turn is charged to its end user: as the end user's settings say, else the key's, else the
-- account's. A web chat belongs to the owner, so it has no price and no wallet. wallet: null for a test turn.
create function turnpike.sale_for(caller turnpike.caller, admission turnpike.admission, wallet wallets,
  p_moment timestamptz)
returns turnpike.sale
language plpgsql stable as $$
declare
  sale turnpike.sale;
  usual test_defaults;
  price_name text;
begin
  if caller.test then
    usual := turnpike.account_defaults(caller.user_id, true);
    wallet.end_user_price := usual.end_user_price;
    wallet.end_user_prepaid := usual.end_user_prepaid;
  end if;
  price_name := coalesce(admission.price_name, caller.end_user_price, wallet.end_user_price);
  sale.prepaid := caller.key_id is not null
    and coalesce(admission.prepaid, caller.end_user_prepaid, wallet.end_user_prepaid, false);
  if caller.key_id is not null and price_name is not null then
    sale.price := turnpike.price_to_bind(caller.user_id, caller.test, price_name, p_moment);
  end if;
  return sale;
end $$;

-- Returns what accepting the turn would answer now: the hold that it would get, or the limit that would refuse it.
-- Takes no hold and locks no counter.
create function turnpike.estimate_turn(p_request turnpike.request,
  p_asked turnpike.asked_turn, out actor turnpike.caller, out refused text, out pin text, out hold turnpike.hold_state,
  out balance bigint, out held bigint, out on_limit text, out most_output integer,
  out open_calls turnpike.open_calls) language plpgsql as $$
declare
  caller turnpike.caller;
  admission turnpike.admission;
  wallet wallets;
  sale turnpike.sale;
  headroom turnpike.credit_left;
begin
  {{caller.opens}}
  admission := turnpike.admit_turn(caller, p_asked, p_request.moment);
  refused := admission.refused;
  pin := admission.pin;
  most_output := admission.most_output;
  open_calls := admission.open;
  on_limit := (select s.manifest ->> 'on_limit' from spaces s where s.space_id = admission.space_id);
  select s.balance, s.held into balance, held from turnpike.wallet_sums(caller.user_id) s;
  if refused = 'max_cost' then
    refused := null;
    hold := row(null, admission.needed, 0, 0, '{}', p_asked.max_cost, null);
  elsif refused is null and admission.needed is not null then
    select w.* into wallet from wallets w where w.user_id = caller.user_id;
    sale := turnpike.sale_for(caller, admission, wallet, p_request.moment);
    headroom := turnpike.headroom(row(caller.user_id, caller.key_id, p_asked.end_user, null, p_request.moment,
      caller.test),
      admission.wanted, admission.needed, true, null, sale, 0);
    hold := row(headroom.amount, admission.needed, headroom.available, headroom.held, headroom.caps, null,
      headroom.credit);
  end if;
  {{caller.closes}}
end $$;
