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

-- balance - held is what may still be spent.
create table if not exists wallets (
  user_id bigint primary key references users,
  balance_credit_micros bigint not null default 0,
  held_credit_micros bigint not null default 0 check (held_credit_micros >= 0),
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
  -- The machine: who may write (epoch), and until when (lease_until).
  epoch integer not null default 0,
  attempts integer not null default 0,
  model_failures integer not null default 0,
  lease_until timestamptz,
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
    = (finished_at is not null and held_credit_micros = 0)
  ),
  constraint turns_running_has_started check (state = 'queued' or state = 'cancelled' or started_at is not null)
) with (fillfactor = 60);
-- Lists order by turn_id collate "C", so that the planner cannot walk the primary key backwards over everybody's turns.
create index if not exists turns_of_owner on turns (user_id, test, turn_id collate "C" desc);
create index if not exists turns_of_space on turns (space_id, turn_id collate "C" desc);
create index if not exists turns_of_end_user on turns (user_id, end_user_ref, turn_id collate "C" desc);

-- The turns that have not ended: what the sweeper, a conversation's queue and lists of open turns look up, kept small and apart from
-- the wide rows, by the procedures that accept, claim, wake and end a turn. wake_at: when somebody must look at it again.
create table if not exists open_turns (
  turn_id text primary key,
  conversation_id text not null,
  position bigint not null,
  user_id bigint not null,
  test boolean not null,
  state text not null check (state in ('queued', 'running')),
  wake_at timestamptz not null,
  created_at timestamptz not null,
  unique (conversation_id, position)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500);
create unique index if not exists open_turns_one_running_per_conversation on open_turns (conversation_id) where state = 'running';
create index if not exists open_turns_to_wake on open_turns (wake_at, turn_id);
create index if not exists open_turns_by_age on open_turns (created_at);
create index if not exists open_turns_of_owner on open_turns (user_id, test, turn_id collate "C" desc);

