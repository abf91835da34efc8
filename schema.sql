-- Turnpike's whole database. Safe to apply again: every statement can be re-run on a live database.
-- Money is integer credit micros: 1 USD = 10 energy = 10,000,000 credit micros.

create table if not exists users (
  user_id bigint generated always as identity primary key,
  role text not null default 'user' check (role in ('user', 'admin')),
  brand text not null default 'turnpike',
  name text,
  email text,
  email_verified boolean not null default false,
  password_hash text,
  disabled_at timestamptz,
  created_at timestamptz not null default now()
);
create unique index if not exists users_email on users (lower(email)) where email is not null;

-- balance - held is what may still be spent. last_hold is scratch space: the size of the newest hold, so that the
-- UPDATE that places a hold can return it (PostgreSQL before 18 has no RETURNING old.*).
create table if not exists wallets (
  user_id bigint primary key references users,
  balance_credit_micros bigint not null default 0,
  held_credit_micros bigint not null default 0 check (held_credit_micros >= 0),
  last_hold_credit_micros bigint not null default 0,
  constraint wallets_never_overspent check (balance_credit_micros - held_credit_micros >= 0)
);

create table if not exists model_catalog (
  pin text primary key,
  engine text not null check (engine in ('anthropic', 'openai', 'openai-compatible', 'rehearsal')),
  model text not null,
  label text not null,
  enabled boolean not null default false,
  sort_order integer not null default 0,
  -- credit micros per million tokens
  price_input bigint not null check (price_input >= 0),
  price_cached bigint not null check (price_cached >= 0),
  price_output bigint not null check (price_output >= 0),
  price_version integer not null default 1,
  max_output_tokens integer not null default 4096 check (max_output_tokens > 0),
  created_at timestamptz not null default now(),
  constraint model_catalog_pin_names_its_model check (pin = engine || '/' || model)
);

