-- The bound of a turn's first model call, in tokens: never less than src/runs/build-call.ts computes when the call is
-- made. p_bounds (src/turns/first-call.ts) has the counts around texts.

-- Returns true if a space's agent searches its tools (isSearched in src/runs/agent-tools.ts).
create function turnpike.searches_tools(facts jsonb, model model_catalog, p_bounds jsonb) returns boolean
language plpgsql immutable as $$
declare
  mode text := coalesce(facts ->> 'mode', 'auto');
  tools bigint := coalesce((facts -> 'tools')::bigint, 0) + coalesce((facts -> 'pinned')::bigint, 0);
  tokens bigint := coalesce((facts -> 'tool_bytes')::bigint, 0)
    + coalesce((facts -> 'tools')::bigint, 0) * (p_bounds -> 'tool')::bigint + coalesce((facts -> 'listed')::bigint, 0);
  size bigint := least(model.context_tokens, (model.learned -> 'context_tokens')::bigint);
begin
  return coalesce(mode = 'search' and tools > 0
    or mode = 'auto' and (tools > (p_bounds -> 'search_above')::bigint
      or model.engine <> 'rehearsal' and size is not null and tokens::numeric / (p_bounds -> 'bytes_per_token')::numeric
        > size * (p_bounds -> 'search_share')::numeric), false);
end $$;

-- Returns the tokens of the instructions and tools, from the counts that are stored with the space's configuration
-- (src/agent-config/prompt-facts.sql).
create function turnpike.config_tokens(facts jsonb, model model_catalog, p_bounds jsonb) returns bigint
language plpgsql immutable as $$
declare
  builtin bigint := 0;
begin
  if facts ? 'builtin' then
    builtin := (select coalesce(sum((p_bounds -> 'builtin' ->> b)::bigint), 0)
      from jsonb_array_elements_text(facts -> 'builtin') b);
  elsif model.engine <> 'openai-compatible' then
    builtin := (p_bounds -> 'default_tools')::bigint;
  end if;
  if not facts ?| '{system,tools,agents,listed,unlisted}' then
    return case when builtin > 0 then builtin + (p_bounds -> 'any_tool')::bigint else 0 end;
  end if;
  if turnpike.searches_tools(facts, model, p_bounds) then
    builtin := builtin + (p_bounds -> 'search')::bigint + (facts -> 'group_bytes')::bigint;
    facts := facts - '{tools,tool_bytes,listed,unlisted}'::text[];
  end if;
  return builtin + coalesce((facts -> 'system')::bigint + (p_bounds -> 'message')::bigint, 0)
    + coalesce((facts -> 'tool_bytes')::bigint + (facts -> 'tools')::bigint * (p_bounds -> 'tool')::bigint, 0)
    + coalesce((facts -> 'agent_bytes')::bigint + (facts -> 'agents')::bigint * (p_bounds -> 'agent')::bigint
      + (p_bounds -> 'delegate')::bigint, 0)
    + coalesce((facts -> 'listed')::bigint, 0)
    + coalesce((facts -> 'unlisted')::bigint * (p_bounds -> 'server')::bigint, 0)
    + case when builtin > 0 or facts ?| '{tools,agents,listed,unlisted}' then (p_bounds -> 'any_tool')::bigint
      else 0 end;
end $$;

-- Returns the tokens of the note with the values of variables. p_bounds has its words, the reference and the metadata;
-- facts has the names and defaults. The profile is read; some of its characters are escaped with six bytes.
create function turnpike.note_tokens(facts jsonb, caller turnpike.caller, p_ref text, p_bounds jsonb) returns bigint
language plpgsql stable as $$
declare
  known bigint;
begin
  if facts ? 'profile' then
    select octet_length(regexp_replace(e.profile::text, '[<>&\[\]\u2028\u2029]', '123456', 'g')) into known
      from end_users e
      where e.user_id = caller.user_id and e.test = caller.test and e.end_user_ref = p_ref;
  end if;
  return (facts -> 'note')::bigint + (p_bounds -> 'note')::bigint + coalesce(known, 0);
end $$;

-- Returns the tokens of earlier turns of a conversation, as a claim would
-- load them (history_of) for a turn at p_position.
-- Turns that are done count with their texts. Open turns count with their text and `reply` for their unknown answer.
create function turnpike.history_tokens(p_conversation_id text, p_position bigint, p_history jsonb, p_bounds jsonb)
returns bigint
language plpgsql stable as $$
declare
  most_turns integer := coalesce(p_history -> 'max_turns', p_bounds -> 'history_turns')::integer;
  most_bytes bigint := coalesce(p_history -> 'max_tokens',
    p_bounds -> 'history_tokens')::bigint * (p_bounds -> 'bytes_per_token')::integer;
  -- Each turn makes two messages.
  around integer := 2 * (p_bounds -> 'message')::integer;
  reply integer := (p_bounds -> 'reply')::integer;
  oldest bigint := p_position - (p_bounds -> 'history_within')::integer;
  first_open bigint;
  seen integer;
  shown integer;
  bytes bigint;
  open_shown integer;
  open_bytes bigint;