create table if not exists turn_events (
  turn_id text not null references turns,
  seq integer not null check (seq > 0),
  event_id text not null,
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
-- By status_reason, which failed and cancelled turns have: an index on the state would be written at each change of it.
create index if not exists turns_without_result on turns (user_id, test, turn_id collate "C" desc) where status_reason is not null;
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

-- What keys and end users have spent and reserved in each day, month and window, by the turns that were accepted in it: kept
-- by a trigger on turns, always under the lock of their account's wallet. What caps are checked against (take_hold).
create table if not exists spend_counters (
  user_id bigint not null references users,
  kind text not null check (kind in ('key', 'end_user')),
  -- A key_id, or an end_user_ref.
  subject text not null,
  period text not null check (period in ('day', 'month', 'window')),
  starts_at timestamptz not null,
  spent_credit_micros bigint not null check (spent_credit_micros >= 0),
  reserved_credit_micros bigint not null check (reserved_credit_micros >= 0),
  primary key (user_id, kind, subject, period, starts_at)
);
-- The window of its key that a turn is counted in.
alter table turns add column if not exists window_started_at timestamptz;
-- What each customer without a limit of their own may spend, when neither has their key a default.
alter table wallets add column if not exists end_user_daily_credit_micros bigint check (end_user_daily_credit_micros >= 0);
alter table wallets add column if not exists end_user_monthly_credit_micros bigint check (end_user_monthly_credit_micros >= 0);
-- Turns from before there were counters.
insert into spend_counters (user_id, kind, subject, period, starts_at, spent_credit_micros, reserved_credit_micros)
select t.user_id, p.kind, p.subject, p.period, p.starts_at, sum(t.billed_credit_micros), sum(t.held_credit_micros)
from turns t, lateral (values
  ('key', t.key_id, 'day', date_trunc('day', t.created_at, 'UTC')),
  ('end_user', t.end_user_ref, 'day', date_trunc('day', t.created_at, 'UTC')),
  ('end_user', t.end_user_ref, 'month', date_trunc('month', t.created_at, 'UTC'))) as p(kind, subject, period, starts_at)
where t.key_id is not null and not t.test
  and t.created_at >= least(date_trunc('month', now(), 'UTC'), date_trunc('day', now(), 'UTC') - interval '24 hours')
  and (p.period = 'day' or p.starts_at = date_trunc('month', now(), 'UTC'))
  and not exists (select 1 from spend_counters)
group by 1, 2, 3, 4, 5;

-- What was told of: each share of a cap once in its period (tell_cap), a balance that runs low or out until it does not (tell_balance).
alter table spend_counters add column if not exists told_percents integer[] not null default '{}';
-- Below it the owner is told that the balance is low; 0: never.
alter table wallets add column if not exists low_balance_credit_micros bigint not null default 10000000
  check (low_balance_credit_micros >= 0);
alter table wallets add column if not exists low_told boolean not null default false;
alter table wallets add column if not exists depleted_told boolean not null default false;
-- Months are kept longer than days and windows (src/quotas/sweep-counters.ts).
create index if not exists spend_counters_short on spend_counters (starts_at) where period <> 'month';
create index if not exists spend_counters_months on spend_counters (starts_at) where period = 'month';

-- The books. reference: what makes an entry once: a payment's id, an Idempotency-Key, with its source before it. A commission
-- is an amount of a currency (ISO 4217, in its minor units), and no credit.
alter table ledger add column if not exists reference text;
alter table ledger add column if not exists currency text
  check (currency ~ '^[A-Z]{3}$' and (currency is null or reason = 'referral_credit_commission'));
alter table ledger add column if not exists currency_amount_minor bigint
  check (coalesce(currency_amount_minor > 0, true) and (currency_amount_minor is null) = (currency is null));
create unique index if not exists ledger_one_entry_per_reference on ledger (reference) where reference is not null;
-- A correction that names a turn is its refund.
create unique index if not exists ledger_one_refund_per_turn on ledger (turn_id) where reason = 'admin_action' and turn_id is not null;

-- One pass of the reconciliation over all books, in slices: phase and position say where it goes on.
create table if not exists reconciliations (
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
  finished_at timestamptz
);
create unique index if not exists reconciliations_one_open on reconciliations ((true)) where finished_at is null;
create index if not exists reconciliations_by_start on reconciliations (started_at desc);
create table if not exists reconciliation_findings (
  finding_id bigint generated always as identity primary key,
  reconciliation_id text not null references reconciliations,
  kind text not null,
  user_id bigint,
  turn_id text,
  ledger_id bigint,
  -- Which row of spend_counters: {kind, subject, period, starts_at}.
  counter jsonb,
  expected_credit_micros bigint,
  found_credit_micros bigint,
  found_at timestamptz not null,
  repaired_at timestamptz
);
create index if not exists reconciliation_findings_of_pass on reconciliation_findings (reconciliation_id, finding_id);

-- When each sweep ran last, and when it last succeeded.
create table if not exists sweeps (
  name text primary key,
  ran_at timestamptz not null,
  duration_ms integer not null,
  ok boolean not null,
  succeeded_at timestamptz
);

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
create index if not exists sessions_of_user on sessions (user_id, session_id collate "C" desc);

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
create table if not exists identities (
  issuer text not null,
  subject text not null,
  user_id bigint not null references users,
  email text,
  email_verified boolean not null default false,
  created_at timestamptz not null,
  last_used_at timestamptz,
  primary key (issuer, subject)
);
create index if not exists identities_of_user on identities (user_id);

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
create or replace trigger spaces_config_made after insert on spaces for each row
  when (current_query() not like 'select * from turnpike\_%') execute function keep_space_config();
create or replace trigger spaces_config_changed after update of config_version on spaces for each row
  when (new.config_version <> old.config_version and current_query() not like 'select * from turnpike\_%') execute function keep_space_config();

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
  when (new.type like 'turn.%' and current_query() not like 'select * from turnpike\_%') execute function feed_turn_event();

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
create or replace trigger events_deliver after insert on events for each row
  when (current_query() not like 'select * from turnpike\_%') execute function deliver_event();
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

-- Caps (design section 6). A turn counts in the day, month and window in which it was accepted, whatever it is billed later: so a
-- cap's next period begins with nothing reserved in it.
create or replace function count_turn_spend() returns trigger language plpgsql as $$
declare
  spent bigint := new.billed_credit_micros - coalesce(old.billed_credit_micros, 0);
  reserved bigint := new.held_credit_micros - coalesce(old.held_credit_micros, 0);
begin
  insert into spend_counters as c (user_id, kind, subject, period, starts_at, spent_credit_micros, reserved_credit_micros)
  select new.user_id, p.kind, p.subject, p.period, p.starts_at, greatest(0, spent), greatest(0, reserved)
  from (values
    ('key', new.key_id, 'day', date_trunc('day', new.created_at, 'UTC')),
    ('key', new.key_id, 'window', new.window_started_at),
    ('end_user', new.end_user_ref, 'day', date_trunc('day', new.created_at, 'UTC')),
    ('end_user', new.end_user_ref, 'month', date_trunc('month', new.created_at, 'UTC'))) as p(kind, subject, period, starts_at)
  where p.starts_at is not null
  -- Never below 0: a counter that was wrong must not keep a turn from its end. The reconciliation finds it.
  on conflict (user_id, kind, subject, period, starts_at) do update set
    spent_credit_micros = greatest(0, c.spent_credit_micros + spent),
    reserved_credit_micros = greatest(0, c.reserved_credit_micros + reserved);
  return null;
end $$;
create or replace trigger turns_count_first after insert on turns for each row
  when (new.key_id is not null and new.held_credit_micros > 0 and current_query() not like 'select * from turnpike\_%') execute function count_turn_spend();
create or replace trigger turns_count_change after update of held_credit_micros, billed_credit_micros on turns for each row
  when (new.key_id is not null and (new.held_credit_micros, new.billed_credit_micros)
    is distinct from (old.held_credit_micros, old.billed_credit_micros) and current_query() not like 'select * from turnpike\_%') execute function count_turn_spend();

-- A request that was sent twice: the second may have begun before the first's turn was there, and have waited for the wallet since.
-- The unique index would make it wait for whoever changes that turn now, and they may wait for the wallet: so look first.
create or replace function refuse_twin_turn() returns trigger language plpgsql as $$
declare
  twin boolean;
begin
  -- The first at or behind its place: in this order only the unique index has them, whatever the planner knew of the table.
  select (t.user_id, t.test, t.idempotency_key) = (new.user_id, new.test, new.idempotency_key) into twin from turns t
    where (t.user_id, t.test, t.idempotency_key) >= (new.user_id, new.test, new.idempotency_key)
    order by t.user_id, t.test, t.idempotency_key limit 1;
  if twin then
    raise exception 'the account has a turn with this idempotency key' using errcode = '23505',
      constraint = 'turns_user_id_test_idempotency_key_key', table = 'turns';
  end if;
  return new;
end $$;
create or replace trigger turns_refuse_twin before insert on turns for each row
  when (current_query() not like 'select * from turnpike\_%') execute function refuse_twin_turn();

-- The books. Books an entry under the lock of its account's wallet; each query in here sees what was committed before that lock
-- was given. An entry that is there under its reference is answered, and nothing is done (replayed). refused: 'no_account', or
-- 'balance_too_low' when the amount would take what is held.
create or replace function book_entry(of_user bigint, of_reason text, amount bigint, of_turn text, of_reference text,
  in_currency text, minor bigint, by_actor text, with_note text, moment timestamptz)
returns table (entry jsonb, replayed boolean, refused text) language plpgsql rows 1 as $$
declare
  wallet wallets;
  booked ledger;
begin
  replayed := false;
  select * into wallet from wallets w where w.user_id = of_user for update;
  if not found then
    insert into wallets (user_id) select u.user_id from users u where u.user_id = of_user on conflict do nothing;
    select * into wallet from wallets w where w.user_id = of_user for update;
  end if;
  select * into booked from ledger l where l.reference = of_reference;
  if booked.ledger_id is not null then
    replayed := true;
  elsif wallet.user_id is null then
    refused := 'no_account';
  elsif wallet.balance_credit_micros - wallet.held_credit_micros + coalesce(amount, 0) < 0 then
    refused := 'balance_too_low';
  else
    -- Before the balance, whose trigger dates what it tells by the newest entry.
    insert into ledger (user_id, reason, amount_credit_micros, balance_after_credit_micros, turn_id, reference, currency,
      currency_amount_minor, actor, note, created_at)
    values (of_user, of_reason, amount, wallet.balance_credit_micros + coalesce(amount, 0), of_turn, of_reference, in_currency,
      minor, by_actor, with_note, moment)
    returning * into booked;
    update wallets w set balance_credit_micros = w.balance_credit_micros + amount where w.user_id = of_user and amount is not null;
  end if;
  if booked.ledger_id is not null then entry := to_jsonb(booked); end if;
  return next;
end $$;

-- Gives back, once, all that an ended turn was charged. refused: 'no_turn', 'not_ended', 'not_billed'.
create or replace function refund_turn(of_turn text, by_actor text, with_note text, moment timestamptz)
returns table (entry jsonb, replayed boolean, refused text) language plpgsql rows 1 as $$
declare
  turn turns;
  charged bigint;
begin
  perform 1 from wallets w where w.user_id = (select t.user_id from turns t where t.turn_id = of_turn) for update;
  select * into turn from turns t where t.turn_id = of_turn;
  select -sum(l.amount_credit_micros) into charged from ledger l
    where l.turn_id = of_turn and l.user_id = turn.user_id and l.reason in ('usage', 'space_usage');
  replayed := false;
  refused := case when turn.turn_id is null then 'no_turn' when turn.finished_at is null then 'not_ended'
    when coalesce(charged, 0) = 0 then 'not_billed' end;
  if refused is null then
    return query select * from book_entry(turn.user_id, 'admin_action', charged, of_turn, 'refund:' || of_turn, null, null,
      by_actor, with_note, moment);
  else
    return next;
  end if;
end $$;

-- What says in an id when its thing was made, to the millisecond (src/platform/ids.ts).
create or replace function id_time(moment timestamptz) returns text language sql immutable as $$
  select string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz',
    1 + ((floor(extract(epoch from moment) * 1000)::bigint >> (45 - 5 * place)) & 31)::integer, 1), '' order by place)
  from generate_series(0, 9) as place
