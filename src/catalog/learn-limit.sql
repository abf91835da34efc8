-- Keeps limits of a model that a refusal of its provider has taught. An operator may change them (patch_model).
create function turnpike.learn_limits(p_pin text, p_learned jsonb) returns boolean language plpgsql as $$
begin
  -- Parameters that are left out add up.
  update model_catalog c set learned = c.learned || p_learned
    || case when p_learned ? 'without' then jsonb_build_object('without',
      (select jsonb_agg(distinct w)
        from jsonb_array_elements(coalesce(c.learned -> 'without', '[]') || (p_learned -> 'without')) w))
      else '{}' end
    where c.pin = p_pin and not c.learned @> p_learned;
  return found;
end $$;