begin
  if most_turns = 0 or most_bytes = 0 then
    return 0;
  end if;
  -- The lengths are read without the texts. Usually the newest turns are all
  -- done and few enough, and a claim loads exactly these.
  select count(*), count(*) filter (where e.state = 'done' and not e.gone), coalesce(sum(e.bytes), 0),
      count(*) filter (where e.state in ('queued', 'running')),
      coalesce(sum(e.text_bytes + reply) filter (where e.state in ('queued', 'running')), 0)
    into seen, shown, bytes, open_shown, open_bytes
    from (
      select turnpike.said_bytes(t.text, t.message_bytes) as text_bytes,
          turnpike.said_bytes(t.text, t.message_bytes) + octet_length(t.result) + turnpike.call_bytes(t.calls) as bytes,
          t.state, t.erased_at is not null or t.texts_deleted_at is not null as gone
      from turns t
      where t.conversation_id = p_conversation_id and t.position >= oldest
      order by t.position desc limit most_turns) e;
  if seen = shown and bytes <= most_bytes then
    return bytes + around * shown;
  end if;
  -- Open turns that fail are never loaded, and older turns take their places. No turn after the first open one is
  -- done, because turns end in order.
  select o.position into first_open
    from open_turns o
    where o.conversation_id = p_conversation_id and o.wake_at < 'infinity';
  if first_open is null then
    select min(o.position) into first_open
      from open_turns o
      where o.conversation_id = p_conversation_id and o.wake_at = 'infinity';
  end if;
  select count(*), coalesce(sum(h.bytes), 0) into shown, bytes
    from (
    select e.bytes, sum(e.bytes) over (order by e.position desc) as so_far
      from (
      select turnpike.said_bytes(t.text, t.message_bytes) + octet_length(t.result)
        + turnpike.call_bytes(t.calls) as bytes, t.position
      from turns t
      where t.conversation_id = p_conversation_id and t.position >= oldest
        and t.position < coalesce(first_open, p_position)
        and t.state = 'done' and t.erased_at is null and t.texts_deleted_at is null
      order by t.position desc limit most_turns) e) h
    where h.so_far <= most_bytes;
  return least(bytes + open_bytes, most_bytes) + around * least(shown + open_shown, most_turns);
end $$;

-- Returns the bytes of the user's part of a turn in a prompt. JSON of messages is never shorter than what a model reads
-- of them, with the tokens around each message.
create function turnpike.said_bytes(p_text text, p_message_bytes integer) returns integer
language plpgsql immutable as $$
begin
  return coalesce(p_message_bytes, octet_length(p_text));
end $$;

-- Returns the most bytes of a turn's calls in a prompt of a later turn, with a note that they were not answered: 128
-- bytes for each around its JSON.
create function turnpike.call_bytes(p_calls jsonb) returns integer language plpgsql immutable as $$
begin
  return coalesce(octet_length(p_calls::text) + 128 * jsonb_array_length(p_calls), 0);
end $$;

-- Returns the tokens of the conversation's summary, with the words around it.
create function turnpike.summary_tokens(p_conversation_id text, p_bounds jsonb) returns bigint
language plpgsql stable as $$
begin
  return coalesce((select octet_length(s.text) + (p_bounds -> 'summary')::integer from conversation_summaries s
    where s.conversation_id = p_conversation_id), 0);
end $$;

-- Returns the tokens of the files that were sent with the turn, as attachedPart shows them and promptTokenBound
-- counts them; null if one does not exist.
create function turnpike.file_tokens(p_space_id bigint, p_files jsonb, p_engine text, p_bounds jsonb) returns bigint
language plpgsql stable as $$
declare
  bounds jsonb := p_bounds -> 'files';
  found_files integer;
  tokens bigint;
  documents integer;
  document_tokens bigint;
begin
  select count(*), sum(named.tokens + case
      when f.kind = 'text' then least(f.bytes, (bounds -> 'text_bytes')::bigint)
      when f.kind = 'image' then (bounds -> 'image')::bigint else 0 end),
    count(*) filter (where f.kind = 'document'),
    sum(least(greatest(ceil(f.bytes / (bounds -> 'document_bytes')::numeric), (bounds -> 'document_least')::bigint),
      (bounds -> 'document_most')::bigint)) filter (where f.kind = 'document')
    into found_files, tokens, documents, document_tokens
  from (
    select a.*, case
      when split_part(a.media_type, ';', 1) ~ (bounds ->> 'text_types') then 'text'
      when a.bytes > (bounds -> 'object_bytes')::bigint
      or a.media_type !~ coalesce(bounds -> 'takes' ->> p_engine, '^$') then 'named'
      when a.media_type like 'image/%' then 'image' else 'document' end as kind
    from files a
    where a.space_id = p_space_id and a.state = 'ready' and a.file_id in (select jsonb_array_elements_text(p_files))
  ) f, lateral (select octet_length(f.name) + octet_length(f.file_id) + octet_length(f.media_type)
    + (bounds -> 'named')::bigint as tokens) named;
  if found_files is distinct from jsonb_array_length(p_files) then
    return null;
  end if;
  -- All objects of a call together have a limit, too.
  return tokens + least(coalesce(document_tokens, 0), documents * (bounds -> 'document_least')::bigint
    + ceil((bounds -> 'all_object_bytes')::bigint / (bounds -> 'document_bytes')::numeric)::bigint);
end $$;
