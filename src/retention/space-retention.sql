-- The days for which a space's data is kept, as it has set them and as the settings of the service say.
create type turnpike.retention_answer as (
  own jsonb,
  service jsonb
);

create function turnpike.retention_of(space spaces) returns turnpike.retention_answer language sql stable as $$
  select (space.retention, (select jsonb_object_agg(n.name, turnpike.setting_number(n.name))
    from unnest(array['text_days', 'step_days', 'event_days', 'attempt_days']) n(name)))::turnpike.retention_answer
$$;

-- Returns the retention of a space that the caller may see. refused: not_found.
create function turnpike.get_retention(p_request turnpike.request, p_slug text,
  out actor turnpike.caller, out refused text, out retention turnpike.retention_answer) language plpgsql as $$
declare
  caller turnpike.caller;
  space spaces;
begin
  {{caller.opens}}
  space := turnpike.find_space(caller, p_slug);
  refused := case when space.space_id is null then 'not_found' end;
  if refused is null then
    retention := turnpike.retention_of(space);
  end if;
  {{caller.closes}}
end $$;

-- Sets the days of a space. p_days has only the kinds with days of its own. Fewer days take effect with the next run of
-- the sweep. refused: not_found, role, archived, or proof (something would be kept shorter, and the caller has no fresh
-- proof).
create function turnpike.put_retention(p_request turnpike.request, p_slug text, p_days jsonb,
  out actor turnpike.caller, out refused text, out retention turnpike.retention_answer) language plpgsql as $$
declare
  caller turnpike.caller;
  space spaces;
begin
  {{caller.opens}}
  space := turnpike.lock_space(caller, p_slug);
  refused := turnpike.change_refusal(p_request, caller, space);
  if refused is null and turnpike.lacks_proof(caller, p_request.moment)
    and turnpike.keeps_less(space.retention, p_days) then
    refused := 'proof';
  end if;
  if refused is null then
    if space.retention <> p_days then
      update spaces s set retention = p_days, updated_at = p_request.moment
        where s.space_id = space.space_id;
      perform turnpike.note_own_change(p_request, turnpike.in_space_of(caller, space.user_id), 'space.retention',
        'space', p_slug, space.retention, p_days);
      space.retention := p_days;
      delete from retention_marks m where m.space_id = space.space_id and not p_days ? (m.data || '_days');
      insert into retention_marks as m (
          space_id, data, days, look_at)
        select
          space.space_id, replace(d.key, '_days', ''), d.value::integer, p_request.moment
        from jsonb_each_text(p_days) d
        on conflict (space_id, data) do update set days = excluded.days, look_at = excluded.look_at;
    end if;
    retention := turnpike.retention_of(space);
  end if;
  {{caller.closes}}
end $$;

-- True if days of a space delete something sooner than before. A kind without days is kept as the service says.
create function turnpike.keeps_less(p_was jsonb, p_days jsonb) returns boolean language sql immutable as $$
  select exists (select from jsonb_each_text(p_days) d
    where d.value::integer < coalesce((p_was ->> d.key)::integer, d.value::integer + 1))
$$;
