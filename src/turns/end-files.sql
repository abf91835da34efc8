-- Decides about the pending files of a turn. Images always become outputs, because they were paid for.
-- If the turn is done, the newest file of each name becomes one too. All other files are deleted. Returns the outputs.
create function turnpike.end_files(mine turns, p_done boolean, p_moment timestamptz) returns jsonb
language plpgsql as $$
declare
  one files;
  free text;
  names text[] := '{}';
  kept jsonb := '[]';
begin
  -- Images come first, so they keep the names that the agent knows.
  for one in
    select p.*
    from files p
    where p.turn_id = mine.turn_id and p.state = 'pending' and (p.paid or (p_done and not exists (
      select from files n
        where n.turn_id = mine.turn_id and n.state = 'pending' and not n.paid and n.name = p.name
          and n.place > p.place)))
    order by p.paid desc, p.place
  loop
    free := turnpike.free_name(one.name, names);
    names := names || free;
    update files f set state = 'ready', name = free, updated_at = p_moment where f.file_id = one.file_id;
    kept := kept || jsonb_build_object('file_id', one.file_id, 'name', free, 'media_type', one.media_type, 'bytes',
      one.bytes, 'sha256', one.sha256);
  end loop;
  update files f set state = 'deleted', updated_at = p_moment where f.turn_id = mine.turn_id and f.state = 'pending';
  return (select coalesce(jsonb_agg(o order by o ->> 'file_id' collate "C"), '[]') from jsonb_array_elements(kept) o);
end $$;

-- Returns the name, or the first numbered name that is not in p_names, such as picture-2.png.
-- Tools choose free names (src/tools/picture-name.ts), but two tools that
-- do not know of each other can choose one name.
create function turnpike.free_name(p_name text, p_names text[]) returns text language plpgsql immutable as $$
declare
  extension text := coalesce(substring(p_name from '.(\.[^.]{1,19})$'), '');
  stem text := left(left(p_name, length(p_name) - length(extension)), 50);
  free text := p_name;
  number integer := 1;
begin
  while free = any (p_names) loop
    number := number + 1;
    free := stem || '-' || number || extension;
  end loop;
  return free;
end $$;

-- Returns the text of the space's own agent in a turn, joined as in joinedText (src/turns/step-row.ts); null if empty.
create function turnpike.said_in(p_turn_id text) returns text language plpgsql stable as $$
declare
  step turn_steps;
  said text := '';
  goes_on boolean := true;
begin
  for step in select p.* from turn_steps p where p.turn_id = p_turn_id and p.agent is null order by p.step loop
    said := said || case when said = '' or step.text = '' or goes_on then '' else E'\n\n' end || step.text;
    goes_on := step.finish in ('aborted', 'paused');
  end loop;
  return nullif(said, '');
end $$;
