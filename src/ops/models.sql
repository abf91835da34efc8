-- Puts a model of a provider into the catalog, enabled, at a position of its order. Prices in credit micros per million tokens: a new one is a new
-- price version, which is returned. p_keep_edits: a row that an admin has changed stays as it is.
create function turnpike.enable_model(p_engine text, p_model text, p_label text, p_sort_order integer, p_input bigint, p_cached bigint,
  p_output bigint, p_cache_write bigint, p_cache_write_hour bigint, p_idle_seconds integer, p_keep_edits boolean, p_moment timestamptz) returns integer
language plpgsql as $$
declare
  was model_catalog;
begin
  -- The guard of the last enabled row takes it too, and an admin takes it before the row.
  perform pg_advisory_xact_lock(hashtext('model_catalog'), 0);
  insert into model_catalog as c (pin, engine, model, label, enabled, sort_order, price_input, price_cached, price_output,
      price_cache_write, price_cache_write_hour, idle_seconds)
    values (p_engine || '/' || p_model, p_engine, p_model, p_label, true, p_sort_order, p_input, p_cached, p_output, p_cache_write,
      p_cache_write_hour, p_idle_seconds)
    on conflict (pin) do nothing;
  select c.* into was from model_catalog c where c.pin = p_engine || '/' || p_model for no key update;
  if was.kind = 'chat' and not (p_keep_edits and was.updated_by is not null) then
    perform turnpike.set_prices(was, p_input, p_cached, p_output, p_cache_write, p_cache_write_hour, null, p_moment);
    update model_catalog c set enabled = true, label = p_label, sort_order = p_sort_order, idle_seconds = p_idle_seconds
      where c.pin = was.pin;
  end if;
  return (select c.price_version from model_catalog c where c.pin = was.pin);
end $$;

-- Disables every model of a provider but these: its account is no longer there. One stays enabled, so the rehearsal model if there is no
-- other. Returns how many were disabled.
create function turnpike.disable_other_models(p_pins text[]) returns integer language plpgsql as $$
declare
  disabled integer;
begin
  perform pg_advisory_xact_lock(hashtext('model_catalog'), 0);
  if not exists (select from model_catalog c where c.enabled and c.kind = 'chat' and (c.engine = 'rehearsal' or c.pin = any(p_pins))) then
    update model_catalog c set enabled = true where c.pin = turnpike.rehearsal_pin();
  end if;
  update model_catalog c set enabled = false
    where c.engine <> 'rehearsal' and c.enabled and c.kind = 'chat' and not c.pin = any(p_pins);
  get diagnostics disabled = row_count;
  return disabled;
end $$;
