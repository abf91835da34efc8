-- Stores the images that tool calls of a step have made. Each is a model call of its own, and is billed with the turn.
-- The caller has locked the turn.
-- p_pictures: [{call, provider, account, model, price_version, cost, provider_cost, duration_sec}].
create function turnpike.keep_pictures(mine turns, p_step integer, p_pictures jsonb, p_moment timestamptz) returns void
language plpgsql as $$
declare
  asked turn_steps;
  role text;
begin
  select p.* into asked from turn_steps p where p.turn_id = mine.turn_id and p.step = p_step;
  role := case when asked.agent is null then 'orchestrator' else 'subagent' end;
  insert into model_calls (
      turn_id, step, call, user_id, space_id, key_id, end_user_ref, conversation_id,
      test, provider, subscription_id, model, role, subagent, tokens_input, tokens_cached,
      tokens_output, duration_sec, price_version, cost_credit_micros, provider_credit_micros, billed_credit_micros,
      created_at)
  select
      mine.turn_id, p_step, p.call, mine.user_id, mine.space_id, mine.key_id, mine.end_user_ref, mine.conversation_id,
      mine.test, p.provider, p.account, p.model, role, asked.subagent, 0, 0,
      0, p.duration_sec, p.price_version, p.cost, nullif(p.provider_cost, p.cost), 0,
      p_moment
  from jsonb_to_recordset(p_pictures) as p (call integer, provider text, account text, model text,
    price_version integer, cost bigint, provider_cost bigint, duration_sec double precision);
  update turns t set model_calls = t.model_calls + jsonb_array_length(p_pictures),
    cost_credit_micros = t.cost_credit_micros
    + (select sum((p ->> 'cost')::bigint) from jsonb_array_elements(p_pictures) p)
    where t.turn_id = mine.turn_id;
end $$;

-- Returns the image model of a turn, at the turn's prices: the one that the manifest names, else the first enabled one.
-- Null if there is no such model, or it is not enabled.
create function turnpike.image_model(claimed turns, p_manifest jsonb) returns model_catalog
language plpgsql stable as $$
declare
  model model_catalog;
begin
  if p_manifest ? 'image_model' then
    select m.* into model
      from model_catalog m
      where m.pin = p_manifest ->> 'image_model' and m.kind = 'image' and m.enabled;
  else
    select m.* into model
      from model_catalog m
      where m.kind = 'image' and m.enabled
      order by m.sort_order, m.pin limit 1;
  end if;
  if model.pin is not null then
    return jsonb_populate_record(model, turnpike.prices_for(claimed, model.pin));
  end if;
  return null;
end $$;
