-- Puts a model of a provider into the catalog, enabled, at a position of its order. Prices in credit micros per million tokens: a new one is a new
-- price version, which is returned.
create function turnpike.enable_model(p_engine text, p_model text, p_label text, p_sort_order integer, p_input bigint, p_cached bigint,
  p_output bigint, p_cache_write bigint, p_idle_seconds integer) returns integer language plpgsql as $$
declare
  version integer;
begin
  insert into model_catalog as c (pin, engine, model, label, enabled, sort_order, price_input, price_cached, price_output,
      price_cache_write, idle_seconds)
    values (p_engine || '/' || p_model, p_engine, p_model, p_label, true, p_sort_order, p_input, p_cached, p_output, p_cache_write,
      p_idle_seconds)
    on conflict (pin) do update set enabled = true, label = excluded.label, sort_order = excluded.sort_order,
      price_version = c.price_version + case when (c.price_input, c.price_cached, c.price_output, c.price_cache_write)
        is not distinct from (excluded.price_input, excluded.price_cached, excluded.price_output, excluded.price_cache_write)
        then 0 else 1 end,
      price_input = excluded.price_input, price_cached = excluded.price_cached, price_output = excluded.price_output,
      price_cache_write = excluded.price_cache_write, idle_seconds = excluded.idle_seconds
    returning c.price_version into version;
  return version;
end $$;

-- Disables every model of a provider but these: its account is no longer there. Returns how many there were.
create function turnpike.disable_other_models(p_pins text[]) returns integer language plpgsql as $$
declare
  disabled integer;
begin
  update model_catalog c set enabled = false where c.engine <> 'rehearsal' and c.enabled and not c.pin = any(p_pins);
  get diagnostics disabled = row_count;
  return disabled;
end $$;
