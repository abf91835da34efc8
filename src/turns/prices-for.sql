-- The prices of a model for a turn, where they have changed since it was accepted; else nothing. Of its own model those that it was
-- admitted by; of a sub-agent's those of the moment.
create function turnpike.prices_for(claimed turns, p_pin text) returns jsonb language plpgsql stable as $$
declare
  former former_prices;
begin
  if p_pin = claimed.model then
    select f.* into former from former_prices f where f.pin = p_pin and f.price_version = claimed.price_version;
  else
    select f.* into former from former_prices f where f.pin = p_pin and f.until_at > claimed.created_at order by f.price_version limit 1;
  end if;
  if former.pin is null then
    return '{}';
  end if;
  return to_jsonb(former) - 'until_at';
end $$;