$$;

-- What turns say that a row of spend_counters should hold. Stable: all of it is of the caller's own snapshot.
create or replace function counter_truth(of_user bigint, of_kind text, of_subject text, of_period text, since timestamptz)
returns table (spent bigint, reserved bigint) language plpgsql stable rows 1 as $$
declare
  until timestamptz := case of_period when 'day' then since + interval '24 hours'
    when 'month' then (since at time zone 'UTC' + interval '1 month') at time zone 'UTC' else 'infinity' end;
  -- A turn whose worker's clock is behind may be in a window that began after its id did.
  first_id text := 'turn_' || id_time(case of_period when 'window' then since - interval '1 hour' else since end);
  last_id text := case when of_period = 'window' then 'turn_~' else 'turn_' || id_time(until) end;
begin
  if of_kind = 'key' then
    return query select coalesce(sum(t.billed_credit_micros), 0)::bigint,
        coalesce(sum(t.hold_credit_micros) filter (where t.finished_at is null), 0)::bigint
      from turns t where t.key_id = of_subject and t.user_id = of_user
        and t.turn_id collate "C" >= first_id and t.turn_id collate "C" < last_id
        and case when of_period = 'window' then t.window_started_at = since else t.created_at >= since and t.created_at < until end;
  else
    return query select coalesce(sum(t.billed_credit_micros), 0)::bigint,
        coalesce(sum(t.hold_credit_micros) filter (where t.finished_at is null), 0)::bigint
      from turns t where t.user_id = of_user and t.end_user_ref = of_subject and t.key_id is not null
        and t.turn_id collate "C" >= first_id and t.turn_id collate "C" < last_id
        and t.created_at >= since and t.created_at < until;
  end if;
