-- Returns the prices of a model until its planned prices begin, with their version. Null: its prices count already.
create function turnpike.prices_before(model model_catalog, p_moment timestamptz) returns jsonb
language plpgsql stable as $$
begin
  -- Most models have no plan, and a turn must not pay for a query.
  if model.prices_from is null or model.prices_from <= p_moment then
    return null;
  end if;
  return (select to_jsonb(f) - 'until_at'
    from former_prices f
    where f.pin = model.pin and f.price_version = model.price_version - 1);
end $$;

-- Returns a model with the prices that count at a moment.
create function turnpike.model_at(model model_catalog, p_moment timestamptz) returns model_catalog
language plpgsql stable as $$
begin
  if model.prices_from > p_moment then
    return jsonb_populate_record(model, turnpike.prices_before(model, p_moment));
  end if;
  return model;
end $$;
