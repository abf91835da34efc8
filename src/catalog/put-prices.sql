-- Gives a model new prices, as a new price version. p_prices has the column of every component, in credit micros.
-- p_from: when they begin; null: now. Returns true if the prices have changed.
create function turnpike.set_prices(was model_catalog, p_prices jsonb, p_from timestamptz, p_moment timestamptz)
returns boolean language plpgsql as $$
declare
  priced model_catalog := jsonb_populate_record(was, p_prices);
  present model_catalog := turnpike.model_at(was, p_moment);
begin
  if ({{prices.columns priced}}) is not distinct from ({{prices.columns present}}) then
    return false;
  end if;
  if coalesce(was.prices_from > p_moment, false) then
    raise exception 'Other prices of % are planned. Cancel them first.', was.pin;
  end if;
  insert into former_prices
    select f.*
    from jsonb_populate_record(null::former_prices,
      to_jsonb(was) || jsonb_build_object('until_at', coalesce(p_from, p_moment))) f;
  update model_catalog c set {{prices.assigned priced}}, price_version = c.price_version + 1, prices_from = p_from
    where c.pin = was.pin;
  return true;
end $$;

-- Gives a model new prices, for an admin. Turns that are already accepted keep the old prices.
-- p_prices: the column of every component; price_image is null for a model of the kind 'chat'.
-- p_from: when they begin; null: now.
-- refused: admin, not_found, stale, other_kind, past, planned.
create function turnpike.put_model_prices(p_request turnpike.request,
  p_pin text, p_prices jsonb, p_from timestamptz, p_if_version integer)
returns table (actor turnpike.caller, refused text, entity turnpike.catalog_answer) language plpgsql rows 1 as $$
declare
  admin turnpike.admin_caller;
  was model_catalog;
begin
  {{admin.opens row}}
  select c.* into was from model_catalog c where c.pin = p_pin for no key update;
  if was.pin is null then
    refused := 'not_found';
  elsif turnpike.is_stale(p_if_version, was.version) then
    refused := 'stale';
  elsif (was.kind = 'image') <> ((p_prices ->> 'price_image') is not null) then
    refused := 'other_kind';
  elsif coalesce(p_from <= p_request.moment, false) then
    refused := 'past';
  elsif coalesce(was.prices_from > p_request.moment, false) then
    refused := 'planned';
  elsif turnpike.set_prices(was, p_prices, p_from, p_request.moment) then
    perform turnpike.note_prices(was, 'model.prices', (admin.caller).user_id, p_request);
  end if;
  entity := turnpike.catalog_answer_of(p_pin, p_request.moment);
  {{admin.closes row}}
end $$;

-- Drops the planned prices of a model, for an admin. Its former prices count on, with their version.
-- refused: admin, not_found, stale, no_plan.
create function turnpike.cancel_planned_prices(p_request turnpike.request,
  p_pin text, p_if_version integer)
returns table (actor turnpike.caller, refused text, entity turnpike.catalog_answer) language plpgsql rows 1 as $$
declare
  admin turnpike.admin_caller;
  was model_catalog;
  before model_catalog;
begin
  {{admin.opens row}}
  select c.* into was from model_catalog c where c.pin = p_pin for no key update;
  before := turnpike.model_at(was, p_request.moment);
  if was.pin is null then
    refused := 'not_found';
  elsif turnpike.is_stale(p_if_version, was.version) then
    refused := 'stale';
  elsif before.price_version = was.price_version then
    refused := 'no_plan';
  else
    update model_catalog c set {{prices.assigned before}}, price_version = before.price_version, prices_from = null
      where c.pin = p_pin;
    delete from former_prices f where f.pin = p_pin and f.price_version = before.price_version;
    perform turnpike.note_prices(was, 'model.prices_cancel', (admin.caller).user_id, p_request);
  end if;
  entity := turnpike.catalog_answer_of(p_pin, p_request.moment);
  {{admin.closes row}}
end $$;

-- Gives a model whose prices have changed its next version, and writes the audit entry. was: the row before.
create function turnpike.note_prices(was model_catalog, p_action text, p_by bigint, p_request turnpike.request)
returns void language plpgsql as $$
declare
  changed model_catalog;
begin
  update model_catalog c set version = c.version + 1, updated_at = p_request.moment, updated_by = p_by
    where c.pin = was.pin
    returning c.* into changed;
  perform turnpike.note_change(p_by, p_action, 'model', was.pin, turnpike.catalog_facts(was),
    turnpike.catalog_facts(changed), p_request.request_id, p_request.address, p_request.moment);
end $$;