end $$;

-- Sets a counter to what turns say. Under the lock of the wallet nobody counts meanwhile, and the look behind it sees all.
create or replace function repair_counter(of_user bigint, of_kind text, of_subject text, of_period text, since timestamptz)
returns boolean language plpgsql as $$
begin
  perform 1 from wallets w where w.user_id = of_user for update;
  insert into spend_counters (user_id, kind, subject, period, starts_at, spent_credit_micros, reserved_credit_micros)
  select of_user, of_kind, of_subject, of_period, since, c.spent, c.reserved
  from counter_truth(of_user, of_kind, of_subject, of_period, since) c
  on conflict (user_id, kind, subject, period, starts_at) do update set
    spent_credit_micros = excluded.spent_credit_micros, reserved_credit_micros = excluded.reserved_credit_micros;
  return true;
end $$;

-- Sets what a wallet holds to what its open turns will give back. False when the balance does not cover that.
create or replace function repair_held(of_user bigint) returns boolean language plpgsql as $$
declare
  holds bigint;
begin
  perform 1 from wallets w where w.user_id = of_user for update;
  select coalesce(sum(t.hold_credit_micros), 0) into holds from turns t
    where t.user_id = of_user and t.state in ('queued', 'running');
  update wallets w set held_credit_micros = holds where w.user_id = of_user and w.balance_credit_micros >= holds;
  return found;
end $$;