create table if not exists spaces (
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
  metadata jsonb not null default '{}',
  config_version integer not null default 1,
  archived_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index if not exists spaces_by_owner on spaces (user_id, slug desc);

create table if not exists api_keys (
  key_id text primary key,
  user_id bigint not null references users,
  hash bytea not null unique,
  hint text not null,
  name text not null,
  scope text not null default 'created' check (scope in ('created', 'space', 'all')),
  space_id bigint references spaces,
  test boolean not null default false,
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  created_at timestamptz not null,
  constraint api_keys_space_scope_names_a_space check ((scope = 'space') = (space_id is not null))
);
create index if not exists api_keys_by_owner on api_keys (user_id, key_id desc);

-- One queue of turns. last_position numbers its turns in the order of their commits.
create table if not exists conversations (
  conversation_id text primary key,
  space_id bigint not null references spaces,
  end_user_ref text not null,
  name text not null,
  last_position bigint not null default 1,
  created_at timestamptz not null,
  unique (space_id, end_user_ref, name)
);

create table if not exists turns (
  turn_id text primary key,
  user_id bigint not null references users,
  key_id text references api_keys,
  space_id bigint not null references spaces,
  conversation_id text not null references conversations,
  position bigint not null,
  test boolean not null,
  end_user_ref text not null,
  idempotency_key text not null,
  request_hash text not null,
  text text not null,
  model text not null,
  metadata jsonb not null default '{}',
  max_cost_credit_micros bigint check (max_cost_credit_micros > 0),
  timeout_seconds integer,
  state text not null default 'queued' check (state in ('queued', 'running', 'done', 'failed', 'cancelled')),
  status_reason text,
  result text,
  error_code text,
  error_message text,
  config_version integer,
  -- The hold: how much was ever held, and how much of it is still open.
  hold_credit_micros bigint not null check (hold_credit_micros >= 0),
  held_credit_micros bigint not null check (held_credit_micros >= 0),
  cost_credit_micros bigint not null default 0 check (cost_credit_micros >= 0),
  billed_credit_micros bigint not null default 0 check (billed_credit_micros >= 0),
  model_calls integer not null default 0,
  tool_calls integer not null default 0,
  tokens_input bigint not null default 0,
  tokens_cached bigint not null default 0,
  tokens_output bigint not null default 0,
  -- The machine: who may write (epoch), until when (lease_until), when somebody must look again (wake_at).
  epoch integer not null default 0,
  attempts integer not null default 0,
  model_failures integer not null default 0,
  lease_until timestamptz,
  wake_at timestamptz,
  cancel_requested_at timestamptz,
  last_event_seq integer not null default 1,
  created_at timestamptz not null,
  started_at timestamptz,
  finished_at timestamptz,
  unique (user_id, test, idempotency_key),
  unique (conversation_id, position),
  constraint turns_charge_within_hold check (billed_credit_micros <= hold_credit_micros),
  constraint turns_cost_within_hold check (cost_credit_micros <= hold_credit_micros),
  constraint turns_test_is_free check (not test or hold_credit_micros = 0),
  constraint turns_end_closes_all check (
    (state in ('done', 'failed', 'cancelled'))
    = (finished_at is not null and held_credit_micros = 0 and wake_at is null)
  ),
  constraint turns_running_has_started check (state = 'queued' or state = 'cancelled' or started_at is not null)
);
create unique index if not exists turns_one_running_per_conversation on turns (conversation_id) where state = 'running';
create index if not exists turns_open_in_conversation on turns (conversation_id, position) where state in ('queued', 'running');
create index if not exists turns_to_wake on turns (wake_at) where wake_at is not null;
create index if not exists turns_queued on turns (created_at) where state = 'queued';
-- Lists order by turn_id collate "C", so that the planner cannot walk the primary key backwards over everybody's turns.
create index if not exists turns_of_owner on turns (user_id, test, turn_id collate "C" desc);
create index if not exists turns_of_space on turns (space_id, turn_id collate "C" desc);
create index if not exists turns_of_end_user on turns (user_id, end_user_ref, turn_id collate "C" desc);

create table if not exists turn_events (
  turn_id text not null references turns,
  seq integer not null check (seq > 0),
  event_id text not null unique,
  type text not null,
  data jsonb not null,
  created_at timestamptz not null,
  primary key (turn_id, seq)
);

create table if not exists turn_steps (
  turn_id text not null references turns,
  step integer not null check (step >= 0),
  epoch integer not null,
  text text not null,
  finish text not null,
  cost_credit_micros bigint not null check (cost_credit_micros >= 0),
  created_at timestamptz not null,
  primary key (turn_id, step)
);

-- One row for each model call that was committed. billed_credit_micros is set when its turn is settled.
create table if not exists usage (
  usage_id bigint generated always as identity primary key,
  turn_id text not null references turns,
  step integer not null,
  user_id bigint not null references users,
  space_id bigint not null references spaces,
  key_id text references api_keys,
  end_user_ref text not null,
  provider text not null,
  subscription_id text,
  model text not null,
  role text not null default 'orchestrator' check (role in ('orchestrator', 'subagent')),
  tokens_input bigint not null check (tokens_input >= 0),
  tokens_cached bigint not null check (tokens_cached >= 0 and tokens_cached <= tokens_input),
  tokens_output bigint not null check (tokens_output >= 0),
  duration_sec double precision not null check (duration_sec >= 0),
  price_version integer not null,
  cost_credit_micros bigint not null check (cost_credit_micros >= 0),
  billed_credit_micros bigint not null check (billed_credit_micros in (0, cost_credit_micros)),
  created_at timestamptz not null,
  unique (turn_id, step, role)
);

create table if not exists ledger (
  ledger_id bigint generated always as identity primary key,
  user_id bigint not null references users,
  reason text not null check (reason in (
    'admin_grant', 'admin_action', 'operator_topup', 'signup_credit', 'referral_signup_credit',
    'manual_topup', 'credit_purchase', 'usage', 'space_usage', 'referral_credit_commission')),
  amount_credit_micros bigint,
  balance_after_credit_micros bigint not null check (balance_after_credit_micros >= 0),
  turn_id text references turns,
  actor text not null,
  note text,
  created_at timestamptz not null,
  constraint ledger_commission_is_currency_only check ((reason = 'referral_credit_commission') = (amount_credit_micros is null)),
  constraint ledger_sign check (amount_credit_micros is null or case
    when reason in ('usage', 'space_usage') then amount_credit_micros < 0
    when reason = 'admin_action' then amount_credit_micros <> 0
    else amount_credit_micros > 0 end)
);
create unique index if not exists ledger_one_charge_per_turn on ledger (turn_id) where reason in ('usage', 'space_usage');
create index if not exists ledger_by_owner on ledger (user_id, ledger_id desc);

-- Every version of a space's configuration, whole: a turn runs from its first to its last step on the one it began with.
alter table spaces add column if not exists tools jsonb not null default '{}';
alter table spaces add column if not exists mcp_servers jsonb not null default '{}';
alter table spaces add column if not exists config_change text not null default 'created';

create table if not exists space_configs (
  space_id bigint not null references spaces,
  version integer not null check (version > 0),
  change text not null,
  model text,
  manifest jsonb not null,
  tools jsonb not null,
  mcp_servers jsonb not null,
  created_at timestamptz not null,
  primary key (space_id, version)
);
insert into space_configs (space_id, version, change, model, manifest, tools, mcp_servers, created_at)
select space_id, config_version, config_change, model, manifest, tools, mcp_servers, updated_at from spaces
on conflict do nothing;

-- AES-256-GCM under a key of the ring (src/platform/key-ring.ts); bound to this table, space and name.
create table if not exists space_secrets (
  space_id bigint not null references spaces,
  name text not null,
  sealed text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (space_id, name)
);

alter table turns add column if not exists file_ids jsonb not null default '[]';
alter table turns add column if not exists outputs jsonb not null default '[]';
-- Somebody reads the events as they come until then: only for such a turn is its text written while it is made.
alter table turns add column if not exists stream_until timestamptz;
-- Its worker may start tool calls until then without looking at the turn again: a cancel is acknowledged only afterwards.
alter table turns add column if not exists calls_start_until timestamptz;

-- A file's bytes are in the bucket under object_key. Only 'ready' ones are there for anybody; 'pending' ones are what the
-- agent of a turn that has not ended has made.
create table if not exists files (
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
  -- Of what an agent made: the place of its call in the turn. The last of a name is the output.
  place integer,
  state text not null check (state in ('uploading', 'pending', 'ready', 'deleted')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- When the bucket's object of a deleted file was removed.
  object_removed_at timestamptz
);
create index if not exists files_of_space on files (space_id, file_id collate "C" desc) where state = 'ready';
create index if not exists files_of_turn on files (turn_id) where turn_id is not null;
create index if not exists files_to_remove on files (updated_at) where state = 'deleted' and object_removed_at is null;
create index if not exists files_uploading on files (created_at) where state = 'uploading';

-- One model call. agent: null for the space's own, else the call "step.call" that delegated to a sub-agent. content: what
-- the model said, as the AI SDK's parts. results: what its tool calls answered, by their place; pending_calls have none yet.
alter table turn_steps add column if not exists agent text;
alter table turn_steps add column if not exists content jsonb not null default '[]';
alter table turn_steps add column if not exists results jsonb not null default '{}';
alter table turn_steps add column if not exists pending_calls integer not null default 0 check (pending_calls >= 0);

create table if not exists tasks (
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
  -- The call of the agent that made it: repeating the call finds it again.
  turn_id text references turns,
  call_key text unique,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index if not exists tasks_of_space on tasks (space_id, task_id desc);

create table if not exists settings (
  key text primary key,
  value jsonb not null,
  updated_at timestamptz not null default now()
);

-- The feed of an account: a row for each event that webhooks tell of. Of a turn's transition it has only what the turn's
-- row no longer says (src/webhooks/event-payload.ts); everything else is in data. It refers to nothing by constraint: it is
-- written three times for each turn, by a trigger, from rows that are held to it.
create table if not exists events (
  event_id text primary key,
  user_id bigint not null,
  test boolean not null,
  type text not null,
  turn_id text,
  seq integer,
  -- Who may see it: keys and endpoints of this space, or of the spaces that this key made; null: of the whole account only.
  space_id bigint,
  created_by_key_id text,
  data jsonb not null default '{}',
  created_at timestamptz not null,
  -- The transaction that wrote it. A reader who goes forward sees only what is older than every transaction still open, so
  -- that nothing appears behind its back. After a restore from a dump, set it to 0: the new server counts from anew.
  xact xid8 not null default pg_current_xact_id(),
  constraint events_of_a_turn_have_a_seq check ((turn_id is null) = (seq is null))
);
create index if not exists events_of_owner on events (user_id, test, event_id collate "C" desc);
create index if not exists events_forward on events (user_id, test, xact, event_id collate "C");

-- scope and key_id are those of the key that made it: it hears of what that key may see.
create table if not exists webhook_endpoints (
  webhook_id text primary key,
  user_id bigint not null references users,
  test boolean not null,
  key_id text references api_keys,
  scope text not null check (scope in ('created', 'space', 'all')),
  space_id bigint references spaces,
  url text not null,
  -- null: every type, future ones included.
  events jsonb check (events is null or jsonb_typeof(events) = 'array'),
  description text,
  -- Sealed by the key ring. The previous one still signs until then.
  secret text not null,
  previous_secret text,
  previous_until timestamptz,
  disabled_at timestamptz,
  disabled_reason text check (disabled_reason in ('customer', 'gone', 'failing')),
  -- The first failure since the last success.
  failing_since timestamptz,
  -- A wake of its dispatcher was asked for then, and has not arrived yet.
  woken_at timestamptz,
  -- Its place among the account's endpoints: what bounds their number, under races too.
  slot integer not null check (slot between 1 and 50),
  deleted_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint webhook_endpoints_disabled_for_a_reason check ((disabled_at is null) = (disabled_reason is null)),
  constraint webhook_endpoints_scope_names_its_bounds check (
    case scope when 'space' then space_id is not null when 'created' then key_id is not null else true end)
);
create index if not exists webhook_endpoints_of_owner on webhook_endpoints (user_id, test, webhook_id collate "C" desc)
  where deleted_at is null;
create unique index if not exists webhook_endpoints_slot on webhook_endpoints (user_id, test, slot) where deleted_at is null;

-- One event on its way to one endpoint.
create table if not exists webhook_deliveries (
  delivery_id text primary key,
  webhook_id text not null references webhook_endpoints,
  event_id text not null references events,
  turn_id text,
  seq integer,
  state text not null default 'pending' check (state in ('pending', 'delivered', 'failed')),
  status_reason text,
  -- attempts: all that have ended; round: those since it was made or last sent again, which the retry schedule counts.
  attempts integer not null default 0,
  round integer not null default 0,
  epoch integer not null default 0,
  lease_until timestamptz,
  next_attempt_at timestamptz,
  created_at timestamptz not null,
  finished_at timestamptz,
  unique (webhook_id, event_id),
  constraint webhook_deliveries_pending_has_a_time check ((state = 'pending') = (next_attempt_at is not null)),
  constraint webhook_deliveries_end_is_noted check ((state = 'pending') = (finished_at is null))
);
create index if not exists webhook_deliveries_due on webhook_deliveries (webhook_id, next_attempt_at, event_id collate "C")
  where state = 'pending';
create index if not exists webhook_deliveries_in_order on webhook_deliveries (webhook_id, turn_id, seq) where state = 'pending';
create index if not exists webhook_deliveries_leased on webhook_deliveries (webhook_id, lease_until) where lease_until is not null;
create index if not exists webhook_deliveries_of_endpoint on webhook_deliveries (webhook_id, delivery_id collate "C" desc);
create index if not exists webhook_deliveries_of_turn on webhook_deliveries (turn_id) where turn_id is not null;

create table if not exists webhook_attempts (
  delivery_id text not null references webhook_deliveries,
  attempt integer not null check (attempt > 0),
  -- The HTTP status, or null with an error when there was no answer.
  status integer,
  error text,
  -- The first KiB of the answer's body.
  answer text,
  duration_ms integer not null,
  created_at timestamptz not null,
  primary key (delivery_id, attempt)
);

-- A signed-in user. The cookie names the row; the row decides.
create table if not exists sessions (
  session_id text primary key,
  user_id bigint not null references users,
  user_agent text,
  address text,
  created_at timestamptz not null,
  last_seen_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz
);
create index if not exists sessions_by_user on sessions (user_id) where ended_at is null;

-- What a key may spend at most, in credit micros; null: no cap. The end_user ones are for each customer who has none of their
-- own. A rotated key's former value works until previous_expires_at.
alter table api_keys add column if not exists daily_credit_micros bigint check (daily_credit_micros >= 0);
alter table api_keys add column if not exists end_user_daily_credit_micros bigint check (end_user_daily_credit_micros >= 0);
alter table api_keys add column if not exists end_user_monthly_credit_micros bigint check (end_user_monthly_credit_micros >= 0);
alter table api_keys add column if not exists window_credit_micros bigint check (window_credit_micros >= 0);
alter table api_keys add column if not exists window_seconds integer
  check (window_seconds > 0 and (window_seconds is null) = (window_credit_micros is null));
alter table api_keys add column if not exists previous_hash bytea unique;
alter table api_keys add column if not exists previous_expires_at timestamptz;
-- The key was revoked, and the sweeper has not yet seen that none of its turns is left.
alter table api_keys add column if not exists ending_turns boolean not null default false;
create index if not exists api_keys_ending on api_keys (key_id) where ending_turns;

-- One row for each web-chat turn of an account's owner (a turn without a key) that has ended: what usage is for turns of keys.
create table if not exists api_turns (
  turn_id text primary key references turns,
  user_id bigint not null references users,
  space_id bigint not null references spaces,
  provider text not null,
  model text not null,
  model_calls integer not null,
  tokens_input bigint not null check (tokens_input >= 0),
  tokens_cached bigint not null check (tokens_cached >= 0 and tokens_cached <= tokens_input),
  tokens_output bigint not null check (tokens_output >= 0),
  -- From its start to its end.
  duration_sec double precision not null check (duration_sec >= 0),
  cost_credit_micros bigint not null check (cost_credit_micros >= 0),
  billed_credit_micros bigint not null check (billed_credit_micros in (0, cost_credit_micros)),
  created_at timestamptz not null
);
create index if not exists api_turns_by_owner on api_turns (user_id, created_at);
create index if not exists turns_of_chat on turns (user_id, test, turn_id collate "C" desc) where key_id is null;
-- What was made under an Idempotency-Key of /v1, written by the statement that made it. The turns' own keys are in turns.
create table if not exists idempotency_keys (
  user_id bigint not null references users,
  test boolean not null,
  key text not null,
  -- HMAC of the request, under a key of the ring: whether a repeat asks for the same.
  fingerprint text not null,
  resource_id text not null,
  created_at timestamptz not null,
  primary key (user_id, test, key)
);
create index if not exists idempotency_keys_to_forget on idempotency_keys (created_at);

-- Archiving ends a space's turns; the sweeper goes on with that while ending_turns is true.
alter table spaces add column if not exists ending_turns boolean not null default false;
create index if not exists spaces_ending_turns on spaces (archived_at) where ending_turns;
create index if not exists spaces_listed on spaces (user_id, test, slug collate "C" desc);

-- Each turn state that is rare has a narrow index: a state's turns are found without walking all that are done.
create index if not exists turns_open_of_owner on turns (user_id, test, turn_id collate "C" desc) where state in ('queued', 'running');
create index if not exists turns_without_result on turns (user_id, test, state, turn_id collate "C" desc) where state in ('failed', 'cancelled');
create index if not exists turns_of_key on turns (key_id, turn_id collate "C" desc);
create index if not exists turns_with_files on turns using gin (file_ids jsonb_path_ops) where file_ids <> '[]';

-- What usage reports read, without touching the wide rows. A turn counts at the moment of its bill, the one of its ledger row.
create index if not exists turns_ended on turns (user_id, test, finished_at) include (space_id, key_id, end_user_ref,
  billed_credit_micros, model_calls, tokens_input, tokens_cached, tokens_output) where finished_at is not null;
create index if not exists turns_billed_to_end_user on turns (user_id, test, end_user_ref, finished_at)
  include (space_id, key_id, billed_credit_micros) where billed_credit_micros > 0;
-- finished_at of its turn; null until then.
alter table usage add column if not exists settled_at timestamptz;
update usage u set settled_at = t.finished_at from turns t
  where u.settled_at is null and t.turn_id = u.turn_id and t.finished_at is not null;
create index if not exists usage_settled on usage (user_id, settled_at) include (space_id, key_id, end_user_ref, model,
  turn_id, billed_credit_micros, tokens_input, tokens_cached, tokens_output) where settled_at is not null;

-- A conversation's owner and last turn, so that an account's end users can be listed by their newest activity.
alter table conversations add column if not exists user_id bigint references users;
alter table conversations add column if not exists test boolean;
alter table conversations add column if not exists last_turn_at timestamptz;
update conversations c set user_id = t.user_id, test = t.test, last_turn_at = t.last_turn_at
  from (select conversation_id, user_id, test, max(created_at) as last_turn_at from turns
    where key_id is not null and conversation_id in (select conversation_id from conversations where user_id is null)
    group by 1, 2, 3) t
  where c.user_id is null and t.conversation_id = c.conversation_id;
create index if not exists conversations_by_activity on conversations (user_id, test, last_turn_at desc, end_user_ref collate "C" desc);
create index if not exists conversations_of_end_user on conversations (user_id, test, end_user_ref, last_turn_at desc);

-- What an account says about a customer of its own. Spend is counted from turns, not here.
create table if not exists end_users (
  user_id bigint not null references users,
  test boolean not null,
  end_user_ref text not null,
  daily_limit_credit_micros bigint check (daily_limit_credit_micros >= 0),
  monthly_limit_credit_micros bigint check (monthly_limit_credit_micros >= 0),
  blocked boolean not null default false,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (user_id, test, end_user_ref)
);
create index if not exists end_users_by_change on end_users (user_id, test, updated_at desc, end_user_ref collate "C" desc);

-- One request to erase an end user: what is theirs up to until_at goes. Open ones are completed by the sweeper.
create table if not exists erasures (
  erasure_id text primary key,
  user_id bigint not null references users,
  test boolean not null,
  end_user_ref text not null,
  key_id text references api_keys,
  until_at timestamptz not null,
  requested_at timestamptz not null,
  -- When all was gone; the bucket is looked through once more after that, until checked_at.
  erased_at timestamptz,
  checked_at timestamptz,
  tried_at timestamptz not null,
  turns integer not null default 0,
  events integer not null default 0,
  steps integer not null default 0,
  files integer not null default 0,
  conversations integer not null default 0,
  tasks integer not null default 0
);
create index if not exists erasures_open on erasures (tried_at) where checked_at is null;
create index if not exists erasures_of_end_user on erasures (user_id, test, end_user_ref, erasure_id);
-- Where in the bucket an erased turn's objects are: all below `turns/…/`, or the one of a file.
create table if not exists erased_objects (
  erasure_id text not null references erasures,
  object_key text not null,
  removed_at timestamptz,
  primary key (erasure_id, object_key)
);
create index if not exists erased_objects_to_remove on erased_objects (erasure_id) where removed_at is null;
alter table turns add column if not exists erased_at timestamptz;

-- An endpoint was disabled or removed, and the sweeper has not yet seen that nothing is pending for it.
alter table webhook_endpoints add column if not exists stopping boolean not null default false;
create index if not exists webhook_endpoints_stopping on webhook_endpoints (updated_at) where stopping;

-- A host belongs to one brand; the worker's own BRAND is that of all others. The bot's token and its webhook's secret are
-- sealed by the key ring, for this table, column and brand.
create table if not exists brands (
  brand text primary key check (brand ~ '^[a-z][a-z0-9]{0,31}$'),
  -- As requests name them, lower-case: `app.example.com`, or with a port.
  hosts jsonb not null default '[]' check (jsonb_typeof(hosts) = 'array'),
  -- Where a login lands that asked for nothing else.
  landing_path text not null default '/chat' check (landing_path ~ '^/([^/\\]|$)'),
  bot_username text,
  bot_token text,
  bot_webhook_secret text,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index if not exists brands_of_host on brands using gin (hosts jsonb_path_ops);

-- Sessions, and what is to open one, are good for their user's epoch: raising it ends all of them at once, whatever races it.
alter table users add column if not exists session_epoch integer not null default 0;
alter table sessions add column if not exists epoch integer not null default 0;

-- An account was disabled, and the sweeper has not yet seen that no turn of its is left. Its webhooks are off meanwhile.
alter table users add column if not exists ending_turns boolean not null default false;
create index if not exists users_ending_turns on users (disabled_at) where ending_turns;
alter table webhook_endpoints drop constraint if exists webhook_endpoints_disabled_reason_check;
alter table webhook_endpoints add constraint webhook_endpoints_disabled_reason_check
  check (disabled_reason in ('customer', 'gone', 'failing', 'account_disabled'));

-- Where a user has had sessions: a throttled account stays open from there.
create index if not exists sessions_by_address on sessions (user_id, address);

-- What was changed by whom: written by the statement that makes the change. actor_user_id is null for the system.
create table if not exists audit_log (
  audit_id bigint generated always as identity primary key,
  actor_user_id bigint references users,
  action text not null,
  subject_type text not null,
  subject_id text not null,
  before jsonb,
  after jsonb,
  request_id text,
  address text,
  created_at timestamptz not null
);
create index if not exists audit_log_of_subject on audit_log (subject_type, subject_id, audit_id desc);
create index if not exists audit_log_of_actor on audit_log (actor_user_id, audit_id desc);

-- Who somebody is elsewhere: at an OpenID provider, or on the messaging platform (`messenger:<brand>` and the id there).
create table if not exists identities (issuer text not null, subject text not null, user_id bigint not null references users, email text, email_verified boolean not null default false, created_at timestamptz not null, last_used_at timestamptz, primary key (issuer, subject)); create index if not exists identities_of_user on identities (user_id);

-- What a user gives to others, who name it at their first sign-in.
alter table users add column if not exists ref_code text not null default substr(md5(gen_random_uuid()::text), 1, 16);
create unique index if not exists users_ref_code on users (ref_code);

-- A user's plan, which is active from starts_at to ends_at (null: without end) unless it was deactivated.
create table if not exists subscriptions (
  sub_id integer generated always as identity primary key,
  user_id bigint not null references users,
  plan text not null,
  -- Granted by itself, at the first sign-in with the messaging platform: once in the life of an account.
  trial boolean not null default false,
  starts_at timestamptz not null,
  ends_at timestamptz,
  deactivated_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint subscriptions_end_after_their_start check (ends_at > starts_at)
);
create index if not exists subscriptions_of_user on subscriptions (user_id, sub_id desc);
create unique index if not exists subscriptions_one_trial on subscriptions (user_id) where trial;

-- Who on the messaging platform has ever signed in: trial and credit are once for each of them, whatever becomes of the identity.
create table if not exists first_sign_ins (
  issuer text not null,
  subject text not null,
  user_id bigint not null references users,
  created_at timestamptz not null,
  primary key (issuer, subject)
);

-- Who has brought whom: noted once, at the first sign-in.
create table if not exists referrals (
  referred_user_id bigint primary key references users,
  referrer_user_id bigint not null references users,
  ref_code text not null,
  created_at timestamptz not null,
  constraint referrals_of_another check (referrer_user_id <> referred_user_id)
);
create index if not exists referrals_by_referrer on referrals (referrer_user_id);

-- Guards: what code must not break.

create or replace function guard_turn_transition() returns trigger language plpgsql as $$
begin
  if new.state <> old.state and (old.state, new.state) not in (
    ('queued', 'running'), ('queued', 'cancelled'), ('running', 'done'), ('running', 'failed'), ('running', 'cancelled'))
  then
    raise exception 'turn % may not go from % to %', old.turn_id, old.state, new.state using errcode = '23514';
  end if;
  if old.state in ('done', 'failed', 'cancelled')
    and (new.billed_credit_micros, new.cost_credit_micros, new.last_event_seq) is distinct from
        (old.billed_credit_micros, old.cost_credit_micros, old.last_event_seq)
  then
    raise exception 'turn % is finished: its bill and its events are closed', old.turn_id using errcode = '23514';
  end if;
  return new;
end $$;
create or replace trigger turns_transition before update on turns for each row execute function guard_turn_transition();

create or replace function keep_space_config() returns trigger language plpgsql as $$
begin
  insert into space_configs (space_id, version, change, model, manifest, tools, mcp_servers, created_at)
  values (new.space_id, new.config_version, new.config_change, new.model, new.manifest, new.tools, new.mcp_servers, new.updated_at);
  return null;
end $$;
create or replace trigger spaces_config_made after insert on spaces for each row execute function keep_space_config();
create or replace trigger spaces_config_changed after update of config_version on spaces for each row
  when (new.config_version <> old.config_version) execute function keep_space_config();

create or replace function guard_append_only() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = '23514';
end $$;
create or replace trigger ledger_append_only before update or delete on ledger
  for each statement execute function guard_append_only();
create or replace trigger space_configs_append_only before update or delete on space_configs
  for each statement execute function guard_append_only();
create or replace trigger turn_events_append_only before delete on turn_events
  for each statement execute function guard_append_only();

-- A transition is in the account's feed as soon as it is in its turn's log.
create or replace function feed_turn_event() returns trigger language plpgsql as $$
begin
  insert into events (event_id, user_id, test, type, turn_id, seq, space_id, created_by_key_id, data, created_at)
  select new.event_id, t.user_id, t.test, new.type, new.turn_id, new.seq, t.space_id, s.created_by_key_id,
    case when t.finished_at is null then jsonb_build_object('held_credit_micros', t.held_credit_micros) else '{}' end,
    new.created_at
  from turns t join spaces s on s.space_id = t.space_id where t.turn_id = new.turn_id;
  return null;
end $$;
create or replace trigger turn_events_feed after insert on turn_events for each row
  when (new.type like 'turn.%') execute function feed_turn_event();

-- Which endpoints an event is for. What is of no turn but of an endpoint is, within a space, for the key that made that. A ping is for the one that asked for it, and gets its delivery where it is made.
create or replace function endpoint_hears(endpoint webhook_endpoints, event events) returns boolean language sql immutable as $$
  select endpoint.user_id = event.user_id and endpoint.test = event.test and endpoint.deleted_at is null
    and event.type <> 'ping' and (endpoint.events is null or endpoint.events ? event.type)
    and case endpoint.scope when 'all' then true when 'space' then endpoint.space_id = event.space_id
        and (event.turn_id is not null or event.created_by_key_id = endpoint.key_id)
      else endpoint.key_id = event.created_by_key_id end
$$;

-- A delivery's id begins with the time of its event's.
create or replace function delivery_id_of(event_id text, webhook_id text) returns text language sql immutable as $$
  select 'dlv_' || substr(event_id, 5, 10) || substr(md5(event_id || webhook_id), 1, 16)
$$;

-- Behind an earlier event of the turn that waits for its second attempt, an event waits as long.
create or replace function deliver_event() returns trigger language plpgsql as $$
begin
  insert into webhook_deliveries (delivery_id, webhook_id, event_id, turn_id, seq, next_attempt_at, created_at)
  select delivery_id_of(new.event_id, w.webhook_id), w.webhook_id, new.event_id, new.turn_id, new.seq,
    greatest(new.created_at, (select max(d.next_attempt_at) from webhook_deliveries d
      where d.webhook_id = w.webhook_id and d.turn_id = new.turn_id and d.state = 'pending' and d.round < 2)),
    new.created_at
  from webhook_endpoints w
  where w.user_id = new.user_id and w.test = new.test and w.deleted_at is null and w.disabled_at is null
    and endpoint_hears(w, new);
  return null;
end $$;
create or replace trigger events_deliver after insert on events for each row execute function deliver_event();
create or replace trigger events_append_only before update or delete on events
  for each statement execute function guard_append_only();

-- The one change that an event may see: an erased turn's loses what it said.
create or replace function guard_event_redaction() returns trigger language plpgsql as $$
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
create or replace trigger turn_events_redacted_only before update on turn_events
  for each row execute function guard_event_redaction();

create or replace trigger audit_log_append_only before update or delete on audit_log
  for each statement execute function guard_append_only();

-- The rehearsal model is always there: deterministic, no network (src/agent/REHEARSAL.md).
insert into model_catalog (pin, engine, model, label, enabled, sort_order, price_input, price_cached, price_output, max_output_tokens)
values ('rehearsal/standard', 'rehearsal', 'standard', 'Rehearsal', true, 1000, 10000000, 1000000, 50000000, 8192)
on conflict (pin) do nothing;
