-- phase: before-deploy
-- The whole database as it is today. A check compares it with the result of all migrations (CONTRIBUTING.md).
-- Money is in integer credit micros: 1 USD = 10 energy = 10,000,000 credit micros.

-- Lists order by ids collate "C". Otherwise the planner could walk a primary key backwards over the rows of all
-- accounts. Their indexes ascend and are read backwards: the newest row of an owner then splits a page at its end,
-- and the older page stays full.

-- Case of letters, the same on every server whatever its locale is: builtin since PostgreSQL 17, ICU before.
do $$ begin
  if current_setting('server_version_num')::integer >= 170000 then
    create collation letters from "pg_c_utf8";
  else
    create collation letters from "und-x-icu";
  end if;
end $$;

-- A text as searches and unique names compare it: in lower case and in NFC, with one form of sigma. Dotted capital I
-- becomes i and a dot, as in Unicode's full case folding, so it never equals a plain i. src/base/folded.ts does it too.
create function folded(p_text text) returns text language sql immutable parallel safe
  return case when octet_length(p_text) = length(p_text) then lower(p_text collate "C")
    else normalize(translate(lower(replace(p_text, U&'\0130', U&'i\0307') collate letters), U&'\03C2', U&'\03C3'), nfc) collate "C" end;

-- For tables whose rows must never change.
create function guard_append_only() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = '23514';
end $$;

-- For tables whose rows are deleted only by the procedures of src/retention, which set retention.deletes.
create function guard_retention() returns trigger language plpgsql as $$
begin
  if coalesce(current_setting('retention.deletes', true), '') <> 'on' then
    raise exception '% is append-only', tg_table_name using errcode = '23514';
  end if;
  return null;
end $$;

------------------------------------------------------------------------------------------------------------------------
-- Users and sign-in

create table users (
  user_id bigint generated always as identity primary key,
  role text not null default 'user' check (role in ('user', 'admin')),
  brand text not null default 'turnpike',
  -- The brand under which the account was created. Reports count the account here, also after a change of its brand.
  first_brand text not null,
  name text,
  email text,
  email_verified boolean not null default false,
  password_hash text,
  -- For workers, because none of them reads the hash.
  has_password boolean not null generated always as (password_hash is not null) stored,
  -- The referral code, which new users give at their first sign-in.
  ref_code text not null default substr(md5(gen_random_uuid()::text), 1, 16),
  -- Sessions, and tokens that open one, are valid only in their user's epoch. Raising it ends all of them at once.
  session_epoch integer not null default 0,
  disabled_at timestamptz,
  -- True from disabling the account until the sweep finds no open turn of it. Its webhooks are off.
  ending_turns boolean not null default false,
  -- When the sweep last tried that. Accounts that failed come after all others.
  ending_tried_at timestamptz,
  created_at timestamptz not null default now(),
  -- Raised by each edit of the account or of its wallet's limits.
  version integer not null default 1,
  -- The last edit, and the admin who made it. Null: the owner or the command line made it.
  updated_at timestamptz,
  updated_by bigint references users,
  -- The role of this user in the account of the same id, which begins as 'owner'. 'none' after leaving it.
  own_role text not null default 'owner' check (own_role in ('owner', 'developer', 'billing', 'read_only', 'none')),
  -- True if members without a second factor cannot act for the account.
  members_need_factor boolean not null default false,
  -- The text that a search matches: id, name and email, folded. The trigger below writes it.
  search text
);
create function note_search_of_user() returns trigger language plpgsql as $$
begin
  new.search := folded(concat_ws(chr(10), new.user_id::text, new.name, new.email));
  return new;
end $$;
create trigger users_search before insert or update of name, email on users for each row execute function note_search_of_user();
create function keep_first_brand() returns trigger language plpgsql as $$
begin
  new.first_brand := case when tg_op = 'INSERT' then new.brand else old.first_brand end;
  return new;
end $$;
create trigger users_first_brand before insert or update of first_brand on users for each row execute function keep_first_brand();
-- The brand under which reports count an account, for workers that read nothing else of users.
create view account_brands as select u.user_id, u.first_brand as brand from users u;
create index users_by_role on users (role, user_id desc);
create unique index users_email on users (folded(email));
create unique index users_ref_code on users (ref_code);
create index users_ending on users (ending_tried_at nulls first) where ending_turns;

-- A signed-in user. The cookie holds the token, `<session_id>.<secret>`,
-- and the row decides whether the session is valid.
-- The id alone opens nothing, so lists, events and the audit log may show it.
create table sessions (
  session_id text primary key,
  -- SHA-256 of the whole token. No worker's role reads it.
  token_hash bytea not null,
  user_id bigint not null references users,
  -- users.session_epoch at the start of the session.
  epoch integer not null default 0,
  user_agent text,
  address text,
  created_at timestamptz not null,
  last_seen_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  -- When the user last proved their identity in this session. Null: at its start.
  proved_at timestamptz,
  -- True while the session waits for the code of the user's second factor. Until then it opens nothing.
  factor_due boolean not null default false
);
create index sessions_by_user on sessions (user_id) where ended_at is null;
create index sessions_of_user on sessions (user_id, session_id collate "C" desc);
-- For finding users who were active recently.
create index sessions_seen on sessions (last_seen_at) include (user_id);
-- The addresses at which a user has had sessions. A throttled account stays open from there.
create index sessions_by_address on sessions (user_id, address);
-- For the sweep that removes sessions long after their end.
create index sessions_expired on sessions (expires_at);

-- The secret from which a user's authenticator app makes one-time
-- codes (TOTP, RFC 6238). It is used from confirmed_at on.
create table second_factors (
  user_id bigint primary key references users,
  -- Sealed by the key ring.
  secret text not null,
  -- The time step of the last code that was used. Codes of this step and of earlier ones are rejected.
  last_step bigint not null default 0,
  -- SHA-256 of the recovery codes that were not used yet.
  recovery_hashes text[] not null default '{}',
  recovery_codes_left integer not null generated always as (cardinality(recovery_hashes)) stored,
  created_at timestamptz not null,
  confirmed_at timestamptz
);

-- A session in which an admin sees an account as its owner does, for a limited time and without changes.
-- It is valid while the admin's own session is, and no longer than the owner's sessions of that epoch.
create table acting_sessions (
  acting_id text primary key,
  -- As in sessions.
  token_hash bytea not null,
  user_id bigint not null references users,
  epoch integer not null,
  admin_user_id bigint not null references users,
  admin_session_id text not null references sessions,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz
);
create index acting_sessions_of_user on acting_sessions (user_id, expires_at) where ended_at is null;
create index acting_sessions_of_admin on acting_sessions (admin_session_id);

-- The people of an account besides its own user (users.own_role). Each request of a member reads the row.
create table account_members (
  account_id bigint not null references users,
  member_id bigint not null references users,
  role text not null check (role in ('owner', 'developer', 'billing', 'read_only')),
  created_at timestamptz not null,
  primary key (account_id, member_id),
  constraint account_members_are_others check (account_id <> member_id)
);
create index account_members_of_member on account_members (member_id, account_id);

-- Invitations of people to an account. Two tokens of 256 bits open one, once: the owner's link and the email's.
create table account_invitations (
  invitation_id text primary key,
  account_id bigint not null references users,
  email text not null,
  role text not null check (role in ('owner', 'developer', 'billing', 'read_only')),
  -- SHA-256 of the tokens. No worker's role reads them.
  link_hash bytea not null unique,
  mail_hash bytea not null unique,
  invited_by bigint not null references users,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- When it was accepted or revoked.
  ended_at timestamptz
);
create index account_invitations_of_account on account_invitations (account_id, created_at);
create index account_invitations_expired on account_invitations (expires_at);

-- A user's identity at an OpenID provider, or on the messaging platform (`messenger:<brand>` and the id there).
create table identities (
  issuer text not null,
  subject text not null,
  user_id bigint not null references users,
  email text,
  email_verified boolean not null default false,
  created_at timestamptz not null,
  last_used_at timestamptz,
  -- The name on the messaging platform at the last sign-in. Null for other identities.
  name text,
  primary key (issuer, subject)
);
create index identities_of_user on identities (user_id);

-- Every person on the messaging platform who has ever signed in, with their account.
-- Trial and credit are granted once per person and once per account, even if the identity is unlinked.
create table first_sign_ins (
  issuer text not null,
  subject text not null,
  user_id bigint not null references users,
  created_at timestamptz not null,
  primary key (issuer, subject)
);
create index first_sign_ins_of_user on first_sign_ins (user_id);

-- The referrer of a user, recorded once at the user's first sign-in.
create table referrals (
  referred_user_id bigint primary key references users,
  referrer_user_id bigint not null references users,
  ref_code text not null,
  created_at timestamptz not null,
  constraint referrals_of_another check (referrer_user_id <> referred_user_id)
);
create index referrals_by_referrer on referrals (referrer_user_id);

-- A user's plan. It is active from starts_at to ends_at (null: no end) unless it was deactivated.
create table subscriptions (
  sub_id integer generated always as identity primary key,
  user_id bigint not null references users,
  plan text not null,
  -- Granted automatically at the first sign-in with the messaging platform, once per account.
  -- It counts only without another plan.
  trial boolean not null default false,
  starts_at timestamptz not null,
  ends_at timestamptz,
  deactivated_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  note text,
  -- An operator gave it besides another active subscription, so having both is intended.
  alongside boolean not null default false,
  version integer not null default 1,
  updated_by bigint references users,
  -- The number of periods whose credit was booked. A period is a month.
  -- It starts on the day of starts_at, or on the last day of a shorter month (UTC).
  credited_periods integer not null default 0 check (credited_periods >= 0),
  -- False if no period is left. Subscriptions whose credit failed at credit_tried_at come after all others.
  crediting boolean not null default true,
  credit_tried_at timestamptz,
  constraint subscriptions_end_after_their_start check (ends_at is null or ends_at > starts_at)
);
create index subscriptions_of_user on subscriptions (user_id, sub_id desc);
create index subscriptions_to_credit on subscriptions (((starts_at at time zone 'UTC') + make_interval(months => credited_periods)))
  where crediting;
create unique index subscriptions_one_trial on subscriptions (user_id) where trial;

-- The periods for which a user got the credit of a plan. Two subscriptions of one plan get no credit for the same time.
create table subscription_credits (
  user_id bigint not null references users,
  plan text not null,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  sub_id integer not null references subscriptions,
  primary key (user_id, plan, starts_at)
);