-- When the window of a key's cap began that is open at a moment; null when none is. One in which nothing was spent is none, wherever
-- it stands: moments come from many clocks, so that a window may be opened behind one that began later and came to nothing.
create or replace function open_window(of_key text, moment timestamptz) returns timestamptz language sql stable as $$
  select c.starts_at from api_keys k, lateral (
    select n.starts_at from spend_counters n
    where n.user_id = k.user_id and n.kind = 'key' and n.subject = k.key_id and n.period = 'window'
      and n.starts_at > moment - make_interval(secs => k.window_seconds)
      and n.spent_credit_micros + n.reserved_credit_micros > 0
    order by n.starts_at desc limit 1) c
  where k.key_id = of_key
$$;

-- The caps that bind turns of a key for an end user (either may be null: then those of the other) which count at a moment, and in
-- a window. The limit of an end user is `own`, else the key's default, else the account's.
create or replace function cap_states_under(own end_users, of_user bigint, of_key text, of_end_user text, moment timestamptz, in_window timestamptz)
returns table (cap text, source text, limit_credit_micros bigint, spent_credit_micros bigint, reserved_credit_micros bigint,
  starts_at timestamptz, resets_at timestamptz) language sql stable rows 4 as $$
  select p.cap, p.source, p.amount, coalesce(c.spent_credit_micros, 0), coalesce(c.reserved_credit_micros, 0), p.starts_at, p.resets_at
  from (select date_trunc('day', moment, 'UTC') as day, date_trunc('month', moment, 'UTC') as month) as begun
    left join api_keys k on k.key_id = of_key
    left join wallets w on w.user_id = of_user,
  lateral (values
    ('key_daily', 'key', k.daily_credit_micros, 'key', of_key, 'day', begun.day, begun.day + interval '24 hours'),
    ('key_window', 'key', k.window_credit_micros, 'key', of_key, 'window', in_window,
      in_window + make_interval(secs => k.window_seconds)),
    ('end_user_daily', case when (own).daily_limit_credit_micros is not null then 'end_user'
        when k.end_user_daily_credit_micros is not null then 'key' else 'account' end,
      coalesce((own).daily_limit_credit_micros, k.end_user_daily_credit_micros, w.end_user_daily_credit_micros),
      'end_user', of_end_user, 'day', begun.day, begun.day + interval '24 hours'),
    ('end_user_monthly', case when (own).monthly_limit_credit_micros is not null then 'end_user'
        when k.end_user_monthly_credit_micros is not null then 'key' else 'account' end,
      coalesce((own).monthly_limit_credit_micros, k.end_user_monthly_credit_micros, w.end_user_monthly_credit_micros),
      'end_user', of_end_user, 'month', begun.month,
      (date_trunc('month', moment at time zone 'UTC') + interval '1 month') at time zone 'UTC')
  ) as p(cap, source, amount, kind, subject, period, starts_at, resets_at)
    -- The limit keeps this a lookup of one row, even in a plan that was made while the table was empty.
    left join lateral (
      select n.spent_credit_micros, n.reserved_credit_micros from spend_counters n
      where n.user_id = of_user and n.kind = p.kind and n.subject = p.subject and n.period = p.period and n.starts_at = p.starts_at
      limit 1) c on true
  where p.amount is not null and p.subject is not null
$$;

-- The same under the limits that the end user has.
create or replace function cap_states(of_user bigint, of_key text, of_end_user text, moment timestamptz, in_window timestamptz)
returns table (cap text, source text, limit_credit_micros bigint, spent_credit_micros bigint, reserved_credit_micros bigint,
  starts_at timestamptz, resets_at timestamptz) language sql stable rows 4 as $$
  select s.* from (select of_end_user as ref) as asked
    left join end_users e on e.user_id = of_user and not e.test and e.end_user_ref = asked.ref,
  lateral cap_states_under(e, of_user, of_key, of_end_user, moment, in_window) s
$$;

-- The hold of up to `wanted` that a turn would get: as much as the balance and every cap have left, in all of them; or nothing
-- (amount is null) when one has less than `needed`. It takes nothing and locks nothing.
-- A new turn counts at `moment` in its key's window, which it opens when none is; a turn that has a window already stays in it.
create or replace function room_for(of_user bigint, of_key text, of_end_user text, wanted bigint, needed bigint, moment timestamptz,
  is_new boolean, in_window timestamptz)
returns table (amount bigint, window_started_at timestamptz, available bigint, held bigint, caps jsonb) language plpgsql stable rows 1 as $$
declare
  room bigint;
