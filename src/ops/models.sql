-- Puts a provider's model into the catalog and enables it. Returns its price version, which increases when a price
-- changes. p_prices: the column of every component (src/catalog/price-components.ts).
-- p_keep_edits: leaves a row that an admin has changed as it is.
create function turnpike.enable_model(p_engine text, p_model text, p_label text, p_sort_order integer, p_prices jsonb,
  p_idle_seconds integer, p_keep_edits boolean, p_moment timestamptz) returns integer
language plpgsql as $$
declare
  was model_catalog;
  priced model_catalog := jsonb_populate_record(null::model_catalog, p_prices);
begin
  -- The check that one model stays enabled takes this lock too. Admins take it before the row.
  perform pg_advisory_xact_lock(hashtext('model_catalog'), 0);
  insert into model_catalog as c (
      pin, engine, model, label, enabled, sort_order, idle_seconds,
      {{prices.names}})
    values (
      p_engine || '/' || p_model, p_engine, p_model, p_label, true, p_sort_order, p_idle_seconds,
      {{prices.columns priced}})
    on conflict (pin) do nothing;
  select c.* into was from model_catalog c where c.pin = p_engine || '/' || p_model for no key update;
  if was.kind = 'chat' and not (p_keep_edits and was.updated_by is not null) then
    perform turnpike.set_prices(was, p_prices, null, p_moment);
    update model_catalog c set enabled = true, label = p_label, sort_order = p_sort_order, idle_seconds = p_idle_seconds
      where c.pin = was.pin;
  end if;
  return (select c.price_version from model_catalog c where c.pin = was.pin);
end $$;

-- Locks a model of the catalog until the transaction ends, and returns it. Null: the catalog has no such model.
create function turnpike.lock_model(p_pin text, p_moment timestamptz) returns turnpike.catalog_answer
language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtext('model_catalog'), 0);
  perform from model_catalog c where c.pin = p_pin for no key update;
  return turnpike.catalog_answer_of(p_pin, p_moment);
end $$;

-- Disables every provider model except these, and returns how many it disabled. One model must stay enabled, so if no
-- other is, the rehearsal model is enabled.
create function turnpike.disable_other_models(p_pins text[]) returns integer language plpgsql as $$
declare
  disabled integer;
begin
  perform pg_advisory_xact_lock(hashtext('model_catalog'), 0);
  if not exists (select from model_catalog c where c.enabled and c.kind = 'chat'
    and (c.engine = 'rehearsal' or c.pin = any(p_pins))) then
    update model_catalog c set enabled = true where c.pin = turnpike.rehearsal_pin();
  end if;
  update model_catalog c set enabled = false
    where c.engine <> 'rehearsal' and c.enabled and c.kind = 'chat' and not c.pin = any(p_pins);
  get diagnostics disabled = row_count;
  return disabled;
end $$;
