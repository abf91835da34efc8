-- A model of the catalog for admins, with the user who changed it last and the number of live spaces that are
-- pinned to it.
create type turnpike.catalog_answer as (
  pin text,
  engine text,
  model text,
  label text,
  kind text,
  enabled boolean,
  sort_order integer,
  {{prices.fields}}
  price_version integer,
  prices_from timestamptz, -- null: they count already
  -- The prices until then, with their version.
  former jsonb, -- null: they count already
  max_output_tokens integer,
  context_tokens integer, -- null: unknown
  idle_seconds integer, -- null: the default
  learned jsonb,
  version integer,
  created_at timestamptz,
  updated_at timestamptz, -- null: not changed yet
  updated_by bigint, -- null: the command line
  updated_by_name text, -- null
  space_count bigint
);

create function turnpike.catalog_answer_of(p_pin text, p_moment timestamptz) returns turnpike.catalog_answer
language sql stable as $$
  select (c.pin, c.engine, c.model, c.label, c.kind, c.enabled, c.sort_order, {{prices.columns c}}, c.price_version,
    c.prices_from, turnpike.prices_before(c, p_moment), c.max_output_tokens, c.context_tokens, c.idle_seconds,
    c.learned, c.version, c.created_at, c.updated_at, c.updated_by, u.name,
    (select count(*) from spaces s where s.archived_at is null and not s.test
      and s.pin = c.pin))::turnpike.catalog_answer
    from model_catalog c
      left join users u on u.user_id = c.updated_by
    where c.pin = p_pin
$$;

-- Changes a model of the catalog for an admin. Null fields keep their values. refused: admin, not_found, stale,
-- last_enabled.
create function turnpike.patch_model(p_request turnpike.request,
  p_pin text, p_enabled boolean, p_label text, p_sort_order integer, p_learned jsonb, p_if_version integer)
returns table (actor turnpike.caller, refused text, entity turnpike.catalog_answer) language plpgsql rows 1 as $$
declare
  admin turnpike.admin_caller;
  was model_catalog;
  changed model_catalog;
begin
  {{admin.opens row}}
  -- The lock makes concurrent disables run one after the other, so that the last enabled model cannot be disabled.
  perform pg_advisory_xact_lock(hashtext('model_catalog'), 0);
  select c.* into was from model_catalog c where c.pin = p_pin for no key update;
  if was.pin is null then
    refused := 'not_found';
  elsif turnpike.is_stale(p_if_version, was.version) then
    refused := 'stale';
  elsif was.enabled and p_enabled is false and was.kind = 'chat'
    and not exists (select from model_catalog c where c.enabled and c.kind = 'chat' and c.pin <> p_pin) then
    refused := 'last_enabled';
  else
    changed := was;
    changed.enabled := coalesce(p_enabled, was.enabled);
    changed.label := coalesce(p_label, was.label);
    changed.sort_order := coalesce(p_sort_order, was.sort_order);
    changed.learned := coalesce(p_learned, was.learned);
    if changed is distinct from was then
      update model_catalog c set enabled = changed.enabled, label = changed.label, sort_order = changed.sort_order,
        learned = changed.learned, version = c.version + 1, updated_at = p_request.moment,
        updated_by = (admin.caller).user_id
        where c.pin = p_pin;
      perform turnpike.note_change((admin.caller).user_id, 'model.update', 'model', p_pin, turnpike.catalog_facts(was),
        turnpike.catalog_facts(changed), p_request.request_id, p_request.address, p_request.moment);
    end if;
  end if;
  entity := turnpike.catalog_answer_of(p_pin, p_request.moment);
  {{admin.closes row}}
end $$;

-- The columns of a model that the audit log records: all except versions, times and the user who changed it.
create function turnpike.catalog_facts(model model_catalog) returns jsonb language sql immutable as $$
  select to_jsonb(model) - '{created_at,updated_at,updated_by,version}'::text[]
$$;

-- Adds a model for an admin. p_model: its columns. refused: admin, exists.
create function turnpike.add_model(p_request turnpike.request,
  p_model jsonb)
returns table (actor turnpike.caller, refused text, entity turnpike.catalog_answer) language plpgsql rows 1 as $$
declare
  admin turnpike.admin_caller;
  new_model model_catalog;
  added integer;
begin
  {{admin.opens row}}
  new_model := jsonb_populate_record(null::model_catalog, p_model);
  new_model.pin := new_model.engine || '/' || new_model.model;
  new_model.price_version := 1;
  new_model.version := 1;
  new_model.learned := '{}';
  new_model.created_at := p_request.moment;
  new_model.updated_at := p_request.moment;
  new_model.updated_by := (admin.caller).user_id;
  insert into model_catalog select new_model.* on conflict (pin) do nothing;
  get diagnostics added = row_count;
  if added = 1 then
    perform turnpike.note_change((admin.caller).user_id, 'model.add', 'model', new_model.pin, null,
      turnpike.catalog_facts(new_model), p_request.request_id, p_request.address, p_request.moment);
  else
    refused := 'exists';
  end if;
  entity := turnpike.catalog_answer_of(new_model.pin, p_request.moment);
  {{admin.closes row}}
end $$;