begin
  select w.balance_credit_micros - w.held_credit_micros, w.held_credit_micros into available, held
    from wallets w where w.user_id = of_user;
  available := coalesce(available, 0);
  held := coalesce(held, 0);
  room := available;
  caps := '[]';
  window_started_at := in_window;
  if of_key is not null then
    if is_new then
      select coalesce(open_window(of_key, moment), moment) into window_started_at
        from api_keys k where k.key_id = of_key and k.window_seconds is not null;
    end if;
    select least(room, min(s.limit_credit_micros - s.spent_credit_micros - s.reserved_credit_micros)),
        coalesce(jsonb_agg(to_jsonb(s) order by s.cap), '[]') into room, caps
      from cap_states(of_user, of_key, of_end_user, moment, window_started_at) s where s.starts_at is not null;
  end if;
  if greatest(0, room) >= needed then
    amount := greatest(0, least(wanted, room));
  end if;
  return next;
end $$;

-- Takes that hold. Whoever changes what an account has spent or holds does so under the lock of its wallet, and each query in here
-- sees what was committed before that lock was given: so no two turns get the same credit.
create or replace function take_hold(of_user bigint, of_key text, of_end_user text, wanted bigint, needed bigint, moment timestamptz,
  is_new boolean, in_window timestamptz)
returns table (amount bigint, window_started_at timestamptz, available bigint, held bigint, caps jsonb) language plpgsql rows 1 as $$
begin
  perform from wallets w where w.user_id = of_user for update;
  select r.* into amount, window_started_at, available, held, caps
    from room_for(of_user, of_key, of_end_user, wanted, needed, moment, is_new, in_window) r;
  update wallets w set held_credit_micros = w.held_credit_micros + amount where w.user_id = of_user and amount > 0;
  return next;
end $$;

-- Events of the whole account, told in the transaction of what they tell, under the lock of its wallet: once each.

-- An event's id as newId makes it (src/platform/ids.ts); those of one moment sort by their place, 0 to 9.
create or replace function event_id_at(moment timestamptz, place integer) returns text language sql volatile as $$
  select 'evt_' || id_time(moment) || place || substr(md5(gen_random_uuid()::text), 1, 15)
$$;

-- Tells of these percents of a cap those that were not told yet in its period; whether there is one. `state` is a row of
-- cap_states as jsonb, of which the amounts stay in the event.
create or replace function tell_cap(of_user bigint, of_key text, of_end_user text, state jsonb, percents integer[], moment timestamptz)
returns boolean language plpgsql as $$
declare
  is_of_key boolean := state ->> 'cap' in ('key_daily', 'key_window');
  in_kind text := case when is_of_key then 'key' else 'end_user' end;
  of_subject text := case when is_of_key then of_key else of_end_user end;
  in_period text := case state ->> 'cap' when 'key_window' then 'window' when 'end_user_monthly' then 'month' else 'day' end;
  begun timestamptz := state ->> 'starts_at';
  told integer[] := '{}';
  news integer[];
begin
  select c.told_percents into told from spend_counters c where c.user_id = of_user and c.kind = in_kind
    and c.subject = of_subject and c.period = in_period and c.starts_at = begun;
  news := array(select p from unnest(percents) p where p <> all (coalesce(told, '{}')) order by p);
  if cardinality(news) = 0 then
    return false;
  end if;
  -- Nothing is counted yet under a cap that is too small for any turn.
  insert into spend_counters as c (user_id, kind, subject, period, starts_at, spent_credit_micros, reserved_credit_micros, told_percents)
  values (of_user, in_kind, of_subject, in_period, begun, 0, 0, news)
  on conflict (user_id, kind, subject, period, starts_at) do update set told_percents = c.told_percents || excluded.told_percents;
  insert into events (event_id, user_id, test, type, data, created_at)
  select event_id_at(moment, place::integer), of_user, false, 'cap.reached', jsonb_build_object(
      'cap', state -> 'cap', 'source', state -> 'source', 'percent', percent, 'limit_credit_micros', state -> 'limit_credit_micros',
      'spent_credit_micros', state -> 'spent_credit_micros', 'reserved_credit_micros', state -> 'reserved_credit_micros',
      'resets_at', state -> 'resets_at', 'key_id', case when is_of_key or state ->> 'source' = 'key' then of_key end,
      'end_user_ref', case when not is_of_key then of_end_user end), moment
  from unnest(news) with ordinality as n(percent, place);
  return true;
end $$;

-- A charge tells each share of the caps that bind its turn which is reached by what is spent now.
create or replace function tell_spend() returns trigger language plpgsql as $$
declare
  state record;