-- A host belongs to one brand. All other hosts belong to the worker's own BRAND.
-- The bot's token and its webhook's secret are sealed by the key ring for this table, column and brand.
create table brands (
  brand text primary key check (brand ~ '^[a-z][a-z0-9]{0,31}$'),
  -- The hosts as requests name them, in lower case: `app.example.com`, or with a port.
  hosts jsonb not null default '[]' check (jsonb_typeof(hosts) = 'array'),
  -- The landing page after a login without a `next`.
  landing_path text not null default '/chat' check (landing_path ~ '^/([^/\\]|$)'),
  bot_username text,
  -- The bot's id on the platform. Its token begins with this id.
  bot_id text,
  bot_token text,
  bot_webhook_secret text,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index brands_of_host on brands using gin (hosts jsonb_path_ops);

------------------------------------------------------------------------------------------------------------------------
-- Groups of people

create table teams (
  team_id integer generated always as identity primary key,
  name text not null,
  description text,
  archived_at timestamptz,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  updated_by bigint references users
);

create table team_members (
  team_id integer not null references teams,
  user_id bigint not null references users,
  role text not null default 'member' check (role in ('lead', 'member')),
  created_at timestamptz not null,
  primary key (team_id, user_id)
);
create index team_members_of_user on team_members (user_id);

-- A group of people with a bot and spaces. It is never deleted.
-- The bot's token and its webhook's secret are sealed by the key ring for this table, column and workspace.
create table workspaces (
  workspace_id text primary key check (workspace_id ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'),
  name text not null,
  -- The members of an attached team are members of the workspace.
  team_id integer references teams,
  bot_username text,
  bot_id text,
  bot_token text,
  bot_webhook_secret text,
  archived_at timestamptz,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  updated_by bigint references users
);
create index workspaces_of_team on workspaces (team_id) where team_id is not null;

create table workspace_members (
  workspace_id text not null references workspaces,
  user_id bigint not null references users,
  role text not null default 'member' check (role in ('owner', 'admin', 'member')),
  created_at timestamptz not null,
  primary key (workspace_id, user_id)
);
create index workspace_members_of_user on workspace_members (user_id);

------------------------------------------------------------------------------------------------------------------------
-- Spaces and their configuration

create table spaces (
  space_id bigint generated always as identity primary key,
  slug text not null unique,
  user_id bigint not null references users,
  created_by_key_id text,
  test boolean not null default false,
  origin text not null default 'api',
  brand text not null default 'turnpike',
  title text not null,
  model text,
  manifest jsonb not null default '{}',
  tools jsonb not null default '{}',
  mcp_servers jsonb not null default '{}',
  metadata jsonb not null default '{}',
  config_version integer not null default 1,
  config_change text not null default 'created',
  -- Counts of the configuration for admission, and of the tools that each MCP server listed last
  -- (src/agent-config/prompt-facts.sql). If they are null or of another version, they must be counted.
  prompt_facts jsonb not null default '{}',
  mcp_tokens jsonb not null default '{}',
  -- The tools of each MCP server when they were pinned, and the tools that it listed since then if they differ.
  mcp_pins jsonb not null default '{}',
  archived_at timestamptz,
  -- Archiving ends the space's turns. True until the sweep finds no open turn. It last tried at ending_tried_at.
  ending_turns boolean not null default false,
  ending_tried_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- The workspace whose members see and use the space.
  -- The amount is what they may spend of the owner's balance in a UTC day (null: the setting).
  workspace_id text,
  members_daily_credit_micros bigint check (members_daily_credit_micros >= 0),
  -- The chat of the space: the key of a messaging chat, or `space:` and the slug.
  chat_key text,
  -- The model that the configuration names. Null: the first model of the catalog.
  pin text,
  -- The days for which the space's data is kept, if they are fewer than in the settings:
  -- text_days, step_days, event_days, attempt_days.
  retention jsonb not null default '{}'
);
create index spaces_by_owner on spaces (user_id, slug desc);
create index spaces_listed on spaces (user_id, test, slug collate "C" desc);
create index spaces_ending on spaces (ending_tried_at nulls first) where ending_turns;
create unique index spaces_of_chat on spaces (chat_key);
create index spaces_of_workspace on spaces (workspace_id, space_id) where workspace_id is not null;
-- The columns by which operators filter and sort all spaces, so that no configuration is read.
create index spaces_active on spaces (space_id) include (brand, origin) where archived_at is null;
create index spaces_inventory on spaces (space_id) include (title, slug, origin, brand, user_id, workspace_id, archived_at, created_at);
create index spaces_by_title on spaces (folded(title) collate "C", space_id)
  include (title, slug, origin, brand, user_id, workspace_id, archived_at);
-- For counting the spaces of each model, so that no configuration is read.
create index spaces_by_pin on spaces (test, pin) where archived_at is null;

-- Sets the columns that follow from other columns of a space.
create function derive_space() returns trigger language plpgsql as $$
begin
  new.chat_key := coalesce(new.chat_key, 'space:' || new.slug);
  new.pin := coalesce(new.manifest ->> 'model', new.model);
  return new;
end $$;
create trigger spaces_derived before insert or update of chat_key, manifest, model on spaces
  for each row execute function derive_space();

-- People with whom a space is shared, besides the members of its workspace.
create table space_members (
  space_id bigint not null references spaces,
  user_id bigint not null references users,
  created_at timestamptz not null,
  primary key (space_id, user_id)
);
create index space_members_of_user on space_members (user_id);

-- The registered members of spaces: the space, its owner, the user and their role, once for each way of sharing.
create view registered_members as
  select s.space_id, s.user_id as owner_id, m.user_id, 'member'::text as role
    from space_members m join spaces s on s.space_id = m.space_id
    where m.user_id <> s.user_id
  union all
  select s.space_id, s.user_id, m.user_id, case when m.role in ('owner', 'admin') then 'admin' else 'member' end
    from workspace_members m join workspaces w on w.workspace_id = m.workspace_id join spaces s on s.workspace_id = w.workspace_id
    where w.archived_at is null and m.user_id <> s.user_id
  union all
  select s.space_id, s.user_id, m.user_id, 'member'::text
    from team_members m join teams t on t.team_id = m.team_id join workspaces w on w.team_id = t.team_id
      join spaces s on s.workspace_id = w.workspace_id
    where t.archived_at is null and w.archived_at is null and m.user_id <> s.user_id;

-- The only rule for seeing and using the space of another user. An admin may change it, a member may not.
-- Spaces of a disabled account are not visible.
create view space_shares as
  select r.space_id, r.user_id, r.role from registered_members r join users o on o.user_id = r.owner_id where o.disabled_at is null;

-- Boards of the messaging platform: groups in which the bot of a brand
-- or a workspace is. A late update may arrive after a newer one.
-- So updates of a bot are ordered by {second, update_id} (src/boards/note-board.sql).
create table boards (
  board_id bigint generated always as identity primary key,
  bot_id text not null,
  chat_id bigint not null,
  -- The id of the group before the platform gave it another one.
  former_chat_id bigint,
  -- The chat_key of a space that belongs to this chat.
  chat_key text not null,
  title text,
  bot_in boolean not null,
  -- The update that last said whether the bot is in the group.
  bot_said bigint[] not null,
  -- When the bot last left. Earlier updates about people are ignored.
  members_after bigint[] not null default '{0,0}',
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index boards_of_bot on boards (bot_id, chat_id);
create index boards_of_former_chat on boards (bot_id, former_chat_id) where former_chat_id is not null;
create index boards_of_chat on boards (chat_key);

-- The members of a board, by their ids on the platform.
-- A person who left keeps a row, so that an older update does not add them again.
create table board_members (
  board_id bigint not null references boards on delete cascade,
  messaging_id text not null,
  present boolean not null,
  said bigint[] not null,
  primary key (board_id, messaging_id)
);
create index board_members_of_person on board_members (messaging_id) where present;

-- Users in the messaging chat of a space who have the space's brand,
-- by their ids. The bot of that brand or of the space's workspace
-- must be in the chat. Operators see them among the members, but the view gives no access (space_shares).
create view board_people as
  select s.space_id, s.user_id as owner_id, i.user_id
    from spaces s join boards b on b.chat_key = s.chat_key join board_members m on m.board_id = b.board_id
      join identities i on i.issuer = 'messenger:' || s.brand and i.subject = m.messaging_id
    where b.bot_in and m.present and i.user_id <> s.user_id
      and (exists (select from brands r where r.brand = s.brand and r.bot_id = b.bot_id)
        or exists (select from workspaces w where w.workspace_id = s.workspace_id and w.bot_id = b.bot_id and w.archived_at is null));

-- The versions of a space's configuration that are kept.
create table config_versions (
  space_id bigint not null references spaces,
  version integer not null check (version > 0),
  change text not null,
  model text,
  created_at timestamptz not null,
  primary key (space_id, version)
);
create trigger config_versions_unchanged before update on config_versions
  for each statement execute function guard_append_only();

-- The parts of a space's configuration: its manifest (name ''), each of its tools and MCP servers.
-- A part is stored once, with its versions: from from_version to before until_version (null: to the newest).
create table config_parts (
  space_id bigint not null references spaces,
  kind text not null check (kind in ('manifest', 'tool', 'mcp_server')),
  name text not null,
  from_version integer not null,
  until_version integer check (until_version is null or until_version > from_version),
  part jsonb not null,
  bytes integer not null,
  primary key (space_id, kind, name, from_version)
);
create unique index config_parts_current on config_parts (space_id, kind, name) where until_version is null;

-- Optional MCP servers that did not answer when a turn last asked them. One that answers again has no row.
create table mcp_server_failures (
  space_id bigint not null references spaces,
  name text not null,
  -- The server's definition. Another one is asked at once.
  definition jsonb not null,
  -- How often it did not answer, one after another, and since when.
  failures integer not null,
  failing_since timestamptz not null,
  failed_at timestamptz not null,
  -- Until then, turns do not ask it.
  paused_until timestamptz not null,
  error text not null,
  primary key (space_id, name)
);

-- The bytes that an account stores. config_bytes: the configurations of all its spaces, and their secrets.
-- An account without any has no row.
create table account_storage (
  user_id bigint primary key,
  config_bytes bigint not null
) with (fillfactor = 50);

-- Whole versions of a space's configuration. A turn uses the version with which it began until its end.
-- An insert stores a version, and each part that differs from the version before.
create view space_configs as
  select v.space_id, v.version, v.change, v.model,
    coalesce((select p.part from config_parts p where p.space_id = v.space_id and p.kind = 'manifest'
      and p.from_version <= v.version and (p.until_version is null or p.until_version > v.version)), '{}') as manifest,
    coalesce((select jsonb_object_agg(p.name, p.part) from config_parts p where p.space_id = v.space_id and p.kind = 'tool'
      and p.from_version <= v.version and (p.until_version is null or p.until_version > v.version)), '{}') as tools,
    coalesce((select jsonb_object_agg(p.name, p.part) from config_parts p where p.space_id = v.space_id and p.kind = 'mcp_server'
      and p.from_version <= v.version and (p.until_version is null or p.until_version > v.version)), '{}') as mcp_servers,
    v.created_at
  from config_versions v;

-- The row of the space is locked, so versions are stored in order.
create function store_config() returns trigger language plpgsql as $$
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
create trigger space_configs_stored instead of insert on space_configs for each row execute function store_config();

-- AES-256-GCM under a key of the ring (src/base/key-ring.ts), bound to this table, space and name.
create table space_secrets (
  space_id bigint not null references spaces,
  name text not null,
  sealed text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (space_id, name)
);

-- Counts secrets as bytes of the configuration, for every writer.
create function count_secret_bytes() returns trigger language plpgsql as $$
declare
  more bigint := 0;
  account bigint;
begin
  if tg_op <> 'DELETE' then
    more := octet_length(new.sealed);
  end if;
  if tg_op <> 'INSERT' then
    more := more - octet_length(old.sealed);
  end if;
  select s.user_id into account from spaces s where s.space_id = case tg_op when 'DELETE' then old.space_id else new.space_id end;
  if more <> 0 then
    insert into account_storage as a (user_id, config_bytes) values (account, greatest(0, more))
      on conflict (user_id) do update set config_bytes = greatest(0, a.config_bytes + more);
  end if;
  return null;
end $$;
create trigger space_secrets_counted after insert or update of sealed or delete on space_secrets
  for each row execute function count_secret_bytes();

------------------------------------------------------------------------------------------------------------------------
-- API keys

create table api_keys (
  key_id text primary key,
  user_id bigint not null references users,
  hash bytea not null unique,
  -- When the last of the key's former values stops working (former_key_values).
  previous_expires_at timestamptz,
  hint text not null,
  name text not null,
  scope text not null default 'created' check (scope in ('created', 'space', 'all')),
  space_id bigint references spaces,
  test boolean not null default false,
  -- The spending limits of the key. Null: no cap. The end_user
  -- limits apply to each end user without limits of their own.
  daily_credit_micros bigint check (daily_credit_micros >= 0),
  monthly_credit_micros bigint check (monthly_credit_micros >= 0),
  window_credit_micros bigint check (window_credit_micros >= 0),
  window_seconds integer check (window_seconds > 0 and (window_seconds is null) = (window_credit_micros is null)),
  end_user_daily_credit_micros bigint check (end_user_daily_credit_micros >= 0),
  end_user_monthly_credit_micros bigint check (end_user_monthly_credit_micros >= 0),
  -- The price of end users without a price of their own, and whether those without a setting of their own are prepaid.
  -- Null: as the account's wallet says.
  end_user_price text,
  end_user_prepaid boolean,
  -- The end user of requests of /v1/openai that name none. Null: the id of the key.
  default_end_user_ref text,
  -- The rates of the key and of each of its end users (src/quotas/rate.ts). Null: none.
  rate jsonb check (jsonb_typeof(rate) = 'object'),
  end_user_rate jsonb check (jsonb_typeof(end_user_rate) = 'object'),
  expires_at timestamptz,
  revoked_at timestamptz,
  -- Revoking ends the key's turns. True until the sweep finds no open turn. It last tried at ending_tried_at.
  ending_turns boolean not null default false,
  ending_tried_at timestamptz,
  last_used_at timestamptz,
  created_at timestamptz not null,
  -- The person who made or last rotated it, and so knows its value. Null: the account's own user.
  made_by bigint references users,
  -- Its rights in the account, which are at most those of the person who made it.
  role text not null default 'owner' check (role in ('owner', 'developer')),
  constraint api_keys_space_scope_names_a_space check ((scope = 'space') = (space_id is not null))
) with (fillfactor = 80);
create index api_keys_by_owner on api_keys (user_id, key_id desc);
create index api_keys_ending_tried on api_keys (ending_tried_at nulls first) where ending_turns;

-- Values that a key had before its rotations. Each works until its own overlap ends.
create table former_key_values (
  hash bytea primary key,
  key_id text not null references api_keys,
  works_until timestamptz not null,
  -- The person who knows it: made_by of the key before the rotation, or an owner who answers for it since a decision.
  known_by bigint not null references users
);
create index former_key_values_of_key on former_key_values (key_id);

-- The newest request that was refused to a key of an account, for each error code and mode.
create table refused_requests (
  user_id bigint not null references users,
  test boolean not null,
  code text not null,
  key_id text not null,
  -- The method and the path, without any end_user_ref.
  operation text not null,
  -- The field or parameter that the error names.
  param text,
  request_id text not null,
  refused_at timestamptz not null,
  primary key (user_id, test, code)
) with (fillfactor = 50);

-- Objects that were created under an Idempotency-Key of /v1, written by the statement that created them.
-- Turns have their keys in their own table.
create table idempotency_keys (
  user_id bigint not null references users,
  test boolean not null,
  key text not null,
  -- HMAC of the request, under a key of the ring. It shows whether a repeated request is the same.
  fingerprint text not null,
  resource_id text not null,
  created_at timestamptz not null,
  primary key (user_id, test, key)
);
create index idempotency_keys_to_forget on idempotency_keys (created_at);

------------------------------------------------------------------------------------------------------------------------
-- Models

create table model_catalog (
  pin text primary key,
  engine text not null check (engine in ('anthropic', 'openai', 'openai-compatible', 'rehearsal')),
  model text not null,
  label text not null,
  enabled boolean not null default false,
  sort_order integer not null default 0,
  -- Credit micros per million tokens.
  price_input bigint not null check (price_input >= 0),
  price_cached bigint not null check (price_cached >= 0),
  price_output bigint not null check (price_output >= 0),
  -- The price of prompt tokens that the provider writes into its cache. Null: the same as price_input.
  price_cache_write bigint check (price_cache_write >= 0),
  -- The price of tokens that the cache keeps for an hour instead of five minutes. Null: never requested.
  price_cache_write_hour bigint check (price_cache_write_hour >= 0),
  -- The price of prompt tokens of audio. Null: the same as price_input.
  price_audio_input bigint check (price_audio_input >= 0),
  -- The price of output tokens of reasoning. Null: the same as price_output.
  price_reasoning bigint check (price_reasoning >= 0),
  -- The price of one web search that the provider makes itself. Null: free.
  price_web_search bigint check (price_web_search >= 0),
  -- The price of one search of posts on X that the provider makes itself. Null: free.
  price_x_search bigint check (price_x_search >= 0),
  -- The price of one run of code in the provider's own container. Null: free.
  price_code_execution bigint check (price_code_execution >= 0),
  -- Prices of calls with a longer prompt, and factors by service (src/catalog/price-terms.ts). Null: none.
  price_tiers jsonb,
  price_modifiers jsonb,
  -- The provider's prices, and how ours were made of them (src/catalog/provider-prices.ts). Null: the same as ours.
  provider_prices jsonb,
  price_markup jsonb,
  price_version integer not null default 1,
  -- When these prices begin. Until then the former version counts (turnpike.model_at). Null: they count already.
  prices_from timestamptz,
  max_output_tokens integer not null default 4096 check (max_output_tokens > 0),
  -- A call without output for this long is ended. Null: TURN_POLICY.idleMs.
  idle_seconds integer check (idle_seconds between 1 and 600),
  created_at timestamptz not null default now(),
  -- The context window: the most tokens that one call may read. Null: not known.
  context_tokens integer check (context_tokens > 0),
  version integer not null default 1,
  updated_at timestamptz,
  updated_by bigint references users,
  -- image: a model of the tool generate_image, never of a space
  -- or a turn. One image costs price_image, in credit micros.
  kind text not null default 'chat' check (kind in ('chat', 'image')),
  price_image bigint check (price_image >= 0),
  -- Limits of the model that refusals of its provider have taught, or that an operator has set (src/catalog/learned.ts).
  learned jsonb not null default '{}',
  constraint model_catalog_pin_names_its_model check (pin = engine || '/' || model),
  constraint model_catalog_images_have_a_price check ((kind = 'image') = (price_image is not null))
);
-- Without an enabled model the service could run no turn.
-- The lock makes the later of two statements see the change of the first.
create function guard_enabled_model() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtext('model_catalog'), 0);
  if not exists (select from model_catalog where enabled and kind = 'chat') then
    raise exception 'no model would be enabled' using errcode = '23514';
  end if;
  return null;
end $$;
create trigger model_catalog_keeps_one after update of enabled or delete on model_catalog
  for each statement execute function guard_enabled_model();

-- Former prices of a model, and the time until which they count: in the future if the next prices are planned. A turn
-- keeps the prices of its acceptance.
create table former_prices (
  pin text not null references model_catalog,
  price_version integer not null,
  price_input bigint not null,
  price_cached bigint not null,
  price_output bigint not null,
  price_cache_write bigint,
  price_cache_write_hour bigint,
  price_audio_input bigint,
  price_reasoning bigint,
  price_web_search bigint,
  price_x_search bigint,
  price_code_execution bigint,
  price_tiers jsonb,
  price_modifiers jsonb,
  provider_prices jsonb,
  price_markup jsonb,
  until_at timestamptz not null,
  price_image bigint,
  primary key (pin, price_version)
);

-- The rehearsal model always exists. It is deterministic and uses no network (src/agent/REHEARSAL.md).
insert into model_catalog (pin, engine, model, label, enabled, sort_order, price_input, price_cached, price_output, max_output_tokens,
  context_tokens)
values ('rehearsal/standard', 'rehearsal', 'standard', 'Rehearsal', true, 1000, 10000000, 1000000, 50000000, 8192, 200000);

------------------------------------------------------------------------------------------------------------------------
-- Accounts at the providers of models

-- An account that serves model calls instead of the environment's keys, for one engine and one base URL.
create table provider_accounts (
  -- Also usage.subscription_id. Unlike the id of a plan, it never has only digits.
  provider_id text primary key check (provider_id ~ '^[a-z][a-z0-9_-]{0,63}$'),
  pool text not null check (pool in ('main', 'alt-pool', 'media')),
  name text not null,
  -- How the account is accessed: by an API key, a login whose code is pasted, or a login by a device code.
  kind text not null check (kind in ('api_key', 'oauth_code', 'oauth_device')),
  engine text not null check (engine in ('anthropic', 'openai', 'openai-compatible')),
  -- Null: the default of the engine.
  base_url text,
  -- The account's id at its provider. Another login to the same account renews this row.
  external_id text,
  disabled_at timestamptz,
  disabled_reason text,
  -- needs_login: its credentials were refused permanently. contained: a refresh of them may have been lost.
  health text not null default 'healthy' check (health in ('healthy', 'needs_login', 'contained')),
  health_at timestamptz,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  updated_by bigint references users,
  unique (pool, external_id)
);

-- The state that changes with calls. windows: the last known use of each window, by "<resource>:<seconds>":
-- {used_pct, reset_at, taken_at, noted_pct, noted_at}. noted_pct and noted_at are from its newest snapshot.
create table provider_states (
  provider_id text primary key references provider_accounts on delete cascade,
  -- The account gets no call before this time. Then one call tries it first.
  cool_until timestamptz,
  cool_reason text,
  -- The provider has said that the account may not serve or cannot pay: since when, the reason as our own word,
  -- and how many probes got the same answer. cool_until is the time of the next probe.
  suspended_at timestamptz,
  suspended_reason text check (suspended_reason in ('not_permitted', 'no_credit', 'account_disabled', 'rejects_calls')),
  suspended_probes integer not null default 0,
  -- Calls since its last success that it rejected while another account served the same request.
  rejections integer not null default 0,
  -- Until then, one call may find out whether the account serves again.
  probe_until timestamptz,
  windows jsonb not null default '{}',
  -- Models that the account has said it lacks, each with the time of the next try: {model: moment}.
  lacks jsonb not null default '{}',
  constraint provider_states_suspended_for_a_reason check ((suspended_at is null) = (suspended_reason is null))
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);

-- Credentials have a row of their own, so that a rotated refresh token is not lost with another write.
create table provider_credentials (
  provider_id text primary key references provider_accounts on delete cascade,
  -- An API key or tokens, as sealed JSON.
  sealed text not null,
  -- When the access token expires. Null: never, or not known.
  expires_at timestamptz,
  -- Raised by each change.
  version integer not null default 1,
  -- A worker refreshes the credentials until then. After that, it is not known whether the refresh token was used.
  refreshing_until timestamptz,
  refreshing_by text,
  -- The login that made the credentials. A repeated save recognises its own by it.
  login_id text,
  updated_at timestamptz not null
);
create index provider_credentials_refreshing on provider_credentials (refreshing_until) where refreshing_until is not null;

-- How the reports of an account's provider about its use are read (src/provider-books).
create table provider_reports (
  provider_id text primary key references provider_accounts on delete cascade,
  format text not null check (format in ('anthropic', 'openai', 'openrouter')),
  -- Null: the format's own.
  base_url text,
  -- The workspace or project whose use is the account's. Null: the whole organisation.
  scope_id text,
  -- The key that may read the reports.
  sealed text not null,
  -- True: other software uses the account too, so a report that has more than our calls is no finding.
  shared boolean not null,
  -- The first day (UTC) that is compared.
  first_day date not null,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  updated_by bigint references users
);

-- A day (UTC) of an account, as its provider reports it, next to our calls. A row outlives its account.
create table provider_book_days (
  provider_id text not null,
  day date not null,
  -- Null: never, so the figures are null.
  compared_at timestamptz,
  -- From then on the provider's numbers are final. Null: they may still change, so findings are preliminary.
  settled_at timestamptz,
  -- The next comparison, or the end of a worker's claim. Null: none.
  next_at timestamptz,
  -- The number of claims. Only the worker with the last claim may write.
  takes integer not null default 0,
  -- Why the last comparison failed, as a code of our own, and since when. Null: it did not.
  failure text,
  failing_since timestamptz,
  -- {reported, credits, other, foreign, explained, cost, billed: credit micros; model_calls, lost_calls: numbers}
  figures jsonb,
  -- [{model, unit, theirs, ours, least, most}]
  lines jsonb not null default '[]',
  -- An operator has seen its findings. Null: not yet.
  seen_at timestamptz,
  seen_by bigint references users,
  primary key (provider_id, day)
);
create index provider_book_days_due on provider_book_days (next_at) where next_at is not null;
create index provider_book_days_by_day on provider_book_days (day desc, provider_id);

-- A difference between a provider's report and our calls. Comparing a day again replaces its findings.
create table provider_book_findings (
  finding_id bigint generated always as identity primary key,
  provider_id text not null,
  day date not null,
  kind text not null check (kind in ('provider_more', 'provider_less', 'unknown_calls')),
  model text not null,
  -- A single call. Null: the sum of a model.
  response_id text,
  turn_id text,
  -- The numbers that differ: {unit: {theirs, ours}}
  units jsonb not null,
  -- Calls that we do not know. Null: the provider does not count calls.
  calls bigint,
  -- The provider's amount less ours. Null: it reports no amounts of models.
  credit_micros bigint,
  -- When it was first found.
  found_at timestamptz not null,
  foreign key (provider_id, day) references provider_book_days on delete cascade,
  unique nulls not distinct (provider_id, day, kind, model, response_id)
);

-- The use of accounts' windows over time: a row after a change of one point, or after five minutes.
-- A row outlives its account.
create table quota_snapshots (
  provider_id text not null,
  -- unified, requests, tokens, input-tokens or output-tokens
  resource text not null,
  window_seconds integer not null check (window_seconds > 0),
  used_pct real not null check (used_pct >= 0),
  reset_at timestamptz,
  taken_at timestamptz not null
) with (autovacuum_vacuum_insert_scale_factor = 0.05);
create index quota_snapshots_of_window on quota_snapshots (provider_id, resource, window_seconds, taken_at) include (used_pct, reset_at);

-- The calls that accounts served, by the hour (UTC) in which turns ended, without the turns in turn_ends.
create table account_hours (
  hour timestamptz not null,
  subscription_id text not null,
  model_calls bigint not null,
  tokens_input bigint not null,
  tokens_cached bigint not null,
  tokens_output bigint not null,
  cost_credit_micros bigint not null,
  billed_credit_micros bigint not null,
  -- When the last of these calls was made.
  last_call_at timestamptz not null,
  primary key (subscription_id, hour)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);

-- The same by day (UTC), for long ranges.
create table account_days (
  day date not null,
  subscription_id text not null,
  model_calls bigint not null,
  tokens_input bigint not null,
  tokens_cached bigint not null,
  tokens_output bigint not null,
  cost_credit_micros bigint not null,
  billed_credit_micros bigint not null,
  last_call_at timestamptz not null,
  primary key (subscription_id, day)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);

-- Data of removed accounts, for their usage and snapshots, which are kept.
create table former_providers (
  provider_id text primary key,
  pool text not null,
  name text not null,
  removed_at timestamptz not null
);

-- Snapshots before this time were thinned to one per window and hour.
create table quota_thinning (
  one boolean primary key default true check (one),
  thinned_until timestamptz not null
);

-- Logins to accounts that continue after the response that started them. A pool has one at a time.
create table provider_logins (
  login_id text primary key,
  pool text not null check (pool in ('alt-pool', 'media')),
  started_by bigint not null references users,
  state text not null check (state in ('polling', 'authorized', 'expired', 'error')),
  -- The data to finish the login and to show to the admin:
  -- codes, URLs, verifier, state. Null after the login ended.
  sealed text,
  interval_seconds integer,
  -- A worker may claim the login from then on: the next poll is due, or the last claim has expired.
  due_at timestamptz not null,
  -- The number of claims. Only the worker with the last claim may write.
  takes integer not null default 0,
  -- The reason of a failure, as one word of our own.
  error text,
  -- The account that the login created or renewed.
  provider_id text,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check ((state = 'polling') = (sealed is not null))
);
create unique index provider_logins_one_running on provider_logins (pool) where state = 'polling';
create index provider_logins_newest on provider_logins (pool, created_at desc);

------------------------------------------------------------------------------------------------------------------------
-- Conversations and turns

-- Rows that each turn writes have no foreign keys, which saves twenty look-ups per turn.
-- Procedures write ids from rows that they have read, and guards refuse to delete those rows.

-- A queue of turns. last_position numbers its turns in the order of their commits.
create table conversations (
  conversation_id text primary key,
  space_id bigint not null,
  end_user_ref text not null,
  name text not null,
  last_position bigint not null default 1,
  -- The owner and the time of the last turn, for listing an account's end users by their newest turn.
  -- Null in a web chat.
  user_id bigint,
  test boolean,
  last_turn_at timestamptz,
  -- The hour of last_turn_at (UTC). Indexes use it instead, so that further turns in the same hour change no index.
  active_hour timestamp generated always as (date_trunc('hour', last_turn_at at time zone 'UTC')) stored,
  created_at timestamptz not null,
  -- The provider account that served the conversation last, and
  -- when. Its prompt cache has the start of the conversation.
  provider_id text,
  served_at timestamptz,
  -- The tools that its agent has found, with the position of the turn and the bytes of the definition
  -- (src/turns/found-tools.sql). Null: none.
  found_tools jsonb,
  unique (space_id, end_user_ref, name)
-- A turn, and the account that served it, are recorded in the page of the row.
) with (fillfactor = 75, autovacuum_vacuum_scale_factor = 0.05);
create index conversations_by_activity on conversations (user_id, test, active_hour);
create index conversations_of_end_user on conversations (user_id, test, end_user_ref, active_hour);

-- The summaries of conversations, in spaces with summaries (src/turns/summary.sql): the turns that have left the
-- history. A summary is deleted with the first text that it covers.
create table conversation_summaries (
  conversation_id text primary key,
  until_position bigint not null,
  turns integer not null,
  text text not null,
  tokens integer not null,
  -- The turn that has paid for it, and the model that wrote it.
  turn_id text not null,
  model text not null,
  created_at timestamptz not null
);

-- The messages of turns that were sent as messages instead of one text (src/turns/messages.ts), or as results of calls.
-- turns.text has the last text of the user. They are kept and deleted with the texts of their turn.
create table turn_messages (
  turn_id text primary key,
  messages jsonb not null
);

-- The caller's own tools in turns that have some (src/turns/caller-tools.ts), and how the model may call tools. They
-- are kept and deleted with the texts of their turn.
create table turn_tools (
  turn_id text primary key,
  tools jsonb not null,
  choice jsonb not null,
  parallel boolean not null
);

create table turns (
  turn_id text primary key,
  user_id bigint not null,
  -- Null: a web chat of the owner or of a member of the space.
  key_id text,
  space_id bigint not null,
  conversation_id text not null,
  position bigint not null,
  test boolean not null,
  end_user_ref text not null,
  -- The sender of a web-chat turn in a space that was shared
  -- with them. user_id is the space's owner, who is billed.
  member_id bigint,
  -- The request.
  idempotency_key text not null,
  request_hash text not null,
  -- The HTTP request that sent it, as its response and the log name it. Null: written before this was kept.
  request_id text,
  -- The trace of the request (src/base/trace-context.ts). Null: the turn begins one, with an id made from turn_id.
  traceparent text,
  tracestate text,
  text text not null,
  file_ids jsonb not null default '[]',
  model text not null,
  metadata jsonb not null default '{}',
  max_cost_credit_micros bigint,
  timeout_seconds integer,
  -- The version of its model's prices at admission.
  price_version integer not null,
  -- The window of its key in which the turn counts.
  window_started_at timestamptz,
  created_at timestamptz not null,
  -- The turn does this if it cannot pay for its next call. Null: as its configuration says.
  on_limit text,
  max_wait_seconds integer,
  -- How its models answer: the most output tokens of a call, and their settings. Null: as its configuration says.
  max_output_tokens integer,
  temperature double precision,
  reasoning_effort text,
  -- The form of its result, as JSON. A text keeps the order of the properties. Null: as its configuration says.
  response_format text,
  -- Its reply ends before the first of these sequences. Null: none.
  stop jsonb,
  -- False: its texts, steps and events are deleted soon after its end.
  store boolean not null default true,
  -- The bytes of its messages (turn_messages) as JSON. Null: it was sent as one text.
  message_bytes integer,
  -- True if it has tools of its caller (turn_tools).
  has_tools boolean not null default false,
  -- It gives the results of calls: the position of the first turn of the exchange that it continues. Null: it begins one.
  continues_from bigint,
  -- Null in turns that never waited. The moment whose periods of caps the turn counts in since it continued, and the
  -- cost that counts in earlier periods (turn_parts).
  counted_at timestamptz,
  past_credit_micros bigint,
  -- How long the turn has waited. This time does not count towards its timeout.
  waited_ms bigint,
  -- Why the turn waits, as responses show it. Null: it does not wait.
  waiting jsonb,
  -- The key owner's price at acceptance (prices). Null: the end user is charged the billed amount, or nothing without a
  -- wallet.
  price_id bigint,
  -- The name and version of that price, as responses show them.
  end_user_price jsonb,
  -- The input tokens that its rates counted when it was accepted, and the windows (src/turns/rated-turn.ts). Null: none.
  rated jsonb,
  -- The hold: the amount that was held in total, and the amount that is still held.
  -- Columns from here on change. The log record of an update starts at its first changed column,
  -- so the columns that a claim changes come last.
  hold_credit_micros bigint not null,
  held_credit_micros bigint not null,
  -- The hold in the end user's wallet, and the charge of the end user since the end of the turn. Null: no wallet, or
  -- neither wallet nor price.
  end_user_hold_credit_micros bigint,
  end_user_charge_credit_micros bigint,
  -- A test turn that is charged, or that a limit binds: the hold and the cost that it would have as a live turn. They
  -- are apart from the real amounts, which are 0. Null: no such turn.
  rehearsed_hold_credit_micros bigint,
  rehearsed_cost_credit_micros bigint,
  -- The outcome.
  status_reason text,
  result text,
  -- True if the result is JSON in the form that was asked for.
  has_output boolean not null default false,
  -- True if the model's output limit cut the result.
  truncated boolean not null default false,
  outputs jsonb not null default '[]',
  -- The calls of its caller's tools with which it is done, as responses show them. Null: none. Empty: they are deleted.
  calls jsonb,
  -- The most tokens of its exchange with these calls in a prompt.
  calls_tokens bigint,
  error_code text,
  error_message text,
  -- The provider's own words about the failure, as owners may see them (src/agent/provider-details.ts). Null: none.
  error_details jsonb,
  -- The warnings of the turn, as responses show them. Null: none.
  warnings jsonb,
  -- The service lost the result, so nothing is billed. This is
  -- not derived from a code, because scripts choose their own.
  failed_by_us boolean not null default false,
  cost_credit_micros bigint not null default 0,
  billed_credit_micros bigint not null default 0,
  -- The charge that was refunded, and when. Null: not refunded.
  refunded_credit_micros bigint,
  refunded_at timestamptz,
  model_calls integer not null default 0,
  tool_calls integer not null default 0,
  tokens_input bigint not null default 0,
  tokens_cached bigint not null default 0,
  tokens_cache_written bigint not null default 0,
  tokens_output bigint not null default 0,
  tokens_reasoning bigint not null default 0,
  finished_at timestamptz,
  erased_at timestamptz,
  -- When its time to be kept was over (src/retention): of its texts, and of its steps with the log.
  texts_deleted_at timestamptz,
  steps_deleted_at timestamptz,
  cancel_requested_at timestamptz,
  -- Until then, its worker may start tool calls without reading the turn again.
  -- A cancel is acknowledged only after that.
  calls_start_until timestamptz,
  -- Until then, a client reads the events as they are written. Only then is text stored while it is generated.
  stream_until timestamptz,
  model_failures integer not null default 0,
  -- The end user's profile when the turn started, until it ends. Null: nothing of its configuration uses one.
  profile jsonb,
  config_version integer,
  started_at timestamptz,
  state text not null default 'queued',
  last_event_seq integer not null default 1,
  -- The claim: which worker may write (epoch), and until when (lease_until).
  epoch integer not null default 0,
  attempts integer not null default 0,
  lease_until timestamptz,
  -- The queue message that started its worker, and the attempt of it. The next attempt may take over the claim.
  claim_message text,
  claim_try integer,
  unique (conversation_id, position)
-- guard_turn() has the rules of a row.
-- A claim, or the end of a turn that is done, changes no indexed column, so it writes no index.
-- A page has room for a second version of each of its rows. Reports of ended turns read ended_turns.
) with (fillfactor = 45, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02,
  autovacuum_analyze_scale_factor = 0.02);
-- One turn per Idempotency-Key of an account. It is an expression, because a plan from the time of an empty table
-- might use columns with which other indexes begin. It would then read all turns of the account for each new turn.
create unique index turns_once on turns ((user_id::text || ' ' || test::text || ' ' || idempotency_key));
create index turns_of_owner on turns (user_id, test, turn_id collate "C");
create index turns_of_space on turns (space_id, turn_id collate "C");
create index turns_of_key on turns (key_id, turn_id collate "C");
create index turns_of_end_user on turns (user_id, end_user_ref, turn_id collate "C");
create index turns_of_chat on turns (user_id, test, turn_id collate "C") where key_id is null;
create index turns_of_member on turns (member_id, turn_id collate "C") where member_id is not null;
-- Failed and cancelled turns, which have a reason, can be found without reading the turns that are done.
-- Open turns are in open_turns. An index on the state would make each change of it write all indexes of the row.
create index turns_not_done on turns (user_id, test, turn_id collate "C") where status_reason is not null;
create index turns_with_files on turns using gin (file_ids jsonb_path_ops) where file_ids <> '[]';
-- Test turns, whose texts are kept for a time of their own.
-- No index depends on texts, so the deletion of a text writes no index.
create index turns_test on turns (turn_id collate "C") where test;

-- Rejects a turn that breaks a rule of a row. The rules are no CHECKs, because PostgreSQL parses each CHECK of a table
-- again for each statement. A trigger before an update would write a log record for its lock.
create function guard_turn() returns trigger language plpgsql as $$
declare
  broken text := case
    when new.state not in ('queued', 'running', 'done', 'failed', 'cancelled') then 'turns_state'
    when (new.state in ('done', 'failed', 'cancelled')) <> (new.finished_at is not null and new.held_credit_micros = 0)
      then 'turns_end_closes_all'
    when new.state not in ('queued', 'cancelled') and new.started_at is null then 'turns_running_has_started'
    when least(new.hold_credit_micros, new.held_credit_micros, new.cost_credit_micros, new.billed_credit_micros) < 0
      or least(new.past_credit_micros, new.end_user_hold_credit_micros, new.end_user_charge_credit_micros) < 0
      then 'turns_amounts'
    when new.billed_credit_micros > new.hold_credit_micros then 'turns_charge_within_hold'
    when new.cost_credit_micros > new.hold_credit_micros then 'turns_cost_within_hold'
    when new.refunded_credit_micros <= 0 or (new.refunded_credit_micros is null) <> (new.refunded_at is null)
      or (new.refunded_at is not null and new.finished_at is null) then 'turns_refund'
    when new.end_user_charge_credit_micros > new.end_user_hold_credit_micros then 'turns_end_user_charge_within_hold'
    when new.test and greatest(new.hold_credit_micros, new.billed_credit_micros) <> 0 then 'turns_test_is_free'
    when num_nonnulls(new.rehearsed_hold_credit_micros, new.rehearsed_cost_credit_micros) not in (0, case when new.test then 2 else 0 end)
      or (new.test and new.rehearsed_hold_credit_micros is null and new.end_user_hold_credit_micros is not null) then 'turns_rehearsed'
    when new.rehearsed_cost_credit_micros > new.rehearsed_hold_credit_micros then 'turns_rehearsed_within_hold'
    when new.max_cost_credit_micros <= 0 or new.max_wait_seconds <= 0 or new.on_limit not in ('fail', 'wait') then 'turns_request'
    when new.max_output_tokens <= 0 or new.temperature < 0 or new.reasoning_effort not in ('none', 'low', 'medium', 'high') then 'turns_settings'
    end;
begin
  if broken is not null then
    raise exception 'turn % breaks %', new.turn_id, broken using errcode = '23514', constraint = broken;
  end if;
  -- For a new turn, old is null.
  if new.state <> old.state and (old.state, new.state) not in (
    ('queued', 'running'), ('queued', 'cancelled'), ('running', 'done'), ('running', 'failed'), ('running', 'cancelled'))
  then
    raise exception 'turn % may not go from % to %', old.turn_id, old.state, new.state using errcode = '23514';
  end if;
  if old.state in ('done', 'failed', 'cancelled')
    and (new.billed_credit_micros, new.cost_credit_micros, new.end_user_charge_credit_micros, new.rehearsed_cost_credit_micros,
          new.last_event_seq) is distinct from
        (old.billed_credit_micros, old.cost_credit_micros, old.end_user_charge_credit_micros, old.rehearsed_cost_credit_micros,
          old.last_event_seq)
  then
    raise exception 'turn % is finished: its bill and its events are closed', old.turn_id using errcode = '23514';
  end if;
  if (new.refunded_credit_micros, new.refunded_at) is distinct from (old.refunded_credit_micros, old.refunded_at)
    and old.refunded_at is not null
  then
    raise exception 'turn % was refunded before', old.turn_id using errcode = '23514';
  end if;
  return null;
end $$;
create trigger turns_guarded after insert or update on turns for each row execute function guard_turn();

-- The columns of ended turns that reports need. So reports do not read the wide rows of turns,
-- and ending a turn changes no index of them. The trigger turns_ended_queued writes the rows.
-- A turn counts at the time of its bill and of its ledger row.
create table ended_turns (
  turn_id text not null,
  user_id bigint not null,
  test boolean not null,
  finished_at timestamptz not null,
  space_id bigint not null,
  key_id text,
  end_user_ref text not null,
  billed_credit_micros bigint not null,
  model_calls integer not null,
  tokens_input bigint not null,
  tokens_cached bigint not null,
  tokens_output bigint not null,
  state text not null,
  -- The code of a failed turn, or the reason of a cancelled one.
  status_reason text,
  model text not null,
  created_at timestamptz not null,
  -- The charge of the end user. Null: the turn had neither a price nor a wallet.
  end_user_charge_credit_micros bigint
) with (autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);
create index ended_turns_of_owner on ended_turns (user_id, test, finished_at) include (space_id, key_id, end_user_ref, billed_credit_micros,
  model_calls, tokens_input, tokens_cached, tokens_output, state, status_reason, model, created_at, turn_id,
  end_user_charge_credit_micros);
-- For operators, who look at a time over all accounts. Ending a turn does not write this index.
create index ended_turns_by_end on ended_turns using brin (finished_at) with (pages_per_range = 64, autosummarize = on);
create index ended_turns_of_end_user on ended_turns (user_id, test, end_user_ref, finished_at) include (space_id, key_id, billed_credit_micros,
  end_user_charge_credit_micros) where billed_credit_micros > 0 or end_user_charge_credit_micros > 0;
-- Turns without model calls have no usage records, but analytics count them.
create index ended_turns_without_calls on ended_turns (finished_at) where model_calls = 0 and not test;

-- The same for refunded turns, at the time when the refund was booked. The trigger turns_refunded_queued writes them.
create table refunded_turns (
  turn_id text primary key,
  user_id bigint not null,
  test boolean not null,
  refunded_at timestamptz not null,
  refunded_credit_micros bigint not null,
  billed_credit_micros bigint not null,
  space_id bigint not null,
  key_id text,
  end_user_ref text not null,
  state text not null,
  model text not null
);
create index refunded_turns_by_time on refunded_turns (refunded_at);
create index refunded_turns_of_owner on refunded_turns (user_id, test, refunded_at);

-- The turns that have not ended, in narrow rows for runners,
-- for queues of conversations and for lists of open turns.
-- The procedures that accept, claim, give back and end a turn write them.
create table open_turns (
  turn_id text not null,
  conversation_id text not null,
  position bigint not null,
  user_id bigint not null,
  test boolean not null,
  -- queued: it waits for a runner; it may have begun before. waiting: it waits for a limit, a decision or a result.
  -- blocked: an earlier turn of its conversation is waiting.
  state text not null check (state in ('queued', 'running', 'waiting', 'blocked')),
  -- A runner may claim the turn from then on. During a claim this is the end of the lease.
  -- It is infinity while an earlier turn of the conversation is open.
  wake_at timestamptz not null,
  created_at timestamptz not null,
  -- The end user within the account, as a hash of the reference.
  -- Runners serve the end users of an account in rotation.
  lane integer not null,
  -- The provider account that its worker calls. Null: the turn is queued, or no account was chosen.
  provider_id text,
  -- When a blocked turn is cancelled. Null: the turn is not blocked.
  expires_at timestamptz
-- Accepting and claiming a turn write every index of its row, so there are only the indexes that look-ups need.
-- A turn is looked up together with its account.
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500);
create unique index open_turns_of_owner on open_turns (user_id, test, turn_id collate "C");
-- The turn of a conversation that runs or may begin, and the turns that wait for it.
create unique index open_turns_first on open_turns (conversation_id) where wake_at < 'infinity';
create unique index open_turns_waiting on open_turns (conversation_id, position) where wake_at = 'infinity';
-- Turns that may begin, and turns that run.
-- Runners look for the next account, then for its next end user, then for the oldest turn of that end user.
create index open_turns_ready on open_turns (test, user_id, lane, created_at) where state = 'queued' and wake_at < 'infinity';
create index open_turns_running on open_turns (test, user_id, lane) where state = 'running';
-- Turns that have begun and wait for a runner: they were handed over, given back, or lost with their worker.
create index open_turns_begun on open_turns (wake_at) where state = 'running';
create index open_turns_expiring on open_turns (expires_at) where state = 'blocked';
create index open_turns_of_provider on open_turns (provider_id) where provider_id is not null;

-- The turns that wait. A turn that never waits has no row here.
create table waiting_turns (
  turn_id text primary key,
  user_id bigint not null,
  test boolean not null,
  reason text not null check (reason in ('limit', 'approval', 'result')),
  since timestamptz not null,
  -- Then the turn fails.
  expires_at timestamptz not null,
  -- For a limit: what bounds the turn, as in HoldBound (src/runs/grow-hold.ts), and the counter of that cap.
  bound_by text,
  counter text,
  -- True if the limit is smaller than needed at any time. Such a turn does not keep back later ones.
  too_small boolean not null default false,
  -- Turns of the same limit continue in order.
  limit_key text generated always as (bound_by || ' ' || coalesce(counter, '') || case when too_small then ' !' else '' end) stored,
  -- The smallest amount with which the turn continues, and the amount that it would like. Credit micros.
  needed_credit_micros bigint check (needed_credit_micros > 0),
  wanted_credit_micros bigint check (coalesce(wanted_credit_micros >= needed_credit_micros, true)),
  constraint waiting_turns_limit check ((reason = 'limit') = (bound_by is not null)
    and (reason = 'limit') = (needed_credit_micros is not null) and (reason = 'limit') = (wanted_credit_micros is not null))
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500);
create index waiting_turns_expiring on waiting_turns (expires_at);
create index waiting_turns_of_owner on waiting_turns (user_id, test, reason, turn_id collate "C");
-- The order in which turns of an account continue.
create index waiting_turns_for_credit on waiting_turns (user_id, test, limit_key, since, turn_id) where bound_by <> 'max_cost';

-- Accounts with live or test turns that wait for credit or for a cap. Their turns are tried at due_at.
create table waiting_accounts (
  user_id bigint not null,
  test boolean not null,
  due_at timestamptz not null,
  -- How often a limit of the account was raised since. A try that has not seen the last raise does not change due_at.
  raises bigint not null default 0,
  primary key (user_id, test)
) with (fillfactor = 70);
create index waiting_accounts_due on waiting_accounts (due_at);

-- Makes the waiting turns of an account due, because one of its limits was raised.
create function note_raise() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'settings' then
    -- The caps of plans and the cap of members are settings. They change rarely.
    update waiting_accounts set due_at = '-infinity', raises = raises + 1 where not test;
  else
    -- Without a mode, the limit is one of live turns.
    update waiting_accounts w set due_at = '-infinity', raises = w.raises + 1
      where w.user_id = new.user_id and w.test = coalesce((to_jsonb(new) ->> 'test')::boolean, false);
  end if;
  return null;
end $$;

-- Calls of tools that a turn waits for.
create table turn_calls (
  turn_id text not null,
  step integer not null,
  call integer not null,
  user_id bigint not null,
  test boolean not null,
  space_id bigint not null,
  -- The call "step.call" that delegated to the sub-agent; null: the space's own agent.
  agent text,
  tool text not null,
  input jsonb not null,
  -- The JSON Schema for an edited input.
  input_schema jsonb not null,
  -- asked: a person must decide. allowed and denied: a person has decided. awaited: its result comes later.
  -- answered: its result is committed. early: its result came before the turn waited for it.
  state text not null check (state in ('asked', 'allowed', 'denied', 'awaited', 'answered', 'early')),
  -- True if a worker of the owner takes the call.
  offered boolean not null default false,
  -- The decision, and who made it.
  edited_input jsonb,
  message text,
  decided_by jsonb,
  decided_at timestamptz,
  -- The result that came, as the model sees it.
  output jsonb,
  -- An offered call belongs to the worker that took it until then.
  taken_until timestamptz,
  takes integer not null default 0,
  primary key (turn_id, step, call),
  constraint turn_calls_decided check ((state in ('allowed', 'denied')) <= (decided_by is not null))
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500);
-- Calls that a worker of the owner may take.
create index turn_calls_offered on turn_calls (user_id, test, turn_id collate "C", step, call) where state = 'awaited' and offered;

-- The decisions and results that counted, so that the same one again gets the same answer. A row is kept as long as its
-- turn, and has nothing of what was sent.
create table call_answers (
  turn_id text not null,
  step integer not null,
  call integer not null,
  kind text not null check (kind in ('decision', 'result')),
  -- HMAC of the decision or result, under a key of the ring, so that a reader of the table cannot guess a short text.
  fingerprint text not null,
  -- The entries of turn_steps.result_tokens for the call of a result. Here they outlive the step.
  result_tokens text[],
  created_at timestamptz not null,
  primary key (turn_id, step, call, kind)
);

-- The periods of caps in which a turn counts that continued in a later period than the one before.
create table turn_parts (
  turn_id text not null,
  user_id bigint not null,
  key_id text,
  space_id bigint not null,
  member_id bigint,
  end_user_ref text not null,
  counted_at timestamptz not null,
  window_started_at timestamptz,
  -- The cost that counts in this period. Null: the turn counts here with everything that no other part has.
  spent_credit_micros bigint check (spent_credit_micros >= 0)
);
create unique index turn_parts_current on turn_parts (turn_id) where spent_credit_micros is null;
create index turn_parts_of_turn on turn_parts (turn_id);
create index turn_parts_of_owner on turn_parts (user_id, counted_at);

-- The invocations that run turns now. The table has few rows, which change often.
create table runners (
  -- The queue message that started the invocation.
  runner_id text primary key,
  -- A runner that was not heard of until then has died.
  alive_until timestamptz not null,
  -- Until then, a request that accepts a turn may rely on this runner to look again.
  -- Null: the runner looks when one of its turns has ended, or once a second.
  looks_until timestamptz
) with (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);

-- Events within a turn that are not stored with a step (turn_steps).
-- Its transitions are in the account's feed (events).
create table turn_events (
  turn_id text not null,
  seq integer not null check (seq > 0),
  event_id text not null,
  type text not null,
  data jsonb not null,
  created_at timestamptz not null,
  primary key (turn_id, seq)
) with (autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);
create trigger turn_events_kept before delete on turn_events for each statement execute function guard_retention();

-- The only allowed change of an event removes the texts of an erased turn.
create function guard_event_redaction() returns trigger language plpgsql as $$
begin
  if (new.turn_id, new.seq, new.event_id, new.type, new.created_at)
      is distinct from (old.turn_id, old.seq, old.event_id, old.type, old.created_at)
    or not old.data @> new.data
    or not exists (select 1 from turns where turn_id = old.turn_id and finished_at is not null)
  then
    raise exception '% is append-only', tg_table_name using errcode = '23514';
  end if;
  return new;
end $$;
create trigger turn_events_redacted_only before update on turn_events
  for each row execute function guard_event_redaction();

-- One model call.
create table turn_steps (
  turn_id text not null,
  step integer not null check (step >= 0),
  epoch integer not null,
  -- Null for the space's own agent. Otherwise the call "step.call" that delegated to a sub-agent, or "summary:position".
  agent text,
  text text not null,
  -- The model's output, as parts of the AI SDK. Empty if there is only text (src/turns/step-row.ts).
  content jsonb not null default '[]',
  -- The results of its tool calls, by their index. pending_calls have no result yet.
  results jsonb not null default '{}',
  pending_calls integer not null default 0 check (pending_calls >= 0),
  -- Calls whose result may come with a token, as "call hash": the SHA-256 of the token in hex.
  result_tokens text[],
  finish text not null,
  cost_credit_micros bigint not null check (cost_credit_micros >= 0),
  created_at timestamptz not null,
  -- The sub-agent's name or null, the pin, and the input tokens of the call.
  subagent text,
  model text not null,
  tokens_input bigint not null,
  -- Events of the turn's log that were written with the step:
  -- [id, type, milliseconds, data], and the seq of the first.
  -- The type is json, because jsonb takes a third more space.
  events json not null default '[]',
  first_event_seq integer,
  primary key (turn_id, step)
) with (autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);
create trigger turn_steps_kept before delete on turn_steps for each statement execute function guard_retention();

-- The rules are those for turn_events: events of an erased turn lose their texts.
create function guard_step_events() returns trigger language plpgsql as $$
declare
  ended turns;
begin
  select t.* into ended from turns t where t.turn_id = old.turn_id and t.finished_at is not null;
  if coalesce(ended.turn_id is null or new.first_event_seq is distinct from old.first_event_seq
    or json_array_length(new.events) <> json_array_length(old.events) or exists (
      select from rows from (jsonb_array_elements(old.events::jsonb), jsonb_array_elements(new.events::jsonb)) e (was, is_now)
      where e.was - 3 <> e.is_now - 3 or not (e.was -> 3) @> (e.is_now -> 3)), true)
  then
    raise exception 'events of % are append-only', tg_table_name using errcode = '23514';
  end if;
  return null;
end $$;
create trigger turn_steps_events_redacted_only after update of events, first_event_seq on turn_steps
  for each row when (new.events::text <> old.events::text or new.first_event_seq is distinct from old.first_event_seq)
  execute function guard_step_events();

------------------------------------------------------------------------------------------------------------------------
-- Totals of spaces

-- The sums of the ended turns of a space, without the turns in turn_ends.
create table space_totals (
  space_id bigint primary key,
  turns bigint not null,
  billed_credit_micros bigint not null,
  last_ended_at timestamptz
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);

-- The same for each writer: an account in its web chat (end_user_ref ''), or an end user of an account.
create table space_people (
  space_id bigint not null,
  user_id bigint not null,
  end_user_ref text not null,
  turns bigint not null,
  tokens_input bigint not null,
  tokens_cached bigint not null,
  tokens_output bigint not null,
  billed_credit_micros bigint not null,
  last_ended_at timestamptz not null,
  primary key (space_id, user_id, end_user_ref)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);

-- The last model call of each agent of a space in its ended turns, without the turns in turn_ends.
-- agent: '' for the space's own agent, otherwise the name of a sub-agent.
create table space_sessions (
  space_id bigint not null,
  agent text not null,
  model text not null,
  tokens_input bigint not null,
  turn_id text not null,
  step integer not null,
  called_at timestamptz not null,
  primary key (space_id, agent)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);

------------------------------------------------------------------------------------------------------------------------
-- Files

-- A file's bytes are in the bucket under object_key. Only 'ready' files are visible.
-- 'pending' files were made by the agent of a turn that has not ended.
create table files (
  file_id text primary key,
  user_id bigint not null references users,
  space_id bigint not null references spaces,
  test boolean not null,
  key_id text references api_keys,
  turn_id text references turns,
  name text not null,
  media_type text not null,
  bytes bigint not null default 0 check (bytes >= 0),
  sha256 text not null default '',
  object_key text not null unique,
  -- For files that an agent made: later calls of the turn have
  -- greater places. The last file with a name is the output.
  place integer,
  -- An image. Its call has its own price, so the file is kept however the turn ends.
  paid boolean not null default false,
  state text not null check (state in ('uploading', 'pending', 'ready', 'deleted')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- When the object of a deleted file was removed from the bucket.
  object_removed_at timestamptz,
  -- The member of the space who uploaded the file. Null if its owner did, or an agent made it.
  member_id bigint,
  -- When the file was deleted. Its storage is billed until then.
  deleted_at timestamptz
);
create index files_of_space on files (space_id, file_id collate "C" desc) where state = 'ready';
create index files_of_turn on files (turn_id) where turn_id is not null;
create index files_to_remove on files (updated_at) where state = 'deleted' and object_removed_at is null;
create index files_uploading on files (created_at) where state = 'uploading';
-- The files that an account stores and has stored, for its bill.
create index files_kept on files (user_id) include (bytes) where state in ('uploading', 'pending', 'ready');
create index files_stored on files (user_id) include (created_at, bytes) where state in ('pending', 'ready') and not test;
create index files_stored_before on files (user_id, deleted_at) include (created_at, bytes) where deleted_at is not null and not test;

-- updated_at of a deleted file also changes when its bytes cannot be removed.
create function note_deleted_at() returns trigger language plpgsql as $$
begin
  new.deleted_at := new.updated_at;
  return new;
end $$;
create trigger files_note_deleted_at before update of state on files
  for each row when (new.state = 'deleted' and old.state <> 'deleted') execute function note_deleted_at();

------------------------------------------------------------------------------------------------------------------------
-- Tasks

create table tasks (
  task_id bigint generated always as identity primary key,
  space_id bigint not null references spaces,
  brand text not null,
  state text not null default 'open' check (state in ('open', 'closed', 'done', 'cancelled')),
  title text not null,
  description text,
  flow text,
  end_user_ref text,
  assignee_user_id bigint references users,
  creator_user_id bigint references users,
  -- The agent's call that created the task. A repeated call finds it again.
  turn_id text references turns,
  call_key text unique,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- The step in the flow: 1, 2, 3, … of one end user in one space.
  flow_place integer check (flow_place > 0)
);
create index tasks_of_space on tasks (space_id, task_id desc);
create index tasks_of_assignee on tasks (assignee_user_id, task_id desc) where assignee_user_id is not null;
create index tasks_of_creator on tasks (creator_user_id, task_id desc) where creator_user_id is not null;
create index tasks_of_flow on tasks (space_id, end_user_ref, flow, flow_place) where flow is not null;

------------------------------------------------------------------------------------------------------------------------
-- Billing

-- An account's balance and the holds of its open turns. The available credit is balance - held.
-- With shards, the balance is the posted part, and the rest is in the shards (src/wallets/wallet.sql).
create table wallets (
  user_id bigint primary key references users,
  balance_credit_micros bigint not null default 0,
  held_credit_micros bigint not null default 0,
  -- The number of shards. 0: none, and every change is made here.
  shards integer not null default 0,
  -- The most that a turn may hold without locking every shard. It is set when the account gets shards.
  shard_hold_credit_micros bigint not null default 0,
  -- The posted part of all charges in its shards.
  folded_credit_micros bigint not null default 0,
  -- How often a turn had to wait for this row recently.
  waits integer not null default 0,
  -- The event balance.low is sent below this balance. 0: never.
  low_balance_credit_micros bigint not null default 10000000,
  -- True if balance.low and balance.depleted were sent. Each
  -- is sent once until it no longer holds (follow_balance).
  low_told boolean not null default false,
  depleted_told boolean not null default false,
  -- The limits of each end user, if neither they nor the key have one.
  end_user_daily_credit_micros bigint,
  end_user_monthly_credit_micros bigint,
  -- The price of end users, and whether they are prepaid, if neither they nor the key say it. Null: no price, or not
  -- prepaid.
  end_user_price text,
  end_user_prepaid boolean,
  -- The rate of each end user, if neither they nor the key have one. Null: none.
  end_user_rate jsonb,
  -- The keys of metadata by which usage may be grouped. Null: none.
  usage_keys jsonb,
  -- When a turn was last refused in a way that workers remember for some seconds. Null: never.
  refused_at timestamptz
-- guard_wallet() has the rules of a row.
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500);

-- Rejects a wallet that breaks a rule of a row (see guard_turn).
create function guard_wallet() returns trigger language plpgsql as $$
declare
  broken text := case
    when new.balance_credit_micros < new.held_credit_micros then 'wallets_never_overspent'
    when least(new.held_credit_micros, new.low_balance_credit_micros, new.end_user_daily_credit_micros, new.end_user_monthly_credit_micros) < 0
      or new.shards < 0 then 'wallets_amounts'
    when jsonb_typeof(new.usage_keys) <> 'array' then 'wallets_usage_keys'
    when jsonb_typeof(new.end_user_rate) <> 'object' then 'wallets_end_user_rate'
    end;
begin
  if broken is not null then
    raise exception 'the wallet of account % breaks %', new.user_id, broken using errcode = '23514', constraint = broken;
  end if;
  return null;
end $$;
create trigger wallets_guarded after insert or update on wallets for each row execute function guard_wallet();

-- Charges (negative), holds and releases of an account since it got shards.
-- A transaction changes one shard that no other transaction has locked, or locks all shards by number.
create table wallet_shards (
  user_id bigint not null,
  shard integer not null,
  balance_credit_micros bigint not null default 0,
  held_credit_micros bigint not null default 0,
  primary key (user_id, shard)
) with (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- The posted balance covers the holds in shards, like the check of the wallet for accounts without shards.
create function guard_posted_balance() returns trigger language plpgsql as $$
begin
  if new.balance_credit_micros < (select coalesce(sum(s.held_credit_micros), 0) from wallet_shards s where s.user_id = new.user_id) then
    raise exception 'account % has less posted than is held', new.user_id using errcode = 'check_violation';
  end if;
  return new;
end $$;
-- An after trigger, because a before trigger would lock the row first and write a log record for that.
create trigger wallets_cover_shards after update of balance_credit_micros on wallets
  for each row when (new.shards > 0) execute function guard_posted_balance();

-- Charges of turns that have ended and are not in the ledger yet (src/billing/post-charges.sql).
create table postings (
  posting_id bigint generated always as identity primary key,
  user_id bigint not null,
  reason text not null,
  amount_credit_micros bigint not null,
  turn_id text not null,
  -- When the turn ended.
  created_at timestamptz not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
create index postings_of_account on postings (user_id, posting_id);
create index postings_by_time on postings (created_at);

-- The ledger of all accounts.
create table ledger (
  ledger_id bigint generated always as identity primary key,
  user_id bigint not null,
  reason text not null,
  amount_credit_micros bigint,
  balance_after_credit_micros bigint not null,
  -- A commission has an amount in a currency (ISO 4217, in its minor units) and no credit.
  currency text,
  currency_amount_minor bigint,
  turn_id text,
  -- The unique reference of an entry, so that it is booked
  -- once: its source and a payment's id or an Idempotency-Key.
  reference text,
  actor text not null,
  note text,
  created_at timestamptz not null
-- guard_ledger() has the rules of a row.
) with (autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);
-- Rejects an entry that breaks a rule of a row (see guard_turn).
create function guard_ledger() returns trigger language plpgsql as $$
declare
  is_commission boolean := new.reason = 'referral_credit_commission';
  broken text := case
    when new.reason not in ('admin_grant', 'admin_action', 'operator_topup', 'signup_credit', 'referral_signup_credit',
      'manual_topup', 'credit_purchase', 'usage', 'space_usage', 'referral_credit_commission') then 'ledger_reason'
    when new.balance_after_credit_micros < 0 then 'ledger_balance'
    -- A commission has an amount in a currency and no credit.
    when is_commission <> (new.amount_credit_micros is null) then 'ledger_commission_is_currency_only'
    when (new.currency is null) <> (new.currency_amount_minor is null) or new.currency_amount_minor <= 0
      or (new.currency is not null and (not is_commission or new.currency !~ '^[A-Z]{3}$')) then 'ledger_currency'
    when case when new.reason in ('usage', 'space_usage') then new.amount_credit_micros >= 0
      when new.reason = 'admin_action' then new.amount_credit_micros = 0
      else new.amount_credit_micros <= 0 end then 'ledger_sign'
    end;
begin
  if broken is not null then
    raise exception 'an entry of account % breaks %', new.user_id, broken using errcode = '23514', constraint = broken;
  end if;
  return null;
end $$;
create trigger ledger_guarded after insert on ledger for each row execute function guard_ledger();
create index ledger_by_owner on ledger (user_id, ledger_id);
create unique index ledger_one_entry_per_reference on ledger (reference) where reference is not null;
create unique index ledger_one_charge_per_turn on ledger (turn_id) where reason in ('usage', 'space_usage');
-- A correction that names a turn is its refund.
create unique index ledger_one_refund_per_turn on ledger (turn_id) where reason = 'admin_action' and turn_id is not null;
-- All entries except the charges of turns: credit that an account got, and its other spend.
create index ledger_without_charges on ledger (user_id, created_at) include (reason, amount_credit_micros)
  where reason not in ('usage', 'space_usage') or turn_id is null;
create trigger ledger_append_only before update or delete on ledger
  for each statement execute function guard_append_only();

-- Requests of owners for the refund of a turn, one per turn (src/billing/refund-requests.sql).
create table refund_requests (
  turn_id text primary key,
  user_id bigint not null references users,
  state text not null default 'open' check (state in ('open', 'refunded', 'declined')),
  -- The amount that the turn was billed.
  amount_credit_micros bigint not null check (amount_credit_micros > 0),
  reason text not null,
  -- The operator's words about the decision, for the owner. Null: it is open.
  answer text,
  requested_at timestamptz not null,
  decided_at timestamptz,
  check ((state = 'open') = (decided_at is null) and (state = 'open') = (answer is null))
);
create index refund_requests_of_account on refund_requests (user_id, requested_at, turn_id);
create index refund_requests_by_time on refund_requests (requested_at, turn_id);
create index refund_requests_open on refund_requests (user_id) where state = 'open';

-- The budgets of accounts for a month (UTC). A budget only tells its owner (src/spending/tell-budget.sql).
create table budgets (
  user_id bigint primary key references users,
  -- Null: it was deleted. Its row still says what was told in this month.
  amount_credit_micros bigint check (amount_credit_micros > 0),
  -- The parts of the amount that are told, in percent.
  percents integer[] not null,
  -- True if a forecast above the amount is told.
  forecast boolean not null,
  -- The alerts that were told in a month for an amount, with their times: percents, and `forecast`.
  told jsonb not null default '{}',
  told_month date,
  told_amount bigint,
  -- The last ledger row that was looked at.
  ledger_id bigint not null default 0,
  updated_at timestamptz not null
);

-- Days on which an end user, a key or a space spent far above its own pattern (src/spending/unusual.ts). Days in a row
-- are one anomaly.
create table anomalies (
  anomaly_id text primary key,
  user_id bigint not null references users,
  kind text not null check (kind in ('space', 'key', 'end_user')),
  -- The slug of a space, a key_id, or an end_user_ref.
  subject text not null,
  first_day date not null,
  last_day date not null check (last_day >= first_day),
  -- Of the day with the highest spend.
  spent_credit_micros bigint not null,
  usual_credit_micros bigint not null,
  found_at timestamptz not null,
  -- Null: it is open.
  dismissed_at timestamptz,
  unique (user_id, kind, subject, first_day)
);
create index anomalies_of_account on anomalies (user_id, found_at, anomaly_id);
create index anomalies_by_begin on anomalies (user_id, first_day);
create index anomalies_by_end on anomalies (last_day);

-- The round in which the spend of all accounts is compared with its pattern (src/spending/sweep-anomalies.ts).
create table anomaly_rounds (
  one boolean primary key default true check (one),
  begun_at timestamptz not null,
  -- Where the round continues. Null: it is over.
  place jsonb
);

-- Accounts whose ledger is exported as events (src/billing/export-ledger.sql). ledger_id: the last exported row.
-- Hours before closed_until are closed: no row comes into them any more.
create table ledger_exports (
  user_id bigint primary key references users,
  enabled boolean not null,
  started_at timestamptz not null,
  ledger_id bigint not null,
  closed_until timestamptz not null
);

-- The exported rows of an hour (UTC): their number, sum and digest. An hour without rows has no row here.
create table export_hours (
  user_id bigint not null,
  hour timestamptz not null,
  rows bigint not null,
  sum_credit_micros bigint not null,
  digest bytea not null,
  -- Null: rows still come into it.
  closed_at timestamptz,
  primary key (user_id, hour)
);
create index export_hours_open on export_hours (user_id, hour) where closed_at is null;

-- The public halves of the keys that have signed receipts and statements, or the identity of tools' calls. A key that
-- left the key ring keeps its row.
create table signing_keys (
  kid text primary key,
  public_key text not null,
  purpose text not null check (purpose in ('receipts', 'identity')),
  created_at timestamptz not null,
  -- Since then it neither signs nor is published, so documents that it signed are no longer valid.
  withdrawn_at timestamptz,
  withdrawn_because text
);

-- Statements of months (UTC) that an account has asked for. A sweep reads the receipts of a month page by page
-- (src/receipts/build-statement.ts). The sums and digests are those of the receipts and refunds that it has read.
create table statements (
  user_id bigint not null references users,
  month date not null,
  -- Raised by each page. A page that was read twice is added once.
  pages integer not null default 0,
  -- The last receipt that was read.
  read_at timestamptz not null default '-infinity',
  read_turn_id text not null default '',
  -- [{day, receipts, charged, digest}], for each day with receipts.
  days jsonb not null default '[]',
  receipts bigint not null default 0,
  charged_credit_micros bigint not null default 0,
  -- Refunds are read after all receipts. ledger_id: the last refund that was read. Null: receipts are still read.
  ledger_id bigint,
  refunds bigint not null default 0,
  refunded_credit_micros bigint not null default 0,
  refund_digest text not null default '',
  -- Charges without a turn: containers and storage.
  other_charges bigint not null default 0,
  other_credit_micros bigint not null default 0,
  created_at timestamptz not null,
  -- When the sweep last tried it. Statements that failed come after all others.
  tried_at timestamptz,
  closed_at timestamptz,
  primary key (user_id, month)
);
create index statements_open on statements (tried_at nulls first) where closed_at is null;

-- The company, address and tax number that an account's statements show.
create table billing_details (
  user_id bigint primary key references users,
  company text not null,
  -- In lines.
  address text not null,
  tax_number text not null,
  updated_at timestamptz not null
);

-- CSV files of reports that are too large for an answer. A callback writes them in parts
-- (docs/architecture/files.md).
create table report_files (
  file_id text primary key,
  -- The operator who asked for the file. No other user reads it.
  user_id bigint not null references users,
  report text not null,
  -- The days and filters that the file has.
  asked jsonb not null,
  -- The keys of the report's entries, in their order. They are removed when the file has ended.
  entries text[] not null,
  total integer not null,
  written integer not null default 0,
  rows bigint not null default 0,
  bytes bigint not null default 0,
  -- The objects of the parts, in their order.
  parts text[] not null default '{}',
  state text not null default 'making' check (state in ('making', 'ready', 'failed')),
  -- The number of the claim. A part of an earlier claim is not stored.
  epoch integer not null default 0,
  -- Claims since the last part that was stored.
  tries integer not null default 0,
  leased_until timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- When the file is removed. Null while it is made.
  expires_at timestamptz,
  check ((state = 'making') = (expires_at is null)),
  check (written <= total and (state <> 'ready' or written = total))
);
create index report_files_of_user on report_files (user_id, file_id);
create index report_files_making on report_files (updated_at) where expires_at is null;
create index report_files_ended on report_files (expires_at) where expires_at is not null;

create index ledger_by_time on ledger using brin (created_at) with (pages_per_range = 64, autosummarize = on);

-- One row for each committed model call and for each picture.
-- Columns of a fixed width come first, so that no row is padded.
create table model_calls (
  user_id bigint not null,
  space_id bigint not null,
  -- The counts of the call (CALL_COUNTS in src/agent/token-names.ts). Null: 0.
  tokens_input bigint not null,
  tokens_cached bigint not null,
  tokens_cache_written bigint,
  tokens_cache_written_hour bigint,
  tokens_audio bigint,
  tokens_output bigint not null,
  tokens_reasoning bigint,
  web_searches bigint,
  x_searches bigint,
  code_executions bigint,
  duration_sec double precision not null,
  cost_credit_micros bigint not null,
  -- Set when the turn is settled.
  billed_credit_micros bigint not null,
  -- The cost of a test turn's call that its end user is charged for (turns.rehearsed_cost_credit_micros). Null: no such
  -- turn.
  rehearsed_credit_micros bigint,
  -- The cost of the call for us, at the provider's prices. Null: the same as cost_credit_micros.
  provider_credit_micros bigint,
  created_at timestamptz not null,
  -- finished_at of the turn. Null until then.
  settled_at timestamptz,
  step integer not null,
  price_version integer not null,
  -- The tool call of the step that made a picture. Null for the step's own model call.
  call integer,
  test boolean not null,
  -- True for a web chat: a turn without a key.
  chat boolean not null generated always as (key_id is null) stored,
  turn_id text not null,
  conversation_id text not null,
  key_id text,
  -- Empty for a web chat.
  end_user_ref text not null,
  provider text not null,
  -- The pool member that served the call. Otherwise the sub_id of the account's active plan, or null.
  subscription_id text,
  model text not null,
  role text not null default 'orchestrator',
  subagent text,
  -- The modifiers of the price that the provider's answer has named (src/catalog/price-terms.ts). Null: none.
  modifiers jsonb,
  -- The provider's id of the answer, as its own reports name the call. Null: the answer had none, or a picture's.
  response_id text
-- guard_model_call() has the rules of a row.
) with (autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);
-- Rejects a model call that breaks a rule of a row (see guard_turn).
create function guard_model_call() returns trigger language plpgsql as $$
declare
  broken text := case
    when new.billed_credit_micros not in (0, new.cost_credit_micros) then 'model_calls_billed'
    when new.tokens_cached not between 0 and new.tokens_input
      or least(new.tokens_input, new.tokens_output, new.cost_credit_micros, new.provider_credit_micros) < 0 or new.duration_sec < 0 then 'model_calls_amounts'
    when new.role not in ('orchestrator', 'subagent', 'summary') then 'model_calls_role'
    end;
begin
  if broken is not null then
    raise exception 'a model call of turn % breaks %', new.turn_id, broken using errcode = '23514', constraint = broken;
  end if;
  return null;
end $$;
create trigger model_calls_guarded after insert or update on model_calls for each row execute function guard_model_call();

create unique index model_calls_once on model_calls (turn_id, step, coalesce(call, -1));
create index usage_settled on model_calls (user_id, settled_at) include (space_id, key_id, end_user_ref, model,
  turn_id, billed_credit_micros, tokens_input, tokens_cached, tokens_output) where settled_at is not null and not chat;

create index model_calls_by_end on model_calls using brin (settled_at) with (pages_per_range = 64, autosummarize = on);
create index model_calls_by_time on model_calls using brin (created_at) with (pages_per_range = 64, autosummarize = on);

-- The usage records: the calls of turns with a key. The v1 worker may read only these.
create view usage as
  select c.turn_id, c.step, c.call, c.user_id, c.space_id, c.key_id, c.end_user_ref, c.conversation_id, c.test, c.provider, c.subscription_id,
    c.model, c.role, c.subagent, c.tokens_input, c.tokens_cached, c.tokens_cache_written, c.tokens_cache_written_hour, c.tokens_audio, c.tokens_output,
    c.tokens_reasoning, c.web_searches, c.x_searches, c.code_executions, c.duration_sec, c.price_version, c.modifiers, c.cost_credit_micros, c.billed_credit_micros, c.created_at, c.settled_at
  from model_calls c where not c.chat;

-- The calls of web-chat turns. api_turns has their sums.
create view chat_calls as
  select c.turn_id, c.step, c.call, c.user_id, c.space_id, c.end_user_ref, c.conversation_id, c.test, c.provider, c.subscription_id,
    c.model, c.role, c.subagent, c.tokens_input, c.tokens_cached, c.tokens_cache_written, c.tokens_cache_written_hour, c.tokens_audio, c.tokens_output,
    c.tokens_reasoning, c.web_searches, c.x_searches, c.code_executions, c.duration_sec, c.price_version, c.modifiers, c.cost_credit_micros, c.billed_credit_micros, c.created_at, c.settled_at
  from model_calls c where c.chat;

-- The use of each subscription by the day (UTC) on which turns ended, without the turns in turn_ends.
create table subscription_days (
  day date not null,
  subscription_id text not null,
  model_calls bigint not null,
  tokens_input bigint not null,
  tokens_cached bigint not null,
  tokens_output bigint not null,
  billed_credit_micros bigint not null,
  primary key (day, subscription_id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
-- Reports read a year of a few subscriptions from this index, whose rows lie on as many pages as the year has days.
create index subscription_days_of on subscription_days (subscription_id, day)
  include (model_calls, tokens_input, tokens_cached, tokens_output, billed_credit_micros);

-- Live turns, their costs and their bills by the day (UTC) on which the turns ended, without the turns in turn_ends.
-- Refunds are on the day of their booking, by the states of their turns.
create table service_days (
  day date not null,
  state text not null,
  turns bigint not null,
  cost_credit_micros bigint not null,
  billed_credit_micros bigint not null,
  refunded_credit_micros bigint not null default 0,
  primary key (day, state)
) with (fillfactor = 70);

-- One row for each ended web-chat turn of an account (a turn without a key), as usage has rows for turns of keys.
create table api_turns (
  turn_id text primary key,
  user_id bigint not null,
  space_id bigint not null,
  provider text not null,
  model text not null,
  model_calls integer not null,
  tokens_input bigint not null check (tokens_input >= 0),
  tokens_cached bigint not null check (tokens_cached >= 0 and tokens_cached <= tokens_input),
  tokens_cache_written bigint not null default 0,
  tokens_output bigint not null check (tokens_output >= 0),
  -- The time from its start to its end.
  duration_sec double precision not null check (duration_sec >= 0),
  cost_credit_micros bigint not null check (cost_credit_micros >= 0),
  billed_credit_micros bigint not null check (billed_credit_micros in (0, cost_credit_micros)),
  created_at timestamptz not null
);
create index api_turns_by_owner on api_turns (user_id, created_at);

-- Costs of model calls that no account pays, at the catalog's prices, by cause (src/billing/losses.ts).
create table losses (
  loss_id bigint generated always as identity primary key,
  turn_id text not null,
  cause text not null,
  -- Null: a worker was lost, so the cost of its calls is not known.
  credit_micros bigint check (credit_micros >= 0),
  created_at timestamptz not null
);
create index losses_by_time on losses (created_at);

-- One pass of the reconciliation over the books, in slices. phase and position say where it continues.
create table reconciliations (
  reconciliation_id text primary key,
  started_by text not null,
  phase text not null,
  position text not null default '',
  accounts bigint not null default 0,
  ledger_rows bigint not null default 0,
  turns bigint not null default 0,
  counters bigint not null default 0,
  findings bigint not null default 0,
  started_at timestamptz not null,
  finished_at timestamptz,
  -- All history, or the changes since the marks of the last pass.
  scope text not null default 'all' check (scope in ('all', 'recent')),
  -- By phase: the number of rows of the next slice. While a slice is tried, it is half of that slice.
  sizes jsonb not null default '{}',
  -- The marks at its start. All turns up to turn_from had ended and
  -- were checked, and so were all ledger rows up to ledger_from.
  turn_from text not null default '',
  ledger_from bigint not null default 0,
  -- The marks that it leaves. Everything up to them existed
  -- and had ended at this time, shortly before the pass began.
  settled_before timestamptz not null,
  turn_mark text,
  ledger_mark bigint
);
create unique index reconciliations_one_open on reconciliations ((true)) where finished_at is null;
create index reconciliations_by_start on reconciliations (started_at desc);

create table reconciliation_findings (
  finding_id bigint generated always as identity primary key,
  reconciliation_id text not null references reconciliations,
  kind text not null,
  user_id bigint,
  turn_id text,
  ledger_id bigint,
  -- The row of spend_counters: {kind, subject, period, starts_at}.
  counter jsonb,
  expected_credit_micros bigint,
  found_credit_micros bigint,
  found_at timestamptz not null,
  repaired_at timestamptz
);
create index reconciliation_findings_of_pass on reconciliation_findings (reconciliation_id, finding_id);

-- The time of calls in containers, written with their results.
create table container_calls (
  call_id bigint generated always as identity primary key,
  user_id bigint not null,
  space_id bigint not null,
  turn_id text not null,
  container text not null,
  milliseconds bigint not null check (milliseconds >= 0),
  created_at timestamptz not null,
  -- When an account was billed for the call.
  billed_at timestamptz
);
create index container_calls_to_bill on container_calls (user_id) include (milliseconds) where billed_at is null;
create index container_calls_billed on container_calls (billed_at) where billed_at is not null;

-- A run that bills all accounts for their usage up to a time, at the prices of its start (credit micros).
-- position: the account that it billed last.
create table infra_runs (
  run_id bigint generated always as identity primary key,
  until_at timestamptz not null,
  container_second_micros double precision not null,
  stored_gib_hour_micros double precision not null,
  position bigint not null default 0,
  started_at timestamptz not null,
  finished_at timestamptz
);
create unique index infra_runs_one_open on infra_runs ((true)) where finished_at is null;

-- The time up to which an account's containers and storage are billed, and the amount that it could not pay yet.
create table infra_accounts (
  user_id bigint primary key,
  billed_until timestamptz not null,
  due_credit_micros bigint not null default 0 check (due_credit_micros >= 0)
);
create index infra_accounts_with_dues on infra_accounts (user_id) where due_credit_micros > 0;

-- An account's usage in a period, its cost, and the charge for it and for earlier dues: its ledger row.
create table infra_bills (
  bill_id bigint generated always as identity primary key,
  run_id bigint not null,
  user_id bigint not null,
  -- Null: since the beginning of the account.
  starts_at timestamptz,
  ends_at timestamptz not null,
  container_milliseconds bigint not null,
  stored_byte_seconds numeric not null,
  cost_credit_micros bigint not null check (cost_credit_micros >= 0),
  billed_credit_micros bigint not null check (billed_credit_micros >= 0),
  ledger_id bigint unique,
  created_at timestamptz not null,
  unique (user_id, run_id),
  constraint infra_bills_are_booked check ((ledger_id is null) = (billed_credit_micros = 0))
);
create trigger infra_bills_append_only before update or delete on infra_bills
  for each statement execute function guard_append_only();

------------------------------------------------------------------------------------------------------------------------
-- Quotas

-- The subjects whose spend is counted, and since when. They
-- are keys and accounts with a cap, members of shared spaces,
-- and all end users of an account in which a limit binds one (subject ''). Other spend is only in the books.
create table spend_counted (
  user_id bigint not null,
  kind text not null check (kind in ('key', 'end_user', 'account', 'members')),
  subject text not null,
  since timestamptz not null,
  primary key (user_id, kind, subject)
);

-- The spent and reserved amounts of each day, month and window,
-- by the turns accepted in it. Caps are checked against them.
-- The procedures that accept and end turns update them (src/quotas/counters.sql).
create table spend_counters (
  user_id bigint not null,
  kind text not null check (kind in ('key', 'end_user', 'account', 'members', 'test_end_user')),
  -- A key_id, an end_user_ref, or the space_id of a space whose members spend. test_end_user: the rehearsed amounts of
  -- an end user's test turns, which are no part of another kind.
  subject text not null,
  period text not null check (period in ('day', 'month', 'window')),
  starts_at timestamptz not null,
  spent_credit_micros bigint not null check (spent_credit_micros >= 0),
  reserved_credit_micros bigint not null check (reserved_credit_micros >= 0),
  -- The events of its cap that were sent: `percent/limit`, each once per period (tell_cap).
  told text[] not null default '{}',
  -- True if it began with sums of the books, because its period had begun before it was counted.
  counted boolean not null default false,
  -- True if later changes are in spend_counter_shards.
  sharded boolean not null default false,
  primary key (user_id, kind, subject, period, starts_at)
) with (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500);
-- Months are kept longer than days and windows (src/quotas/sweep-counters.ts).
create index spend_counters_short on spend_counters (starts_at) where period <> 'month';
create index spend_counters_months on spend_counters (starts_at) where period = 'month';

-- The part of a counter that was counted by transactions with this shard of the account's wallet.
create table spend_counter_shards (
  user_id bigint not null,
  kind text not null,
  subject text not null,
  period text not null,
  starts_at timestamptz not null,
  shard integer not null,
  spent_credit_micros bigint not null,
  reserved_credit_micros bigint not null,
  primary key (user_id, kind, subject, period, starts_at, shard)
) with (fillfactor = 40, autovacuum_vacuum_scale_factor = 0.02);
create index spend_counter_shards_by_time on spend_counter_shards (starts_at);

------------------------------------------------------------------------------------------------------------------------
-- Webhooks and events

-- The feed of an account: one row per event. For a transition it has only what the turn's row no longer has
-- (src/webhooks/event-payload.ts). It has no foreign keys, because each turn writes three rows.
create table events (
  event_id text not null,
  user_id bigint not null,
  test boolean not null,
  type text not null,
  turn_id text,
  seq integer,
  -- Visible to keys and endpoints of this space, or of spaces
  -- that this key created. Null: only to the whole account.
  space_id bigint,
  created_by_key_id text,
  data jsonb not null default '{}',
  -- The hold of its turn at that time, while the turn was open. The
  -- turn's row does not keep it (src/webhooks/event-payload.ts).
  held_credit_micros bigint,
  created_at timestamptz not null,
  -- The transaction that wrote it. A forward reader sees only
  -- events older than every open transaction, so it misses none.
  -- 0: the event was restored from a dump (src/ops/restored.ts), because a new server counts from the start again.
  xact xid8 not null default pg_current_xact_id(),
  constraint events_of_a_turn_have_a_seq check ((turn_id is null) = (seq is null))
) with (autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);
create unique index events_of_owner on events (user_id, test, event_id collate "C");
-- Events of one transaction are few, so readers sort them.
create index events_forward on events (user_id, test, xact);
create unique index events_of_turn on events (turn_id, seq) where turn_id is not null;
-- When the database was restored from a dump (src/ops/restored.ts).
create table restores (restored_at timestamptz primary key);
-- Events without a turn, for their retention.
create index events_without_turn on events (event_id collate "C") where turn_id is null;
create trigger events_append_only before update on events for each statement execute function guard_append_only();
create trigger events_kept before delete on events for each statement execute function guard_retention();

-- The log of a turn. It is empty if the turn's steps were deleted: without them the log would have gaps.
create view turn_log as
  select e.turn_id, e.seq, e.event_id, e.type, e.data, e.created_at from turn_events e
  union all
  select p.turn_id, p.first_event_seq + d.number::integer - 1, d.draft ->> 0, d.draft ->> 1, (d.draft -> 3)::jsonb,
      to_timestamp((d.draft ->> 2)::bigint / 1000.0)
    from turn_steps p, json_array_elements(p.events) with ordinality d (draft, number)
  union all
  select e.turn_id, e.seq, e.event_id, e.type, jsonb_build_object('state', substr(e.type, 6)) || e.data, e.created_at
    from events e
    -- A decision is in the feed and in the log, which is kept longer.
    where e.turn_id is not null and e.type <> 'call.decided' and (select t.steps_deleted_at from turns t where t.turn_id = e.turn_id) is null;

-- scope and key_id are from the key that created the endpoint. The endpoint gets the events that this key may see.
create table webhook_endpoints (
  webhook_id text primary key,
  user_id bigint not null references users,
  test boolean not null,
  key_id text references api_keys,
  scope text not null check (scope in ('created', 'space', 'all')),
  space_id bigint references spaces,
  url text not null,
  -- Null: every type, including future ones.
  events jsonb check (events is null or jsonb_typeof(events) = 'array'),
  description text,
  -- Sealed by the key ring. Former secrets sign too, the last one until previous_until (former_signing_secrets).
  secret text not null,
  previous_until timestamptz,
  disabled_at timestamptz,
  disabled_reason text check (disabled_reason in ('customer', 'gone', 'failing', 'account_disabled')),
  -- Disabling or removing it gives up its deliveries. True until the sweep finds no pending delivery.
  -- The sweep's last try is below.
  stopping boolean not null default false,
  stop_tried_at timestamptz,
  -- The first failure since the last success.
  failing_since timestamptz,
  -- When a wake of its dispatcher was sent that has not arrived yet.
  woken_at timestamptz,
  -- Its slot among the account's endpoints. Unique slots limit their number, also for concurrent requests.
  slot integer not null check (slot between 1 and 50),
  deleted_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- When its URL answered a ping with 2xx. Null: not yet, and only pings are sent to it.
  verified_at timestamptz,
  -- The delivery of the ping that it must answer, while it is not verified. Null: no ping was sent yet.
  ping_id text,
  -- The URL as it is called. An account has one endpoint per URL.
  target text not null,
  -- When the allowance for resent events is full again (src/webhooks/bounds.sql).
  resends_free_at timestamptz,
  -- About when the result of an attempt was last stored: at most 30 s too early.
  attempted_at timestamptz,
  -- The person who set its URL: in a session, or with a key whose value the person knows.
  made_by bigint not null references users,
  constraint webhook_endpoints_disabled_for_a_reason check ((disabled_at is null) = (disabled_reason is null)),
  constraint webhook_endpoints_scope_names_its_bounds check (
    case scope when 'space' then space_id is not null when 'created' then key_id is not null else true end)
) with (fillfactor = 50);
create index webhook_endpoints_of_owner on webhook_endpoints (user_id, test, webhook_id collate "C" desc)
  where deleted_at is null;
-- The search of operators over all accounts.
create index webhook_endpoints_of_url on webhook_endpoints ((folded(url) collate "C")) where deleted_at is null;
create unique index webhook_endpoints_slot on webhook_endpoints (user_id, test, slot) where deleted_at is null;
create index webhook_endpoints_stop_tried on webhook_endpoints (stop_tried_at nulls first) where stopping;

-- Secrets that an endpoint had before their rotation, as they
-- were sealed for it. Each signs until its own overlap ends.
create table former_signing_secrets (
  webhook_id text not null references webhook_endpoints,
  secret text not null,
  signs_until timestamptz not null,
  primary key (webhook_id, secret)
);

-- The deliveries to a receiving host, over all accounts. The next one may start at once while free_at is less than
-- the bound's time away (src/webhooks/bounds.sql). A host without a row had no recent deliveries.
create table webhook_hosts (
  host text not null,
  test boolean not null,
  free_at timestamptz not null,
  primary key (host, test)
) with (fillfactor = 50);

-- One event on its way to one endpoint.
create table webhook_deliveries (
  -- Made from the event and the endpoint, so that there is one delivery for both without another index.
  delivery_id text primary key,
  webhook_id text not null references webhook_endpoints,
  -- There is no foreign key: the procedure that writes the delivery has
  -- written or read the event, and an event is deleted after its deliveries.
  event_id text not null,
  turn_id text,
  seq integer,
  state text not null default 'pending' check (state in ('pending', 'delivered', 'failed')),
  status_reason text,
  -- attempts: all attempts that have ended.
  -- round: the attempts since it was created or last sent again, which the retry schedule counts.
  attempts integer not null default 0,
  round integer not null default 0,
  epoch integer not null default 0,
  lease_until timestamptz,
  next_attempt_at timestamptz,
  created_at timestamptz not null,
  finished_at timestamptz,
  constraint webhook_deliveries_pending_has_a_time check ((state = 'pending') = (next_attempt_at is not null)),
  constraint webhook_deliveries_end_is_noted check ((state = 'pending') = (finished_at is null))
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05);
-- There is no index on the lease, so a claim writes no index.
create index webhook_deliveries_due on webhook_deliveries (webhook_id, next_attempt_at, event_id collate "C")
  where state = 'pending';
create index webhook_deliveries_of_endpoint on webhook_deliveries (webhook_id, delivery_id collate "C");
create index webhook_deliveries_of_turn on webhook_deliveries (turn_id) where turn_id is not null;
-- Ended deliveries without a turn, for their retention.
create index webhook_deliveries_without_turn on webhook_deliveries (finished_at) where turn_id is null and finished_at is not null;

create table webhook_attempts (
  delivery_id text not null references webhook_deliveries,
  attempt integer not null check (attempt > 0),
  -- The HTTP status. Null with an error if there was no response.
  status integer,
  error text,
  -- The first KiB of the response body.
  answer text,
  -- The target of a redirect.
  location text,
  duration_ms integer not null,
  created_at timestamptz not null,
  primary key (delivery_id, attempt)
);

-- Where the spans of ended turns are sent (src/traces). The destination is 'operator', or 'account:' and the user_id.
-- The operator's endpoint is in variables of the worker, so its row has no URL.
create table trace_exports (
  destination text primary key,
  user_id bigint references users,
  url text,
  -- A sealed JSON object with secrets, the id it is sealed for, and the names in it. Null: no headers.
  headers text,
  headers_id text,
  header_names jsonb not null default '[]',
  with_text boolean not null default false,
  -- The place in ended_turns up to which all spans were sent or given up.
  ended_at timestamptz not null,
  turn_id text not null default '',
  -- When the next export may start. Failures in a row move it later.
  next_at timestamptz not null,
  failures integer not null default 0,
  -- The claim of an export, and until when it holds. An edit of the endpoint ends it.
  epoch integer not null default 0,
  lease_until timestamptz,
  spans_sent bigint not null default 0,
  last_sent_at timestamptz,
  last_failed_at timestamptz,
  last_error text,
  created_at timestamptz not null,
  updated_at timestamptz not null
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);

------------------------------------------------------------------------------------------------------------------------
-- Prices and wallets of end users

-- A version of a price that a key owner sets. Versions never change, and turns keep the version of their acceptance.
create table prices (
  price_id bigint generated always as identity primary key,
  user_id bigint not null references users,
  test boolean not null,
  name text not null,
  version integer not null check (version > 0),
  -- The billed amount is multiplied with it, in millionths; per_model: the same by pin.
  multiplier_millionths bigint not null check (multiplier_millionths >= 0),
  per_model jsonb not null default '{}' check (jsonb_typeof(per_model) = 'object'),
  -- The greatest of them. It bounds the charge of a hold.
  most_millionths bigint not null check (most_millionths >= multiplier_millionths),
  -- Added for each turn with a model call.
  per_turn_credit_micros bigint not null default 0 check (per_turn_credit_micros >= 0),
  -- A charge is a multiple of this amount.
  round_to_credit_micros bigint not null default 1 check (round_to_credit_micros > 0),
  round_mode text not null default 'nearest' check (round_mode in ('up', 'nearest', 'down')),
  created_at timestamptz not null,
  -- When it begins, if it was planned. Null: when it was created. Until then the version before it counts.
  begins_at timestamptz check (coalesce(begins_at > created_at, true)),
  unique (user_id, test, name, version)
);
create trigger prices_append_only before update or delete on prices for each statement execute function guard_append_only();

-- The prices that an account has, with their newest versions. Only the newest can be planned: a newer version
-- follows a plan that is cancelled. A deleted price has no row.
create table price_names (
  user_id bigint not null references users,
  test boolean not null,
  name text not null,
  price_id bigint not null references prices,
  primary key (user_id, test, name)
);

-- The prepaid credit of an end user, and the holds of the end user's open turns. Available: balance - held.
create table end_user_wallets (
  user_id bigint not null references users,
  test boolean not null,
  end_user_ref text not null,
  balance_credit_micros bigint not null default 0,
  held_credit_micros bigint not null default 0 check (held_credit_micros >= 0),
  -- The event end_user.balance_low is sent below this balance. 0: never.
  low_balance_credit_micros bigint not null default 10000000 check (low_balance_credit_micros >= 0),
  -- True if end_user.balance_low and end_user.depleted were sent, as in wallets.
  low_told boolean not null default false,
  depleted_told boolean not null default false,
  created_at timestamptz not null,
  primary key (user_id, test, end_user_ref),
  constraint end_user_wallets_never_overspent check (balance_credit_micros - held_credit_micros >= 0)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500);

-- The defaults for end users of test keys that have none: the price, and whether they are prepaid. Those for live keys
-- are in wallets.
create table test_defaults (
  user_id bigint primary key references users,
  end_user_price text,
  end_user_prepaid boolean
);

-- The ledger of these wallets. An erasure removes notes and keeps amounts.
create table end_user_ledger (
  entry_id bigint generated always as identity primary key,
  user_id bigint not null,
  test boolean not null,
  end_user_ref text not null,
  reason text not null check (reason in ('credit', 'correction', 'usage', 'refund')),
  amount_credit_micros bigint not null,
  balance_after_credit_micros bigint not null check (balance_after_credit_micros >= 0),
  turn_id text,
  note text,
  -- The key that booked a credit or a correction. Null: the owner in the dashboard, a turn, or its refund.
  key_id text,
  -- The Idempotency-Key of a credit or a correction, and the request's fingerprint. Null: a turn, or its refund.
  once_key text,
  fingerprint text,
  created_at timestamptz not null,
  constraint end_user_ledger_sign check (case when reason in ('credit', 'refund') then amount_credit_micros > 0 else amount_credit_micros < 0 end),
  constraint end_user_ledger_usage_names_its_turn check ((reason in ('usage', 'refund')) = (turn_id is not null))
) with (autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);
create index end_user_ledger_of_wallet on end_user_ledger (user_id, test, end_user_ref, entry_id);
create unique index end_user_ledger_once on end_user_ledger (user_id, test, once_key) where once_key is not null;
create unique index end_user_ledger_one_charge_per_turn on end_user_ledger (turn_id) where reason = 'usage';
create unique index end_user_ledger_one_refund_per_turn on end_user_ledger (turn_id) where reason = 'refund';

create function guard_end_user_ledger() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and new.note is null and to_jsonb(new) - 'note' = to_jsonb(old) - 'note' then
    return new;
  end if;
  raise exception 'end_user_ledger is append-only' using errcode = '23514';
end $$;
create trigger end_user_ledger_append_only before update or delete on end_user_ledger
  for each row execute function guard_end_user_ledger();

------------------------------------------------------------------------------------------------------------------------
-- End users

-- An account's settings for one of its end users. Spend is counted from turns, not here.
create table end_users (
  user_id bigint not null references users,
  test boolean not null,
  end_user_ref text not null,
  daily_limit_credit_micros bigint check (daily_limit_credit_micros >= 0),
  monthly_limit_credit_micros bigint check (monthly_limit_credit_micros >= 0),
  blocked boolean not null default false,
  -- The price, and whether turns are paid from the wallet. Null: the default of the key or of the account.
  price_name text,
  prepaid boolean,
  -- The rate (src/quotas/rate.ts). Null: the default of the key or of the account.
  rate jsonb check (jsonb_typeof(rate) = 'object'),
  -- Facts about the end user that agents and requests of tools can use, and when they were set. Null: no profile.
  profile jsonb,
  profile_changed_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (user_id, test, end_user_ref)
);
create index end_users_of_price on end_users (user_id, test, price_name) where price_name is not null;
create index end_users_by_change on end_users (user_id, test, updated_at desc, end_user_ref collate "C" desc);
-- The search of operators over all accounts.
create index end_users_of_name on end_users ((folded(end_user_ref) collate "C")) where not test;

-- One request to erase an end user's data up to until_at. The sweep completes open requests.
create table erasures (
  erasure_id text primary key,
  user_id bigint not null references users,
  test boolean not null,
  end_user_ref text not null,
  key_id text references api_keys,
  until_at timestamptz not null,
  requested_at timestamptz not null,
  -- When all data was deleted. After that the bucket is searched again, until checked_at.
  erased_at timestamptz,
  checked_at timestamptz,
  tried_at timestamptz not null,
  turns integer not null default 0,
  events integer not null default 0,
  steps integer not null default 0,
  files integer not null default 0,
  conversations integer not null default 0,
  tasks integer not null default 0,
  -- True if there was a profile.
  profile boolean not null default false
);
create index erasures_open on erasures (tried_at) where checked_at is null;
create index erasures_of_end_user on erasures (user_id, test, end_user_ref, erasure_id);

-- The objects of an erased turn in the bucket: all objects below `turns/…/`, or the object of one file.
create table erased_objects (
  erasure_id text not null references erasures,
  object_key text not null,
  removed_at timestamptz,
  primary key (erasure_id, object_key)
);
create index erased_objects_to_remove on erased_objects (erasure_id) where removed_at is null;

------------------------------------------------------------------------------------------------------------------------
-- Retention

-- How far the deletion of old data has come, by kind of data (src/retention). space_id 0: in all spaces; otherwise in a
-- space with days of its own. All turns up to position have been looked at. For deliveries without a turn, position is
-- the end of the last one.
create table retention_marks (
  space_id bigint not null,
  data text not null check (data in ('text', 'step', 'event', 'delivery', 'attempt', 'test_data', 'account')),
  position text not null default '',
  -- The days of the setting at the last look. With other days, a look is due.
  days integer not null default 0,
  -- Nothing becomes due before this time.
  look_at timestamptz not null default '-infinity',
  primary key (space_id, data)
);
create index retention_marks_due on retention_marks (look_at);
insert into retention_marks (space_id, data)
  values (0, 'text'), (0, 'step'), (0, 'event'), (0, 'delivery'), (0, 'attempt'), (0, 'test_data'), (0, 'account');

-- Turns before a mark whose data was not due yet: they were open or locked, or an event was still being sent.
create table retention_left (
  space_id bigint not null,
  data text not null,
  turn_id text not null,
  look_at timestamptz not null,
  primary key (turn_id, data, space_id)
);
create index retention_left_due on retention_left (look_at);

-- Images of deleted steps that are still in the bucket.
create table deleted_objects (
  object_key text primary key
);

------------------------------------------------------------------------------------------------------------------------
-- Analytics

-- Ended turns that are in no rollup yet: a row for each model, provider and role of a turn's calls.
-- A test turn, or a turn without calls, has one row. Ending a turn inserts rows and locks no shared row.
-- A refund inserts rows too: with the time of its booking, the refunded amounts, and 0 in all other numbers.
-- The sweep moves them (src/analytics/roll-turns.sql). A reader of a rollup adds these rows in the same snapshot.
create table turn_ends (
  ended_at timestamptz not null,
  -- The account that is billed.
  user_id bigint not null,
  space_id bigint not null,
  -- The account that wrote: a member of the space, otherwise the billed account.
  writer_id bigint not null,
  tokens_input bigint not null,
  tokens_cached bigint not null,
  tokens_output bigint not null,
  -- The output tokens that are reasoning.
  tokens_reasoning bigint not null default 0,
  -- The most input tokens of one of these calls.
  tokens_input_most bigint not null,
  -- The cost of the calls for us, at the providers' prices.
  cost_credit_micros bigint not null,
  billed_credit_micros bigint not null,
  refunded_credit_micros bigint not null default 0,
  -- The duration of the calls of a turn with a key, in microseconds. 0 for a web chat.
  duration_us bigint not null,
  calls integer not null,
  -- The calls of turns with a key.
  keyed_calls integer not null,
  -- The calls that made a picture. They have no input tokens.
  pictures integer not null,
  -- 1 in the row with the first call of its turn, otherwise 0. A picture comes after the call of its step.
  turns smallint not null,
  -- True if a member of a pool served the calls. Then provider_key
  -- is its name, otherwise the provider (docs/contract.md).
  pooled boolean not null,
  test boolean not null,
  provider_key text not null,
  role text not null,
  model text not null,
  state text not null,
  turn_id text not null,
  -- Empty for a web chat.
  end_user_ref text not null,
  -- The time from the acceptance of the turn to its end, in microseconds. 0 in its other rows.
  took_us bigint not null default 0,
  -- Empty for a web chat.
  key_id text not null default ''
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

create function queue_turn_end() returns trigger language plpgsql as $$
declare
  is_chat boolean := new.key_id is null;
  -- A web chat as an end user is not counted for that customer.
  customer text := case when is_chat then '' else new.end_user_ref end;
  took_us bigint := extract(epoch from new.finished_at - new.created_at) * 1e6;
begin
  insert into ended_turns (turn_id, user_id, test, finished_at, space_id, key_id, end_user_ref, billed_credit_micros, model_calls, tokens_input,
      tokens_cached, tokens_output, state, status_reason, model, created_at, end_user_charge_credit_micros)
    values (new.turn_id, new.user_id, new.test, new.finished_at, new.space_id, new.key_id, new.end_user_ref, new.billed_credit_micros,
      new.model_calls, new.tokens_input, new.tokens_cached, new.tokens_output, new.state, new.status_reason, new.model, new.created_at,
      new.end_user_charge_credit_micros);
  if new.test or new.model_calls = 0 then
    insert into turn_ends (turn_id, state, test, ended_at, user_id, writer_id, space_id, end_user_ref, model, provider_key, pooled, role, turns,
        calls, keyed_calls, pictures, tokens_input, tokens_cached, tokens_output, tokens_reasoning, tokens_input_most, cost_credit_micros,
        billed_credit_micros, duration_us, took_us, key_id)
      values (new.turn_id, new.state, new.test, new.finished_at, new.user_id, coalesce(new.member_id, new.user_id), new.space_id,
        customer, new.model, split_part(new.model, '/', 1), false, 'orchestrator', 1, new.model_calls, 0, 0, new.tokens_input,
        new.tokens_cached, new.tokens_output, new.tokens_reasoning, 0, new.cost_credit_micros, new.billed_credit_micros, 0, took_us,
        coalesce(new.key_id, ''));
  else
    -- Analytics count the duration only of calls of turns with a key.
    insert into turn_ends (turn_id, state, test, ended_at, user_id, writer_id, space_id, end_user_ref, model, provider_key, pooled, role, turns,
        calls, keyed_calls, pictures, tokens_input, tokens_cached, tokens_output, tokens_reasoning, tokens_input_most, cost_credit_micros,
        billed_credit_micros, duration_us, took_us, key_id)
      select new.turn_id, new.state, false, new.finished_at, new.user_id, coalesce(new.member_id, new.user_id), new.space_id,
        customer, s.model, s.provider_key, s.pooled, s.role, (row_number() over (order by s.first_step, s.role) = 1)::integer,
        s.calls, case when is_chat then 0 else s.calls end, s.pictures, s.input, s.cached, s.output, s.reasoning, s.most, s.cost, s.billed,
        case when is_chat then 0 else s.duration_us end,
        case when row_number() over (order by s.first_step, s.role) = 1 then took_us else 0 end, coalesce(new.key_id, '')
      from (select c.model, case when c.subscription_id !~ '^[0-9]+$' then c.subscription_id else c.provider end as provider_key,
          coalesce(c.subscription_id !~ '^[0-9]+$', false) as pooled, c.role, min(c.step * 2 + (c.call is not null)::integer) as first_step,
          count(*) as calls, count(c.call) as pictures, sum(c.tokens_input) as input,
          sum(c.tokens_cached) as cached, sum(c.tokens_output) as output,
          coalesce(sum(c.tokens_reasoning), 0) as reasoning, max(c.tokens_input) as most,
          sum(coalesce(c.provider_credit_micros, c.cost_credit_micros)) as cost, sum(c.billed_credit_micros) as billed,
          sum((c.duration_sec * 1e6)::bigint) as duration_us
        from model_calls c where c.turn_id = new.turn_id group by 1, 2, 3, 4) s;
  end if;
  return null;
end $$;
-- A turn ends once (guard_turn_transition).
create trigger turns_ended_queued after update on turns for each row
  when (old.finished_at is null and new.finished_at is not null) execute function queue_turn_end();

-- A refund returns the bill of each call. If the charge was not the bill, the difference has a row of its own.
create function queue_refund() returns trigger language plpgsql as $$
begin
  insert into refunded_turns (turn_id, user_id, test, refunded_at, refunded_credit_micros, billed_credit_micros, space_id, key_id, end_user_ref,
      state, model)
    values (new.turn_id, new.user_id, new.test, new.refunded_at, new.refunded_credit_micros, new.billed_credit_micros, new.space_id, new.key_id,
      new.end_user_ref, new.state, new.model);
  insert into turn_ends (turn_id, state, test, ended_at, user_id, writer_id, space_id, end_user_ref, model, provider_key, pooled, role, turns,
      calls, keyed_calls, pictures, tokens_input, tokens_cached, tokens_output, tokens_input_most, cost_credit_micros,
      billed_credit_micros, refunded_credit_micros, duration_us, key_id)
    select new.turn_id, new.state, new.test, new.refunded_at, new.user_id, coalesce(new.member_id, new.user_id), new.space_id,
      case when new.key_id is null then '' else new.end_user_ref end, s.model, s.provider_key, s.pooled, s.role, 0, 0, 0, 0, 0, 0, 0, 0, 0,
      0, s.refunded, 0, coalesce(new.key_id, '')
    from (
      select c.model, case when c.subscription_id !~ '^[0-9]+$' then c.subscription_id else c.provider end as provider_key,
        coalesce(c.subscription_id !~ '^[0-9]+$', false) as pooled, c.role, sum(c.billed_credit_micros) as refunded
      from model_calls c where c.turn_id = new.turn_id group by 1, 2, 3, 4
      union all
      select new.model, split_part(new.model, '/', 1), false, 'orchestrator', new.refunded_credit_micros - new.billed_credit_micros) s
    where s.refunded <> 0;
  return null;
end $$;
create trigger turns_refunded_queued after update on turns for each row
  when (old.refunded_at is null and new.refunded_at is not null) execute function queue_refund();

-- The rows that count in analytics: all except test turns.
create view usage_queue as
  select e.ended_at, e.user_id, e.space_id, e.tokens_input, e.tokens_cached, e.tokens_output, e.tokens_reasoning, e.tokens_input_most, e.cost_credit_micros,
    e.billed_credit_micros, e.refunded_credit_micros, e.duration_us, e.calls, e.keyed_calls, e.pictures, e.turns, e.pooled, e.provider_key, e.role,
    e.model, e.turn_id, e.key_id
  from turn_ends e where not e.test;

-- The rollups, by the time (UTC) at which turns ended, without test turns and without the turns in usage_queue. Refunds
-- are at the time of their booking.
-- The columns are the same as in turn_ends. brand: users.first_brand of the account that is billed.
create table usage_hours (
  hour timestamptz not null,
  brand text not null,
  turns bigint not null,
  calls bigint not null,
  tokens_input bigint not null,
  tokens_cached bigint not null,
  tokens_output bigint not null,
  cost_credit_micros bigint not null,
  billed_credit_micros bigint not null,
  refunded_credit_micros bigint not null default 0,
  keyed_calls bigint not null,
  duration_us bigint not null,
  tokens_reasoning bigint not null default 0,
  tokens_input_most bigint not null,
  primary key (hour, brand)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);

create table model_days (
  day date not null,
  model text not null,
  brand text not null,
  turns bigint not null,
  calls bigint not null,
  tokens_input bigint not null,
  tokens_cached bigint not null,
  tokens_output bigint not null,
  cost_credit_micros bigint not null,
  billed_credit_micros bigint not null,
  refunded_credit_micros bigint not null default 0,
  primary key (day, model, brand)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);

create table provider_days (
  day date not null,
  provider_key text not null,
  pooled boolean not null,
  role text not null,
  brand text not null,
  turns bigint not null,
  calls bigint not null,
  tokens_input bigint not null,
  tokens_cached bigint not null,
  tokens_output bigint not null,
  cost_credit_micros bigint not null,
  billed_credit_micros bigint not null,
  refunded_credit_micros bigint not null default 0,
  pictures bigint not null,
  primary key (day, provider_key, pooled, role, brand)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);

create table space_hours (
  space_id bigint not null,
  hour timestamptz not null,
  turns bigint not null,
  calls bigint not null,
  cost_credit_micros bigint not null,
  billed_credit_micros bigint not null,
  refunded_credit_micros bigint not null default 0,
  tokens_input bigint not null,
  tokens_cached bigint not null,
  tokens_output bigint not null,
  primary key (space_id, hour)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);

create table user_hours (
  user_id bigint not null,
  hour timestamptz not null,
  turns bigint not null,
  calls bigint not null,
  tokens_input bigint not null,
  tokens_cached bigint not null,
  tokens_output bigint not null,
  cost_credit_micros bigint not null,
  billed_credit_micros bigint not null,
  refunded_credit_micros bigint not null default 0,
  primary key (user_id, hour)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);

create table model_hours (
  hour timestamptz not null,
  model text not null,
  brand text not null,
  turns bigint not null,
  calls bigint not null,
  tokens_input bigint not null,
  tokens_cached bigint not null,
  tokens_output bigint not null,
  cost_credit_micros bigint not null,
  billed_credit_micros bigint not null,
  refunded_credit_micros bigint not null default 0,
  primary key (hour, model, brand)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);

create table provider_hours (
  hour timestamptz not null,
  provider_key text not null,
  brand text not null,
  turns bigint not null,
  calls bigint not null,
  tokens_input bigint not null,
  tokens_cached bigint not null,
  tokens_output bigint not null,
  cost_credit_micros bigint not null,
  billed_credit_micros bigint not null,
  refunded_credit_micros bigint not null default 0,
  primary key (hour, provider_key, brand)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);

create table space_days (
  day date not null,
  space_id bigint not null,
  turns bigint not null,
  calls bigint not null,
  tokens_input bigint not null,
  tokens_cached bigint not null,
  tokens_output bigint not null,
  cost_credit_micros bigint not null,
  billed_credit_micros bigint not null,
  refunded_credit_micros bigint not null default 0,
  keyed_calls bigint not null,
  duration_us bigint not null,
  tokens_reasoning bigint not null default 0,
  tokens_input_most bigint not null,
  pictures bigint not null,
  primary key (day, space_id)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
create index space_days_of_space on space_days (space_id, day);
-- The top spaces of each day, for lists over a few days.
create index space_days_by_billed on space_days (day, billed_credit_micros desc);

-- By the account that is billed.
create table user_days (
  day date not null,
  user_id bigint not null,
  turns bigint not null,
  calls bigint not null,
  tokens_input bigint not null,
  tokens_cached bigint not null,
  tokens_output bigint not null,
  cost_credit_micros bigint not null,
  billed_credit_micros bigint not null,
  refunded_credit_micros bigint not null default 0,
  keyed_calls bigint not null,
  duration_us bigint not null,
  tokens_reasoning bigint not null default 0,
  primary key (day, user_id)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
create index user_days_of_user on user_days (user_id, day);
create index user_days_by_billed on user_days (day, billed_credit_micros desc);

-- The bills of each API key by day. Web chats have the key ''.
create table key_days (
  day date not null,
  user_id bigint not null,
  key_id text not null,
  turns bigint not null,
  billed_credit_micros bigint not null,
  refunded_credit_micros bigint not null default 0,
  primary key (day, user_id, key_id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);

create table provider_space_days (
  day date not null,
  provider_key text not null,
  space_id bigint not null,
  turns bigint not null,
  calls bigint not null,
  tokens_input bigint not null,
  tokens_cached bigint not null,
  tokens_output bigint not null,
  cost_credit_micros bigint not null,
  billed_credit_micros bigint not null,
  refunded_credit_micros bigint not null default 0,
  primary key (day, provider_key, space_id)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
create index provider_space_days_of_space on provider_space_days (space_id, day);

-- The ended turns of each end user of an account, by day and month (UTC) and in total, without the turns in turn_ends.
-- took_us is the sum of their times from acceptance to end, in microseconds. Web chats have no end user.
create table end_user_days (
  user_id bigint not null,
  test boolean not null,
  day date not null,
  end_user_ref text not null,
  -- By the states in which they ended. Cancelled turns are the others.
  turns bigint not null,
  done bigint not null,
  failed bigint not null,
  billed_credit_micros bigint not null,
  refunded_credit_micros bigint not null default 0,
  took_us bigint not null,
  primary key (user_id, test, day, end_user_ref)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);

create table end_user_months (
  user_id bigint not null,
  test boolean not null,
  month date not null,
  end_user_ref text not null,
  turns bigint not null,
  done bigint not null,
  failed bigint not null,
  billed_credit_micros bigint not null,
  refunded_credit_micros bigint not null default 0,
  took_us bigint not null,
  primary key (user_id, test, month, end_user_ref)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);

create table end_user_sums (
  user_id bigint not null,
  test boolean not null,
  end_user_ref text not null,
  turns bigint not null,
  done bigint not null,
  failed bigint not null,
  billed_credit_micros bigint not null,
  refunded_credit_micros bigint not null default 0,
  took_us bigint not null,
  last_ended_at timestamptz not null,
  primary key (user_id, test, end_user_ref)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
-- The search of operators over all accounts. The name never changes, so an update of the sums leaves this index alone.
create index end_user_sums_of_name on end_user_sums ((folded(end_user_ref) collate "C")) where not test;

-- All usage before a day, for the days in usage_marks and for 'infinity'.
-- So a range of any length is one sum minus another, with the days between its ends and the nearest marks.
create table space_sums (
  until date not null,
  space_id bigint not null,
  turns bigint not null,
  calls bigint not null,
  tokens_input bigint not null,
  tokens_cached bigint not null,
  tokens_output bigint not null,
  cost_credit_micros bigint not null,
  billed_credit_micros bigint not null,
  refunded_credit_micros bigint not null default 0,
  primary key (until, space_id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
-- The spaces that were billed most in total.
create index space_sums_most on space_sums (billed_credit_micros desc, space_id) where until = 'infinity';

create table user_sums (
  until date not null,
  user_id bigint not null,
  turns bigint not null,
  calls bigint not null,
  tokens_input bigint not null,
  tokens_cached bigint not null,
  tokens_output bigint not null,
  cost_credit_micros bigint not null,
  billed_credit_micros bigint not null,
  refunded_credit_micros bigint not null default 0,
  primary key (until, user_id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
create index user_sums_most on user_sums (billed_credit_micros desc, user_id) where until = 'infinity';

create table provider_space_sums (
  until date not null,
  provider_key text not null,
  space_id bigint not null,
  turns bigint not null,
  calls bigint not null,
  tokens_input bigint not null,
  tokens_cached bigint not null,
  tokens_output bigint not null,
  cost_credit_micros bigint not null,
  billed_credit_micros bigint not null,
  refunded_credit_micros bigint not null default 0,
  primary key (until, provider_key, space_id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
create index provider_space_sums_of_space on provider_space_sums (until, space_id);

-- The first days of months whose sums were made.
create table usage_marks (
  until date primary key
);

-- Ledger rows that are in no rollup yet, like ended turns in turn_ends (src/analytics/roll-ledger.sql).
create table ledger_queue (
  ledger_id bigint not null,
  user_id bigint not null,
  amount_credit_micros bigint,
  balance_after_credit_micros bigint not null,
  created_at timestamptz not null,
  reason text not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- The reason of an entry in reports: a correction that names a turn is its refund.
create function reported_reason(p_reason text, p_turn_id text) returns text language sql immutable as $$
  select case when p_reason = 'admin_action' and p_turn_id is not null then 'refund' else p_reason end
$$;

create function queue_ledger() returns trigger language plpgsql as $$
begin
  insert into ledger_queue (ledger_id, user_id, amount_credit_micros, balance_after_credit_micros, created_at, reason)
    select b.ledger_id, b.user_id, b.amount_credit_micros, b.balance_after_credit_micros, b.created_at, reported_reason(b.reason, b.turn_id)
    from booked b;
  return null;
end $$;
create trigger ledger_queued after insert on ledger referencing new table as booked
  for each statement execute function queue_ledger();

-- The bookings of a day (UTC) by reason and first brand of the account: the sums of positive and of negative amounts.
-- A commission counts only as an entry.
create table ledger_days (
  day date not null,
  reason text not null,
  brand text not null,
  entries bigint not null,
  given_credit_micros bigint not null,
  taken_credit_micros bigint not null,
  primary key (day, reason, brand)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);

-- An account's last ledger row of a day, by ledger_id, with its running total.
-- debits: the number of rows with the reason usage or space_usage.
create table ledger_user_days (
  user_id bigint not null,
  day date not null,
  ledger_id bigint not null,
  balance_after_credit_micros bigint not null,
  debits bigint not null,
  primary key (user_id, day)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
create index ledger_user_days_active on ledger_user_days (day, user_id) where debits > 0;

-- The same over all rows of the account, with the time of its latest debit.
create table ledger_users (
  user_id bigint primary key,
  ledger_id bigint not null,
  balance_after_credit_micros bigint not null,
  debited_at timestamptz
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);

-- The last balances of accounts with a debit on one of the `window_days` days up to `day`.
-- A row is made when the day is over, and again when a late ledger row arrives (src/analytics/balances.sql).
-- median_twice: the median, times two, because it may lie between two balances.
create table balance_days (
  day date not null,
  -- Empty: all brands.
  brand text not null,
  window_days smallint not null,
  accounts bigint not null,
  balance_credit_micros bigint not null,
  median_twice bigint not null,
  primary key (day, brand, window_days)
);
------------------------------------------------------------------------------------------------------------------------
-- Operations

create table settings (
  key text primary key,
  value jsonb not null,
  updated_at timestamptz not null default now(),
  version integer not null default 1,
  updated_by bigint references users
);

-- Environment files: documents of KEY=value lines that engines read before the worker's variables.
-- They are sealed by the key ring for this table, column and name.
create table environment_files (
  file text primary key,
  sealed text not null,
  -- Raised by each change of the document.
  version integer not null default 1
);

-- The last change of each key in these documents, and its author. The values are in the documents.
create table environment_keys (
  file text not null references environment_files,
  key text not null,
  version integer not null default 1,
  -- Since when the key has had a value. Earlier calls were not made with it. Null: it has none.
  set_at timestamptz,
  updated_at timestamptz not null,
  updated_by bigint references users,
  primary key (file, key)
);

-- The containers in which agents of spaces execute: MCP servers of the operator.
-- headers are sealed for this table, column, container and space. header_names are their names.
create table container_mappings (
  mapping_id bigint generated always as identity primary key,
  container text not null,
  space_id bigint not null references spaces,
  url text not null,
  headers text,
  header_names jsonb not null default '[]',
  enabled boolean not null default true,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  updated_by bigint references users,
  version integer not null default 1,
  unique (space_id, container)
);

-- Failures of parts that the service runs or calls. name: the provider or the container.
create table infrastructure_errors (
  error_id bigint generated always as identity primary key,
  kind text not null check (kind in ('container_start', 'container_exec', 'subagent_dispatch', 'model_call')),
  name text not null,
  code text not null,
  turn_id text,
  -- users.first_brand of the account of the turn. Empty: the failure has no turn.
  brand text not null default '',
  -- The provider's words: as owners may see them, and whole, for operators. Null: none, or erased with its turn.
  details jsonb,
  said text,
  created_at timestamptz not null
);
create index infrastructure_errors_by_time on infrastructure_errors (created_at) include (kind, name);
create index infrastructure_errors_of_turn on infrastructure_errors (turn_id) where turn_id is not null;

create function note_brand_of_error() returns trigger language plpgsql as $$
begin
  new.brand := coalesce((select o.brand from turns t join account_brands o on o.user_id = t.user_id where t.turn_id = new.turn_id), '');
  return new;
end $$;
create trigger infrastructure_errors_brand before insert on infrastructure_errors for each row execute function note_brand_of_error();

-- The number of failures of a day (UTC), by kind and brand.
create table error_days (
  day date not null,
  kind text not null,
  brand text not null,
  failures bigint not null,
  primary key (day, kind, brand)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

create function count_errors() returns trigger language plpgsql as $$
begin
  insert into error_days as d (day, kind, brand, failures)
    select (n.created_at at time zone 'UTC')::date, n.kind, n.brand, case tg_op when 'INSERT' then count(*) else -count(*) end
    from noted n group by 1, 2, 3 order by 1, 2, 3
    on conflict (day, kind, brand) do update set failures = d.failures + excluded.failures;
  return null;
end $$;
create trigger infrastructure_errors_counted after insert on infrastructure_errors referencing new table as noted
  for each statement execute function count_errors();
create trigger infrastructure_errors_forgotten after delete on infrastructure_errors referencing old table as noted
  for each statement execute function count_errors();

-- When each sweep last ran, and when it last succeeded.
create table sweeps (
  name text primary key,
  ran_at timestamptz not null,
  duration_ms integer not null,
  ok boolean not null,
  succeeded_at timestamptz
);

-- The checks of the service's health that fail, or that have failed and whose end is not told yet. An operator is told
-- of a failure once, and once of its end.
create table alerts (
  name text primary key,
  message text not null,
  since timestamptz not null,
  -- Null: the operator was not told.
  told_at timestamptz,
  -- Null: it still fails.
  ended_at timestamptz,
  -- Until then a worker is telling it. Null: none is.
  telling_until timestamptz
);

-- The last comparison of the catalog with the price feed.
create table price_checks (
  one boolean primary key default true check (one),
  -- The version of the feed.
  feed text not null,
  -- Of the findings. The operator was told of these.
  digest text not null,
  checked_at timestamptz not null
);

-- Counts over whole tables for the overview, made once a minute and exact at counted_at.
create table overview_counts (
  one boolean primary key default true check (one),
  people bigint not null,
  active_1_day bigint not null,
  active_7_days bigint not null,
  active_30_days bigint not null,
  spaces bigint not null,
  balance_credit_micros bigint not null,
  held_credit_micros bigint not null,
  counted_at timestamptz not null
);

-- The service in each quarter of an hour, for the lines of the overview. A sweep counts it again each minute until it
-- is over.
create table service_levels (
  starts_at timestamptz primary key,
  -- Live turns that ended in it.
  done integer not null,
  failed integer not null,
  -- Of 95 % of these turns: the time from acceptance to end, without the time that they waited.
  p95_ms bigint, -- null: none has ended
  -- Model calls of live turns that succeeded, and failed ones.
  provider_calls integer not null,
  provider_errors integer not null,
  -- The longest queue and the largest backlog that a run of the sweep has seen.
  oldest_queued_ms bigint, -- null: the sweep has not run in it
  webhook_backlog integer, -- null: the sweep has not run in it
  -- When a run of the sweep last saw a failing check.
  failed_at timestamptz -- null: it saw none
);

-- The changes with their actors, written by the statement that
-- makes the change. actor_user_id is null for the system.
create table audit_log (
  audit_id bigint generated always as identity primary key,
  actor_user_id bigint references users,
  -- The account that the changed object belongs to. Its owner sees the entry (src/users/list-activity.ts).
  account_user_id bigint references users, -- null: the installation
  -- The role in which a member of the account made the change.
  actor_role text, -- null: the actor is no member
  key_id text, -- null: the change was not made with an API key
  action text not null,
  subject_type text not null,
  subject_id text not null,
  before jsonb,
  after jsonb,
  request_id text,
  address text,
  created_at timestamptz not null
);
create index audit_log_of_subject on audit_log (subject_type, subject_id, audit_id desc);
create index audit_log_of_actor on audit_log (actor_user_id, audit_id desc);
create index audit_log_of_action on audit_log (action, audit_id desc);
create index audit_log_by_time on audit_log (created_at);
-- The acts on many users that changed one of them.
create index audit_log_of_bulk on audit_log using gin ((after -> 'outcomes') jsonb_path_ops) where subject_type = 'bulk';
-- For the daily limit of changes of keys.
create index audit_log_of_key_changes on audit_log (account_user_id, audit_id desc)
  where subject_type = 'key' and action <> 'key.revoke';
create index audit_log_of_account on audit_log (account_user_id, audit_id desc) where account_user_id is not null;
-- The changes that an endpoint of their account wants as events, until a sweep has written these
-- (src/webhooks/tell-activity.sql). An endpoint must name the type: one for all types does not get it. For a disabled
-- endpoint they are in the feed, so that a replay can send them.
create table activity_queue (
  audit_id bigint primary key
);
create function queue_activity() returns trigger language plpgsql as $$
begin
  insert into activity_queue (audit_id)
    select n.audit_id from noted n
    where exists (select from webhook_endpoints w where w.user_id = n.account_user_id and not w.test and w.scope = 'all'
      and w.deleted_at is null and w.events ? 'activity.recorded');
  return null;
end $$;
create trigger audit_log_queued after insert on audit_log referencing new table as noted
  for each statement execute function queue_activity();
create trigger audit_log_append_only before update on audit_log for each statement execute function guard_append_only();
create trigger audit_log_kept before delete on audit_log for each statement execute function guard_retention();

-- The applied files of migrations/ (src/ops/migrations.ts).
create table schema_migrations (
  name text primary key,
  checksum text not null,
  applied_at timestamptz not null default now(),
  duration_ms integer not null
);

-- The installed releases of procedures. Each is a schema with its name (src/ops/release.ts).
create table procedure_releases (
  name text primary key,
  applied_at timestamptz not null
);

------------------------------------------------------------------------------------------------------------------------
-- Guards of rows that other rows refer to without a constraint

create trigger users_kept before delete on users for each statement execute function guard_append_only();
create trigger spaces_kept before delete on spaces for each statement execute function guard_append_only();
create trigger api_keys_kept before delete on api_keys for each statement execute function guard_append_only();
create trigger turns_kept before delete on turns for each statement execute function guard_append_only();
create trigger ended_turns_append_only before update or delete on ended_turns for each statement execute function guard_append_only();
create trigger refunded_turns_append_only before update or delete on refunded_turns for each statement execute function guard_append_only();

create trigger api_keys_raised after update of daily_credit_micros, monthly_credit_micros, window_credit_micros, window_seconds,
  end_user_daily_credit_micros, end_user_monthly_credit_micros on api_keys for each row execute function note_raise();
create trigger end_users_raised after insert or update of daily_limit_credit_micros, monthly_limit_credit_micros on end_users
  for each row execute function note_raise();
create trigger wallets_raised after update of end_user_daily_credit_micros, end_user_monthly_credit_micros on wallets
  for each row execute function note_raise();
create trigger spaces_raised after update of members_daily_credit_micros on spaces for each row execute function note_raise();
create trigger subscriptions_raised after insert or update on subscriptions for each row execute function note_raise();
create trigger settings_raised after insert or update on settings for each row
  when (new.key in ('plans', 'members_daily_credit_micros')) execute function note_raise();
