-- Keeps the tools that an agent has found with `find_tools`, for the next turns of the conversation. A tool that was
-- found before keeps its place in their prompts. p_found: the bytes of each definition by the tool's name.
-- p_most: how many tools a conversation keeps. Returns false if the turn belongs to another worker.
create function turnpike.keep_found_tools(p_turn_id text, p_epoch integer, p_found jsonb, p_most integer)
returns boolean language plpgsql as $$
declare
  mine turns := turnpike.own_turn(p_turn_id, p_epoch);
begin
  if mine.turn_id is null then
    return false;
  end if;
  update conversations c set found_tools = coalesce(c.found_tools, '{}') || (
    select coalesce(jsonb_object_agg(f.key, jsonb_build_object('position', mine.position, 'bytes', f.value)), '{}')
      from (select n.key, n.value, row_number() over (order by n.key) as nth from jsonb_each(p_found) n
        where not coalesce(c.found_tools, '{}') ? n.key) f
      where f.nth <= p_most - (select count(*) from jsonb_object_keys(c.found_tools)))
    where c.conversation_id = mine.conversation_id;
  return true;
end $$;

-- Returns the most tokens of the tools that a conversation keeps, in the prompt of its next turn.
create function turnpike.found_tokens(p_found jsonb, p_bounds jsonb) returns bigint language plpgsql immutable as $$
begin
  return coalesce((select sum((f.value -> 'bytes')::bigint + (p_bounds -> 'found')::bigint) from jsonb_each(p_found) f),
    0);
end $$;