begin
  -- Most turns have no cap at all: cap_states would take five times as long to say so.
  if not exists (select 1 from api_keys k join wallets w on w.user_id = k.user_id
      left join end_users e on e.user_id = k.user_id and not e.test and e.end_user_ref = new.end_user_ref
    where k.key_id = new.key_id and num_nonnulls(k.daily_credit_micros, k.window_credit_micros, k.end_user_daily_credit_micros,
      k.end_user_monthly_credit_micros, w.end_user_daily_credit_micros, w.end_user_monthly_credit_micros,
      e.daily_limit_credit_micros, e.monthly_limit_credit_micros) > 0)
  then
    return null;
  end if;
  for state in select s.* from cap_states(new.user_id, new.key_id, new.end_user_ref, new.created_at, new.window_started_at) s
    where s.starts_at is not null and s.spent_credit_micros * 2 >= s.limit_credit_micros
  loop
    perform tell_cap(new.user_id, new.key_id, new.end_user_ref, to_jsonb(state),
      array(select p from unnest('{50, 80, 100}'::integer[]) p where state.spent_credit_micros * 100 >= state.limit_credit_micros * p),
      new.finished_at);
  end loop;
  return null;
end $$;
-- Behind turns_count_change, which has counted it: triggers of a row fire in the order of their names.
create or replace trigger turns_tell_spend after update of billed_credit_micros on turns for each row
  when (new.key_id is not null and new.billed_credit_micros > old.billed_credit_micros and current_query() not like 'select * from turnpike\_%') execute function tell_spend();

-- Tells one of balance.low (place 0) and balance.depleted (1) with what the wallet has now.
create or replace function tell_balance(of_user bigint, of_type text, place integer, moment timestamptz)
returns void language sql volatile as $$
  insert into events (event_id, user_id, test, type, data, created_at)
  select event_id_at(moment, place), w.user_id, false, of_type, jsonb_build_object('balance_credit_micros', w.balance_credit_micros,
    'held_credit_micros', w.held_credit_micros, 'threshold_credit_micros', w.low_balance_credit_micros), moment
  from wallets w where w.user_id = of_user
$$;

-- Follows a balance down and up again. Its moment is that of the change's ledger row, the newest of the account.
create or replace function follow_balance() returns trigger language plpgsql as $$
declare
  fell boolean := new.balance_credit_micros < old.balance_credit_micros;
  is_low boolean := new.balance_credit_micros < new.low_balance_credit_micros;
  tells_low boolean := fell and is_low and (not new.low_told or old.balance_credit_micros >= new.low_balance_credit_micros);
  tells_depleted boolean := fell and new.balance_credit_micros = 0 and not new.depleted_told;
  moment timestamptz;
begin
  update wallets w set low_told = is_low and (w.low_told or tells_low), depleted_told = fell and (w.depleted_told or tells_depleted)
    where w.user_id = new.user_id;
  if tells_low or tells_depleted then
    moment := coalesce((select l.created_at from ledger l where l.user_id = new.user_id order by l.ledger_id desc limit 1), now());
  end if;
  if tells_low then
    perform tell_balance(new.user_id, 'balance.low', 0, moment);
  end if;
  if tells_depleted then
    perform tell_balance(new.user_id, 'balance.depleted', 1, moment);
  end if;
  return null;
end $$;
create or replace trigger wallets_follow_balance after update of balance_credit_micros on wallets for each row
  when (current_query() not like 'select * from turnpike\_%' and case when new.balance_credit_micros < old.balance_credit_micros
      then (new.balance_credit_micros < new.low_balance_credit_micros
          and (not new.low_told or old.balance_credit_micros >= new.low_balance_credit_micros))
        or (new.balance_credit_micros = 0 and not new.depleted_told)
      else new.balance_credit_micros > old.balance_credit_micros and (new.depleted_told
        or (new.low_told and new.balance_credit_micros >= new.low_balance_credit_micros)) end)
  execute function follow_balance();

-- Tells why take_hold has refused a turn, where that holds for everyone from now on: nothing is held that could be released, and a
-- turn with a short text (which needs `short_needed`) is refused too. Whether it told anything.
create or replace function tell_refusal(of_user bigint, of_key text, of_end_user text, needed bigint, short_needed bigint,
  available bigint, held bigint, caps jsonb, moment timestamptz)
returns boolean language plpgsql as $$
declare
  state jsonb;
  told boolean := false;
