-- phase: before-deploy
-- transaction: none
-- Endpoints of webhooks are verified by a ping; those from before count as verified, and so does what workers from before make.
alter table webhook_endpoints
  add column if not exists verified_at timestamptz default now(),
  add column if not exists ping_id text,
  add column if not exists target text,
  add column if not exists resends_free_at timestamptz;

create table if not exists webhook_hosts (
  host text not null,
  test boolean not null,
  free_at timestamptz not null,
  primary key (host, test)
) with (fillfactor = 50);

-- A configuration is stored by its parts. What is stored whole stays as it is, and workers from before read and write it by the same name.
create table if not exists account_storage (
  user_id bigint primary key,
  config_bytes bigint not null
) with (fillfactor = 50);

create or replace function store_config() returns trigger language plpgsql as $$
declare
  wanted record;
begin
  insert into config_versions (space_id, version, change, model, created_at)
  values (new.space_id, new.version, new.change, new.model, new.created_at);
  update config_parts p set until_version = new.version
    where p.space_id = new.space_id and p.until_version is null and p.part is distinct from case p.kind
      when 'manifest' then new.manifest when 'tool' then new.tools -> p.name else new.mcp_servers -> p.name end;
  for wanted in
    select 'manifest' as kind, '' as name, new.manifest as part
    union all select 'tool', t.key, t.value from jsonb_each(new.tools) t
    union all select 'mcp_server', m.key, m.value from jsonb_each(new.mcp_servers) m
  loop
    insert into config_parts (space_id, kind, name, from_version, part, bytes)
    values (new.space_id, wanted.kind, wanted.name, new.version, wanted.part, octet_length(wanted.part::text))
    on conflict (space_id, kind, name) where until_version is null do nothing;
  end loop;
  return new;
end $$;

do $$ begin
  if exists (select from pg_class c where c.oid = to_regclass('space_configs') and c.relkind = 'r') then
    alter table space_configs rename to config_versions;
    alter table config_versions rename constraint space_configs_pkey to config_versions_pkey;
    alter table config_versions rename constraint space_configs_space_id_fkey to config_versions_space_id_fkey;
    alter table config_versions rename constraint space_configs_version_check to config_versions_version_check;
    alter table config_versions alter column manifest drop not null, alter column tools drop not null, alter column mcp_servers drop not null;
    drop trigger space_configs_append_only on config_versions;
    create trigger config_versions_unchanged before update on config_versions
      for each statement execute function guard_append_only();
    create table config_parts (
      space_id bigint not null references spaces,
      kind text not null check (kind in ('manifest', 'tool', 'mcp_server')),
      name text not null,
      from_version integer not null,
      until_version integer check (until_version > from_version),
      part jsonb not null,
      bytes integer not null,
      primary key (space_id, kind, name, from_version)
    );
    create unique index config_parts_current on config_parts (space_id, kind, name) where until_version is null;

    create view space_configs as
      select v.space_id, v.version, v.change, v.model,
        coalesce(v.manifest, (select p.part from config_parts p where p.space_id = v.space_id and p.kind = 'manifest'
          and p.from_version <= v.version and (p.until_version is null or p.until_version > v.version)), '{}') as manifest,
        coalesce(v.tools, (select jsonb_object_agg(p.name, p.part) from config_parts p where p.space_id = v.space_id and p.kind = 'tool'
          and p.from_version <= v.version and (p.until_version is null or p.until_version > v.version)), '{}') as tools,
        coalesce(v.mcp_servers, (select jsonb_object_agg(p.name, p.part) from config_parts p where p.space_id = v.space_id and p.kind = 'mcp_server'
          and p.from_version <= v.version and (p.until_version is null or p.until_version > v.version)), '{}') as mcp_servers,
        v.created_at
      from config_versions v;

    create trigger space_configs_stored instead of insert on space_configs for each row execute function store_config();
  end if;
end $$;

create index concurrently files_kept on files (user_id) include (bytes) where state in ('uploading', 'pending', 'ready');
