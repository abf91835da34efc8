-- Keeps limits of a model that a refusal of its provider has taught. An operator may change them (patch_model).
create function turnpike.learn_limits(p_pin text, p_learned jsonb) returns boolean language plpgsql as $$
begin
  update model_catalog c set learned = c.learned || p_learned where c.pin = p_pin and not c.learned @> p_learned;
  return found;
end $$;