begin
  if available < needed then
    if held > 0 or available >= short_needed then
      return false;
    end if;
    update wallets w set depleted_told = true where w.user_id = of_user and not w.depleted_told;
    if found then
      perform tell_balance(of_user, 'balance.depleted', 1, moment);
      told := true;
    end if;
    return told;
  end if;
  for state in select s from jsonb_array_elements(caps) s
    where (s ->> 'reserved_credit_micros')::bigint = 0
      and (s ->> 'limit_credit_micros')::bigint - (s ->> 'spent_credit_micros')::bigint < short_needed
      -- A window in which nothing was spent has not begun.
      and (s ->> 'cap' <> 'key_window' or (s ->> 'spent_credit_micros')::bigint > 0)
  loop
    told := tell_cap(of_user, of_key, of_end_user, state, '{100}', moment) or told;
  end loop;
  return told;
end $$;

create or replace trigger audit_log_append_only before update or delete on audit_log
  for each statement execute function guard_append_only();

-- The rehearsal model is always there: deterministic, no network (src/agent/REHEARSAL.md).
insert into model_catalog (pin, engine, model, label, enabled, sort_order, price_input, price_cached, price_output, max_output_tokens)
values ('rehearsal/standard', 'rehearsal', 'standard', 'Rehearsal', true, 1000, 10000000, 1000000, 50000000, 8192)
on conflict (pin) do nothing;

-- The user of an identity that was proved (design section 7): the one that it belongs to; else the one whose email is verified and
-- is the one that the issuer has verified too; else a new one, who gets a verified email that nobody has. Only ASCII letters are
-- folded: of some others lower() makes ASCII. Outcomes: found, joined, created; `disabled` and `admin` refuse, and nothing is written.
create or replace function resolve_identity(
  p_issuer text, p_subject text, p_email text, p_email_verified boolean, p_name text, p_brand text, p_refuse_admin boolean,
  p_now timestamptz, p_request_id text, p_address text, out outcome text, out found_user_id bigint, out epoch integer
) language plpgsql as $$
declare
  known users;
begin
  perform pg_advisory_xact_lock(hashtext('identities'), hashtext(p_issuer || chr(10) || p_subject));
  select u.* into known from identities i join users u on u.user_id = i.user_id
    where i.issuer = p_issuer and i.subject = p_subject;
  outcome := case when found then 'found' end;
  -- Somebody else may take the email between the look and the insert, which sees what was committed since: then look again.
  while outcome is null loop
    select u.* into known from users u where p_email_verified and u.email_verified
      and lower(u.email) = lower(p_email) and lower(u.email collate "C") = lower(p_email collate "C") for no key update;
    if found then
      outcome := 'joined';
    else
      insert into users (brand, name, email, email_verified, created_at)
        select p_brand, p_name, free.email, free.email is not null, p_now from (select case when p_email_verified
          and not exists (select 1 from users u where lower(u.email) = lower(p_email)) then p_email end as email) free
        where not exists (select 1 from users u where p_email_verified and u.email_verified
          and lower(u.email) = lower(p_email) and lower(u.email collate "C") = lower(p_email collate "C"))
        on conflict do nothing returning * into known;
      outcome := case when found then 'created' end;
    end if;
  end loop;
  if known.disabled_at is not null or (p_refuse_admin and known.role = 'admin') then
    outcome := case when known.disabled_at is not null then 'disabled' else 'admin' end;
    return;
  end if;
  found_user_id := known.user_id;
  epoch := known.session_epoch;
  if outcome = 'found' then
    update identities i set last_used_at = p_now, email = coalesce(p_email, i.email),
      email_verified = case when p_email is null then i.email_verified else p_email_verified end
    where i.issuer = p_issuer and i.subject = p_subject and i.user_id = known.user_id;
  else
    insert into identities (issuer, subject, user_id, email, email_verified, created_at, last_used_at)
    values (p_issuer, p_subject, known.user_id, p_email, p_email_verified, p_now, p_now) on conflict do nothing;
  end if;
  if not found then
    raise exception 'the identity was linked or unlinked at the same moment' using errcode = '40001';
  end if;
  if outcome = 'created' then
    insert into wallets (user_id) values (known.user_id);
  elsif outcome = 'joined' then
    insert into audit_log (actor_user_id, action, subject_type, subject_id, before, after, request_id, address, created_at)
    values (known.user_id, 'identity.join', 'user', known.user_id, '{}', jsonb_build_object('issuer', p_issuer,
      'subject', p_subject, 'email', p_email), p_request_id, p_address, p_now);
  end if;
end $$;

-- The releases of procedures that are there, each a schema of that name (src/ops/release.ts).
create table if not exists procedure_releases (
  name text primary key,
  applied_at timestamptz not null
);
