-- Summaries of conversations: the turns that have left the history, as a model has summarised them.

-- The summary of a conversation that a run reads.
create type turnpike.kept_summary as (
  -- It covers the turns up to this position, and how many they are.
  until_position bigint,
  turns integer,
  text text
);

-- Returns the summary of the turn's conversation; null without one.
create function turnpike.summary_for(claimed turns) returns turnpike.kept_summary language plpgsql stable as $$
declare
  found turnpike.kept_summary;
begin
  select s.until_position, s.turns, s.text into found.until_position, found.turns, found.text
    from conversation_summaries s
    where s.conversation_id = claimed.conversation_id;
  return case when found.text is not null then found end;
end $$;

-- Keeps a summary that a step of the turn has written. Returns false if the turn belongs to another worker, a later
-- summary is there, or texts that it covers were deleted since the turn began. A repeat changes nothing.
create function turnpike.keep_summary(p_turn_id text, p_epoch integer, p_summary turnpike.kept_summary, p_model text,
  p_tokens integer, p_moment timestamptz) returns boolean language plpgsql as $$
declare
  mine turns := turnpike.own_turn(p_turn_id, p_epoch);
begin
  if mine.turn_id is null or exists (select from turns t
    where t.conversation_id = mine.conversation_id and t.position <= p_summary.until_position
      and coalesce(t.erased_at, t.texts_deleted_at) >= mine.started_at)
  then
    return false;
  end if;
  insert into conversation_summaries as s (
      conversation_id, until_position, turns, text, tokens, turn_id, model,
      created_at)
  values (
      mine.conversation_id, p_summary.until_position, p_summary.turns, p_summary.text, p_tokens, p_turn_id, p_model,
      p_moment)
  on conflict (conversation_id) do update set until_position = excluded.until_position, turns = excluded.turns,
    text = excluded.text, tokens = excluded.tokens, turn_id = excluded.turn_id, model = excluded.model,
    created_at = excluded.created_at
    where s.until_position < excluded.until_position;
  return found;
end $$;
