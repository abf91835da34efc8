-- Returns a model's prices at the acceptance of a turn, or {} if they have not changed since.
-- The turn's own model has a price version from its admission. For other models, the time of acceptance decides.
create function turnpike.prices_for(claimed turns, p_pin text) returns jsonb language plpgsql stable as $$
declare
  former former_prices;
begin
  if p_pin = claimed.model then
    select f.* into former from former_prices f where f.pin = p_pin and f.price_version = claimed.price_version;
  else
    select f.* into former
      from former_prices f
      where f.pin = p_pin and f.until_at > claimed.created_at
      order by f.price_version limit 1;
  end if;
  if former.pin is null then
    return '{}';
  end if;
  return to_jsonb(former) - 'until_at';
end $$;
