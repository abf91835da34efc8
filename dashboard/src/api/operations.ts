// Generated from the OpenAPI document by scripts/generate-client.ts: npm run client:types.

export interface AcceptInvitationAnswer {
  user_id: number
}

/** A password, an identity or a second factor of your account was set or removed. It is for the account's own user: keys and webhooks get it if this user made them and is an owner. It is a notice to the account's owner, so only keys to all spaces see it. */
export interface AccountFactorChangedEvent {
  /** The same in every delivery and replay. Store it, so that you handle each event once. */
  id: string
  type: "account.factor_changed"
  created_at: string
  /** Always null: the event belongs to no turn. */
  seq: number | null
  data: {
    factor: "password" | "email" | "identity" | "second_factor"
    change: string
  }
}

export interface AccountLimits {
  /** The most that each end user can spend in a UTC day, over all keys of the account. It applies if neither the end user nor the key has a daily limit. Null: no limit. */
  end_user_daily_usd: number | null
  /** The most that each end user can spend in a UTC month, over all keys of the account. It applies if neither the end user nor the key has a monthly limit. Null: no limit. */
  end_user_monthly_usd: number | null
  /** The event `balance.low` is sent when the balance falls below this amount. */
  low_balance_usd: number
  /** The rate of each end user, if neither the end user nor the key has one. Null: no limit. */
  end_user_rate: Rate | null
}

/** After too many wrong passwords, your account accepts no password for a while. It is sent at most once per hour. It is for the account's own user: keys and webhooks get it if this user made them and is an owner. It is a notice to the account's owner, so only keys to all spaces see it. */
export interface AccountLockedEvent {
  /** The same in every delivery and replay. Store it, so that you handle each event once. */
  id: string
  type: "account.locked"
  created_at: string
  /** Always null: the event belongs to no turn. */
  seq: number | null
  data: {
    address: string | null
  }
}

export interface AccountMe {
  /** The account: your own user, or the account for which you act as a member. */
  user: User
  /** You, while you act as a member; null for your own account. */
  person: User | null
  /** Your role in the account. */
  account_role: "owner" | "developer" | "billing" | "read_only"
  /** `read`: reads the account's objects. `develop`: changes spaces, tools, keys and webhooks, sends turns and decides about them. `bill`: decides about money: prices, wallets, caps and limits. `own`: decides who the people of the account are, and deletes a customer's data. `self`: concerns only the signed-in user, whatever account they act for. */
  rights: ("read" | "develop" | "bill" | "own" | "self")[]
  session: {
    created_at: string
    expires_at: string
  }
  balance: Balance
  /** The admin who acts as this user; null if the user signed in themselves. */
  acting_admin: {
    user_id: number
    name: string | null
  } | null
}

export interface AccountPlan {
  /** The account's plan. Null: it has none. */
  plan: {
    plan: string
    label: string
    trial: boolean
    starts_at: string
    /** Null: it has no end. */
    ends_at: string | null
  } | null
  /** The plan's daily cap, which binds all turns of the account. Null: no cap. */
  daily_cap: CapState | null
}

export interface AccountSetup {
  /** True if the account has an API key that works. */
  has_key: boolean
  /** The newest turn that a key has sent; null: none yet. */
  key_turn: {
    turn_id: string
    state: string
    created_at: string
  } | null
  /** True if a turn that a key has sent is done. It stays true. */
  has_done_turn: boolean
  /** True if at least 100 turns that keys have sent are done. It stays true. */
  is_in_use: boolean
  /** True if the user has sent a turn in the playground. */
  has_chat_turn: boolean
  /** The state of the most advanced webhook. */
  webhook: "none" | "pending" | "verified"
  /** True if a space of the account has a tool or an MCP server. */
  has_tool: boolean
  /** The newest space that the account owns. */
  own_space: {
    space_id: string
    title: string
  } | null
  /** The newest space of another account that the user may use. */
  shared_space: {
    space_id: string
    title: string
  } | null
  /** The newest refused request for each error code, from the last 7 days, newest first. Requests without a known key are not listed. */
  refused: RefusedRequest[]
  /** The page where the account buys credit (the setting `top_up_url`); null: ask the operator. */
  top_up_url: string | null
}

/** A user has signed in to your account from a new address or browser. It is for the account's own user: keys and webhooks get it if this user made them and is an owner. It is a notice to the account's owner, so only keys to all spaces see it. */
export interface AccountSignedInEvent {
  /** The same in every delivery and replay. Store it, so that you handle each event once. */
  id: string
  type: "account.signed_in"
  created_at: string
  /** Always null: the event belongs to no turn. */
  seq: number | null
  data: {
    session_id: string
    address: string | null
    user_agent: string | null
  }
}

export interface AccountSpace {
  /** The id of the space, which turns send as `space`. */
  space_id: string
  title: string
  /** The pin of the default model of its turns; null: the catalog's first model. */
  model: string | null
  manifest: Manifest
  /** The names of its tools. */
  tools: string[]
  /** The names of its MCP servers. */
  mcp_servers: string[]
  /** Your own key-value pairs: at most 16 pairs, keys of 64 and values of 512 characters. */
  metadata: Record<string, string>
  /** The number of the current version of its configuration. */
  config_version: number
  /** True if the space is archived. You can read it, but not change or use it. */
  archived: boolean
  /** True if the space is test data. Only test keys can access it. */
  test: boolean
  created_at: string
  updated_at: string
  /** Your role. `owner`: is billed for the space, and can change it. `admin`: can change it; the owners and admins of its workspace are `admin`. `member`: can see and use it. */
  role: "owner" | "admin" | "member"
  /** The workspace whose members can see and use the space; null: none. */
  workspace_id: string | null
}

export interface ActedTurn {
  turn_id: string
  /** `done`, `failed` and `cancelled` are final. */
  state: "queued" | "running" | "done" | "failed" | "cancelled"
  /** Why the turn is `failed` (the error's code) or `cancelled` (such as `client` or `expired`). Otherwise null. */
  status_reason: string | null
  /** The most that the turn can cost, as sent or raised since. Null: it has no limit of its own. Null in events of an open turn. */
  max_cost_usd: number | null
  /** Amount of your balance that is set aside for the turn until it ends. */
  held_usd: number
  /** Amount charged for the turn. 0 until it has ended. */
  billed_cost_usd: number
}

export interface Acting {
  /** The user whose account the admin views. */
  user_id: number
  /** The admin who acts as the user. */
  admin_user_id: number
  expires_at: string
}

export interface ActivityEntry {
  /** Greater for newer entries. */
  activity_id: number
  action: string
  /** The type of the changed object. */
  subject_type: string
  /** Its id, slug, name or `end_user_ref`. */
  subject_id: string
  /** The maker of the change: you, an API key, a member of the account or of a shared space, an end user, or an operator. */
  by: "owner" | "key" | "member" | "end_user" | "operator"
  /** The name of the owner, key or member. */
  name: string | null
  /** The user id of a member; null for all other makers. */
  member_id: number | null
  /** The role that a member of the account had then; null for all other makers. */
  role: "owner" | "developer" | "billing" | "read_only" | null
  /** The key that made the change, if it was one. */
  key_id: string | null
  /** The changed facts before, without secrets. Null for a new object, and for changes of operators. */
  before: Record<string, unknown> | null
  /** The facts afterwards, as in `before`. */
  after: Record<string, unknown> | null
  /** The request that made the change. */
  request_id: string | null
  /** The IP address of your own browser; null for all other makers. */
  address: string | null
  created_at: string
}

export interface ActivityEntryList {
  items: ActivityEntry[]
  /** The number of entries on all pages. */
  total: number
  limit: number
  offset: number
}

/** An entry is new in the account's activity (`GET /api/account/activity`): `data` is the entry, without an address. Sign-ins and factors of the account's own user are left out. Only webhooks that name this type get it, within about a minute; one for all types does not. */
export interface ActivityRecordedEvent {
  /** The same in every delivery and replay. Store it, so that you handle each event once. */
  id: string
  type: "activity.recorded"
  created_at: string
  /** Always null: the event belongs to no turn. */
  seq: number | null
  data: ActivityEntry
}

export interface AddProviderRequest {
  name: string
  /** Default: made from the name. The id of an existing account with an API key replaces its key. */
  provider_id?: string | undefined
  /** Accounts in `alt-pool` log in by device code, so this operation adds only API keys to it. */
  pool?: "main" | "alt-pool" | undefined
  kind?: "oauth" | "api_key" | undefined
  /** Default: the engine that PROVIDER_LOGINS names for the pool. */
  engine?: "anthropic" | "openai" | "openai-compatible" | undefined
  /** The URL that calls go to. Null: the engine's own URL. Default: the URL in PROVIDER_LOGINS. */
  base_url?: string | null | undefined
  /** Required for the kind `api_key`, not allowed for any other. It is never returned. */
  api_key?: string | undefined
}

export interface AddSpaceMember {
  user_id: number
}

export interface AddWorkspaceMember {
  user_id: number
  /** Owners and admins can change the spaces of the workspace. Members can see and use them. */
  role?: "owner" | "admin" | "member" | undefined
}

export interface AdminLedgerEntry {
  ledger_id: number
  /** `usage`: the charge of a key's turn. `space_usage`: the charge of a web-chat turn or, without a `turn_id`, for containers and storage. `admin_action` with a `turn_id`: that turn's refund. */
  reason: "admin_grant" | "admin_action" | "operator_topup" | "signup_credit" | "referral_signup_credit" | "manual_topup" | "credit_purchase" | "usage" | "space_usage" | "referral_credit_commission"
  /** The bucket of the entry in reports: granted (`free`), earned (`bonus`) or purchased credit (`paid`), refunds of turns (`refunded`), or charges (`spent`). Null for a commission and for a correction that takes credit back. */
  bucket: "free" | "bonus" | "paid" | "refunded" | "spent" | null
  /** Negative for charges. Null for a commission in a currency. 10 energy are 1 USD, or 10,000,000 credit micros. */
  amount_credit_micros: number | null
  amount_energy: number | null
  amount_usd: number | null
  /** A commission's currency, as an ISO 4217 code. */
  currency: string | null
  /** A commission's amount, in the currency's minor units (cents). */
  currency_amount_minor: number | null
  /** The account's running total after this entry. */
  balance_after_credit_micros: number
  balance_after_energy: number
  balance_after_usd: number
  /** The turn that was charged or refunded. */
  turn_id: string | null
  /** The actor that booked the entry: `admin:` with a `user_id`, `turn`, `system`, `payment:` with its provider, … */
  actor: string
  /** The note of the entry. Null if it has none. */
  note: string | null
  created_at: string
  user_id: number
}

export interface AdminRefundRequest {
  turn_id: string
  state: "open" | "refunded" | "declined"
  /** What the turn was billed. */
  amount_usd: number
  /** Empty after the erasure of the turn's end user. */
  reason: string
  /** The operator's words about the decision. Null: the request is open. */
  answer: string | null
  requested_at: string
  decided_at: string | null
  account: {
    user_id: number
    name: string | null
    email: string | null
  }
}

export interface AdminRefundRequestList {
  items: AdminRefundRequest[]
  /** The number of entries on all pages. */
  total: number
  limit: number
  offset: number
}

export interface AdminSpace {
  /** The space's number. Owners see only the slug. */
  space_id: number
  slug: string
  /** The chat of the space: the key of a messaging chat, or `space:` and the slug. */
  chat_key: string
  title: string
  /** `api`: created with a key. `dashboard`: created by a user. `messenger`: linked to a messaging chat. */
  origin: string
  /** The brand of the account that created the space. */
  brand: string
  archived: boolean
  /** True for test data. Turns of test spaces use the rehearsal model and cost nothing. */
  test: boolean
  owner: {
    user_id: number
    name: string | null
    email: string | null
  }
  workspace_id: string | null
  /** The pin of the space's model; null: the catalog's default. */
  model: string | null
  created_at: string
  /** The last time at which one of its turns changed its state; null if it has no turns. */
  last_activity: string | null
  /** The number of turns, including open turns. */
  messages: number
  /** The billed amount of its turns, in credit micros. */
  cost_credit_micros: number
  cost_usd: number
}

export interface AdminSpaceDetail {
  /** The space's number. Owners see only the slug. */
  space_id: number
  slug: string
  /** The chat of the space: the key of a messaging chat, or `space:` and the slug. */
  chat_key: string
  title: string
  /** `api`: created with a key. `dashboard`: created by a user. `messenger`: linked to a messaging chat. */
  origin: string
  /** The brand of the account that created the space. */
  brand: string
  archived: boolean
  /** True for test data. Turns of test spaces use the rehearsal model and cost nothing. */
  test: boolean
  owner: {
    user_id: number
    name: string | null
    email: string | null
  }
  workspace_id: string | null
  /** The pin of the space's model; null: the catalog's default. */
  model: string | null
  created_at: string
  /** The last time at which one of its turns changed its state; null if it has no turns. */
  last_activity: string | null
  /** The number of turns, including open turns. */
  messages: number
  /** The billed amount of its turns, in credit micros. */
  cost_credit_micros: number
  cost_usd: number
  manifest: Manifest
  /** The names of its tools. */
  tools: string[]
  /** The names of its MCP servers. */
  mcp_servers: string[]
  /** Your own key-value pairs: at most 16 pairs, keys of 64 and values of 512 characters. */
  metadata: Record<string, string>
  /** The number of the current version of its configuration. */
  config_version: number
  /** The API key that created the space; null if a user created it. */
  created_by_key_id: string | null
  archived_at: string | null
  updated_at: string
}

export interface AdminSpaceList {
  items: AdminSpace[]
  /** The number of entries on all pages. */
  total: number
  limit: number
  offset: number
}

export interface AdminTurn {
  account: {
    user_id: number
    name: string | null
    email: string | null
  }
  /** `hidden`: the setting `turn_texts_for_operators` asks for a reason, and none was stated. Then texts, results, messages and metadata are empty, and `steps` has none. */
  texts: "shown" | "hidden"
  turn: Turn
  trace: TurnTrace
  /** The turn's model calls in order, at most 200. */
  steps: TurnStep[]
  /** The messages of providers about the failed model calls of the turn. Hidden as texts are. */
  provider_messages: ({
    at: string
    code: string
    status: number | null
    /** The provider's whole message, without keys. */
    message: string
  })[]
  costs: TurnCosts
  /** The turn's entries in the account's ledger, newest first: its refund, and its charge once it is posted. */
  ledger: AdminLedgerEntry[]
  /** The charge that the end user's prepaid wallet paid, and that a refund returns to it. 0 without a wallet. */
  wallet_charge_usd: number
}

export interface AdminTurnSummary {
  turn_id: string
  state: "queued" | "running" | "done" | "failed" | "cancelled"
  waiting: WaitSummary
  /** Why the turn is `failed` (the error's code) or `cancelled`. Otherwise null. */
  status_reason: string | null
  space: string
  space_title: string
  /** The API key that sent the turn. Null for a web chat. */
  key: {
    key_id: string
    name: string
  } | null
  end_user_ref: string
  conversation: string
  model: string
  billed_cost_usd: number
  /** Amount of `billed_cost_usd` that the operator has returned to your balance: 0, or all of it. Reports count it when it was booked. */
  refunded_usd: number
  held_usd: number
  /** The time from acceptance to the end, or until now. */
  seconds: number
  model_calls: number
  tool_calls: number
  test: boolean
  created_at: string
  finished_at: string | null
  /** The account that is billed. */
  account: {
    user_id: number
    name: string | null
    email: string | null
  }
}

export interface AdminTurnSummaryList {
  items: AdminTurnSummary[]
  /** The number of entries on all pages. */
  total: number
  limit: number
  offset: number
}

export interface AdminUser {
  user_id: number
  name: string | null
  email: string | null
  email_verified: boolean
  role: "user" | "admin"
  /** The brand of the account. Reports count it under its first brand. */
  brand: string
  created_at: string
  /** The id of the user on the messaging platform; null if no messaging identity is linked. */
  messenger_id: string | null
  /** Whether the user has a password and can sign in with it. */
  has_password: boolean
  /** The time at which the account was disabled; null if it is active. */
  disabled_at: string | null
  balance_usd: number
  /** The event `balance.low` is sent when the balance falls below this amount. 0 disables the event. */
  low_balance_usd: number
  /** Default daily cap per end user, in USD per UTC day; null if no default is set. A cap of the end user replaces it. */
  end_user_daily_usd: number | null
  /** Default monthly cap per end user, in USD per UTC month; null if no default is set. */
  end_user_monthly_usd: number | null
  /** Increases with each edit. */
  version: number
  /** The time of the last edit; null if the user was never edited. */
  updated_at: string | null
  /** The admin who made the last edit; null if it was the owner or the command line. */
  updated_by: number | null
}

export interface AltPool {
  accounts: AltPoolAccount[]
  /** The usage of all accounts together in the last 30 days (UTC), including today: live calls, by the time at which their turns ended. */
  usage: {
    model_calls: number
    tokens_input: number
    /** The input tokens that the provider read from its cache. */
    tokens_cached: number
    tokens_output: number
    /** The cost for us, at the provider's prices, in USD. */
    cost_usd: number
    /** The amount that accounts were billed for these calls, in USD. */
    billed_usd: number
  }
  /** The usable account that served last, otherwise the one with the most room left. Null if none is usable. */
  active: {
    account_id: string
    name: string
  } | null
  /** `cooling`: no account is usable, and at least one recovers by itself. `down`: none recovers by itself. */
  state: "empty" | "usable" | "cooling" | "down"
}

export interface AltPoolAccount {
  provider_id: string
  /** The pool that an account belongs to. */
  pool: "main" | "alt-pool"
  /** The account's display name. */
  name: string
  /** How the account is authenticated: an API key, a login with a pasted code, or a login by device code. */
  kind: "api_key" | "oauth_code" | "oauth_device"
  engine: "anthropic" | "openai" | "openai-compatible"
  /** The URL that calls go to. Null: the engine's own. If the environment names an account of this engine (`ANTHROPIC_API_KEY`, `OPENAI_API_KEY`, `OPENAI_BASE_URL`), only accounts with the same base URL serve the engine's pins. */
  base_url: string | null
  /** `cooling`: it is not called before `cool_until`. `suspended`: its provider has barred it or demands payment. At `cool_until` one call tries it again, and each failure doubles the pause up to a limit. `needs_login`: its credential was refused or is missing. `contained`: a refreshed credential may have been lost. An admin ends `needs_login`, `contained` and `disabled`. */
  state: "usable" | "cooling" | "suspended" | "needs_login" | "contained" | "disabled"
  /** True if it is the only enabled and healthy account of its pool, so removing it empties the pool. A cooling account counts as healthy. */
  last_healthy: boolean
  /** True if the account gets no calls and its credential is not refreshed. */
  disabled: boolean
  disabled_at: string | null
  disabled_reason: string | null
  health: "healthy" | "suspended" | "needs_login" | "contained"
  /** When its health last changed. Null: never. */
  health_at: string | null
  cool_until: string | null
  /** Why it cools, as a code of Turnpike. */
  cool_reason: string | null
  /** Since when it is suspended. Null: it is not. */
  suspended_at: string | null
  /** The provider's answer: `not_permitted` (403), `no_credit` (402, 429 `insufficient_quota`, or a 400 that says so), `account_disabled` (a 400 that says so). `rejects_calls`: it rejected calls that other accounts served. */
  suspended_reason: "not_permitted" | "no_credit" | "account_disabled" | "rejects_calls" | null
  /** Turns that it serves at the moment. */
  in_flight: number
  /** The account's usage of its provider's limits, as the provider last reported it. */
  windows: ({
    /** The resource that the window counts. `unified`: everything. */
    resource: "unified" | "requests" | "tokens" | "input-tokens" | "output-tokens"
    /** The length of the window, in seconds. */
    window_seconds: number
    /** How much of the window is used, in per cent. Null: not known, because the window has ended. */
    used_pct: number | null
    /** When the window resets. Null: not known. */
    reset_at: string | null
    /** When the provider reported it. */
    taken_at: string
  })[]
  /** True if a credential is stored. The credential itself is never returned. */
  has_credential: boolean
  /** When its access token expires. It is refreshed before then. Null: never, or not known. */
  token_expires_at: string | null
  /** Set while a worker refreshes the credential. The refresh ends at `until` at the latest. Null: no refresh is running. */
  credential_lock: {
    until: string
  } | null
  /** The last call of a turn that has ended. Null: no such call. */
  last_used_at: string | null
  /** The account's usage in the last 30 days (UTC), including today: live calls, by the time at which their turns ended. */
  usage: {
    model_calls: number
    tokens_input: number
    /** The input tokens that the provider read from its cache. */
    tokens_cached: number
    tokens_output: number
    /** The cost for us, at the provider's prices, in USD. */
    cost_usd: number
    /** The amount that accounts were billed for these calls, in USD. */
    billed_usd: number
  }
  /** The version of the account. Each edit increments it. */
  version: number
  created_at: string
  updated_at: string
  /** The user who last changed it. Null: the command line. */
  updated_by: {
    user_id: number
    name: string | null
  } | null
  /** The account's `provider_id`. */
  account_id: string
}

export interface Anomaly {
  anomaly_id: string
  kind: "space" | "key" | "end_user"
  /** Null: it is a key or a space. */
  end_user_ref: string | null
  /** Null: it is an end user or a space. */
  key_id: string | null
  /** The name of the key. */
  key_name: string | null
  /** Null: it is an end user or a key. */
  space: string | null
  /** Billed on the day with the highest spend. */
  spent_usd: number
  /** The usual spend of such a day: the median of the same days of the week with spend in the 56 days before, or of all such days with fewer than 3 of this day of the week. Above 5 times this amount and 0.05 USD a day is an anomaly. */
  usual_usd: number
  /** The start of its first day (UTC). Its turns ended from then on. */
  from: string
  /** The end of its last day. Days in a row are one anomaly. */
  to: string
  found_at: string
  state: "open" | "dismissed"
  /** Null: it is open. */
  dismissed_at: string | null
}

/** An end user, a key or a space was billed far above its usual amount on a day (UTC). It is sent once, also if it continues on the next day. It is a notice to the account's owner, so only keys to all spaces see it. */
export interface AnomalyFoundEvent {
  /** The same in every delivery and replay. Store it, so that you handle each event once. */
  id: string
  type: "anomaly.found"
  created_at: string
  /** Always null: the event belongs to no turn. */
  seq: number | null
  data: {
    anomaly_id: string
    end_user_ref: string | null
    key_id: string | null
    space: string | null
    day: string
    spent_usd: number
    usual_usd: number
  }
}

export interface AnomalyList {
  items: Anomaly[]
  /** The number of entries on all pages. */
  total: number
  limit: number
  offset: number
}

export interface AnyTurnReceipt {
  receipt: SignedReceipt
  /** The receipt for the turn's end user, without your cost. Null: the end user was not charged by a price or from a wallet. */
  end_user_receipt: SignedEndUserReceipt | null
  /** The refund of the turn. Null: it was not refunded. */
  refund: SignedRefund | null
  /** The cost for us of the receipt's calls, in the same order. No signed document has it. */
  costs: TurnCosts
}

export interface ApiKey {
  key_id: string
  name: string
  /** `created`: only spaces that this key creates. `space`: one space. `all`: all spaces of the account. */
  scope: "created" | "space" | "all"
  /** The space of a key with the scope `space`; otherwise null. */
  space: string | null
  test: boolean
  /** `owner`: the key may do everything that its scope allows. `developer`: a developer of the account made it, so it changes no prices, wallets and limits, and erases no customers. */
  role: "owner" | "developer"
  /** The first and the last characters of the key's value. */
  hint: string
  caps: Caps
  /** The end user of requests of `/v1/openai` and `/v1/anthropic` that name none, such as those of chat interfaces. Null: the `key_id`, as the `end_user_ref` of its own end user. */
  default_end_user_ref: string | null
  /** How much the key may send in a minute, and at the same time. Null: no limit. */
  rate: Rate | null
  /** The default rate of each of your customers without a rate of their own, when this key sends their turns. Null: the account's default. */
  end_user_rate: Rate | null
  created_at: string
  expires_at: string | null
  /** The time of the last request with the key, accurate to a minute; null: never used. */
  last_used_at: string | null
  revoked_at: string | null
  /** The time at which the last old value stops or stopped working; null: the key was never rotated. */
  previous_expires_at: string | null
}

export interface ApiKeyList {
  items: ApiKey[]
  /** The number of entries on all pages. */
  total: number
  limit: number
  offset: number
}

export interface ApiKeyWithCaps {
  key_id: string
  name: string
  /** `created`: only spaces that this key creates. `space`: one space. `all`: all spaces of the account. */
  scope: "created" | "space" | "all"
  /** The space of a key with the scope `space`; otherwise null. */
  space: string | null
  test: boolean
  /** `owner`: the key may do everything that its scope allows. `developer`: a developer of the account made it, so it changes no prices, wallets and limits, and erases no customers. */
  role: "owner" | "developer"
  /** The first and the last characters of the key's value. */
  hint: string
  caps: Caps
  /** The end user of requests of `/v1/openai` and `/v1/anthropic` that name none, such as those of chat interfaces. Null: the `key_id`, as the `end_user_ref` of its own end user. */
  default_end_user_ref: string | null
  /** How much the key may send in a minute, and at the same time. Null: no limit. */
  rate: Rate | null
  /** The default rate of each of your customers without a rate of their own, when this key sends their turns. Null: the account's default. */
  end_user_rate: Rate | null
  created_at: string
  expires_at: string | null
  /** The time of the last request with the key, accurate to a minute; null: never used. */
  last_used_at: string | null
  revoked_at: string | null
  /** The time at which the last old value stops or stopped working; null: the key was never rotated. */
  previous_expires_at: string | null
  /** The key's daily, monthly and window cap, with the amount spent. Only caps that are set are listed. A test key has none. */
  cap_states: CapState[]
  /** The limits of the key's rate, with their use. */
  rate_states: RateState[]
}

export interface AppToken {
  token: string
  expires_at: string
}

/** Whether calls of a tool wait until a person allows them: `never` (the default), `always`, or `when` the input fits a schema. */
export type Approval = "never" | "always" | {
  /** A JSON Schema (2020-12) of the input. A call whose input fits it waits for a decision. */
  when: Record<string, unknown>
}

/** Whether calls of a tool wait until a person allows them: `never` (the default), `always`, or `when` the input fits a schema. */
export type ApprovalInput = "never" | "always" | {
  /** A JSON Schema (2020-12) of the input. A call whose input fits it waits for a decision. */
  when: Record<string, unknown>
}

export interface Attention {
  as_of: string
  /** All that needs the owner now, the most urgent first, at most 5 of each kind. */
  items: AttentionItem[]
  /** Since when all is fine. Null: something needs the owner. */
  fine_since: {
    at: string
    /** The event of that time: a turn failed, a cap was reached or its period ended, or the account was created. */
    source: "turn_failed" | "cap_reached" | "account_created"
  } | null
}

export interface AttentionItem {
  kind: "no_credit" | "turns_fail" | "cap_reached" | "turns_wait" | "webhook_disabled" | "webhook_fails" | "server_fails" | "balance_low" | "budget_passed" | "spend_unusual" | "cap_near" | "sign_in_locked" | "key_expires" | "refund_declined"
  /** The object to open: a webhook, key, space, turn or anomaly, or the `end_user_ref` or `key_id` of a cap. */
  id: string | null
  /** Its URL or name, the name of the cap, or the end user, key or space whose spend is unusual. */
  title: string | null
  /** `spend_unusual`: the `end_user_ref`, `key_id` or `space`. */
  subject: string | null
  /** How many turns it concerns. */
  count: number | null
  /** `turns_fail`: of how many that ended. */
  of: number | null
  /** The available balance, the spent and reserved amounts of the cap, or the amount that was spent. */
  used_usd: number | null
  /** The low balance, the limit of the cap, the budget, or the usual spend. */
  limit_usd: number | null
  /** Since when it needs the owner. */
  since: string | null
  /** When the cap resets or the key expires, or the end of the days with unusual spend. */
  until: string | null
  /** The error, the operator's answer, the address, or the kind of anomaly. */
  text: string | null
}

export interface AuditEntry {
  audit_id: number
  /** The user who made the change; null if it was the command line. */
  actor_user_id: number | null
  actor_name: string | null
  /** The account whose object was changed; null if it belongs to no account. */
  account_user_id: number | null
  /** The actor's role in the account, if the actor is a member of it. */
  actor_role: string | null
  /** The key that made the change, if it was one. */
  key_id: string | null
  action: string
  /** The type of the changed object. */
  subject_type: string
  subject_id: string
  /** The object before the change, without secrets; null if it was created. */
  before: Record<string, unknown> | null
  /** The object after the change, without secrets; null if nothing is recorded. */
  after: Record<string, unknown> | null
  request_id: string | null
  address: string | null
  created_at: string
}

export interface AuditEntryList {
  items: AuditEntry[]
  /** The number of entries on all pages. */
  total: number
  limit: number
  offset: number
}

export interface AuthCodeRequest {
  /** The text that the provider showed: `code#state`, the code alone, or the whole URL of the last page. */
  code: string
}

export interface Balance {
  /** The account's balance, including held amounts, in USD. */
  balance_usd: number
  /** The amount that is set aside for open turns, in USD. */
  held_usd: number
  /** The amount that new turns can hold, in USD: `balance_usd` - `held_usd`. */
  available_usd: number
}

/** The balance is low or used up. */
export interface BalanceEvent {
  /** The same in every delivery and replay. Store it, so that you handle each event once. */
  id: string
  type: "balance.low" | "balance.depleted"
  created_at: string
  /** Always null: the event belongs to no turn. */
  seq: number | null
  data: BalanceReached
}

/** The `data` of `balance.low` and `balance.depleted`. */
export interface BalanceReached {
  balance_usd: number
  /** The amount held by open turns. */
  held_usd: number
  /** `balance_usd` - `held_usd`: the amount that new turns could hold. */
  available_usd: number
  /** The event is sent when the balance falls below this amount. 0: never. */
  threshold_usd: number
}

export interface BalanceTrend {
  /** The start of the range (UTC). */
  from: string
  /** The end of the range (UTC), exclusive. A range of days ends at midnight after its last day, which may be today. */
  to: string
  /** `day` in ranges of up to 92 days, `week` up to 730, else `month`. Weeks begin on Monday. */
  granularity: "day" | "week" | "month"
  /** The time at which the report was made. Its figures are exact at this time. */
  as_of: string
  active_window_days: number
  /** Every day, week or month of the range, the oldest first. Each shows the balances at its end, or at the end of the range or of today if that is earlier. Buckets that have not begun have no users. */
  items: ({
    /** The day on which the bucket begins (UTC). */
    date: string
    /** Users with a charge in the `active_window_days` days before the end of the bucket. */
    active_users: number
    /** Their average balance at the end of the bucket, in energy. Null without users. */
    average_balance: number | null
    /** Their exact median balance at the end of the bucket, in energy. Null without users. */
    median_balance: number | null
  })[]
}

export interface BillPrice {
  /** Price in USD per million input tokens. */
  input: number
  /** Price in USD per million prompt tokens that the provider read from its cache. */
  cached: number
  /** Price in USD per million prompt tokens that the provider writes to its cache. */
  cache_written: number
  /** Price in USD per million prompt tokens that the cache keeps for an hour instead of five minutes. */
  cache_written_hour: number
  /** Price in USD per million prompt tokens of audio. */
  audio_input: number
  /** Price in USD per million output tokens. */
  output: number
  /** Price in USD per million output tokens of reasoning. */
  reasoning: number
  /** Price in USD for one web search that the provider makes itself. Null: free. */
  web_search_usd: number | null
  /** Price in USD for one search of posts on X that the provider makes itself. Null: free. */
  x_search_usd: number | null
  /** Price in USD for one run of code in the provider's own container. Null: free. */
  code_execution_usd: number | null
  /** Price in USD for one picture of any size. Null for a chat model. */
  image_usd: number | null
}

export interface BillingDetails {
  /** The name of the company or person that statements are for. */
  company: string
  /** The postal address, in lines. */
  address: string
  /** The tax number, such as a VAT identification number. */
  tax_number: string
  /** Null: the details were never set. */
  updated_at: string | null
}

export interface Board {
  /** The key of the group. A space with the same `chat_key` has this group as its chat. */
  chat_key: string
  /** The last title that the platform reported; null if unknown. */
  title: string | null
  /** The username of the bot without the @; null if the bot was removed. */
  bot_username: string | null
  /** Whether the bot is in the group. If not, its members are not counted. */
  bot_in: boolean
  /** The number of people in the group that the bot knows of. */
  members: number
  /** The space that has this group as its chat; null if none. */
  space_id: number | null
  /** The last time at which the title or `bot_in` changed. */
  updated_at: string
}

export interface BoardList {
  items: Board[]
  /** The number of entries on all pages. */
  total: number
  limit: number
  offset: number
}

export interface BotReply {
  /** A method of the Bot API. The other fields are its parameters. */
  method?: string | undefined
}

export interface BotUpdate {
  /** An integer. */
  update_id?: unknown
}

export interface Budget {
  /** The budget of each month (UTC). Null: the account has no budget. */
  amount_usd: number | null
  /** The parts of the budget that are told, in percent. */
  percents: number[]
  /** Whether a forecast above the budget is told. */
  forecast: boolean
  /** The current month (UTC). */
  month: string
  /** Spent this month, less refunds, as in the forecast (`GET /api/account/forecast`). */
  spent_usd: number
  /** The expected spend of the month. Null: there is no forecast yet. */
  expected_usd: number | null
  /** The alerts of this month, in the order of time. */
  told: ({
    /** Null: the forecast exceeded the budget. */
    percent: number | null
    at: string
  })[]
}

/** `percent` of the account's budget for the month is spent (`alert` is `spent`), or the forecast of the month exceeds it (`forecast`). Each is sent once a month, and again after a change of the amount. A budget refuses no turns. It is a notice to the account's owner, so only keys to all spaces see it. */
export interface BudgetReachedEvent {
  /** The same in every delivery and replay. Store it, so that you handle each event once. */
  id: string
  type: "budget.reached"
  created_at: string
  /** Always null: the event belongs to no turn. */
  seq: number | null
  data: {
    alert: "spent" | "forecast"
    percent: number | null
    month: string
    budget_usd: number
    spent_usd: number
    expected_usd: number | null
  }
}

/** `credit` books an amount for each user. `plan` gives each user a subscription that starts now. `disable` disables each account. */
export type BulkAct = {
  kind: "credit"
  reason: "admin_grant" | "admin_action" | "operator_topup" | "signup_credit" | "referral_signup_credit" | "manual_topup" | "credit_purchase"
  /** The amount for each user. Negative only for a correction, with `admin_action`. */
  amount_usd: number | string
} | {
  kind: "plan"
  /** A plan of the setting `plans`. */
  plan: string
  /** The end of the subscriptions. Null: no end. */
  ends_at?: string | null | undefined
} | {
  kind: "disable"
}

/** A person, a key or your end user has allowed or denied a call that waited for a decision. */
export interface CallDecidedEvent {
  /** The same in every delivery and replay. Store it, so that you handle each event once. */
  id: string
  type: "call.decided"
  created_at: string
  /** The event's number in its turn's log. */
  seq: number | null
  data: {
    turn_id: string | null
    /** The name of the call, as in `waiting.calls`. */
    call: string
    tool: string
    decision: "allow" | "deny"
    /** True if the input was changed. */
    edited: boolean
    /** One of the three is set, by `kind`. */
    by: {
      kind: "key" | "user" | "end_user"
      user_id: number | null
      key_id: string | null
      end_user_ref: string | null
    }
  }
}

/** A limit on requests. `open_waits`: long polls and streams of one caller. `portal_sessions`: sessions of the portal that an account opens at once. */
export interface CallerLimit {
  cap: "open_waits" | "portal_sessions"
  limit: number
}

export interface CallerTool {
  /** A name that no built-in tool and no tool of the space or of its MCP servers has. */
  name: string
  /** What the tool does. The model reads this text. */
  description?: string | undefined
  /** The JSON Schema (2020-12) of the tool's input, with `type: object`. Patterns use RE2, which has no look-arounds and no back-references. */
  input_schema: Record<string, unknown>
}

export interface CallerToolInput {
  /** A name that no built-in tool and no tool of the space or of its MCP servers has. */
  name: string
  /** What the tool does. The model reads this text. */
  description?: string | undefined
  /** The JSON Schema (2020-12) of the tool's input, with `type: object`. Patterns use RE2, which has no look-arounds and no back-references. */
  input_schema: Record<string, unknown>
}

export interface CancelAnyTurn {
  /** Why you do it. The audit log records it. */
  reason: string
}

/** A share of a cap has been spent. */
export interface CapEvent {
  /** The same in every delivery and replay. Store it, so that you handle each event once. */
  id: string
  type: "cap.reached"
  created_at: string
  /** Always null: the event belongs to no turn. */
  seq: number | null
  data: CapReached
}

/** The `data` of `cap.reached`. */
export interface CapReached {
  /** The cap: of a key for a UTC day, month or a window, or of an end user for a UTC day or month. */
  cap: "key_daily" | "key_monthly" | "key_window" | "end_user_daily" | "end_user_monthly" | "account_daily" | "members_daily"
  /** Where the limit is set: on the key, for this end user, as a default, by the plan or on the space. */
  source: "key" | "end_user" | "account" | "plan" | "space" | "default"
  /** Each value is reported once per day, month or window. 100 is also reported if the remaining amount is too small for any turn. */
  percent: 50 | 80 | 100
  limit_usd: number
  /** The amount billed in this period. */
  spent_usd: number
  /** The amount held by open turns of this period. */
  reserved_usd: number
  /** When the next period starts and the spent amount is 0 again. */
  resets_at: string
  /** The key with the cap or the default limit. Null if the limit is not set on a key. */
  key_id: string | null
  /** The end user of the cap. Null for a key's own cap. */
  end_user_ref: string | null
  /** The space whose limit for its members it is. Null for any other cap. */
  space: string | null
}

export interface CapState {
  cap: "key_daily" | "key_monthly" | "key_window" | "end_user_daily" | "end_user_monthly" | "account_daily" | "members_daily"
  /** Where the limit is set: on the key, on this end user, as the account's default, by the account's plan, on the space by its owner, or as the service's default. */
  source: "key" | "end_user" | "account" | "plan" | "space" | "default"
  limit_usd: number
  /** Amount billed to turns that were accepted in this period, whenever they ended. For an end user, the turns of all keys of the account count. */
  spent_usd: number
  /** Amount held by turns of this period that have not ended. */
  reserved_usd: number
  /** Amount that new turns can still hold: limit - spent - reserved, at least 0. */
  left_usd: number
  /** When the next period begins, with nothing spent. Null: no window is open. */
  resets_at: string | null
}

export interface CapacityReport {
  hours: number
  /** The pool of the accounts. Null: both pools. */
  provider: "main" | "alt-pool" | null
  from: string
  to: string
  /** True if there are more than 10000 snapshots, so that only some are shown. */
  thinned: boolean
  /** The length of a step in seconds, if thinned: only the newest snapshot of each window and step is shown. Otherwise null. */
  point_seconds: number | null
  /** The snapshots, by account and window, the oldest first. */
  snapshots: ({
    /** The account's `provider_id`. */
    subscription_id: string
    /** The resource that the window counts. `unified`: everything. */
    resource: "unified" | "requests" | "tokens" | "input-tokens" | "output-tokens"
    /** The length of the window, in seconds. */
    window_seconds: number
    /** How much of the window was used, in per cent. */
    used_pct: number
    /** The end of the window, as the provider had reported it. Null: not reported. */
    reset_at: string | null
    taken_at: string
  })[]
  /** The length of each period in `spend`: 3600, or 86400 if more than 7500 hours have calls. */
  spend_seconds: number
  /** The live calls of the accounts in `snapshots`, by the hour or day (UTC) in which their turns ended, the oldest first. It begins with the whole hour or day that contains `from`. Periods without calls are left out. */
  spend: ({
    /** The account's `provider_id`. */
    subscription_id: string
    /** The start of the hour or day. */
    starts_at: string
    model_calls: number
    /** The cost for us, at the provider's prices, in USD. */
    cost_usd: number
    /** The amount that accounts were billed for these calls, in USD. */
    billed_usd: number
  })[]
}

export interface Caps {
  /** The most that the key can spend in a UTC day, in USD. 0: nothing. Null: no cap. */
  daily_usd: number | null
  /** The most that the key can spend in a UTC month, in USD. 0: nothing. Null: no cap. */
  monthly_usd: number | null
  /** The default daily limit, in USD, for each of your customers without a limit of their own, when this key sends their turns. It counts their spending across all keys of the account. Null: no limit. */
  end_user_daily_usd: number | null
  /** The default limit for each customer in a UTC month, in USD. Null: no limit. */
  end_user_monthly_usd: number | null
  /** The most that the key can spend in a window, in USD. The first turn opens the window, which ends after `window_seconds`. Null: no cap. */
  window_usd: number | null
  /** The length of the window, in seconds. */
  window_seconds: number | null
}

export interface ChangePassword {
  /** Required if the account has a password. */
  current_password?: string | undefined
  /** At least 8 characters, and not one of the most common passwords. */
  new_password: string
}

export interface ChangePasswordAnswer {
  ok: true
}

export interface ChangeUsers {
  act: BulkAct
  /** The users, in any order. A user who is listed twice counts once. */
  user_ids: number[]
  /** The `state` of the preview. */
  state: string
  /** The reason, for the audit log. With `credit`, the owners of the accounts see it with the entry in their ledger. With `plan`, it is the note of the subscriptions. */
  note: string
}

export interface ChatPerson {
  /** A user: a member, or a sender in the web chat. Null for an end user. */
  user_id: number | null
  name: string | null
  /** An end user of the API. Null for a user. */
  end_user_ref: string | null
  /** The role of a member; null for a person who is not a member. */
  role: "owner" | "admin" | "member" | null
  /** `registered`: the owner, or a member of the space, its workspace or the workspace's team. `board`: only in the space's messaging chat, which gives no access to the space. Null for a person who is not a member. */
  via: "registered" | "board" | null
  /** The number of turns, including open turns. */
  turns: number
  tokens_input: number
  /** The cached part of `tokens_input`. */
  tokens_cached: number
  tokens_output: number
  /** The billed amount of these turns, in credit micros. */
  cost_credit_micros: number
  cost_usd: number
  last_activity: string | null
}

export interface ComparedModel {
  pin: string
  label: string
  enabled: boolean
  /** The version of the catalog's row, for `If-Match`. */
  version: number
  /** The feed's model; null: not found. */
  feed_model: string | null
  /** Prices and terms of the model that the feed cannot express, or why the model is not compared. */
  not_compared: string[]
  findings: ModelFinding[]
  /** Complete prices with the feed's amounts, as `PUT /api/admin/model-catalog/{pin}/prices` takes them; null: no price differs, or other prices are planned. */
  proposal: {
    /** From when the provider has these prices; null: they count already. */
    begins_at: string | null
    prices: ModelPrices
  } | null
}

/** A version of a space's whole configuration. Turns use one version from start to end. Secrets are not part of it. */
export interface ConfigVersion {
  version: number
  /** The change that created the version: `created`, `model`, `manifest`, `tools/…`, `mcp-servers/…`, `secrets/…`. */
  change: string
  created_at: string
  model: string | null
  manifest: Manifest
  tools: Tool[]
  mcp_servers: McpServer[]
}

export interface ConfigVersionSummary {
  version: number
  /** The change that created the version: `created`, `model`, `manifest`, `tools/…`, `mcp-servers/…`, `secrets/…`. */
  change: string
  created_at: string
}

export interface ConfigVersionSummaryList {
  data: ConfigVersionSummary[]
  has_more: boolean
  next_cursor: string | null
}

export interface ContainerMapping {
  /** The name of the container. It is unique within the space. */
  container: string
  space: string
  url: string
  /** The names of the headers that are sent to the container. Their values are never shown. */
  header_names: string[]
  enabled: boolean
  /** Increases with each change. */
  version: number
  created_at: string
  updated_at: string
  /** The admin who made the last change; null if it was the command line. */
  updated_by: {
    user_id: number
    name: string | null
  } | null
}

export interface ContainerMappingList {
  items: ContainerMapping[]
  /** The number of entries on all pages. */
  total: number
  limit: number
  offset: number
}

export interface ContextComparisonReport {
  /** The start of the range (UTC). */
  from: string
  /** The end of the range (UTC), exclusive. A range of days ends at midnight after its last day, which may be today. */
  to: string
  /** The period that a row of the series covers. */
  granularity: "day"
  /** The time at which the report was made. Its figures are exact at this time. */
  as_of: string
  /** Every day of the range, the oldest first. */
  items: ({
    date: string
    /** Calls of the spaces' own agents. */
    orchestrator: {
      /** Calls that a member of a pool served. */
      model_calls: number
      /** How many of `model_calls` made an image. They have no context, so the average leaves them out. */
      image_calls: number
      /** Their input tokens, including cached ones. */
      tokens_input: number
      tokens_cached: number
      /** `tokens_input` / (`model_calls` - `image_calls`). Null without such calls. */
      avg_context_tokens: number | null
      /** The share of input tokens that were cached, 0 to 1: `tokens_cached` / `tokens_input`. Null without input tokens. */
      cache_hit_rate: number | null
    }
    /** Calls of sub-agents. */
    subagent: {
      /** Calls that a member of a pool served. */
      model_calls: number
      /** How many of `model_calls` made an image. They have no context, so the average leaves them out. */
      image_calls: number
      /** Their input tokens, including cached ones. */
      tokens_input: number
      tokens_cached: number
      /** `tokens_input` / (`model_calls` - `image_calls`). Null without such calls. */
      avg_context_tokens: number | null
      /** The share of input tokens that were cached, 0 to 1: `tokens_cached` / `tokens_input`. Null without input tokens. */
      cache_hit_rate: number | null
    }
  })[]
}

export interface ContextSizeReport {
  /** The start of the range (UTC). */
  from: string
  /** The end of the range (UTC), exclusive. A range of days ends at midnight after its last day, which may be today. */
  to: string
  /** The period that a row of the series covers. */
  granularity: "day"
  /** The time at which the report was made. Its figures are exact at this time. */
  as_of: string
  /** The slug of the requested space. Null for all spaces. */
  space: string | null
  /** The number of entries on all pages. */
  total: number
  /** The most entries on a page. */
  limit: number
  /** The number of entries that were skipped. */
  offset: number
  /** The `offset` of the next page. Null on the last page. */
  next_offset: number | null
  /** The requested space, or all spaces that were used in the range, the highest billed amount first. Empty if the requested space does not exist. */
  items: ({
    /** The number of the space. */
    space_id: number
    slug: string
    chat_key: string | null
    title: string
    /** The account that is billed. */
    owner_id: number
    model_calls: number
    /** How many of `model_calls` made an image. They have no context, so the average leaves them out. */
    image_calls: number
    /** The average number of input tokens of the `model_calls` - `image_calls` other calls. Null without such calls. */
    avg_tokens_input: number | null
    /** The highest number of input tokens of a call. Null without calls. */
    max_tokens_input: number | null
    /** The days of the range, the oldest first. */
    days: ({
      date: string
      model_calls: number
      /** How many of `model_calls` made an image. They have no context, so the average leaves them out. */
      image_calls: number
      /** The average number of input tokens of the `model_calls` - `image_calls` other calls. Null without such calls. */
      avg_tokens_input: number | null
      /** The highest number of input tokens of a call. Null without calls. */
      max_tokens_input: number | null
    })[]
  })[]
}

export interface Conversation {
  conversation_id: string
  /** The space that the conversation is in. */
  space: string
  end_user_ref: string
  /** All turns of the conversation, in every state. */
  turns: number
  /** The part of the conversation that the agent sees. A model with a small window may see less: the event `context.trimmed` of a turn says it. In a space with summaries, the next turn may summarise the oldest of these turns. */
  context: {
    /** The turns that the agent sees, oldest first. */
    turns: string[]
    /** The summary of the turns before these. Null: there is none. */
    summary: {
      text: string
      /** The number of turns that it covers. */
      turns: number
      /** About how many tokens it has. */
      tokens: number
      /** The model that wrote it, as a pin. */
      model: string
      /** The turn that has paid for it. */
      turn_id: string
      created_at: string
    } | null
    /** About how many tokens both have. */
    tokens: number
  }
  created_at: string
  last_turn_at: string | null
}

/** The `details` of COST_LIMIT_TOO_LOW. */
export interface CostLimitDetails {
  max_cost_usd: number
  /** The most that the turn's first model call can cost. `max_cost_usd` must be at least this. */
  needed_usd: number
}

export interface CostRatesReport {
  /** The start of the range (UTC). */
  from: string
  /** The end of the range (UTC), exclusive. A range of days ends at midnight after its last day, which may be today. */
  to: string
  /** The period that a row of the series covers. */
  granularity: "day"
  /** The time at which the report was made. Its figures are exact at this time. */
  as_of: string
  /** The requested account. Null for all accounts. */
  user_id: number | null
  /** The requested chat. Null for all chats. */
  chat_key: string | null
  total: {
    /** Live turns that ended, including turns that were billed nothing. */
    turns: number
    /** Model calls, including the calls of sub-agents. */
    model_calls: number
    /** All input tokens, including cached ones. */
    tokens_input: number
    tokens_cached: number
    tokens_output: number
    /** The exact amount that the turns were billed. Refunds are not subtracted. */
    billed_cost_usd: number
    /** The exact amount that was refunded. A refund counts when it was booked, not when its turn ended. */
    refunded_usd: number
    /** The billed amount less `refunded_usd`. Negative if more was refunded than billed in this time. */
    net_usd: number
    /** The cost of the calls for us, at the providers' prices of their time, including calls that no account pays for. */
    cost_usd: number
    /** `billed_cost_usd` - `cost_usd`. Negative if calls cost more than accounts were billed for them. Refunds are not subtracted. */
    margin_usd: number
    /** The rates of `cost_usd`. */
    cost: {
      /** Per turn. Null without turns. */
      per_turn_usd: number | null
      /** Per million tokens of all kinds. Null without tokens. */
      per_million_usd: number | null
      /** Per million input tokens that were not cached. Null without such tokens. */
      per_million_input_usd: number | null
      /** Per million cached input tokens. Null without such tokens. */
      per_million_cached_usd: number | null
      /** Per million output tokens. Null without such tokens. */
      per_million_output_usd: number | null
    }
    /** The rates of `billed_cost_usd`. */
    billed: {
      /** Per turn. Null without turns. */
      per_turn_usd: number | null
      /** Per million tokens of all kinds. Null without tokens. */
      per_million_usd: number | null
      /** Per million input tokens that were not cached. Null without such tokens. */
      per_million_input_usd: number | null
      /** Per million cached input tokens. Null without such tokens. */
      per_million_cached_usd: number | null
      /** Per million output tokens. Null without such tokens. */
      per_million_output_usd: number | null
    }
  }
  /** Every day of the range, the oldest first. */
  items: ({
    date: string
    /** Live turns that ended, including turns that were billed nothing. */
    turns: number
    /** Model calls, including the calls of sub-agents. */
    model_calls: number
    /** All input tokens, including cached ones. */
    tokens_input: number
    tokens_cached: number
    tokens_output: number
    /** The exact amount that the turns were billed. Refunds are not subtracted. */
    billed_cost_usd: number
    /** The exact amount that was refunded. A refund counts when it was booked, not when its turn ended. */
    refunded_usd: number
    /** The billed amount less `refunded_usd`. Negative if more was refunded than billed in this time. */
    net_usd: number
    /** The cost of the calls for us, at the providers' prices of their time, including calls that no account pays for. */
    cost_usd: number
    /** `billed_cost_usd` - `cost_usd`. Negative if calls cost more than accounts were billed for them. Refunds are not subtracted. */
    margin_usd: number
    /** The rates of `cost_usd`. */
    cost: {
      /** Per turn. Null without turns. */
      per_turn_usd: number | null
      /** Per million tokens of all kinds. Null without tokens. */
      per_million_usd: number | null
      /** Per million input tokens that were not cached. Null without such tokens. */
      per_million_input_usd: number | null
      /** Per million cached input tokens. Null without such tokens. */
      per_million_cached_usd: number | null
      /** Per million output tokens. Null without such tokens. */
      per_million_output_usd: number | null
    }
    /** The rates of `billed_cost_usd`. */
    billed: {
      /** Per turn. Null without turns. */
      per_turn_usd: number | null
      /** Per million tokens of all kinds. Null without tokens. */
      per_million_usd: number | null
      /** Per million input tokens that were not cached. Null without such tokens. */
      per_million_input_usd: number | null
      /** Per million cached input tokens. Null without such tokens. */
      per_million_cached_usd: number | null
      /** Per million output tokens. Null without such tokens. */
      per_million_output_usd: number | null
    }
  })[]
}

export interface CostsReport {
  /** The start of the range (UTC). */
  from: string
  /** The end of the range (UTC), exclusive. A range of days ends at midnight after its last day, which may be today. */
  to: string
  /** The period that a row of the series covers. */
  granularity: "day"
  /** The time at which the report was made. Its figures are exact at this time. */
  as_of: string
  total: {
    /** Live turns that ended, including turns that were billed nothing. */
    turns: number
    /** Model calls, including the calls of sub-agents. */
    model_calls: number
    /** All input tokens, including cached ones. */
    tokens_input: number
    tokens_cached: number
    tokens_output: number
    /** The exact amount that the turns were billed. Refunds are not subtracted. */
    billed_cost_usd: number
    /** The exact amount that was refunded. A refund counts when it was booked, not when its turn ended. */
    refunded_usd: number
    /** The billed amount less `refunded_usd`. Negative if more was refunded than billed in this time. */
    net_usd: number
    /** The cost of the calls for us, at the providers' prices of their time, including calls that no account pays for. */
    cost_usd: number
    /** `billed_cost_usd` - `cost_usd`. Negative if calls cost more than accounts were billed for them. Refunds are not subtracted. */
    margin_usd: number
  }
  /** The models of the whole range, the highest billed amount first. */
  models: ({
    model: string
    /** Live turns that ended, including turns that were billed nothing. */
    turns: number
    /** Model calls, including the calls of sub-agents. */
    model_calls: number
    /** All input tokens, including cached ones. */
    tokens_input: number
    tokens_cached: number
    tokens_output: number
    /** The exact amount that the turns were billed. Refunds are not subtracted. */
    billed_cost_usd: number
    /** The exact amount that was refunded. A refund counts when it was booked, not when its turn ended. */
    refunded_usd: number
    /** The billed amount less `refunded_usd`. Negative if more was refunded than billed in this time. */
    net_usd: number
    /** The cost of the calls for us, at the providers' prices of their time, including calls that no account pays for. */
    cost_usd: number
    /** `billed_cost_usd` - `cost_usd`. Negative if calls cost more than accounts were billed for them. Refunds are not subtracted. */
    margin_usd: number
  })[]
  /** Every day of the range, the oldest first. */
  items: ({
    date: string
    /** Live turns that ended, including turns that were billed nothing. */
    turns: number
    /** Model calls, including the calls of sub-agents. */
    model_calls: number
    /** All input tokens, including cached ones. */
    tokens_input: number
    tokens_cached: number
    tokens_output: number
    /** The exact amount that the turns were billed. Refunds are not subtracted. */
    billed_cost_usd: number
    /** The exact amount that was refunded. A refund counts when it was booked, not when its turn ended. */
    refunded_usd: number
    /** The billed amount less `refunded_usd`. Negative if more was refunded than billed in this time. */
    net_usd: number
    /** The cost of the calls for us, at the providers' prices of their time, including calls that no account pays for. */
    cost_usd: number
    /** `billed_cost_usd` - `cost_usd`. Negative if calls cost more than accounts were billed for them. Refunds are not subtracted. */
    margin_usd: number
    /** The highest billed amount first. A call counts for its own model. */
    models: ({
      model: string
      /** Live turns that ended, including turns that were billed nothing. */
      turns: number
      /** Model calls, including the calls of sub-agents. */
      model_calls: number
      /** All input tokens, including cached ones. */
      tokens_input: number
      tokens_cached: number
      tokens_output: number
      /** The exact amount that the turns were billed. Refunds are not subtracted. */
      billed_cost_usd: number
      /** The exact amount that was refunded. A refund counts when it was booked, not when its turn ended. */
      refunded_usd: number
      /** The billed amount less `refunded_usd`. Negative if more was refunded than billed in this time. */
      net_usd: number
      /** The cost of the calls for us, at the providers' prices of their time, including calls that no account pays for. */
      cost_usd: number
      /** `billed_cost_usd` - `cost_usd`. Negative if calls cost more than accounts were billed for them. Refunds are not subtracted. */
      margin_usd: number
    })[]
  })[]
}

export interface CountState {
  /** `open_test_turns`: test turns that have not ended. `daily_test_turns`: test turns sent within a day. `keys`: API keys, revoked and expired ones included. `daily_key_changes`: API keys created, changed or rotated within a day. `members`: members, open invitations included. `daily_invitations`: invitations of members within a day. `end_users`: end users with limits or a profile of their own. `spaces`: spaces, archived ones included. `config_bytes`: bytes of configuration, including kept versions and secrets. `files`: files. `file_bytes`: bytes of files. `resent_events`: events sent again to one webhook within an hour. */
  cap: "open_test_turns" | "daily_test_turns" | "keys" | "daily_key_changes" | "members" | "daily_invitations" | "end_users" | "spaces" | "config_bytes" | "files" | "file_bytes" | "resent_events"
  limit: number
  /** Can exceed `limit` after the limit was lowered, since nothing is removed then. */
  used: number
}

export interface CreateApiKey {
  name: string
  /** `created` (recommended): only spaces that this key creates. `space`: one space. `all`: all your spaces. Default: `created`. */
  scope?: "created" | "space" | "all" | undefined
  /** The `space_id`. Required for the scope `space`, and not allowed otherwise. */
  space?: string | undefined
  /** `true`: a test key. It uses the rehearsal model, costs nothing and can access only test data. Default: false. */
  test?: boolean | undefined
  /** The time at which the key expires. Null or left out: never. */
  expires_at?: string | null | undefined
  default_end_user_ref?: string | null | undefined
  /** The spending caps of the key. Default: no caps. With a test key, only the limits of its end users apply, to the rehearsed cost of turns. */
  caps?: SetCaps | undefined
  /** How much the key may send in a minute, and at the same time. Null: no limit. A rate that you leave out keeps its value. */
  rate?: SetRate | null | undefined
  /** The default rate of each of your customers without a rate of their own, when this key sends their turns. Null: the account's default. */
  end_user_rate?: SetRate | null | undefined
}

export interface CreateChatTurn {
  /** The `space_id` of the space that runs the turn. */
  space: string
  /** The message. Required without `results`. */
  text?: string | undefined
  /** Your own tools, which your code carries out. If the model calls some, the turn ends as `done` with `finish: tool_calls` and `calls`. Send their `results` with the next turn. Without `tools`, a turn with `results` has the tools of the turn before. */
  tools?: CallerToolInput[] | undefined
  /** How the model's first answer may call tools, yours and those of the space: `auto`, `required` (it calls at least one), or `name` of one of your tools. `none`: it calls none in the whole turn. Default: `auto`. */
  tool_choice?: "auto" | "none" | "required" | {
    name: string
  } | undefined
  /** False: at most one call of a tool in each answer of the model. Default: true, or with `results` and without `tools` as in the turn before. */
  parallel_tool_calls?: boolean | undefined
  /** The results of all `calls` of the conversation's last turn, in any order. The model continues exactly there. `text` can be added. */
  results?: ({
    id: string
    output?: string | undefined
    error?: string | undefined
  })[] | undefined
  /** Ids of files of the space that the agent sees. */
  files?: string[] | undefined
  /** The model as a pin, `engine/model`. Default: the space's model. */
  model?: string | undefined
  /** The most that the turn can cost, in USD. This amount is held for it, as far as the balance and the caps allow. Default: 0.25 USD is held at first, and the hold grows while the turn runs. */
  max_cost_usd?: number | string | undefined
  /** The maximum number of output tokens of each call of the space's own agent, with reasoning, up to the limit of the model. Default: as the manifest says. */
  max_output_tokens?: number | undefined
  /** Default: as the manifest says. */
  temperature?: number | undefined
  /** Default: as the manifest says. */
  reasoning?: ReasoningInput | undefined
  /** The form of the result. Default: as the manifest says, or any text. */
  response_format?: ResponseFormatInput | undefined
  /** The end user as whom the turn runs, to try what that customer sees: their conversations, tasks and profile. Tools are called for them. Only in your own spaces. Caps and usage of the end user do not count the turn. Default: no end user. */
  end_user_ref?: string | undefined
  /** A conversation's id (`conv_…`), or a name of your choice within this space. Default: one conversation for the space. */
  conversation?: string | undefined
}

export interface CreateCredit {
  /** The kind of credit. It decides the bucket in reports. */
  reason: "admin_grant" | "admin_action" | "operator_topup" | "signup_credit" | "referral_signup_credit" | "manual_topup" | "credit_purchase"
  /** Negative only for a correction, with `admin_action`. */
  amount_usd: number | string
  /** The reason for the entry. The account's owner sees this note with the entry. */
  note: string
}

export interface CreateRefund {
  /** The reason for the entry. The account's owner sees this note with the entry. */
  note: string
}

export interface CreateRefundRequest {
  /** Why the turn should be refunded. Operators read it. */
  reason: string
}

export interface CreateSpace {
  /** The display name of the space. */
  title: string
  manifest?: ManifestInput | undefined
  /** The pin of the space's default model. */
  model?: string | undefined
  /** REST tools: requests to your API that the agent can make. */
  tools?: ToolInput[] | undefined
  /** MCP servers whose tools the agent can call. Turns fail while one of the servers is unreachable. */
  mcp_servers?: McpServerInput[] | undefined
  /** Secret values by name. They are stored encrypted and never shown. */
  secrets?: Record<string, string> | undefined
  /** Your own key-value pairs: at most 16 pairs, keys of 64 and values of 512 characters. */
  metadata?: Record<string, string> | undefined
}

export interface CreateUser {
  email?: string | undefined
  name?: string | null | undefined
  role?: "user" | "admin" | undefined
  /** A brand of the service. Reports count an account under its first brand. */
  brand?: string | undefined
  /** At least 8 characters, and not one of the most common passwords. */
  password?: string | undefined
  /** True if the email is known to be the user's. Only then can an identity with this email join the account. */
  email_verified?: boolean | undefined
  /** The user's id on the messaging platform, for this brand's bot. */
  messenger_id?: string | undefined
}

export interface CreateWebhook {
  /** The URL to which events are posted. It must use https and a public host name. */
  url: string
  /** The types of events to send. Null: all types, including those added later, but not `activity.recorded`, which must be named. */
  events?: ("turn.queued" | "turn.running" | "turn.waiting" | "turn.resumed" | "turn.done" | "turn.failed" | "turn.cancelled" | "call.decided" | "balance.low" | "balance.depleted" | "end_user.balance_low" | "end_user.depleted" | "cap.reached" | "activity.recorded" | "usage.posted" | "hour.closed" | "endpoint.disabled" | "account.signed_in" | "account.locked" | "account.factor_changed" | "key.created" | "key.revoked" | "refund.decided" | "anomaly.found" | "budget.reached" | "mcp_server.failing" | "space.shared")[] | null | undefined
  /** Your own description. */
  description?: string | null | undefined
  /** `false`: no `ping` is sent yet. Start your server with the secret, then send the ping with `POST …/test`. Until the server has answered it, all other events wait. */
  ping?: boolean | undefined
}

export interface CreditEndUser {
  /** The credit in USD. A negative amount is a correction, up to the available credit. */
  amount_usd: number | string
  /** Your note, such as the number of an order. The portal does not show it. */
  note?: string | null | undefined
}

/** The `details` of INSUFFICIENT_CREDITS. Empty if the caller may not see the balance. */
export interface CreditsDetails {
  /** The account's balance, including held amounts, in USD. */
  balance_usd?: number | undefined
  /** The amount that is set aside for open turns, in USD. */
  held_usd?: number | undefined
  /** The amount that new turns can hold, in USD: `balance_usd` - `held_usd`. */
  available_usd?: number | undefined
  /** The smallest hold that the turn needs, in your cost. */
  needed_usd?: number | undefined
}

export interface Customer {
  end_user_ref: string
  blocked: boolean
  /** When the last turn ended. Null if no turn has ended yet. */
  last_turn_at: string | null
  /** The turns that have ended. */
  turns: number
  /** The total billed amount, in USD. */
  billed_usd: number
  /** The amount that was billed in this UTC month. */
  billed_this_month_usd: number
  /** The amount that was billed in this UTC day. */
  billed_today_usd: number
  /** The exact amount that was refunded. A refund counts when it was booked, not when its turn ended. */
  refunded_usd: number
  /** The billed amount less `refunded_usd`. Negative if more was refunded than billed in this time. */
  net_usd: number
  /** The amount of the refunds that were booked in this UTC month. */
  refunded_this_month_usd: number
  /** The amount of the refunds that were booked in this UTC day. */
  refunded_today_usd: number
  month: CustomerMonth
  /** The daily limit and its use. Null without a limit. */
  daily: CustomerCap | null
  /** The monthly limit and its use. Null without a limit. */
  monthly: CustomerCap | null
  /** The used part of the limit that is nearest to its end: 1 is all of it. Null without a limit. */
  cap_share: number | null
  /** What was billed on each of the last 30 days (UTC), today last. */
  trend_usd: number[]
}

export interface CustomerCap {
  /** The end user's own limit, or the account's default for all end users. */
  source: "end_user" | "account"
  limit_usd: number
  /** Spent in this period (UTC). */
  spent_usd: number
  /** Held by open turns of this period. */
  reserved_usd: number
}

/** The turns that ended in this UTC month. */
export interface CustomerMonth {
  turns: number
  done: number
  failed: number
  /** done / (done + failed). Null without such turns. */
  success_rate: number | null
  /** The average time from acceptance to end. Null without turns. */
  avg_seconds: number | null
}

/** The sums of all end users that match the filters. */
export interface CustomerTotals {
  customers: number
  blocked: number
  /** The turns that have ended. */
  turns: number
  /** The total billed amount, in USD. */
  billed_usd: number
  /** The amount that was billed in this UTC month. */
  billed_this_month_usd: number
  /** The amount that was billed in this UTC day. */
  billed_today_usd: number
  /** The exact amount that was refunded. A refund counts when it was booked, not when its turn ended. */
  refunded_usd: number
  /** The billed amount less `refunded_usd`. Negative if more was refunded than billed in this time. */
  net_usd: number
  /** The amount of the refunds that were booked in this UTC month. */
  refunded_this_month_usd: number
  /** The amount of the refunds that were booked in this UTC day. */
  refunded_today_usd: number
  month: CustomerMonth
}

/** Every day of the range, the oldest first. */
export type DailyUsage = ({
  date: string
  /** Live turns that ended, including turns that were billed nothing. */
  turns: number
  /** Model calls, including the calls of sub-agents. */
  model_calls: number
  /** All input tokens, including cached ones. */
  tokens_input: number
  tokens_cached: number
  tokens_output: number
  /** The exact amount that the turns were billed. Refunds are not subtracted. */
  billed_cost_usd: number
  /** The exact amount that was refunded. A refund counts when it was booked, not when its turn ended. */
  refunded_usd: number
  /** The billed amount less `refunded_usd`. Negative if more was refunded than billed in this time. */
  net_usd: number
  /** The average duration of a call, in seconds. Calls of web chats are not timed. Null on days without other calls. */
  avg_duration_sec: number | null
  /** The part of `tokens_output` that is reasoning, as providers report it. */
  tokens_reasoning: number
})[]

export interface DashboardBalanceTooLowErrorBody {
  code: "BALANCE_TOO_LOW"
  detail: string
  /** The field that is wrong. */
  param?: string | undefined
  /** The amount that a correction can take from the end user's wallet. */
  details?: {
    available_usd: number
  } | undefined
}

export interface DashboardCallDecidedErrorBody {
  code: "CALL_DECIDED"
  detail: string
  /** The field that is wrong. */
  param?: string | undefined
  details: {
    earlier?: EarlierDecision | undefined
  }
}

export interface DashboardEmailTakenErrorBody {
  code: "EMAIL_TAKEN"
  detail: string
  /** The field that is wrong. */
  param?: string | undefined
  /** The account that has the email. Empty if it was changed at the same moment. */
  details: {
    user_id?: number | undefined
    disabled?: boolean | undefined
  }
}

export interface DashboardEndUserCreditSpentErrorBody {
  code: "END_USER_CREDIT_SPENT"
  detail: string
  /** The field that is wrong. */
  param?: string | undefined
  details: EndUserCreditDetails
}

export type DashboardError = DashboardOtherErrorBody | DashboardVersionMismatchErrorBody | DashboardRateLimitedErrorBody | DashboardEmailTakenErrorBody | DashboardSubscriptionActiveErrorBody | DashboardProviderExistsErrorBody | DashboardSignedInAsOtherErrorBody | DashboardMemberHasKeysErrorBody | DashboardEndUserCreditSpentErrorBody | DashboardPriceInUseErrorBody | DashboardInsufficientCreditsErrorBody | DashboardRoleRequiredErrorBody | DashboardTurnFinishedErrorBody | DashboardCallDecidedErrorBody | DashboardBalanceTooLowErrorBody | DashboardLimitReachedErrorBody | DashboardQuotaExceededErrorBody

export interface DashboardInsufficientCreditsErrorBody {
  code: "INSUFFICIENT_CREDITS"
  detail: string
  /** The field that is wrong. */
  param?: string | undefined
  details: CreditsDetails
}

export interface DashboardLimitReachedErrorBody {
  code: "LIMIT_REACHED"
  detail: string
  /** The field that is wrong. */
  param?: string | undefined
  details?: CountState | undefined
}

export interface DashboardMemberHasKeysErrorBody {
  code: "MEMBER_HAS_KEYS"
  detail: string
  /** The field that is wrong. */
  param?: string | undefined
  details: {
    keys: KnownKey[]
  }
}

export interface DashboardOtherErrorBody {
  code: "INVALID_JSON" | "INVALID_ENCODING" | "IF_MATCH_INVALID" | "TOO_MANY_UNKNOWN_KEYS" | "IDEMPOTENCY_KEY_REQUIRED" | "IDEMPOTENCY_KEY_INVALID" | "INVALID_API_KEY" | "WATCH_TOKEN_INVALID" | "PORTAL_SESSION_INVALID" | "API_KEY_EXPIRED" | "SESSION_REQUIRED" | "ADMIN_REQUIRED" | "LAST_ADMIN" | "EMAIL_REQUIRED" | "ACTING_READ_ONLY" | "ACTING_NOT_ALLOWED" | "SUBSCRIPTION_ENDED" | "PREVIEW_OUTDATED" | "LAST_ENABLED_MODEL" | "ALREADY_MEMBER" | "LAST_OWNER" | "WORKSPACE_EXISTS" | "NO_BOT" | "PLAN_IN_USE" | "LOGIN_NOT_STARTED" | "LOGIN_EXPIRED" | "LOGIN_RUNNING" | "PROVIDER_DISABLED" | "LAST_HEALTHY_ACCOUNT" | "PROVIDER_FAILED" | "NOT_A_MEMBER" | "MEMBER_FACTOR_REQUIRED" | "INVITED_EMAIL_REQUIRED" | "INVALID_LAUNCH_DATA" | "INVALID_WEBHOOK_SECRET" | "BOT_NOT_SET_UP" | "INVALID_CREDENTIALS" | "INVALID_TOKEN" | "LOGIN_THROTTLED" | "WRONG_PASSWORD" | "REAUTHENTICATION_REQUIRED" | "SECOND_FACTOR_REQUIRED" | "SECOND_FACTOR_NOT_SET_UP" | "WRONG_CODE" | "EMAIL_NOT_CONFIGURED" | "LOGIN_NOT_CONFIGURED" | "LOGIN_STATE_INVALID" | "LOGIN_DENIED" | "LOGIN_REFUSED" | "LOGIN_PROVIDER_FAILED" | "LOGIN_PROVIDER_UNAVAILABLE" | "INVALID_INTERNAL_SECRET" | "IDENTITY_TAKEN" | "LAST_WAY_IN" | "CROSS_ORIGIN" | "HTTPS_REQUIRED" | "INVALID_SIGNATURE" | "SCOPE_DENIED" | "SPACE_ROLE_REQUIRED" | "END_USER_BLOCKED" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "REQUEST_TIMEOUT" | "CALL_ANSWERED" | "CALL_NOT_WAITING" | "CALLS_NOT_OPEN" | "TURN_NOT_ENDED" | "TURN_NOT_BILLED" | "TURN_REFUNDED" | "REFUND_DECIDED" | "KEY_REVOKED" | "SPACE_ARCHIVED" | "WEBHOOK_DISABLED" | "WEBHOOK_EXISTS" | "CONFLICT" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "RANGE_NOT_SATISFIABLE" | "INTERNAL" | "UNAVAILABLE"
  detail: string
  /** The field that is wrong. */
  param?: string | undefined
  details?: {
    /** The path at which to start the sign-in again. Only errors of a sign-in have it. */
    start_again?: string | undefined
  } | undefined
}

export interface DashboardPriceInUseErrorBody {
  code: "PRICE_IN_USE"
  detail: string
  /** The field that is wrong. */
  param?: string | undefined
  /** How many end users and keys name the price, and whether the account's default does. */
  details: {
    end_users: number
    keys: number
    account: boolean
  }
}

export interface DashboardProviderExistsErrorBody {
  code: "PROVIDER_EXISTS"
  detail: string
  /** The field that is wrong. */
  param?: string | undefined
  details?: {
    provider_id: string
  } | undefined
}

export interface DashboardQuotaExceededErrorBody {
  code: "QUOTA_EXCEEDED"
  detail: string
  /** The field that is wrong. */
  param?: string | undefined
  details?: QuotaDetails | CountState | CallerLimit | undefined
}

export interface DashboardRateLimitedErrorBody {
  code: "RATE_LIMITED"
  detail: string
  /** The field that is wrong. */
  param?: string | undefined
  details: RateState
}

export interface DashboardRoleRequiredErrorBody {
  code: "ROLE_REQUIRED"
  detail: string
  /** The field that is wrong. */
  param?: string | undefined
  details: RoleRequired
}

export interface DashboardSignedInAsOtherErrorBody {
  code: "SIGNED_IN_AS_OTHER"
  detail: string
  /** The field that is wrong. */
  param?: string | undefined
  /** The user who is signed in, or whose account an admin views (`acting`). */
  details: {
    user: {
      user_id: number
      name: string | null
    }
    acting: boolean
  }
}

export interface DashboardSubscriptionActiveErrorBody {
  code: "SUBSCRIPTION_ACTIVE"
  detail: string
  /** The field that is wrong. */
  param?: string | undefined
  details: {
    subscription: Subscription
  }
}

export interface DashboardTurnFinishedErrorBody {
  code: "TURN_FINISHED"
  detail: string
  /** The field that is wrong. */
  param?: string | undefined
  details?: {
    state: "queued" | "running" | "done" | "failed" | "cancelled"
    earlier?: EarlierDecision | undefined
  } | undefined
}

export interface DashboardVersionMismatchErrorBody {
  code: "VERSION_MISMATCH"
  detail: string
  /** The field that is wrong. */
  param?: string | undefined
  details: {
    /** The current state of the resource, if it exists. */
    current?: Record<string, unknown> | undefined
  }
}

export interface DecideRefund {
  decision: "refund" | "decline"
  /** The owner reads it with the decision. A refund has it as the note of its entry in the ledger. */
  answer: string
}

export interface DecidedCall {
  turn_id: string
  /** The `call` of `waiting.calls`. */
  call: string
  /** The decision that counts. */
  decision: "allow" | "deny"
  /** True if the call gets another input. */
  edited: boolean
  /** When the decision was made. */
  decided_at: string
}

export interface Decision {
  /** `deny`: the call is not made, and the agent is told. */
  decision: "allow" | "deny"
  /** Another input for an allowed call. It must fit the tool's schema. Default: the agent's input. */
  input?: Record<string, unknown> | undefined
  /** A text for the agent if the call is denied. */
  message?: string | undefined
}

export interface DeleteTraceEndpointAnswer {
  deleted: true
}

export interface DeleteWebhookAnswer {
  webhook_id: string
  deleted: true
}

export interface Deleted {
  name: string
  deleted: true
}

export interface DeletedFile {
  file_id: string
  /** The id of the file's space. */
  space: string
  /** The turn whose agent created the file; null for an upload. */
  turn: string | null
  name: string
  media_type: string
  /** The size in bytes. */
  bytes: number
  /** The SHA-256 of the bytes, in lower-case hex. */
  sha256: string
  created_at: string
  deleted: true
}

export interface DeletedPrice {
  version: number
  /** Multiplied with the billed amount of each model call. 1: what the call cost you. */
  multiplier: number
  /** Multipliers of single models, by pin. All other models have `multiplier`. */
  per_model: Record<string, number>
  /** Added for each turn with at least one model call, in USD. */
  per_turn_usd: number
  /** The charge is computed exactly and rounded once, when the turn ends: to a multiple of `to_usd`, `up`, `down` or to the `nearest` (halves up). */
  rounding: {
    to_usd: number
    mode: "up" | "nearest" | "down"
  }
  created_at: string
  /** When the version begins, if it was planned. Null: at `created_at`. */
  begins_at: string | null
  name: string
  /** A price that is in use cannot be deleted. */
  used_by: {
    /** End users with this price of their own. */
    end_users: number
    /** API keys with this default. */
    keys: number
    /** True if it is the account's default. */
    account: boolean
  }
  deleted: true
  /** The version of turns that are accepted from its `begins_at` on. Null: no version is planned. To cancel it, set the price with its present values: a version never changes, so they become a newer one. */
  planned: PriceVersion | null
  /** The newest 100 versions, the current one first. A turn keeps the version of its acceptance. */
  versions: PriceVersion[]
}

export interface Delivery {
  delivery_id: string
  webhook_id: string
  /** The `webhook-id` header of every attempt. */
  event_id: string
  /** The event's `type`. */
  event_type: string
  /** The event's turn. Null if the event belongs to no turn. */
  turn_id: string | null
  /** `pending`: it will be attempted again. `failed`: it will not be attempted again unless you redeliver it. */
  state: "pending" | "delivered" | "failed"
  /** Why it failed. Null: it has not failed. */
  status_reason: "attempts_exhausted" | "endpoint_gone" | "endpoint_failing" | "endpoint_disabled" | "endpoint_deleted" | "account_disabled" | null
  /** The number of attempts, including attempts of redeliveries. */
  attempt_count: number
  /** Oldest first. A list shows the newest 16 of each delivery; reading one delivery shows all. */
  attempts: DeliveryAttempt[]
  /** When the next attempt is due. Null unless it is pending. */
  next_attempt_at: string | null
  created_at: string
  finished_at: string | null
}

export interface DeliveryAttempt {
  /** The number of the attempt, from 1. */
  attempt: number
  created_at: string
  /** The HTTP status of the response. Null: no response. */
  status: number | null
  /** Why there was no response, or what its status means. */
  error: string | null
  /** The first KiB of the response body. */
  answer: string | null
  /** The target of a redirect. Redirects are not followed. */
  location: string | null
  duration_ms: number
  /** The headers that were sent, without `webhook-signature`, which is not stored. */
  request_headers: Record<string, string>
}

export interface DeliveryList {
  items: Delivery[]
  /** The number of entries on all pages. */
  total: number
  limit: number
  offset: number
}

export interface DeviceLoginStarted {
  login_id: string
  /** The page on which the user confirms the login. */
  verification_url: string
  /** The same page with the code in its URL. Null if the provider has none. */
  verification_url_complete: string | null
  /** The one-time code to enter on that page. */
  user_code: string
  /** The time between two polls of the provider, in seconds. */
  interval_seconds: number
  expires_at: string
}

export interface DeviceLoginStatus {
  /** The status of the newest login. `idle`: no login has been started. */
  status: "idle" | "polling" | "authorized" | "expired" | "error"
  /** Why the login failed: `denied`, `refused`, `lost` (the provider's answer did not arrive or is not valid), `not_configured`, `not_admin`, `taken`, `superseded` or `expired`. Null if it did not fail. */
  error: string | null
  /** The account that the login created or renewed. Null before. */
  provider_id: string | null
  verification_url: string | null
  /** The same page with the code in its URL. Null if the provider has none. */
  verification_url_complete: string | null
  /** The one-time code. Null unless the status is `polling`. */
  user_code: string | null
  expires_at: string | null
  started_by: {
    user_id: number
    name: string | null
  } | null
}

export interface DisableProviderRequest {
  /** The reason, for other admins. */
  reason?: string | undefined
}

/** The decision about the call that was made before. */
export interface EarlierDecision {
  /** The decision that counts. */
  decision: "allow" | "deny"
  /** True if the call gets another input. */
  edited: boolean
  /** When the decision was made. */
  decided_at: string
  user_id: number | null
  name: string | null
  key_id: string | null
  end_user_ref: string | null
}

export interface EndActingAnswer {
  /** The number of acting sessions that were ended. */
  ended: number
}

export interface EndSessionAnswer {
  ok: true
}

export interface EndSessionsAnswer {
  ok: true
}

export interface EndUser {
  end_user_ref: string
  /** The time of the first turn; null if the end user has limits but no turns yet. */
  first_turn_at: string | null
  last_turn_at: string | null
  /** The number of all turns in the key's spaces. */
  turns: number
  /** The total billed amount in the key's spaces, in USD. */
  billed_usd: number
  /** The part of `billed_usd` that was billed in this UTC month. */
  billed_this_month_usd: number
  /** The part of `billed_usd` that was billed in this UTC day. It can differ from `spent_usd` in `caps`. A turn is billed when it ends, but `caps` count it on the day it was accepted, and across the whole account. */
  billed_today_usd: number
  /** The part of `billed_usd` that the operator has refunded to your balance. Limits still count it. */
  refunded_usd: number
  limits: EndUserLimits
  /** The daily and monthly limits that apply to the end user's turns from this key, with the amounts left. Each is the end user's own limit, else the key's default, else the account's. Empty if no limit applies. With a test key: the limits of test turns, by their rehearsed cost. */
  caps: CapState[]
  /** The limits of the rate that applies to the end user's turns from this key, with their use: the end user's own rate, else the key's default, else the account's. Empty if no rate applies. */
  rates: RateState[]
}

export interface EndUserBalance {
  end_user_ref: string
  /** The credit of the end user, including held amounts, in USD. */
  balance_usd: number
  /** The amount that is held for the end user's open turns, in USD. */
  held_usd: number
  /** The amount that new turns can hold, in USD: `balance_usd` - `held_usd`. */
  available_usd: number
  /** The event `end_user.balance_low` is sent when the balance falls below this amount. 0: never. */
  low_balance_usd: number
  /** True if new turns are paid from this wallet. Then a turn that the wallet cannot pay for is rejected with 402 `END_USER_CREDIT_SPENT`. */
  prepaid: boolean
  /** Where `prepaid` is set: for this end user, on the calling key, for the account, or nowhere. */
  prepaid_source: "end_user" | "key" | "account" | "none"
  /** The price of new turns. Null: the charge is the billed amount. */
  price: string | null
  price_source: "end_user" | "key" | "account" | "none"
}

/** The credit of an end user is low or used up. */
export interface EndUserBalanceEvent {
  /** The same in every delivery and replay. Store it, so that you handle each event once. */
  id: string
  type: "end_user.balance_low" | "end_user.depleted"
  created_at: string
  /** Always null: the event belongs to no turn. */
  seq: number | null
  data: EndUserBalanceReached
}

/** The `data` of `end_user.balance_low` and `end_user.depleted`. */
export interface EndUserBalanceReached {
  end_user_ref: string
  balance_usd: number
  /** The amount held by open turns. */
  held_usd: number
  /** `balance_usd` - `held_usd`: the amount that new turns could hold. */
  available_usd: number
  /** The event is sent when the balance falls below this amount. 0: never. */
  threshold_usd: number
}

/** The charge of a turn's end user by the seller. It names no cost, model or multiplier of the seller. */
export interface EndUserChargeReceipt {
  document: "end_user_receipt"
  version: 1
  turn_id: string
  /** True: the turn was rehearsed, and the charge is not due. */
  test: boolean
  state: "done" | "failed" | "cancelled"
  end_user_ref: string | null
  accepted_at: string
  ended_at: string
  currency: "USD"
  /** The price of the turn. It never changes. Null: the turn has none. */
  price: {
    name: string
    version: number
  } | null
  components: EndUserReceiptComponent[]
  /** The sum of the components. */
  exact_usd: string
  rounding: {
    /** `charge_usd` is a multiple of this amount. */
    to_usd: string
    /** How `exact_usd` is rounded. `nearest`: halves up. */
    mode: "up" | "nearest" | "down"
  }
  /** The charge of the end user: `exact_usd`, rounded once. */
  charge_usd: string
  /** `wallet`: the end user's prepaid wallet has paid. `invoice`: it is due to the seller. */
  paid_from: "wallet" | "invoice"
}

/** The `details` of END_USER_CREDIT_SPENT: the end user's wallet. A key whose scope is not `all` gets `needed_usd` only. */
export interface EndUserCreditDetails {
  /** The end user's credit, including held amounts, in USD. */
  balance_usd?: number | undefined
  /** The amount that is held for the end user's open turns, in USD. */
  held_usd?: number | undefined
  /** The amount that new turns of the end user can hold, in USD: `balance_usd` - `held_usd`. */
  available_usd?: number | undefined
  /** The amount that must be available for this turn: the most that the end user can be charged for its first model call. */
  needed_usd: number
}

export interface EndUserDefault {
  /** A key of the same mode, live or test. Null: the whole account. */
  key_id: string | null
  /** The price of end users without one. Null: none. */
  price: string | null
  /** Whether the turns of end users without such a setting are paid from their wallets. Null: not set. */
  prepaid: boolean | null
  /** The key's name. */
  name: string | null
}

export interface EndUserDefaultList {
  items: EndUserDefault[]
  /** The number of entries on all pages. */
  total: number
  limit: number
  offset: number
}

export interface EndUserExport {
  exported_at: string
  end_user: EndUser
  /** Null: the key cannot access the whole account. */
  profile: EndUserProfile | null
  /** Oldest first. */
  turns: ExportedTurn[]
}

export interface EndUserLedgerEntry {
  entry_id: number
  end_user_ref: string
  /** `credit`: added by you. `correction`: taken back by you. `usage`: the charge of a turn. `refund`: that charge, returned because the operator has refunded the turn to you. */
  reason: "credit" | "correction" | "usage" | "refund"
  /** Negative for charges and corrections. */
  amount_usd: number
  /** The balance after this entry. */
  balance_after_usd: number
  /** The turn that was charged or refunded. */
  turn_id: string | null
  /** Your note. Erasing the end user removes it. */
  note: string | null
  created_at: string
}

export interface EndUserLedgerEntryList {
  data: EndUserLedgerEntry[]
  has_more: boolean
  next_cursor: string | null
}

export interface EndUserLimits {
  /** The end user's own limit for a UTC day, in USD; null: the default applies. */
  daily_usd: number | null
  /** The end user's own limit for a UTC month, in USD; null: the default applies. */
  monthly_usd: number | null
  /** True if new turns of the end user are rejected. */
  blocked: boolean
  /** The end user's own rate; null: the default applies. */
  rate: Rate | null
}

export interface EndUserList {
  data: EndUser[]
  has_more: boolean
  next_cursor: string | null
}

export interface EndUserProfile {
  end_user_ref: string
  /** Facts about the end user, which `{{profile.KEY}}` inserts: at most 32 keys and 4096 bytes of JSON. Each value is a text, a number, or true or false. `time_zone` is the zone of `{{now}}` and `{{today}}`. */
  profile: Record<string, string | number | boolean>
  /** When it was set. Null: there is no profile. */
  changed_at: string | null
}

export interface EndUserReceiptComponent {
  /** A call of a model, an image, or the amount for the whole turn. */
  kind: "model_call" | "image" | "turn"
  /** The number of the step. Null for the whole turn. */
  step: number | null
  tokens_input: number
  tokens_output: number
  /** The charge for it, exact, with 13 decimals. */
  amount_usd: string
}

export interface EndUserSessionsAnswer {
  /** The number of sessions that were valid. */
  ended: number
}

export interface EndUsersReport {
  /** The start of the range (UTC). */
  from: string
  /** The end of the range (UTC), exclusive. A range of days ends at midnight after its last day, which may be today. */
  to: string
  /** Null: each row covers the whole range. */
  granularity: null
  /** The time at which the report was made. Its figures are exact at this time. */
  as_of: string
  /** The requested account. */
  user_id: number
  /** The number of entries on all pages. */
  total: number
  /** The size of a page. */
  limit: number
  /** The number of entries that were skipped. */
  offset: number
  /** A page of the end users with turns or refunds in the range. Equal ones are sorted by their id. */
  items: ({
    /** The account's id of the end user. Null: web chats. */
    end_user_ref: string | null
    /** Live turns that ended, including turns that were billed nothing. */
    turns: number
    /** Model calls, including the calls of sub-agents. */
    model_calls: number
    /** All input tokens, including cached ones. */
    tokens_input: number
    tokens_cached: number
    tokens_output: number
    /** The exact amount that the turns were billed. Refunds are not subtracted. */
    billed_cost_usd: number
    /** The exact amount that was refunded. A refund counts when it was booked, not when its turn ended. */
    refunded_usd: number
    /** The billed amount less `refunded_usd`. Negative if more was refunded than billed in this time. */
    net_usd: number
  })[]
  /** The sum of all pages: the usage of the account. */
  sums: {
    /** Live turns that ended, including turns that were billed nothing. */
    turns: number
    /** Model calls, including the calls of sub-agents. */
    model_calls: number
    /** All input tokens, including cached ones. */
    tokens_input: number
    tokens_cached: number
    tokens_output: number
    /** The exact amount that the turns were billed. Refunds are not subtracted. */
    billed_cost_usd: number
    /** The exact amount that was refunded. A refund counts when it was booked, not when its turn ended. */
    refunded_usd: number
    /** The billed amount less `refunded_usd`. Negative if more was refunded than billed in this time. */
    net_usd: number
  }
}

/** One of your webhooks was disabled, because it returned 410 or failed for 5 days. */
export interface EndpointDisabledEvent {
  /** The same in every delivery and replay. Store it, so that you handle each event once. */
  id: string
  type: "endpoint.disabled"
  created_at: string
  /** Always null: the event belongs to no turn. */
  seq: number | null
  data: {
    webhook_id: string
    url: string
    reason: "gone" | "failing"
  }
}

export interface Energy {
  balance_energy: number
  /** Held by open turns. */
  held_energy: number
  /** Totals of all time by bucket. */
  totals: {
    /** Energy granted by operators. */
    free: number
    /** Energy for signing up and for referrals. */
    bonus: number
    /** Purchased energy. */
    paid: number
    /** Energy of refunded turns, when the refunds were booked. */
    refunded: number
    /** Charged energy, as a positive number. */
    spent: number
  }
  /** Totals for each UTC day, oldest first. Days without changes are included. */
  days: ({
    /** Energy granted by operators. */
    free: number
    /** Energy for signing up and for referrals. */
    bonus: number
    /** Purchased energy. */
    paid: number
    /** Energy of refunded turns, when the refunds were booked. */
    refunded: number
    /** Charged energy, as a positive number. */
    spent: number
    date: string
  })[]
}

export interface EnergyTimeline {
  /** The start of the range (UTC). */
  from: string
  /** The end of the range (UTC), exclusive. A range of days ends at midnight after its last day, which may be today. */
  to: string
  /** `day` in ranges of up to 92 days, `week` up to 730, else `month`. Weeks begin on Monday. */
  granularity: "day" | "week" | "month"
  /** The time at which the report was made. Its figures are exact at this time. */
  as_of: string
  /** The sums of the whole range. */
  totals: {
    /** Credit that operators granted, in energy. */
    free: number
    /** Credit for signing up and for referrals, in energy. */
    bonus: number
    /** Purchased credit, in energy. */
    paid: number
    /** Refunds of turns, when they were booked, in energy. */
    refunded: number
    /** Charges as a positive amount, in energy. */
    spent: number
    /** Amounts in none of these buckets: corrections that took credit back. Negative or 0. */
    unbucketed: number
    /** The change of all balances: `free` + `bonus` + `paid` + `refunded` - `spent` + `unbucketed`. */
    change: number
  }
  /** Every day, week or month of the range, the oldest first. The range may cut the first and the last one. */
  items: ({
    /** The day on which the bucket begins (UTC). */
    date: string
    /** Credit that operators granted, in energy. */
    free: number
    /** Credit for signing up and for referrals, in energy. */
    bonus: number
    /** Purchased credit, in energy. */
    paid: number
    /** Refunds of turns, when they were booked, in energy. */
    refunded: number
    /** Charges as a positive amount, in energy. */
    spent: number
    /** Amounts in none of these buckets: corrections that took credit back. Negative or 0. */
    unbucketed: number
    /** The change of all balances: `free` + `bonus` + `paid` + `refunded` - `spent` + `unbucketed`. */
    change: number
  })[]
}

export interface Erasure {
  /** The id of the erasure. */
  erasure_id: string
  end_user_ref: string
  /** `erasing`: a turn is still running, or there is more data than one request can erase. The service continues automatically. `erased`: all data is gone. */
  state: "erasing" | "erased"
  requested_at: string
  /** The time at which all data was gone; null while it is being erased. */
  erased_at: string | null
  /** The number of erased turns: their text, result, metadata and error message are gone. */
  turns: number
  events: number
  /** The number of erased model calls, with the inputs and results of their tools. */
  steps: number
  files: number
  /** The number of conversations that lost their name and history. */
  conversations: number
  tasks: number
  /** True if the end user's profile was erased. */
  profile: boolean
  /** The data of this end user that is kept: the number of turns and the billed amount, without any text. */
  kept: {
    turns: number
    billed_usd: number
  }
}

export interface ErrorsReport {
  /** The start of the range (UTC). */
  from: string
  /** The end of the range (UTC), exclusive. A range of days ends at midnight after its last day, which may be today. */
  to: string
  /** The period that a row of the series covers. */
  granularity: "day"
  /** The time at which the report was made. Its figures are exact at this time. */
  as_of: string
  /** Every day of the range, the oldest first. */
  items: ({
    date: string
    /** Failed calls in a container. */
    container_exec: number
    /** Containers that failed to start. */
    container_start: number
    /** Failed delegations to a sub-agent. */
    subagent_dispatch: number
    /** The sum of these three. */
    total: number
    /** Model calls that failed at their provider. `total` does not include them. */
    model_call: number
  })[]
}

/** An event, as in the body that a webhook receives. */
export type FeedEvent = TurnStateEvent | CallDecidedEvent | BalanceEvent | EndUserBalanceEvent | CapEvent | ActivityRecordedEvent | UsagePostedEvent | HourClosedEvent | EndpointDisabledEvent | AccountSignedInEvent | AccountLockedEvent | AccountFactorChangedEvent | KeyCreatedEvent | KeyRevokedEvent | RefundDecidedEvent | AnomalyFoundEvent | BudgetReachedEvent | McpServerFailingEvent | SpaceSharedEvent | PingEvent

export interface EventList {
  data: FeedEvent[]
  has_more: boolean
  next_cursor: string | null
}

export interface ExportedTurn {
  turn_id: string
  /** The space that the turn runs in. */
  space: string
  /** Your own id for your end user. */
  end_user_ref: string
  /** The conversation's id. Turns of one conversation run in order, one at a time. */
  conversation: string
  /** `done`, `failed` and `cancelled` are final. */
  state: "queued" | "running" | "done" | "failed" | "cancelled"
  /** Why a running turn waits. Null: it does not wait. */
  waiting: Waiting | null
  /** The earlier turn of the conversation that waits, if a queued turn cannot start because of it. */
  waits_behind: string | null
  /** When the queued turn is `cancelled` (`expired`) if that earlier turn still waits. */
  waits_behind_until: string | null
  /** Why the turn is `failed` (the error's code) or `cancelled` (such as `client` or `expired`). Otherwise null. */
  status_reason: string | null
  /** The end user's message. A turn with messages has the user's last text, at most 100000 bytes; read them all with `GET /v1/turns/{turn_id}/messages`. */
  text: string
  /** The agent's reply. Null until the turn has ended, or without one. */
  result: string | null
  /** The value of the result, if the turn is done and has a `response_format` of JSON: it fits the schema. Otherwise null. */
  output: unknown
  /** How a turn is done: with a reply, or with `calls` of your tools. Null in all other states. */
  finish: "stop" | "tool_calls" | null
  /** Calls of your tools with which the turn is done. Carry them out and send their `results` with the next turn of the conversation. Empty without calls, and after the texts are deleted. */
  calls: ({
    id: string
    name: string
    input: Record<string, unknown>
  })[]
  /** True if the reply of a done turn was cut off at an output limit. */
  truncated: boolean
  /** Why the turn failed: `MODEL_UNAVAILABLE`, `FILE_REJECTED`, `EMPTY_ANSWER`, `OUTPUT_INVALID`, `TIMEOUT_REACHED`, … Null in all other states. `details` has the provider's words. It is null if no provider has caused the failure. */
  error: {
    code: string
    message: string
    details: ProviderDetails | null
  } | null
  /** What the turn had to do without. It did not fail for that. */
  warnings: ({
    /** `TOOLS_MISSING`: an optional MCP server did not answer. */
    code: string
    server: string
    message: string
  })[]
  /** Ids of the files that were sent with the turn. */
  files: string[]
  /** The files that the agent made, once the turn is done. A turn that failed or was cancelled has the images that it is billed for. */
  outputs: Output[]
  /** Amount charged for the turn. 0 until it has ended. */
  billed_cost_usd: number
  /** Amount of `billed_cost_usd` that the operator has returned to your balance: 0, or all of it. Reports count it when it was booked. */
  refunded_usd: number
  /** Your price for the end user and its version, as they were when the turn was accepted. Null: no price. Read the version with `GET /v1/prices/{name}?version=`. */
  price: TurnPrice | null
  /** The amount that your end user is charged, by your price or from the end user's wallet. Null until the turn has ended, and for a turn with neither. A test turn is charged to the test wallet, for its rehearsed cost. See [Prices and wallets](/docs/resale). */
  end_user_charge_usd: number | null
  /** Amount of your balance that is set aside for the turn until it ends. */
  held_usd: number
  /** The most that the turn can cost, as sent or raised since. Null: it has no limit of its own. Null in events of an open turn. */
  max_cost_usd: number | null
  /** `fail` or `wait` at a limit, as sent. Null: the manifest of its space says it. */
  on_limit: "fail" | "wait" | null
  /** The most output tokens of each model call, as sent. Null: the manifest of its space says it. */
  max_output_tokens: number | null
  /** The temperature, as sent. Null: the manifest of its space says it. */
  temperature: number | null
  /** The effort of reasoning, as sent. Null: the manifest of its space says it. */
  reasoning: Reasoning | null
  /** The form of the result, as sent. Null: the manifest of its space says it. */
  response_format: ResponseFormat | null
  /** The sequences before which the reply ends, as sent. Null: none. */
  stop: string[] | null
  /** False: the texts of the turn are deleted soon after its end. */
  store: boolean
  usage: {
    /** Model calls of all agents of the turn. */
    model_calls: number
    /** Tool calls, including calls of built-in tools. */
    tool_calls: number
    /** All prompt tokens, including cached tokens. */
    tokens_input: number
    /** The part of `tokens_input` that came from the provider's cache. */
    tokens_cached: number
    /** All tokens that models wrote, including reasoning. */
    tokens_output: number
    /** The reasoning in `tokens_output`. 0 if it is not counted. */
    tokens_reasoning: number
  }
  /** The model that the turn runs on, as a pin. */
  model: string
  /** Your own key-value pairs: at most 16 pairs, keys of 64 and values of 512 characters. */
  metadata: Record<string, string>
  /** True if a test key sent the turn: it is rehearsed and free. */
  test: boolean
  /** The turn's span in its trace (W3C Trace Context): the trace of the request's `traceparent`, or a new one. See [Traces](/docs/traces). */
  traceparent: string
  /** The `tracestate` of the request. Null without one. */
  tracestate: string | null
  /** When the texts of the turn were deleted, because their time was over or the end user was erased. Then `text` is empty, `result` is null, and the bill stays. Null while the texts are kept. */
  texts_deleted_at: string | null
  /** The same for the turn's steps and its log. Then it has no events. Null while they are kept. */
  steps_deleted_at: string | null
  created_at: string
  /** When the turn started to run. Null if it has not started. */
  started_at: string | null
  /** When the turn ended. Null until then. */
  finished_at: string | null
  idempotency_key: string
  conversation_name: string
  erased_at: string | null
  /** The messages of the turn. Null: it was sent as one text, or its texts are deleted. */
  messages: TurnMessage[] | null
  /** The tools of its caller. Null: it had none, or its texts are deleted. */
  tools: CallerTool[] | null
  events: TurnEvent[]
  /** The turn's model calls: the model's output, its tool calls, and their results. */
  steps: (Record<string, unknown>)[]
  /** Files that were sent with the turn, and files that its agent created. `content` is the path of the bytes. */
  file_details: ({
    file_id: string
    /** The id of the file's space. */
    space: string
    /** The turn whose agent created the file; null for an upload. */
    turn: string | null
    name: string
    media_type: string
    /** The size in bytes. */
    bytes: number
    /** The SHA-256 of the bytes, in lower-case hex. */
    sha256: string
    created_at: string
    content: string
  })[]
  tasks: (Record<string, unknown>)[]
  /** Images that tools returned. */
  images: ({
    step: number
    name: string
    media_type: string
    base64: string
  })[]
}

export interface ExternalApiKey {
  /** `file.KEY`. */
  key_id: string
  file: string
  name: string
  /** Whether a value is stored. If false, the environment variable of the worker with this name is used, if it exists. */
  is_set: boolean
  /** The last 4 characters of the value; null if none is stored. */
  last_four: string | null
  /** The providers whose calls use the key. */
  providers: string[]
  /** The number of calls to these providers since the key was set, without calls that a provider account of a pool served. Later values count on. 0 without a value. */
  calls: number
  tokens_input: number
  tokens_cached: number
  tokens_output: number
  /** The cost of these calls for us, at the provider's prices. */
  cost_usd: number
  last_used_at: string | null
  /** Null if all calls are counted. Otherwise the time of the oldest counted call: only the newest 20000 calls are counted. */
  counted_since: string | null
  /** Increases with each change. 0 if the key was never set. */
  version: number
  updated_at: string | null
  /** The admin who last set or unset the key; null if it was the command line. */
  updated_by: {
    user_id: number
    name: string | null
  } | null
}

export interface ExternalApiKeyList {
  items: ExternalApiKey[]
  /** The number of entries on all pages. */
  total: number
  limit: number
  offset: number
}

export interface FileInfo {
  file_id: string
  /** The id of the file's space. */
  space: string
  /** The turn whose agent created the file; null for an upload. */
  turn: string | null
  name: string
  media_type: string
  /** The size in bytes. */
  bytes: number
  /** The SHA-256 of the bytes, in lower-case hex. */
  sha256: string
  created_at: string
}

export interface FileList {
  items: FileInfo[]
  /** The number of entries on all pages. */
  total: number
  limit: number
  offset: number
}

export interface Forecast {
  as_of: string
  /** The current month (UTC). */
  month: string
  /** Spent this month: the bills of turns that ended in it, less the refunds that were booked in it, and the charges without a turn. */
  spent_usd: number
  /** The expected spend of the whole month: `spent_usd`, and the pace for the rest. Null without a pace. */
  expected_usd: number | null
  /** The expected spend of the next month. Null without a pace. */
  next_month_usd: number | null
  /** The balance, including held amounts. */
  balance_usd: number
  /** The day (UTC) on which the balance is used up at this pace. Null without a pace, and if it lasts more than 365 days. */
  lasts_until: string | null
  /** The number of days from today until `lasts_until`. */
  lasts_days: number | null
  /** How the forecast is made. Null: fewer than 3 days since the first charge. */
  pace: {
    /** `weekdays`: the average of recent days, times the part that each day of the week has. `average`: the account has less than 14 days, so all days count as equal. */
    method: "weekdays" | "average"
    /** The days before today that count, from the first charge on, at most 56. A day 14 days ago counts half. A day counts as at most 4 times the median. */
    days: number
    /** The expected spend of each day of the week. */
    weekdays: ({
      weekday: "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday"
      usd: number
    })[]
    /** The daily cap of the plan: the forecast expects no more on a day. Null: no cap. */
    daily_cap_usd: number | null
  } | null
  /** The credit that plans will add before the balance is used up. */
  credits: ({
    date: string
    usd: number
  })[]
}

export type GetDailyUsageAnswer = DailyUsage | SlugUsageReport

export type GetServiceHealthOrError = ServiceHealth | DashboardError

export interface GetSpaceByKeyAnswer {
  items: ChatPerson[]
  /** The number of entries on all pages. */
  total: number
  limit: number
  offset: number
  space: AdminSpace
}

export interface GetTraceEndpointAnswer {
  /** Null: the account has none. */
  endpoint: TraceEndpoint | null
}

export interface HTTPValidationError {
  detail: ({
    loc: (string | number)[]
    msg: string
    type: string
  })[]
}

/** No row comes into the hour any more. It is sent for each hour with rows, while the [usage export](/docs/metering) runs. */
export interface HourClosedEvent {
  /** The same in every delivery and replay. Store it, so that you handle each event once. */
  id: string
  type: "hour.closed"
  created_at: string
  /** Always null: the event belongs to no turn. */
  seq: number | null
  data: {
    from: string
    to: string
    rows: number
    /** The sum of `amount_usd`, a decimal. */
    sum: string
    /** SHA-256 over the rows, in hex. */
    digest: string
    /** There are no rows from then until `from`. */
    empty_since: string
  }
}

export interface HourlyReport {
  /** The start of the range (UTC). */
  from: string
  /** The end of the range (UTC), exclusive. A range of days ends at midnight after its last day, which may be today. */
  to: string
  /** The period that a row of the series covers. */
  granularity: "hour"
  /** The time at which the report was made. Its figures are exact at this time. */
  as_of: string
  /** Every hour of the range, the oldest first. Future hours are empty. */
  items: ({
    hour: string
    /** Live turns that ended, including turns that were billed nothing. */
    turns: number
    /** Model calls, including the calls of sub-agents. */
    model_calls: number
    /** All input tokens, including cached ones. */
    tokens_input: number
    tokens_cached: number
    tokens_output: number
    /** The exact amount that the turns were billed. Refunds are not subtracted. */
    billed_cost_usd: number
    /** The exact amount that was refunded. A refund counts when it was booked, not when its turn ended. */
    refunded_usd: number
    /** The billed amount less `refunded_usd`. Negative if more was refunded than billed in this time. */
    net_usd: number
  })[]
}

export interface HourlySpacesReport {
  /** The start of the range (UTC). */
  from: string
  /** The end of the range (UTC), exclusive. A range of days ends at midnight after its last day, which may be today. */
  to: string
  /** The period that a row of the series covers. */
  granularity: "hour"
  /** The time at which the report was made. Its figures are exact at this time. */
  as_of: string
  top: number
  /** The spaces that were billed most in the range, the highest amount first, then by id. */
  series: ({
    /** The number of the space. */
    space_id: number
    slug: string
    chat_key: string | null
    title: string
    /** The account that is billed. */
    owner_id: number
    /** The billed amount of all hours. */
    billed_cost_usd: number
    /** Every hour of the range, the oldest first. */
    points: ({
      hour: string
      billed_cost_usd: number
    })[]
  })[]
  /** The sum of all other spaces. */
  other: {
    /** The billed amount of all hours. */
    billed_cost_usd: number
    /** Every hour of the range, the oldest first. */
    points: ({
      hour: string
      billed_cost_usd: number
    })[]
  }
}

export interface Identity {
  identity_id: string
  /** The service that issued the identity: an OpenID provider's issuer, or `messenger:<brand>`. */
  issuer: string
  /** Your id at this service. */
  subject: string
  /** The email that the issuer reported at the last sign-in. */
  email: string | null
  /** True if the issuer has verified this email. */
  email_verified: boolean
  created_at: string
  /** When you last signed in with it; null if never. */
  last_used_at: string | null
}

export interface IdentityList {
  items: Identity[]
  /** The number of entries on all pages. */
  total: number
  limit: number
  offset: number
}

export interface IdpSessionRequest {
  /** The issuer that signed the person in. Always spell it the same way. */
  issuer: string
  /** The person's permanent id at that issuer. */
  subject: string
  email?: string | null | undefined
  /** True if the issuer has verified the email. An unverified email never selects an account. */
  email_verified?: boolean | undefined
  name?: string | null | undefined
}

export interface ImageModel {
  /** The id of the model. Manifests send it as `image_model`. */
  pin: string
  /** The display name. */
  label: string
  /** The part of the pin before the slash. */
  engine: string
  /** USD for one picture of any size. */
  price_usd_per_picture: number
}

export interface InfraBilling {
  dry_run: boolean
  /** Usage up to this time is billed. */
  until: string
  /** False if there are more accounts. The next request continues where this one stopped. */
  finished: boolean
  /** The number of accounts with a bill in this response. */
  accounts: number
  cost_usd: number
  billed_usd: number
  /** The amount that remains due after these bills. */
  due_usd: number
  /** The first 200 bills, by `user_id`. */
  bills: ({
    user_id: number
    /** The end of the account's previous bill. Null for its first bill. */
    starts_at: string | null
    ends_at: string
    container_seconds: number
    stored_gib_hours: number
    /** The cost of this usage, in USD. */
    cost_usd: number
    /** The amount that earlier bills could not charge. */
    due_before_usd: number
    /** The charged amount: one entry of the account's ledger. */
    billed_usd: number
    /** The amount that remains due because the account had too little credit. */
    due_usd: number
  })[]
}

export interface Invitation {
  invitation_id: string
  email: string
  /** `owner`: everything. `developer`: spaces, tools, keys, webhooks and turns, but no decisions about money. `billing`: balance, prices, wallets, caps and limits. `read_only`: reads everything except secrets. */
  role: "owner" | "developer" | "billing" | "read_only"
  /** The name of the owner who invited. */
  invited_by: string | null
  created_at: string
  expires_at: string
}

export interface InvitationToken {
  /** The token of the link. */
  token: string
}

export interface InviteMember {
  /** Only a user with this email can accept. */
  email: string
  /** `owner`: everything. `developer`: spaces, tools, keys, webhooks and turns, but no decisions about money. `billing`: balance, prices, wallets, caps and limits. `read_only`: reads everything except secrets. */
  role: "owner" | "developer" | "billing" | "read_only"
}

export interface JoinAsNewUser {
  /** The token of the link. */
  token: string
  name?: string | null | undefined
  /** At least 8 characters, and not one of the most common passwords. */
  password: string
}

/** An API key was created or rotated. It is a notice to the account's owner, so only keys to all spaces see it. */
export interface KeyCreatedEvent {
  /** The same in every delivery and replay. Store it, so that you handle each event once. */
  id: string
  type: "key.created"
  created_at: string
  /** Always null: the event belongs to no turn. */
  seq: number | null
  data: {
    key_id: string
    name: string | null
    scope: string
    test: boolean
    hint: string
    rotated: boolean
  }
}

/** An API key was revoked. Requests with it get 401 from now on, and its open turns end. It is a notice to the account's owner, so only keys to all spaces see it. */
export interface KeyRevokedEvent {
  /** The same in every delivery and replay. Store it, so that you handle each event once. */
  id: string
  type: "key.revoked"
  created_at: string
  /** Always null: the event belongs to no turn. */
  seq: number | null
  data: {
    key_id: string
    name: string | null
    scope: string
    test: boolean
    hint: string
  }
}

export interface KnownKey {
  key_id: string
  name: string
  /** `created`: only spaces that this key creates. `space`: one space. `all`: all spaces of the account. */
  scope: "created" | "space" | "all"
  /** The space of a key with the scope `space`; otherwise null. */
  space: string | null
  test: boolean
  /** `owner`: the key may do everything that its scope allows. `developer`: a developer of the account made it, so it changes no prices, wallets and limits, and erases no customers. */
  role: "owner" | "developer"
  /** The first and the last characters of the key's value. */
  hint: string
  caps: Caps
  /** The end user of requests of `/v1/openai` and `/v1/anthropic` that name none, such as those of chat interfaces. Null: the `key_id`, as the `end_user_ref` of its own end user. */
  default_end_user_ref: string | null
  /** How much the key may send in a minute, and at the same time. Null: no limit. */
  rate: Rate | null
  /** The default rate of each of your customers without a rate of their own, when this key sends their turns. Null: the account's default. */
  end_user_rate: Rate | null
  created_at: string
  expires_at: string | null
  /** The time of the last request with the key, accurate to a minute; null: never used. */
  last_used_at: string | null
  revoked_at: string | null
  /** The time at which the last old value stops or stopped working; null: the key was never rotated. */
  previous_expires_at: string | null
  /** `current`: the person knows the key's value. `former`: only old values, which work until their overlap ends. */
  known_value: "current" | "former"
}

export interface LearnedLimits {
  /** The most output tokens that it takes. */
  max_output_tokens?: number | undefined
  /** The most tokens of prompt and answer. */
  context_tokens?: number | undefined
  /** The most images in one call. */
  images?: number | undefined
  /** Settings that it refuses. They are left out; the form of a result is asked for with a tool. */
  without?: ("temperature" | "reasoning" | "stop" | "response_format" | "service_tier")[] | undefined
}

export interface LearnedLimitsInput {
  /** The most output tokens that it takes. */
  max_output_tokens?: number | undefined
  /** The most tokens of prompt and answer. */
  context_tokens?: number | undefined
  /** The most images in one call. */
  images?: number | undefined
  /** Settings that it refuses. They are left out; the form of a result is asked for with a tool. */
  without?: ("temperature" | "reasoning" | "stop" | "response_format" | "service_tier")[] | undefined
}

export interface LeaveAccountAnswer {
  ok: true
}

export interface LedgerEntry {
  ledger_id: number
  /** `usage`: the charge of a key's turn. `space_usage`: the charge of a web-chat turn or, without a `turn_id`, for containers and storage. `admin_action` with a `turn_id`: that turn's refund. */
  reason: "admin_grant" | "admin_action" | "operator_topup" | "signup_credit" | "referral_signup_credit" | "manual_topup" | "credit_purchase" | "usage" | "space_usage" | "referral_credit_commission"
  /** The bucket of the entry in reports: granted (`free`), earned (`bonus`) or purchased credit (`paid`), refunds of turns (`refunded`), or charges (`spent`). Null for a commission and for a correction that takes credit back. */
  bucket: "free" | "bonus" | "paid" | "refunded" | "spent" | null
  /** Negative for charges. Null for a commission in a currency. 10 energy are 1 USD, or 10,000,000 credit micros. */
  amount_credit_micros: number | null
  amount_energy: number | null
  amount_usd: number | null
  /** A commission's currency, as an ISO 4217 code. */
  currency: string | null
  /** A commission's amount, in the currency's minor units (cents). */
  currency_amount_minor: number | null
  /** The account's running total after this entry. */
  balance_after_credit_micros: number
  balance_after_energy: number
  balance_after_usd: number
  /** The turn that was charged or refunded. */
  turn_id: string | null
  /** The actor that booked the entry: a `turn` that ended, a `payment`, the service's `operator`, or the `system`. */
  actor: "turn" | "system" | "payment" | "operator"
  /** The note of the entry. Null if it has none. */
  note: string | null
  created_at: string
}

export interface LedgerEntryList {
  items: LedgerEntry[]
  /** The number of entries on all pages. */
  total: number
  limit: number
  offset: number
}

export interface ListCustomersAnswer {
  items: Customer[]
  /** The number of entries on all pages. */
  total: number
  limit: number
  offset: number
  totals: CustomerTotals
}

export interface ListModelsAnswer {
  data: Model[]
  has_more: boolean
  next_cursor: string | null
  image_models: ImageModel[]
}

/** The provider's prices, which we pay. Null or left out: the same as ours. */
export type ListedPrices = {
  /** Required for the kind `chat`, and not allowed for the kind `image`. */
  price_usd_per_million_tokens?: {
    /** USD per million input tokens. */
    input: number | string
    /** USD per million prompt tokens that the provider read from its cache. */
    cached: number | string
    /** USD per million prompt tokens that the provider writes to its cache; null: same as `input`. */
    cache_write?: number | string | null | undefined
    /** USD per million prompt tokens that the cache keeps for an hour instead of five minutes; null: the hour is never requested. */
    cache_write_hour?: number | string | null | undefined
    /** USD per million prompt tokens of audio; null: same as `input`. */
    audio_input?: number | string | null | undefined
    /** USD per million output tokens. */
    output: number | string
    /** USD per million output tokens of reasoning; null: same as `output`. */
    reasoning?: number | string | null | undefined
  } | undefined
  /** Required for the kind `image`: USD for one picture of any size. */
  price_usd_per_picture?: number | string | undefined
  /** USD for one web search that the provider makes itself; null: free. */
  price_usd_per_web_search?: number | string | null | undefined
  /** USD for one search of posts on X that the provider makes itself; null: free. */
  price_usd_per_x_search?: number | string | null | undefined
  /** USD for one run of code in the provider's own container; null: free. */
  price_usd_per_code_execution?: number | string | null | undefined
  /** Prices in USD per million tokens of calls with a longer prompt, in the order of `above_input_tokens`. */
  price_tiers?: ModelPriceTierInput[] | undefined
  /** Factors of all prices per token, by how the provider says that it has served the call: a service tier (`flex`, `priority`), `fast`, or `geo_` and a region (`geo_us`). */
  price_modifiers?: Record<string, number> | undefined
} | null

export interface ListedStatement {
  month: string
  /** `open`: the month is not over. `closed`: its statement was not read yet. `building`: it is being built. `final`: it never changes. */
  state: "open" | "closed" | "building" | "final"
  /** The number of receipts. Null unless it is final. */
  receipts: number | null
  /** Null unless it is final. */
  total_usd: string | null
}

export interface ListedStatementList {
  items: ListedStatement[]
  /** The number of entries on all pages. */
  total: number
  limit: number
  offset: number
}

export interface ListedUser {
  user_id: number
  name: string | null
  email: string | null
  email_verified: boolean
  role: "user" | "admin"
  /** The brand of the account. Reports count it under its first brand. */
  brand: string
  created_at: string
  /** The id of the user on the messaging platform; null if no messaging identity is linked. */
  messenger_id: string | null
  /** Whether the user has a password and can sign in with it. */
  has_password: boolean
  /** The time at which the account was disabled; null if it is active. */
  disabled_at: string | null
  balance_usd: number
  /** The event `balance.low` is sent when the balance falls below this amount. 0 disables the event. */
  low_balance_usd: number
  /** Default daily cap per end user, in USD per UTC day; null if no default is set. A cap of the end user replaces it. */
  end_user_daily_usd: number | null
  /** Default monthly cap per end user, in USD per UTC month; null if no default is set. */
  end_user_monthly_usd: number | null
  /** Increases with each edit. */
  version: number
  /** The time of the last edit; null if the user was never edited. */
  updated_at: string | null
  /** The admin who made the last edit; null if it was the owner or the command line. */
  updated_by: number | null
  /** When a session of the user was last used, accurate to an hour; null if none is stored. */
  last_seen_at: string | null
  /** The billed amount of all live turns of the account, as in the reports. Refunds are not subtracted. Containers and storage do not count. */
  spend_usd: number
  /** The exact amount that was refunded. A refund counts when it was booked, not when its turn ended. */
  refunded_usd: number
  /** The billed amount less `refunded_usd`. Negative if more was refunded than billed in this time. */
  net_usd: number
}

export interface ListedUserList {
  items: ListedUser[]
  /** The number of entries on all pages. */
  total: number
  limit: number
  offset: number
}

export interface ListedWebhook {
  webhook_id: string
  /** The key that created it and whose scope it has. Null if it was created in the dashboard. It stays active after the key is revoked. */
  key_id: string | null
  /** The URL to which events are posted. */
  url: string
  /** The types of events to send. Null: all types. */
  events: string[] | null
  description: string | null
  /** `pending`: the URL has not answered a `ping` with 2xx yet. Events wait until it has. A failed ping is retried like any event, and `POST …/test` sends one at once. */
  state: "pending" | "verified"
  /** When the URL answered a ping. Null: not yet. */
  verified_at: string | null
  /** True if events are posted to it. */
  enabled: boolean
  disabled_at: string | null
  /** `customer`: you disabled it. `gone`: it returned 410. `failing`: every attempt failed for 5 days, or it never answered its ping. `account_disabled`: it is enabled again together with the account. */
  disabled_reason: "customer" | "gone" | "failing" | "account_disabled" | null
  /** When the first failure since the last success occurred. Null: the last attempt succeeded. */
  failing_since: string | null
  /** Until when former secrets also sign, as their rotations set. Null: none signs. */
  previous_secret_expires_at: string | null
  /** True if it was created with a test key. Then it receives only events of test turns. */
  test: boolean
  created_at: string
  updated_at: string
  health: WebhookHealth
}

export interface ListedWebhookList {
  items: ListedWebhook[]
  /** The number of entries on all pages. */
  total: number
  limit: number
  offset: number
}

export interface LoginRequest {
  /** Case is ignored. */
  email: string
  password: string
}

export interface LogoutAnswer {
  ok: true
}

export interface MagicExchange {
  /** A magic token, or an app token. */
  token: string
}

/** The configuration of a space's agent. */
export interface Manifest {
  /** The agent's system instructions. They may have variables, such as `{{today}}` or `{{profile.name}}`. Each is sent as its name in square brackets, and a note with each turn has the values. */
  instructions?: string | undefined
  /** The zone of `{{now}}` and `{{today}}`. `time_zone` of an end user's profile replaces it. Default: UTC. */
  time_zone?: string | undefined
  /** The pin of the model, `engine/model`. Default: the model of the space. */
  model?: string | undefined
  /** Default: the default of the model. */
  temperature?: number | undefined
  /** The maximum number of output tokens of each model call, with reasoning. */
  max_output_tokens?: number | undefined
  /** Default: the default of the model. A model that cannot reason answers without it. */
  reasoning?: Reasoning | undefined
  /** How the model's provider is asked to serve the calls of the agent and its sub-agents. `flex` is cheaper and slower; `priority`, `fast` and `ultrafast` are dearer and faster; `default` is the usual service. The answer says how it was served, and is billed with the factor of that (`price_modifiers` of `GET /v1/models`). A tier without a factor is not asked for. Default: as the provider's account says. */
  service_tier?: "auto" | "default" | "flex" | "priority" | "fast" | "ultrafast" | undefined
  /** The form of the results of all turns that ask for none. The order of properties is not kept: send the form with the turn if it matters. */
  response_format?: ResponseFormat | undefined
  /** The maximum number of model calls of one turn. Default 16. */
  max_steps?: number | undefined
  /** The time limit of a turn, in seconds. Default 300. */
  timeout_seconds?: number | undefined
  /** The part of the conversation that the agent sees. */
  history?: {
    /** The maximum number of earlier turns that the agent sees, from the last 1,000. It sees at least half of them, so that the provider's cache helps. Default 20. */
    max_turns?: number | undefined
    /** The maximum number of tokens of these turns together. */
    max_tokens?: number | undefined
    /** True: turns that leave the history are summarised by a model call, which is billed as `summary`, and later turns see the summary. Default false: they are left out. */
    summary?: boolean | undefined
    /** The pin of the model that writes summaries. Default: the model of the turn. */
    model?: string | undefined
  } | undefined
  /** The built-in tools of the agent. Default: the file tools, except for `openai-compatible` models, because some of them cannot call tools. `generate_image` creates pictures, each at a fixed price. Live turns have it only while the service has an image model. */
  builtin_tools?: ("list_files" | "read_file" | "write_file" | "create_task" | "update_task" | "generate_image")[] | undefined
  /** How agents get REST tools and the tools of MCP servers. Built-in tools are always in the prompt. */
  tools?: {
    /** `all`: each prompt has the definitions of all tools. `search`: it has the names of servers and of groups of tools, and the agent finds tools with `find_tools` and calls them with `call_tool`. `auto` (the default): `search` with more than 40 tools, or if they fill more than 10 % of the model's window. */
    mode: "auto" | "all" | "search"
  } | undefined
  /** Calls of built-in tools that wait until a person allows them, by the name of the tool. */
  approvals?: Record<string, Approval> | undefined
  /** A turn that cannot pay for its next model call does this. `fail` (the default) ends it with its partial result. With `wait` it continues once the limit allows it. */
  on_limit?: "fail" | "wait" | undefined
  /** How long a turn waits for a limit, a decision or a result before it fails. Default 86400. */
  max_wait_seconds?: number | undefined
  /** The pin of the model that `generate_image` uses, one of the `image_models` of `GET /v1/models`. Default: the first of them. */
  image_model?: string | undefined
  /** Agents to which this agent can delegate tasks. */
  subagents?: Subagent[] | undefined
}

/** The configuration of a space's agent. */
export interface ManifestInput {
  /** The agent's system instructions. They may have variables, such as `{{today}}` or `{{profile.name}}`. Each is sent as its name in square brackets, and a note with each turn has the values. */
  instructions?: string | undefined
  /** The zone of `{{now}}` and `{{today}}`. `time_zone` of an end user's profile replaces it. Default: UTC. */
  time_zone?: string | undefined
  /** The pin of the model, `engine/model`. Default: the model of the space. */
  model?: string | undefined
  /** Default: the default of the model. */
  temperature?: number | undefined
  /** The maximum number of output tokens of each model call, with reasoning. */
  max_output_tokens?: number | undefined
  /** Default: the default of the model. A model that cannot reason answers without it. */
  reasoning?: ReasoningInput | undefined
  /** How the model's provider is asked to serve the calls of the agent and its sub-agents. `flex` is cheaper and slower; `priority`, `fast` and `ultrafast` are dearer and faster; `default` is the usual service. The answer says how it was served, and is billed with the factor of that (`price_modifiers` of `GET /v1/models`). A tier without a factor is not asked for. Default: as the provider's account says. */
  service_tier?: "auto" | "default" | "flex" | "priority" | "fast" | "ultrafast" | undefined
  /** The form of the results of all turns that ask for none. The order of properties is not kept: send the form with the turn if it matters. */
  response_format?: ResponseFormatInput | undefined
  /** The maximum number of model calls of one turn. Default 16. */
  max_steps?: number | undefined
  /** The time limit of a turn, in seconds. Default 300. */
  timeout_seconds?: number | undefined
  /** The part of the conversation that the agent sees. */
  history?: {
    /** The maximum number of earlier turns that the agent sees, from the last 1,000. It sees at least half of them, so that the provider's cache helps. Default 20. */
    max_turns?: number | undefined
    /** The maximum number of tokens of these turns together. */
    max_tokens?: number | undefined
    /** True: turns that leave the history are summarised by a model call, which is billed as `summary`, and later turns see the summary. Default false: they are left out. */
    summary?: boolean | undefined
    /** The pin of the model that writes summaries. Default: the model of the turn. */
    model?: string | undefined
  } | undefined
  /** The built-in tools of the agent. Default: the file tools, except for `openai-compatible` models, because some of them cannot call tools. `generate_image` creates pictures, each at a fixed price. Live turns have it only while the service has an image model. */
  builtin_tools?: ("list_files" | "read_file" | "write_file" | "create_task" | "update_task" | "generate_image")[] | undefined
  /** How agents get REST tools and the tools of MCP servers. Built-in tools are always in the prompt. */
  tools?: {
    /** `all`: each prompt has the definitions of all tools. `search`: it has the names of servers and of groups of tools, and the agent finds tools with `find_tools` and calls them with `call_tool`. `auto` (the default): `search` with more than 40 tools, or if they fill more than 10 % of the model's window. */
    mode: "auto" | "all" | "search"
  } | undefined
  /** Calls of built-in tools that wait until a person allows them, by the name of the tool. */
  approvals?: Record<string, ApprovalInput> | undefined
  /** A turn that cannot pay for its next model call does this. `fail` (the default) ends it with its partial result. With `wait` it continues once the limit allows it. */
  on_limit?: "fail" | "wait" | undefined
  /** How long a turn waits for a limit, a decision or a result before it fails. Default 86400. */
  max_wait_seconds?: number | undefined
  /** The pin of the model that `generate_image` uses, one of the `image_models` of `GET /v1/models`. Default: the first of them. */
  image_model?: string | undefined
  /** Agents to which this agent can delegate tasks. */
  subagents?: SubagentInput[] | undefined
}

export interface MappingUpsert {
  /** The name of the container. It is unique within the space. */
  container: string
  space: string
  /** The Streamable HTTP endpoint of the container: any http(s) URL except those of this service. */
  url: string
  /** All headers to send to the container; null for none. If omitted, the stored headers stay. Required if `url` changes to another server and headers are stored. */
  headers?: Record<string, string> | null | undefined
  /** Default: unchanged; true for a new mapping. */
  enabled?: boolean | undefined
}

export interface McpCheck {
  ok: boolean
  /** Why the server could not be reached. Null if it was reached. */
  error: string | null
  tools: ({
    /** The name that the agent sees: `server__tool`. */
    name: string
    description: string
    input_schema: Record<string, unknown>
  })[]
  /** Tools that differ from their pinned form. The first check or turn after a PUT of the server pins its tools. PUT the server again to accept the tools as it lists them now. */
  changed: ({
    name: string
    /** The first difference that applies: the tool itself, its input schema, its description, its output schema. */
    change: "added" | "removed" | "description" | "output_schema" | "input_schema"
    /** True if turns can use the tool in its pinned form; false if it is left out. */
    offered: boolean
  })[]
  /** Tools that cannot be used in the form that the server lists. All other tools work. */
  left_out: ({
    name: string
    reason: string
  })[]
  duration_ms: number
}

/** An MCP server. The agent can call its tools as `server__tool`. */
export interface McpServer {
  name: string
  /** The URL of the server's Streamable HTTP endpoint. */
  url: string
  /** HTTP headers. Values can contain placeholders. Store credentials as secrets: `Bearer {{secrets.TOKEN}}`. */
  headers?: Record<string, string> | undefined
  /** Whether each request carries `Turnpike-Identity`, a signed token that names the end user, the turn and the call. See [Whom a tool acts for](/docs/tools#whom-a-tool-acts-for). Default `signed`. */
  identity?: "signed" | "none" | undefined
  /** Whether a turn fails with `MCP_SERVER_UNAVAILABLE` if the server does not answer. If false, the turn continues without its tools, and `warnings` says so. Default true. */
  required?: boolean | undefined
  /** The tools that the agent can call, by the names that the server uses. Default: all tools. */
  allowed_tools?: string[] | undefined
  /** For all tools of the server. */
  approval?: Approval | undefined
  /** For some tools, by the names that the server uses. It replaces `approval`. */
  approvals?: Record<string, Approval> | undefined
}

/** An optional MCP server did not answer for some minutes. Live turns lack its tools until it answers again. It is a notice to the account's owner, so only keys to all spaces see it. */
export interface McpServerFailingEvent {
  /** The same in every delivery and replay. Store it, so that you handle each event once. */
  id: string
  type: "mcp_server.failing"
  created_at: string
  /** Always null: the event belongs to no turn. */
  seq: number | null
  data: {
    space: string
    server: string
    failures: number
    failing_minutes: number
    error: string
  }
}

/** An optional MCP server that did not answer the last turn that asked it. */
export interface McpServerFailure {
  server: string
  /** How often it did not answer, one after another. */
  failures: number
  failing_since: string
  /** When a turn last asked it. */
  failed_at: string
  /** Until then, turns do not ask it. */
  paused_until: string
  error: string
}

export interface McpServerFailureList {
  items: McpServerFailure[]
  /** The number of entries on all pages. */
  total: number
  limit: number
  offset: number
}

/** An MCP server. The agent can call its tools as `server__tool`. */
export interface McpServerInput {
  name: string
  /** The URL of the server's Streamable HTTP endpoint. */
  url: string
  /** HTTP headers. Values can contain placeholders. Store credentials as secrets: `Bearer {{secrets.TOKEN}}`. */
  headers?: Record<string, string> | undefined
  /** Whether each request carries `Turnpike-Identity`, a signed token that names the end user, the turn and the call. See [Whom a tool acts for](/docs/tools#whom-a-tool-acts-for). Default `signed`. */
  identity?: "signed" | "none" | undefined
  /** Whether a turn fails with `MCP_SERVER_UNAVAILABLE` if the server does not answer. If false, the turn continues without its tools, and `warnings` says so. Default true. */
  required?: boolean | undefined
  /** The tools that the agent can call, by the names that the server uses. Default: all tools. */
  allowed_tools?: string[] | undefined
  /** For all tools of the server. */
  approval?: ApprovalInput | undefined
  /** For some tools, by the names that the server uses. It replaces `approval`. */
  approvals?: Record<string, ApprovalInput> | undefined
}

export interface McpServerList {
  items: McpServer[]
  /** The number of entries on all pages. */
  total: number
  limit: number
  offset: number
}

export interface MediaCompleteRequest {
  /** The whole URL to which the provider redirected, on your own machine. Paste it even if the page did not open. */
  callback_url: string
}

export interface MediaCompleted {
  status: "logged_in"
  /** The account's name at its provider. */
  account: string | null
  /** When the new access token expires, as it was read back. Null if not known. */
  expires_at: string | null
}

export interface MediaStatus {
  /** `logged_in`: the account has a credential, and its provider has not refused it. */
  status: "logged_in" | "logged_out"
  /** The account's name at its provider. */
  account: string | null
  /** Null before the first login. `contained`: a refreshed credential may have been lost. Log in again. */
  health: "healthy" | "needs_login" | "contained" | null
  disabled: boolean
  /** When the access token expires. Null if not known. */
  expires_at: string | null
  /** True while a worker refreshes the credential. */
  locked: boolean
  /** The running login. Null if no login is running. */
  login: {
    started_by: {
      user_id: number
      name: string | null
    }
    expires_at: string
  } | null
}

export interface Member {
  user_id: number
  name: string | null
  email: string | null
  /** `owner`: everything. `developer`: spaces, tools, keys, webhooks and turns, but no decisions about money. `billing`: balance, prices, wallets, caps and limits. `read_only`: reads everything except secrets. */
  role: "owner" | "developer" | "billing" | "read_only"
  /** True for the signed-in user. */
  is_self: boolean
  /** True if the person has a second factor. */
  second_factor: boolean
  joined_at: string
}

export interface MemberRequirements {
  /** True: a member without a second factor cannot act for the account. You need one yourself first. */
  second_factor: boolean
}

export interface MemberRequirementsInput {
  /** True: a member without a second factor cannot act for the account. You need one yourself first. */
  second_factor: boolean
}

export interface Members {
  /** The people of the account, the first one first. */
  members: Member[]
  second_factor_required: boolean
  /** Open invitations, newest first. Only owners see them. */
  invitations: Invitation[]
  /** Working keys whose values a person knows who has left, or has fewer rights than the key. Rotate without an overlap, revoke or keep each. Only owners see them. */
  keys_to_decide: ({
    key_id: string
    name: string
    /** `created`: only spaces that this key creates. `space`: one space. `all`: all spaces of the account. */
    scope: "created" | "space" | "all"
    /** The space of a key with the scope `space`; otherwise null. */
    space: string | null
    test: boolean
    /** `owner`: the key may do everything that its scope allows. `developer`: a developer of the account made it, so it changes no prices, wallets and limits, and erases no customers. */
    role: "owner" | "developer"
    /** The first and the last characters of the key's value. */
    hint: string
    caps: Caps
    /** The end user of requests of `/v1/openai` and `/v1/anthropic` that name none, such as those of chat interfaces. Null: the `key_id`, as the `end_user_ref` of its own end user. */
    default_end_user_ref: string | null
    /** How much the key may send in a minute, and at the same time. Null: no limit. */
    rate: Rate | null
    /** The default rate of each of your customers without a rate of their own, when this key sends their turns. Null: the account's default. */
    end_user_rate: Rate | null
    created_at: string
    expires_at: string | null
    /** The time of the last request with the key, accurate to a minute; null: never used. */
    last_used_at: string | null
    revoked_at: string | null
    /** The time at which the last old value stops or stopped working; null: the key was never rotated. */
    previous_expires_at: string | null
    /** `current`: the person knows the key's value. `former`: only old values, which work until their overlap ends. */
    known_value: "current" | "former"
    /** The names of the people who know the value. */
    made_by: string | null
  })[]
}

export interface Membership {
  /** The id of the account. A request acts for it with the header `X-Turnpike-User: <your user_id>/<this id>`. */
  user_id: number
  /** The name of the account. */
  name: string | null
  /** `owner`: everything. `developer`: spaces, tools, keys, webhooks and turns, but no decisions about money. `billing`: balance, prices, wallets, caps and limits. `read_only`: reads everything except secrets. */
  role: "owner" | "developer" | "billing" | "read_only"
  /** True for the account that began with your user. */
  own: boolean
}

export interface MembershipList {
  items: Membership[]
  /** The number of entries on all pages. */
  total: number
  limit: number
  offset: number
}

export interface MessengerWebAppAuth {
  /** The launch data that the platform passes to the mini-app: a query string with `hash`. */
  init_data: string
  /** The code of the user who referred this one. It counts at the first sign-in only. An unknown code is ignored. */
  ref_code?: string | null | undefined
}

export interface Model {
  /** The id of the model. Turns, spaces and manifests send it as `model`. */
  pin: string
  /** The display name. */
  label: string
  /** The engine that runs the model: the part of the pin before the slash. */
  engine: string
  price_usd_per_million_tokens: {
    /** USD per million input tokens. */
    input: number
    /** USD per million prompt tokens that the provider read from its cache. */
    cached: number
    /** USD per million prompt tokens that the provider writes to its cache. */
    cache_write: number
    /** USD per million prompt tokens that the cache keeps for an hour instead of five minutes. */
    cache_write_hour: number
    /** USD per million prompt tokens of audio. */
    audio_input: number
    /** USD per million output tokens. */
    output: number
    /** USD per million output tokens of reasoning. */
    reasoning: number
  }
  /** USD for one web search that the provider makes itself; null: free. */
  price_usd_per_web_search: number | null
  /** USD for one search of posts on X that the provider makes itself; null: free. */
  price_usd_per_x_search: number | null
  /** USD for one run of code in the provider's own container; null: free. */
  price_usd_per_code_execution: number | null
  /** Prices in USD per million tokens of calls with a longer prompt, in the order of `above_input_tokens`. */
  price_tiers: ShownPriceTier[]
  /** Factors of all prices per token, by how the provider says that it has served the call: a service tier (`flex`, `priority`), `fast`, or `geo_` and a region (`geo_us`). */
  price_modifiers: Record<string, number>
  /** The maximum number of output tokens of one model call. */
  max_output_tokens: number
}

export interface ModelCatalogAdd {
  engine: "anthropic" | "openai" | "openai-compatible" | "rehearsal"
  /** The model's name at the provider. It can contain slashes. */
  model: string
  label: string
  /** `chat`: runs turns. `image`: creates the pictures of `generate_image`; spaces and turns cannot select it. */
  kind?: "chat" | "image" | undefined
  enabled?: boolean | undefined
  sort_order?: number | undefined
  /** Required for the kind `chat`, and not allowed for the kind `image`. */
  price_usd_per_million_tokens?: {
    /** USD per million input tokens. */
    input: number | string
    /** USD per million prompt tokens that the provider read from its cache. */
    cached: number | string
    /** USD per million prompt tokens that the provider writes to its cache; null: same as `input`. */
    cache_write?: number | string | null | undefined
    /** USD per million prompt tokens that the cache keeps for an hour instead of five minutes; null: the hour is never requested. */
    cache_write_hour?: number | string | null | undefined
    /** USD per million prompt tokens of audio; null: same as `input`. */
    audio_input?: number | string | null | undefined
    /** USD per million output tokens. */
    output: number | string
    /** USD per million output tokens of reasoning; null: same as `output`. */
    reasoning?: number | string | null | undefined
  } | undefined
  /** Required for the kind `image`: USD for one picture of any size. */
  price_usd_per_picture?: number | string | undefined
  /** USD for one web search that the provider makes itself; null: free. */
  price_usd_per_web_search?: number | string | null | undefined
  /** USD for one search of posts on X that the provider makes itself; null: free. */
  price_usd_per_x_search?: number | string | null | undefined
  /** USD for one run of code in the provider's own container; null: free. */
  price_usd_per_code_execution?: number | string | null | undefined
  /** Prices in USD per million tokens of calls with a longer prompt, in the order of `above_input_tokens`. */
  price_tiers?: ModelPriceTierInput[] | undefined
  /** Factors of all prices per token, by how the provider says that it has served the call: a service tier (`flex`, `priority`), `fast`, or `geo_` and a region (`geo_us`). */
  price_modifiers?: Record<string, number> | undefined
  provider_prices?: ListedPrices | undefined
  /** Makes our prices of `provider_prices`. Then no other price is sent. */
  markup?: PriceMarkupInput | null | undefined
  max_output_tokens?: number | undefined
  context_tokens?: number | null | undefined
  idle_seconds?: number | null | undefined
}

/** Fields that you leave out keep their values. */
export interface ModelCatalogPatch {
  enabled?: boolean | undefined
  label?: string | undefined
  sort_order?: number | undefined
  /** Replaces what was learned. `{}` forgets it. */
  learned?: LearnedLimitsInput | undefined
}

export interface ModelCatalogRow {
  /** The engine and the model's name at the provider. */
  pin: string
  engine: "anthropic" | "openai" | "openai-compatible" | "rehearsal"
  /** The model's name at the provider. */
  model: string
  /** The display name. */
  label: string
  /** `chat`: runs turns. `image`: creates the pictures of `generate_image`; spaces and turns cannot select it. */
  kind: "chat" | "image"
  /** True if new turns can use the model. */
  enabled: boolean
  /** Models with lower numbers come first. The first enabled model of a kind is the default. */
  sort_order: number
  /** Prices in USD per million tokens. 0 for a model of the kind `image`. */
  price_usd_per_million_tokens: {
    input: number
    cached: number
    cache_write: number | null
    cache_write_hour: number | null
    audio_input: number | null
    output: number
    reasoning: number | null
  }
  /** The price of one picture in USD; null for a model of the kind `chat`. */
  price_usd_per_picture: number | null
  /** USD for one web search that the provider makes itself; null: free. */
  price_usd_per_web_search: number | null
  /** USD for one search of posts on X that the provider makes itself; null: free. */
  price_usd_per_x_search: number | null
  /** USD for one run of code in the provider's own container; null: free. */
  price_usd_per_code_execution: number | null
  /** Prices in USD per million tokens of calls with a longer prompt, in the order of `above_input_tokens`. */
  price_tiers: ShownPriceTier[]
  /** Factors of all prices per token, by how the provider says that it has served the call: a service tier (`flex`, `priority`), `fast`, or `geo_` and a region (`geo_us`). */
  price_modifiers: Record<string, number>
  provider_prices: ShownListedPrices
  markup: {
    percent: number
    usd_per_million_tokens: number
  } | null
  /** The number of the current prices. It increases with each change of a price. */
  price_version: number
  planned_prices: PlannedModelPrices
  /** The maximum number of output tokens of one model call. */
  max_output_tokens: number
  /** The size of the context window, in tokens; null if unknown. */
  context_tokens: number | null
  /** A call that receives no data for this many seconds is aborted; null: 60. */
  idle_seconds: number | null
  /** Limits that refusals of the provider have taught, or an operator has set. Calls keep within them. */
  learned: LearnedLimits
  /** The number of spaces that are pinned to the model in their manifest or `model`. Archived spaces and test spaces do not count: test spaces always use the rehearsal model. */
  space_count: number
  /** The version of the row. It increases with each change. */
  version: number
  created_at: string
  updated_at: string | null
  /** The admin who changed the model last; null: unchanged, or changed on the command line. */
  updated_by: {
    user_id: number
    name: string | null
  } | null
}

export interface ModelCatalogRowList {
  items: ModelCatalogRow[]
  /** The number of entries on all pages. */
  total: number
  limit: number
  offset: number
}

export interface ModelFinding {
  /** `price`: a price differs. `tier_missing`: the provider has other prices for long prompts, and the catalog has none. `tier_unknown`: only the catalog has this tier. `tier_price`: a price of a tier differs. `announced`: the provider's prices change on `on`. `retirement`: the provider ends the model on `on`. `context`: the context windows differ. `unknown_model`: the feed does not know the model. */
  kind: "price" | "tier_missing" | "tier_unknown" | "tier_price" | "announced" | "retirement" | "context" | "unknown_model"
  /** The price's component; null: none. */
  component: string | null
  /** The limit of the tier; null: none. */
  above_input_tokens: number | null
  /** The catalog's price in USD, or its context window in tokens; null: it has none. */
  ours: number | null
  /** The same in the feed; null: it has none. */
  feed: number | null
  /** By how much the feed's price is higher, in percent of the catalog's; null if that is 0 or unknown. */
  percent: number | null
  /** The day in UTC; null: none. */
  on: string | null
  /** The finding in words. */
  text: string
}

export interface ModelPriceTier {
  /** USD per million input tokens. */
  input: number
  /** USD per million prompt tokens that the provider read from its cache. */
  cached: number
  /** USD per million prompt tokens that the provider writes to its cache; null: same as `input`. */
  cache_write: number | null
  /** USD per million prompt tokens that the cache keeps for an hour instead of five minutes; null: the hour is never requested. */
  cache_write_hour: number | null
  /** USD per million prompt tokens of audio; null: same as `input`. */
  audio_input: number | null
  /** USD per million output tokens. */
  output: number
  /** USD per million output tokens of reasoning; null: same as `output`. */
  reasoning: number | null
  /** Its prices count for the whole call if the prompt has more tokens than this, cached ones included. */
  above_input_tokens: number
}

export interface ModelPriceTierInput {
  /** USD per million input tokens. */
  input: number | string
  /** USD per million prompt tokens that the provider read from its cache. */
  cached: number | string
  /** USD per million prompt tokens that the provider writes to its cache; null: same as `input`. */
  cache_write?: number | string | null | undefined
  /** USD per million prompt tokens that the cache keeps for an hour instead of five minutes; null: the hour is never requested. */
  cache_write_hour?: number | string | null | undefined
  /** USD per million prompt tokens of audio; null: same as `input`. */
  audio_input?: number | string | null | undefined
  /** USD per million output tokens. */
  output: number | string
  /** USD per million output tokens of reasoning; null: same as `output`. */
  reasoning?: number | string | null | undefined
  /** Its prices count for the whole call if the prompt has more tokens than this, cached ones included. */
  above_input_tokens: number
}

/** Our prices: a list per million tokens, or the price of a picture for a model of the kind `image`. With `markup`, they are made of the prices of `provider`. */
export type ModelPrices = {
  /** USD per million input tokens. */
  input: number
  /** USD per million prompt tokens that the provider read from its cache. */
  cached: number
  /** USD per million prompt tokens that the provider writes to its cache; null: same as `input`. */
  cache_write: number | null
  /** USD per million prompt tokens that the cache keeps for an hour instead of five minutes; null: the hour is never requested. */
  cache_write_hour: number | null
  /** USD per million prompt tokens of audio; null: same as `input`. */
  audio_input: number | null
  /** USD per million output tokens. */
  output: number
  /** USD per million output tokens of reasoning; null: same as `output`. */
  reasoning: number | null
  /** USD for one web search that the provider makes itself; null: free. */
  web_search: number | null
  /** USD for one search of posts on X that the provider makes itself; null: free. */
  x_search: number | null
  /** USD for one run of code in the provider's own container; null: free. */
  code_execution: number | null
  /** Prices in USD per million tokens of calls with a longer prompt, in the order of `above_input_tokens`. */
  tiers: ModelPriceTier[]
  /** Factors of all prices per token, by how the provider says that it has served the call: a service tier (`flex`, `priority`), `fast`, or `geo_` and a region (`geo_us`). */
  modifiers: Record<string, number>
  /** The provider's prices, which we pay. Null or left out: the same as ours. */
  provider?: {
    /** USD per million input tokens. */
    input: number
    /** USD per million prompt tokens that the provider read from its cache. */
    cached: number
    /** USD per million prompt tokens that the provider writes to its cache; null: same as `input`. */
    cache_write: number | null
    /** USD per million prompt tokens that the cache keeps for an hour instead of five minutes; null: the hour is never requested. */
    cache_write_hour: number | null
    /** USD per million prompt tokens of audio; null: same as `input`. */
    audio_input: number | null
    /** USD per million output tokens. */
    output: number
    /** USD per million output tokens of reasoning; null: same as `output`. */
    reasoning: number | null
    /** USD for one web search that the provider makes itself; null: free. */
    web_search: number | null
    /** USD for one search of posts on X that the provider makes itself; null: free. */
    x_search: number | null
    /** USD for one run of code in the provider's own container; null: free. */
    code_execution: number | null
    /** Prices in USD per million tokens of calls with a longer prompt, in the order of `above_input_tokens`. */
    tiers: ModelPriceTier[]
    /** Factors of all prices per token, by how the provider says that it has served the call: a service tier (`flex`, `priority`), `fast`, or `geo_` and a region (`geo_us`). */
    modifiers: Record<string, number>
  } | null | undefined
} | {
  /** USD for one picture of any size. */
  picture: number
  /** The provider's prices, which we pay. Null or left out: the same as ours. */
  provider?: {
    /** USD for one picture of any size. */
    picture: number
  } | null | undefined
} | {
  provider: {
    /** USD per million input tokens. */
    input: number
    /** USD per million prompt tokens that the provider read from its cache. */
    cached: number
    /** USD per million prompt tokens that the provider writes to its cache; null: same as `input`. */
    cache_write: number | null
    /** USD per million prompt tokens that the cache keeps for an hour instead of five minutes; null: the hour is never requested. */
    cache_write_hour: number | null
    /** USD per million prompt tokens of audio; null: same as `input`. */
    audio_input: number | null
    /** USD per million output tokens. */
    output: number
    /** USD per million output tokens of reasoning; null: same as `output`. */
    reasoning: number | null
    /** USD for one web search that the provider makes itself; null: free. */
    web_search: number | null
    /** USD for one search of posts on X that the provider makes itself; null: free. */
    x_search: number | null
    /** USD for one run of code in the provider's own container; null: free. */
    code_execution: number | null
    /** Prices in USD per million tokens of calls with a longer prompt, in the order of `above_input_tokens`. */
    tiers: ModelPriceTier[]
    /** Factors of all prices per token, by how the provider says that it has served the call: a service tier (`flex`, `priority`), `fast`, or `geo_` and a region (`geo_us`). */
    modifiers: Record<string, number>
  } | {
    /** USD for one picture of any size. */
    picture: number
  }
  markup: PriceMarkup
}

/** Our prices: a list per million tokens, or the price of a picture for a model of the kind `image`. With `markup`, they are made of the prices of `provider`. */
export type ModelPricesInput = {
  /** USD per million input tokens. */
  input: number | string
  /** USD per million prompt tokens that the provider read from its cache. */
  cached: number | string
  /** USD per million prompt tokens that the provider writes to its cache; null: same as `input`. */
  cache_write?: number | string | null | undefined
  /** USD per million prompt tokens that the cache keeps for an hour instead of five minutes; null: the hour is never requested. */
  cache_write_hour?: number | string | null | undefined
  /** USD per million prompt tokens of audio; null: same as `input`. */
  audio_input?: number | string | null | undefined
  /** USD per million output tokens. */
  output: number | string
  /** USD per million output tokens of reasoning; null: same as `output`. */
  reasoning?: number | string | null | undefined
  /** USD for one web search that the provider makes itself; null: free. */
  web_search?: number | string | null | undefined
  /** USD for one search of posts on X that the provider makes itself; null: free. */
  x_search?: number | string | null | undefined
  /** USD for one run of code in the provider's own container; null: free. */
  code_execution?: number | string | null | undefined
  /** Prices in USD per million tokens of calls with a longer prompt, in the order of `above_input_tokens`. */
  tiers?: ModelPriceTierInput[] | undefined
  /** Factors of all prices per token, by how the provider says that it has served the call: a service tier (`flex`, `priority`), `fast`, or `geo_` and a region (`geo_us`). */
  modifiers?: Record<string, number> | undefined
  /** The provider's prices, which we pay. Null or left out: the same as ours. */
  provider?: {
    /** USD per million input tokens. */
    input: number | string
    /** USD per million prompt tokens that the provider read from its cache. */
    cached: number | string
    /** USD per million prompt tokens that the provider writes to its cache; null: same as `input`. */
    cache_write?: number | string | null | undefined
    /** USD per million prompt tokens that the cache keeps for an hour instead of five minutes; null: the hour is never requested. */
    cache_write_hour?: number | string | null | undefined
    /** USD per million prompt tokens of audio; null: same as `input`. */
    audio_input?: number | string | null | undefined
    /** USD per million output tokens. */
    output: number | string
    /** USD per million output tokens of reasoning; null: same as `output`. */
    reasoning?: number | string | null | undefined
    /** USD for one web search that the provider makes itself; null: free. */
    web_search?: number | string | null | undefined
    /** USD for one search of posts on X that the provider makes itself; null: free. */
    x_search?: number | string | null | undefined
    /** USD for one run of code in the provider's own container; null: free. */
    code_execution?: number | string | null | undefined
    /** Prices in USD per million tokens of calls with a longer prompt, in the order of `above_input_tokens`. */
    tiers?: ModelPriceTierInput[] | undefined
    /** Factors of all prices per token, by how the provider says that it has served the call: a service tier (`flex`, `priority`), `fast`, or `geo_` and a region (`geo_us`). */
    modifiers?: Record<string, number> | undefined
  } | null | undefined
} | {
  /** USD for one picture of any size. */
  picture: number | string
  /** The provider's prices, which we pay. Null or left out: the same as ours. */
  provider?: {
    /** USD for one picture of any size. */
    picture: number | string
  } | null | undefined
} | {
  provider: {
    /** USD per million input tokens. */
    input: number | string
    /** USD per million prompt tokens that the provider read from its cache. */
    cached: number | string
    /** USD per million prompt tokens that the provider writes to its cache; null: same as `input`. */
    cache_write?: number | string | null | undefined
    /** USD per million prompt tokens that the cache keeps for an hour instead of five minutes; null: the hour is never requested. */
    cache_write_hour?: number | string | null | undefined
    /** USD per million prompt tokens of audio; null: same as `input`. */
    audio_input?: number | string | null | undefined
    /** USD per million output tokens. */
    output: number | string
    /** USD per million output tokens of reasoning; null: same as `output`. */
    reasoning?: number | string | null | undefined
    /** USD for one web search that the provider makes itself; null: free. */
    web_search?: number | string | null | undefined
    /** USD for one search of posts on X that the provider makes itself; null: free. */
    x_search?: number | string | null | undefined
    /** USD for one run of code in the provider's own container; null: free. */
    code_execution?: number | string | null | undefined
    /** Prices in USD per million tokens of calls with a longer prompt, in the order of `above_input_tokens`. */
    tiers?: ModelPriceTierInput[] | undefined
    /** Factors of all prices per token, by how the provider says that it has served the call: a service tier (`flex`, `priority`), `fast`, or `geo_` and a region (`geo_us`). */
    modifiers?: Record<string, number> | undefined
  } | {
    /** USD for one picture of any size. */
    picture: number | string
  }
  markup: PriceMarkupInput
}

export interface ModelPricesPlan {
  /** The moment in the future from which new turns have these prices. */
  begins_at: string
  prices: ModelPricesInput
}

export interface ModelProposals {
  feed: {
    /** The package with the data. */
    package: string
    version: string
    published_on: string
    /** The age of the data. */
    age_days: number
  }
  checked_at: string
  finding_count: number
  /** All models of providers, in the catalog's order. */
  items: ComparedModel[]
}

export interface MonthStatement {
  month: string
  /** `open`: the month is not over. `building`: the receipts of a large month are still being read. Read it again after a minute. Never `closed`, as in the list: reading a closed month builds its statement. */
  state: "open" | "building" | "final"
  /** The number of receipts that were read so far. */
  receipts_read: number
  /** The signed statement, which never changes. Null unless `state` is `final`. */
  statement: SignedStatement | null
}

export interface NewApiKey {
  key_id: string
  name: string
  /** `created`: only spaces that this key creates. `space`: one space. `all`: all spaces of the account. */
  scope: "created" | "space" | "all"
  /** The space of a key with the scope `space`; otherwise null. */
  space: string | null
  test: boolean
  /** `owner`: the key may do everything that its scope allows. `developer`: a developer of the account made it, so it changes no prices, wallets and limits, and erases no customers. */
  role: "owner" | "developer"
  /** The first and the last characters of the key's value. */
  hint: string
  caps: Caps
  /** The end user of requests of `/v1/openai` and `/v1/anthropic` that name none, such as those of chat interfaces. Null: the `key_id`, as the `end_user_ref` of its own end user. */
  default_end_user_ref: string | null
  /** How much the key may send in a minute, and at the same time. Null: no limit. */
  rate: Rate | null
  /** The default rate of each of your customers without a rate of their own, when this key sends their turns. Null: the account's default. */
  end_user_rate: Rate | null
  created_at: string
  expires_at: string | null
  /** The time of the last request with the key, accurate to a minute; null: never used. */
  last_used_at: string | null
  revoked_at: string | null
  /** The time at which the last old value stops or stopped working; null: the key was never rotated. */
  previous_expires_at: string | null
  /** The key's value. Only this response contains it, and the service does not store it. */
  value: string
}

export interface NewInvitation {
  invitation_id: string
  email: string
  /** `owner`: everything. `developer`: spaces, tools, keys, webhooks and turns, but no decisions about money. `billing`: balance, prices, wallets, caps and limits. `read_only`: reads everything except secrets. */
  role: "owner" | "developer" | "billing" | "read_only"
  /** The name of the owner who invited. */
  invited_by: string | null
  created_at: string
  expires_at: string
  /** The link for the person. Only this response contains it, and the service does not store it. It works once, for a user with the email. */
  url: string
  /** True if the service also sends a link by email. */
  emailed: boolean
}

export interface OpenedInvitation {
  /** The name of the account. */
  account: string | null
  email: string
  /** `owner`: everything. `developer`: spaces, tools, keys, webhooks and turns, but no decisions about money. `billing`: balance, prices, wallets, caps and limits. `read_only`: reads everything except secrets. */
  role: "owner" | "developer" | "billing" | "read_only"
  /** The name of the owner who invited. */
  invited_by: string | null
  expires_at: string
  /** True if the link came by email and the email has no user: `POST /api/auth/invitations/join` then makes one. Otherwise sign in with the email, and call `POST /api/account/memberships`. */
  new_user: boolean
}

export interface Output {
  file_id: string
  name: string
  media_type: string
  bytes: number
  sha256: string
}

export interface Overview {
  /** Counts over whole tables, updated once a minute and exact at `counted_at`; null until the first count. */
  counts: {
    people: {
      /** All users, including disabled users. */
      total: number
      /** Users whose session was used in the 24 hours before `counted_at`. */
      active_1_day: number
      /** In the 168 hours before `counted_at`. */
      active_7_days: number
      /** In the 720 hours before `counted_at`. */
      active_30_days: number
    }
    spaces: {
      /** All spaces, including archived and test spaces. */
      total: number
    }
    money: {
      /** The sum of all balances, in USD. */
      balance_usd: number
      /** The sum of all holds of open turns, in USD. */
      held_usd: number
    }
    counted_at: string
  } | null
  turns: {
    /** Turns in the state `queued`. */
    queued: number
    /** Turns in the state `running`. Turns that wait are included. */
    running: number
    /** Running turns that have no worker because they wait, one entry for each reason. */
    waiting: ({
      /** A limit, a decision about a call, or a later result of a call. */
      for: "limit" | "approval" | "result"
      turns: number
      /** Since when the first of them has waited. */
      oldest_at: string | null
    })[]
    /** Queued turns that cannot start yet, because an earlier turn of their conversation waits. */
    blocked: number
    /** When the oldest queued turn that may start was accepted, or continued; null if none may start. */
    oldest_queued_at: string | null
    /** Live turns that ended since 00:00 UTC. */
    today: {
      done: number
      failed: number
      cancelled: number
    }
  }
  /** Bills of live turns, before refunds, today, and in the last 7 and 30 days including today (UTC). */
  billed: {
    today_usd: number
    days_7_usd: number
    days_30_usd: number
  }
  /** Refunds that were booked today, and in the last 7 and 30 days including today (UTC). */
  refunded: {
    today_usd: number
    days_7_usd: number
    days_30_usd: number
  }
  /** The cost of these turns for us, at the providers' prices, today, and in the last 7 and 30 days including today (UTC). */
  cost: {
    today_usd: number
    days_7_usd: number
    days_30_usd: number
  }
  /** `billed` - `cost` today, and in the last 7 and 30 days including today (UTC). */
  margin: {
    today_usd: number
    days_7_usd: number
    days_30_usd: number
  }
  /** Infrastructure failures in the last 24 hours, by kind. */
  errors: ({
    kind: string
    count: number
  })[]
  /** The current state of the pools of provider accounts. */
  pools: ({
    /** All accounts of the pool. Each is in exactly one of the six states below. */
    accounts: number
    usable: number
    /** Accounts that are not called at the moment, because their providers limited them. */
    cooling: number
    /** Accounts that their providers barred or refused for lack of credit. */
    suspended: number
    needs_login: number
    /** Accounts whose refreshed credential may have been lost. */
    contained: number
    disabled: number
    /** Turns that the accounts serve at the moment. */
    in_flight: number
    /** When the first cooling account is tried again. Null if none cools. */
    recovers_at: string | null
    /** The room that usable accounts have left in each window. */
    windows: ({
      /** The resource that the window counts. `unified`: everything. */
      resource: "unified" | "requests" | "tokens" | "input-tokens" | "output-tokens"
      /** The length of the window, in seconds. */
      window_seconds: number
      /** Usable accounts whose use of this window is known. */
      accounts: number
      /** The average room left in their windows, in per cent. */
      room_pct: number
      /** The room left of the account with the most, in per cent. */
      best_room_pct: number
      /** When the first of these windows resets. Null if not known. */
      next_reset_at: string | null
    })[]
    /** The pool that an account belongs to. */
    pool: "main" | "alt-pool"
  })[]
  /** The last finished reconciliation; null until the first one has finished. */
  reconciliation: {
    reconciliation_id: string
    scope: string
    findings: number
    started_at: string
    finished_at: string
  } | null
}

/** Fields that you leave out keep their values. */
export interface PatchSpace {
  /** The display name of the space. */
  title?: string | undefined
  /** The pin of the default model. Null: the catalog's first model. */
  model?: string | null | undefined
  /** Replaces all metadata: at most 16 pairs, keys of 64 and values of 512 characters. */
  metadata?: Record<string, string> | undefined
}

export interface PatchTurn {
  /** The new limit of the turn's cost, in USD. It can only be raised. */
  max_cost_usd: number | string
}

/** You requested a test, or the webhook must confirm its URL. */
export interface PingEvent {
  /** The same in every delivery and replay. Store it, so that you handle each event once. */
  id: string
  type: "ping"
  created_at: string
  /** Always null: the event belongs to no turn. */
  seq: number | null
  data: {
    webhook_id: string
  }
}

/** Prices of turns that are accepted from `begins_at` on; null: no prices are planned. */
export type PlannedModelPrices = {
  begins_at: string
  /** Prices in USD per million tokens. 0 for a model of the kind `image`. */
  price_usd_per_million_tokens: {
    input: number
    cached: number
    cache_write: number | null
    cache_write_hour: number | null
    audio_input: number | null
    output: number
    reasoning: number | null
  }
  /** The price of one picture in USD; null for a model of the kind `chat`. */
  price_usd_per_picture: number | null
  /** USD for one web search that the provider makes itself; null: free. */
  price_usd_per_web_search: number | null
  /** USD for one search of posts on X that the provider makes itself; null: free. */
  price_usd_per_x_search: number | null
  /** USD for one run of code in the provider's own container; null: free. */
  price_usd_per_code_execution: number | null
  /** Prices in USD per million tokens of calls with a longer prompt, in the order of `above_input_tokens`. */
  price_tiers: ShownPriceTier[]
  /** Factors of all prices per token, by how the provider says that it has served the call: a service tier (`flex`, `priority`), `fast`, or `geo_` and a region (`geo_us`). */
  price_modifiers: Record<string, number>
  provider_prices: ShownListedPrices
  markup: {
    percent: number
    usd_per_million_tokens: number
  } | null
} | null

export interface PoolCapacity {
  /** All accounts of the pool. Each is in exactly one of the six states below. */
  accounts: number
  usable: number
  /** Accounts that are not called at the moment, because their providers limited them. */
  cooling: number
  /** Accounts that their providers barred or refused for lack of credit. */
  suspended: number
  needs_login: number
  /** Accounts whose refreshed credential may have been lost. */
  contained: number
  disabled: number
  /** Turns that the accounts serve at the moment. */
  in_flight: number
  /** When the first cooling account is tried again. Null if none cools. */
  recovers_at: string | null
  /** The room that usable accounts have left in each window. */
  windows: ({
    /** The resource that the window counts. `unified`: everything. */
    resource: "unified" | "requests" | "tokens" | "input-tokens" | "output-tokens"
    /** The length of the window, in seconds. */
    window_seconds: number
    /** Usable accounts whose use of this window is known. */
    accounts: number
    /** The average room left in their windows, in per cent. */
    room_pct: number
    /** The room left of the account with the most, in per cent. */
    best_room_pct: number
    /** When the first of these windows resets. Null if not known. */
    next_reset_at: string | null
  })[]
}

export interface Pools {
  /** True if the capacity of both pools is known. */
  available: boolean
  /** Both pools. */
  pools: ({
    /** The pool that an account belongs to. */
    pool: "main" | "alt-pool"
    /** False if nothing was published recently. */
    available: boolean
    published_at: string | null
    capacity: PoolCapacity | null
  })[]
}

export interface PortalSession {
  /** The portal's address. It opens once, so create a session for each view. */
  url: string
  expires_at: string
}

export interface PortalTheme {
  /** The colour of links, buttons and bars. Its contrast must be at least 4.5:1 on the background of the mode. With `auto`, this is the light background. Default: the portal's own blue. */
  accent?: string | undefined
  /** The accent on the dark background of the mode `auto`, with the same contrast. Default: `accent`, made as light as needed. */
  accent_dark?: string | undefined
  /** The https address of a picture, shown 24 pixels high. */
  logo?: string | undefined
  /** `auto`: as the end user's system. */
  mode?: "light" | "dark" | "auto" | undefined
}

export interface PreviewPortal {
  /** What the end user sees. `usage`: the amounts charged, by day. `turns`: the turns with their texts. `limits`: what is left of the daily and the monthly limit. `wallet`: the prepaid balance and its last entries. `approvals`: calls that wait for a decision, with their inputs. The end user may allow or deny them. `profile`: the facts of `profile_keys`, which the end user may change. */
  scopes: ("usage" | "turns" | "limits" | "wallet" | "approvals" | "profile")[]
  /** The facts of their profile that the end user sees and may change, with the scope `profile`. */
  profile_keys?: string[] | undefined
  theme?: PortalTheme | undefined
  /** The language of the page. Default: the language of the browser if the page has it, otherwise English. */
  lang?: "en" | "de" | "fr" | "es" | "ja" | undefined
}

export interface PreviewUsersChange {
  act: BulkAct
  /** The users, in any order. A user who is listed twice counts once. */
  user_ids: number[]
}

export interface Price {
  version: number
  /** Multiplied with the billed amount of each model call. 1: what the call cost you. */
  multiplier: number
  /** Multipliers of single models, by pin. All other models have `multiplier`. */
  per_model: Record<string, number>
  /** Added for each turn with at least one model call, in USD. */
  per_turn_usd: number
  /** The charge is computed exactly and rounded once, when the turn ends: to a multiple of `to_usd`, `up`, `down` or to the `nearest` (halves up). */
  rounding: {
    to_usd: number
    mode: "up" | "nearest" | "down"
  }
  created_at: string
  /** When the version begins, if it was planned. Null: at `created_at`. */
  begins_at: string | null
  name: string
  /** A price that is in use cannot be deleted. */
  used_by: {
    /** End users with this price of their own. */
    end_users: number
    /** API keys with this default. */
    keys: number
    /** True if it is the account's default. */
    account: boolean
  }
  /** True if the price was deleted. Turns that were accepted with one of its versions keep it. */
  deleted: boolean
  /** The version of turns that are accepted from its `begins_at` on. Null: no version is planned. To cancel it, set the price with its present values: a version never changes, so they become a newer one. */
  planned: PriceVersion | null
  /** The newest 100 versions, the current one first. A turn keeps the version of its acceptance. */
  versions: PriceVersion[]
}

export interface PriceList {
  items: Price[]
  /** The number of entries on all pages. */
  total: number
  limit: number
  offset: number
}

/** How our prices are made of the provider's: each is raised by a percentage, then by an amount, and rounded up to a credit micro. Factors stay the same. */
export interface PriceMarkup {
  /** The percentage that is added to every price. */
  percent: number
  /** USD that are added to every price per million tokens. Not allowed for pictures. */
  usd_per_million_tokens: number
}

/** How our prices are made of the provider's: each is raised by a percentage, then by an amount, and rounded up to a credit micro. Factors stay the same. */
export interface PriceMarkupInput {
  /** The percentage that is added to every price. */
  percent?: number | undefined
  /** USD that are added to every price per million tokens. Not allowed for pictures. */
  usd_per_million_tokens?: number | string | undefined
}

export interface PriceVersion {
  version: number
  /** Multiplied with the billed amount of each model call. 1: what the call cost you. */
  multiplier: number
  /** Multipliers of single models, by pin. All other models have `multiplier`. */
  per_model: Record<string, number>
  /** Added for each turn with at least one model call, in USD. */
  per_turn_usd: number
  /** The charge is computed exactly and rounded once, when the turn ends: to a multiple of `to_usd`, `up`, `down` or to the `nearest` (halves up). */
  rounding: {
    to_usd: number
    mode: "up" | "nearest" | "down"
  }
  created_at: string
  /** When the version begins, if it was planned. Null: at `created_at`. */
  begins_at: string | null
}

export interface Provider {
  provider_id: string
  /** The pool that an account belongs to. */
  pool: "main" | "alt-pool"
  /** The account's display name. */
  name: string
  /** How the account is authenticated: an API key, a login with a pasted code, or a login by device code. */
  kind: "api_key" | "oauth_code" | "oauth_device"
  engine: "anthropic" | "openai" | "openai-compatible"
  /** The URL that calls go to. Null: the engine's own. If the environment names an account of this engine (`ANTHROPIC_API_KEY`, `OPENAI_API_KEY`, `OPENAI_BASE_URL`), only accounts with the same base URL serve the engine's pins. */
  base_url: string | null
  /** `cooling`: it is not called before `cool_until`. `suspended`: its provider has barred it or demands payment. At `cool_until` one call tries it again, and each failure doubles the pause up to a limit. `needs_login`: its credential was refused or is missing. `contained`: a refreshed credential may have been lost. An admin ends `needs_login`, `contained` and `disabled`. */
  state: "usable" | "cooling" | "suspended" | "needs_login" | "contained" | "disabled"
  /** True if it is the only enabled and healthy account of its pool, so removing it empties the pool. A cooling account counts as healthy. */
  last_healthy: boolean
  /** True if the account gets no calls and its credential is not refreshed. */
  disabled: boolean
  disabled_at: string | null
  disabled_reason: string | null
  health: "healthy" | "suspended" | "needs_login" | "contained"
  /** When its health last changed. Null: never. */
  health_at: string | null
  cool_until: string | null
  /** Why it cools, as a code of Turnpike. */
  cool_reason: string | null
  /** Since when it is suspended. Null: it is not. */
  suspended_at: string | null
  /** The provider's answer: `not_permitted` (403), `no_credit` (402, 429 `insufficient_quota`, or a 400 that says so), `account_disabled` (a 400 that says so). `rejects_calls`: it rejected calls that other accounts served. */
  suspended_reason: "not_permitted" | "no_credit" | "account_disabled" | "rejects_calls" | null
  /** Turns that it serves at the moment. */
  in_flight: number
  /** The account's usage of its provider's limits, as the provider last reported it. */
  windows: ({
    /** The resource that the window counts. `unified`: everything. */
    resource: "unified" | "requests" | "tokens" | "input-tokens" | "output-tokens"
    /** The length of the window, in seconds. */
    window_seconds: number
    /** How much of the window is used, in per cent. Null: not known, because the window has ended. */
    used_pct: number | null
    /** When the window resets. Null: not known. */
    reset_at: string | null
    /** When the provider reported it. */
    taken_at: string
  })[]
  /** True if a credential is stored. The credential itself is never returned. */
  has_credential: boolean
  /** When its access token expires. It is refreshed before then. Null: never, or not known. */
  token_expires_at: string | null
  /** Set while a worker refreshes the credential. The refresh ends at `until` at the latest. Null: no refresh is running. */
  credential_lock: {
    until: string
  } | null
  /** The last call of a turn that has ended. Null: no such call. */
  last_used_at: string | null
  /** The account's usage in the last 30 days (UTC), including today: live calls, by the time at which their turns ended. */
  usage: {
    model_calls: number
    tokens_input: number
    /** The input tokens that the provider read from its cache. */
    tokens_cached: number
    tokens_output: number
    /** The cost for us, at the provider's prices, in USD. */
    cost_usd: number
    /** The amount that accounts were billed for these calls, in USD. */
    billed_usd: number
  }
  /** The version of the account. Each edit increments it. */
  version: number
  created_at: string
  updated_at: string
  /** The user who last changed it. Null: the command line. */
  updated_by: {
    user_id: number
    name: string | null
  } | null
}

export interface ProviderBook {
  provider_id: string
  /** Its name. Null: it was removed. */
  account: string | null
  /** The day (UTC). */
  day: string
  /** `waiting`: not compared yet. `preliminary`: the provider may still change its numbers, so the day is compared again. `settled`: final. */
  state: "waiting" | "preliminary" | "settled"
  compared_at: string | null
  /** The next comparison. Null: none. */
  next_at: string | null
  /** Why the reports could not be read: `http_` and a status, `network_` and a cause, `unknown_form`, `other_currency`, `too_many_pages`, `internal`. Null: they could. */
  failure: string | null
  failing_since: string | null
  /** All that the provider reports, less its credits and discounts. */
  provider_usd: number | null
  /** Credits and discounts, as a negative amount. */
  credits_usd: number | null
  /** Lines of the provider that name no model, such as web searches. */
  other_usd: number | null
  /** The use of other software, in a shared account. */
  foreign_usd: number | null
  /** The part of calls whose answer was lost, so that they have no tokens here. */
  explained_usd: number | null
  /** The cost of our calls at the provider's prices in the catalog. */
  cost_usd: number | null
  /** The amount that accounts were billed for these calls. */
  billed_usd: number | null
  /** The real margin: the billed amount less the provider's. */
  margin_usd: number | null
  model_calls: number | null
  /** Calls without an answer that it may have billed. */
  lost_calls: number | null
  findings_total: number
  /** When an operator marked its findings as seen. Null: not yet. */
  seen_at: string | null
  /** The numbers of each model. */
  lines: ({
    model: string
    unit: "model_calls" | "tokens_input" | "tokens_cached" | "tokens_cache_written" | "tokens_output" | "usd"
    /** The provider's number. An amount is in USD. */
    theirs: number
    /** The number of our calls. */
    ours: number
    /** The lowest number that is no finding. */
    least: number
    /** The highest number that is no finding. */
    most: number
  })[]
  findings: ProviderBookFinding[]
  /** Our calls of that day with the largest cost. */
  calls: ({
    turn_id: string
    step: number
    /** The pin. */
    model: string
    response_id: string | null
    tokens_input: number
    tokens_cached: number
    tokens_output: number
    cost_usd: number
    billed_usd: number
    created_at: string
  })[]
}

export interface ProviderBookDay {
  provider_id: string
  /** Its name. Null: it was removed. */
  account: string | null
  /** The day (UTC). */
  day: string
  /** `waiting`: not compared yet. `preliminary`: the provider may still change its numbers, so the day is compared again. `settled`: final. */
  state: "waiting" | "preliminary" | "settled"
  compared_at: string | null
  /** The next comparison. Null: none. */
  next_at: string | null
  /** Why the reports could not be read: `http_` and a status, `network_` and a cause, `unknown_form`, `other_currency`, `too_many_pages`, `internal`. Null: they could. */
  failure: string | null
  failing_since: string | null
  /** All that the provider reports, less its credits and discounts. */
  provider_usd: number | null
  /** Credits and discounts, as a negative amount. */
  credits_usd: number | null
  /** Lines of the provider that name no model, such as web searches. */
  other_usd: number | null
  /** The use of other software, in a shared account. */
  foreign_usd: number | null
  /** The part of calls whose answer was lost, so that they have no tokens here. */
  explained_usd: number | null
  /** The cost of our calls at the provider's prices in the catalog. */
  cost_usd: number | null
  /** The amount that accounts were billed for these calls. */
  billed_usd: number | null
  /** The real margin: the billed amount less the provider's. */
  margin_usd: number | null
  model_calls: number | null
  /** Calls without an answer that it may have billed. */
  lost_calls: number | null
  findings_total: number
  /** When an operator marked its findings as seen. Null: not yet. */
  seen_at: string | null
}

export interface ProviderBookFinding {
  /** `provider_more`: The provider has more than our calls of this model. `provider_less`: The provider has less than our calls of this model. `unknown_calls`: The provider has calls that we do not know, or a model that we did not call. */
  kind: "provider_more" | "provider_less" | "unknown_calls"
  /** The model at the provider, without the date of its version. */
  model: string
  /** A single call, by the provider's id of its answer. Null: the sum of the model. */
  response_id: string | null
  /** The turn of that call. */
  turn_id: string | null
  /** The numbers that differ. */
  units: ({
    unit: "model_calls" | "tokens_input" | "tokens_cached" | "tokens_cache_written" | "tokens_output" | "usd"
    /** The provider's number. An amount is in USD. */
    theirs: number
    /** The number of our calls. */
    ours: number
  })[]
  /** The number of calls that differ. Null: none, or the provider does not count calls. */
  calls: number | null
  /** The provider's amount less ours. Null: its amounts are equal, or of no model. */
  difference_usd: number | null
  found_at: string
}

export interface ProviderBooks {
  /** The accounts that are compared. */
  reports: ProviderReport[]
  /** Their days, the newest first. */
  items: ProviderBookDay[]
}

/** The words of the model's provider about a failure. */
export interface ProviderDetails {
  /** The HTTP status of its response. */
  status: number | null
  /** The kind of the error, in its words. */
  type: string | null
  /** Its message, at most 500 characters. Words that may name an account or a key are replaced by an ellipsis. Null: it sent none, or it concerns only the service. */
  message: string | null
  /** The name of the file that it refused. */
  file: string | null
  /** The name of the tool that it refused. */
  tool: string | null
  /** The parameter that it refused. */
  parameter: string | null
}

export interface ProviderList {
  items: Provider[]
  /** The number of entries on all pages. */
  total: number
  limit: number
  offset: number
}

export interface ProviderLoginAccount {
  /** The account's id at its provider. */
  external_id: string
  /** The account's name at its provider, such as an email address. */
  label: string
  /** When the access token expires. Null if not known. */
  token_expires_at: string | null
  /** When the login expires. Add the account before then. */
  expires_at: string
}

export interface ProviderLoginStarted {
  /** Open this URL, log in, and paste the code that the page shows at the end. */
  authorization_url: string
  /** When the login expires. */
  expires_at: string
}

export interface ProviderReport {
  provider_id: string
  /** `anthropic`: the Usage and Cost Admin API. `openai`: usage and costs of an organisation. `openrouter`: activity and generations. */
  format: "anthropic" | "openai" | "openrouter"
  /** Null: the provider's own URL. */
  base_url: string | null
  /** The workspace (Anthropic) or project (OpenAI) that has the account's key, if the organisation has others. Null: all of the organisation's use is the account's. */
  scope_id: string | null
  /** True if other software uses the account, too. Then the part that our calls do not have counts as its use, and is no finding. */
  shared: boolean
  /** The first day (UTC) that is compared. */
  first_day: string
  /** The version of this setting. Each change increments it. */
  version: number
  created_at: string
  updated_at: string
  /** The user who last changed it. Null: the command line. */
  updated_by: {
    user_id: number
    name: string | null
  } | null
}

/** Replaces all limits. A field that is left out gets its default. */
export interface PutAccountLimits {
  /** The most that each end user can spend in a UTC day, over all keys of the account. It applies if neither the end user nor the key has a daily limit. Null: no limit. */
  end_user_daily_usd?: number | string | null | undefined
  /** The most that each end user can spend in a UTC month, over all keys of the account. It applies if neither the end user nor the key has a monthly limit. Null: no limit. */
  end_user_monthly_usd?: number | string | null | undefined
  /** The event `balance.low` is sent when the balance falls below this amount. */
  low_balance_usd?: number | string | undefined
  /** The rate of each end user, if neither the end user nor the key has one. Null: no limit. */
  end_user_rate?: SetRate | null | undefined
}

export interface PutAnomaly {
  state: "open" | "dismissed"
}

/** Replaces all details. A field that is left out becomes empty. */
export interface PutBillingDetails {
  /** The name of the company or person that statements are for. */
  company?: string | undefined
  /** The postal address, in lines. */
  address?: string | undefined
  /** The tax number, such as a VAT identification number. */
  tax_number?: string | undefined
}

/** Replaces the whole budget. A field that is left out gets its default. */
export interface PutBudget {
  /** The budget of each month (UTC), in USD. */
  amount_usd: number | string
  /** The parts of the budget that are told, in percent. */
  percents?: number[] | undefined
  /** Whether a forecast above the budget is told. */
  forecast?: boolean | undefined
}

/** Settings that are left out stay as they are. They apply from the next turn on. */
export interface PutEndUserBilling {
  /** The price of the end user's turns. Null: the default. */
  price?: string | null | undefined
  /** True: turns are paid from the end user's wallet. False: they are not. Null: the default. */
  prepaid?: boolean | null | undefined
  /** The event `end_user.balance_low` is sent below this amount. 0: never. At first 1. */
  low_balance_usd?: number | string | undefined
}

/** Replaces the defaults of the account, or of one key. */
export interface PutEndUserDefaults {
  /** A key of the same mode, live or test. Null: the whole account. */
  key_id?: string | null | undefined
  /** The price of end users without one. Null: none. */
  price?: string | null | undefined
  /** Whether the turns of end users without such a setting are paid from their wallets. Null: not set. */
  prepaid?: boolean | null | undefined
}

/** Replaces all limits of the end user. */
export interface PutEndUserLimits {
  /** The limit for a UTC day, in USD. Null or left out: the default applies. */
  daily_usd?: number | string | null | undefined
  /** The limit for a UTC month, in USD. Null or left out: the default applies. */
  monthly_usd?: number | string | null | undefined
  /** `true`: new turns are rejected with END_USER_BLOCKED. Null or left out: false. */
  blocked?: boolean | null | undefined
  /** How much the end user may send. Null or left out: the default applies. */
  rate?: SetRate | null | undefined
}

/** Replaces the whole profile. */
export interface PutEndUserProfile {
  /** Facts about the end user, which `{{profile.KEY}}` inserts: at most 32 keys and 4096 bytes of JSON. Each value is a text, a number, or true or false. `time_zone` is the zone of `{{now}}` and `{{today}}`. */
  profile: Record<string, string | number | boolean>
}

export interface PutMcpServer {
  name?: string | undefined
  /** The URL of the server's Streamable HTTP endpoint. */
  url: string
  /** HTTP headers. Values can contain placeholders. Store credentials as secrets: `Bearer {{secrets.TOKEN}}`. */
  headers?: Record<string, string> | undefined
  /** Whether each request carries `Turnpike-Identity`, a signed token that names the end user, the turn and the call. See [Whom a tool acts for](/docs/tools#whom-a-tool-acts-for). Default `signed`. */
  identity?: "signed" | "none" | undefined
  /** Whether a turn fails with `MCP_SERVER_UNAVAILABLE` if the server does not answer. If false, the turn continues without its tools, and `warnings` says so. Default true. */
  required?: boolean | undefined
  /** The tools that the agent can call, by the names that the server uses. Default: all tools. */
  allowed_tools?: string[] | undefined
  /** For all tools of the server. */
  approval?: ApprovalInput | undefined
  /** For some tools, by the names that the server uses. It replaces `approval`. */
  approvals?: Record<string, ApprovalInput> | undefined
}

export interface PutMembersLimit {
  /** The most that all members together can spend of your balance in a UTC day, in USD. 0: nothing. Null: the default. */
  daily_usd: number | string | null
}

/** Replaces the price. A field that is left out gets its default. */
export interface PutPrice {
  /** Multiplied with the billed amount of each model call. 1: what the call cost you. */
  multiplier?: number | undefined
  /** Multipliers of single models, by pin. All other models have `multiplier`. */
  per_model?: Record<string, number> | undefined
  /** Added for each turn with at least one model call, in USD. */
  per_turn_usd?: number | string | undefined
  /** The charge is computed exactly and rounded once, when the turn ends: to a multiple of `to_usd`, `up`, `down` or to the `nearest` (halves up). */
  rounding?: PutPriceRounding | undefined
  /** A moment in the future from which new turns have this price. Until then, they have the present one. Null: they have it from now on. Either way, it replaces a plan that exists. */
  begins_at?: string | null | undefined
}

export interface PutPriceRounding {
  to_usd?: number | string | undefined
  mode?: "up" | "nearest" | "down" | undefined
}

export interface PutProviderReportRequest {
  /** `anthropic`: the Usage and Cost Admin API. `openai`: usage and costs of an organisation. `openrouter`: activity and generations. */
  format: "anthropic" | "openai" | "openrouter"
  /** The key that may read the reports: an admin key (Anthropic, OpenAI) or a management key (OpenRouter). It is never returned. Default: the stored key. */
  api_key?: string | undefined
  /** The workspace (Anthropic) or project (OpenAI) that has the account's key, if the organisation has others. Null: all of the organisation's use is the account's. */
  scope_id?: string | null | undefined
  /** Null: the provider's own URL. */
  base_url?: string | null | undefined
  /** True if other software uses the account, too. Then the part that our calls do not have counts as its use, and is no finding. */
  shared?: boolean | undefined
}

/** Days after the end of a turn. A field that you leave out has no days of its own. */
export interface PutRetention {
  /** Texts of a turn: request, reply, error message and metadata. */
  text_days?: number | undefined
  /** Steps of a turn and its log. */
  step_days?: number | undefined
  /** Events of turns, with their deliveries. An event that is still being sent is kept longer. */
  event_days?: number | undefined
  /** Attempts of deliveries. */
  attempt_days?: number | undefined
}

export interface PutSecret {
  /** 4–8192 characters. The value is never shown again. It is sent only to the origin of a tool that uses it. */
  value: string
}

export interface PutSpaceChat {
  /** `messenger:` and the group's id on the messaging platform. Null: links the space to its own web chat again. */
  chat_key: string | null
}

export interface PutTool {
  name?: string | undefined
  /** What the tool does. The model reads this text. */
  description: string
  /** The JSON Schema (2020-12) of the tool's input, with `type: object`. Patterns use RE2, which has no look-arounds and no back-references. */
  input_schema: Record<string, unknown>
  /** The request to your API. Null: your own worker takes the calls (`GET /v1/calls`), or your server sees them in `turn.waiting` and sends their results. */
  request: {
    method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
    /** The URL. Placeholders are allowed only after the host. */
    url: string
    /** HTTP headers. Values can contain placeholders. Store credentials as secrets: `Bearer {{secrets.TOKEN}}`. */
    headers?: Record<string, string> | undefined
    /** Query parameters. A parameter that is only a placeholder is left out if the input has no such value. */
    query?: Record<string, string> | undefined
    /** The JSON body. Its texts can contain placeholders. A text that is only a placeholder becomes the value itself, with its type. A body that is a text is sent unchanged. Default for POST, PUT and PATCH: the input. The model neither sees nor fills a field whose value is taken from the turn, such as `{{end_user.ref}}`. */
    body?: unknown
  } | null
  approval?: ApprovalInput | undefined
  /** Whether your server may respond with 202 and send the result later. Then each request carries `Turnpike-Result-Url`, the address for the result, and `Turnpike-Result-Token`, with which the server can send it without an API key: `Authorization: Bearer`. Default false. */
  answers_later?: boolean | undefined
  /** Whether each request carries `Turnpike-Identity`, a signed token that names the end user, the turn and the call. See [Whom a tool acts for](/docs/tools#whom-a-tool-acts-for). Default `signed`. */
  identity?: "signed" | "none" | undefined
  /** The time limit of one call, in seconds. Default 30. */
  timeout_seconds?: number | undefined
}

export interface PutTraceEndpoint {
  /** The whole URL for traces of your OTLP/HTTP collector. It must use https and a public host name. */
  url: string
  /** Headers of each request, such as an API key. They are stored encrypted and never returned. Left out: they stay, if the new URL has the same origin. Null: none. */
  headers?: Record<string, string> | null | undefined
  /** True: spans also have texts: messages, inputs and outputs of tools, and error messages. Each is cut off after 8,000 characters. */
  with_text?: boolean | undefined
}

export interface PutUsageExport {
  /** `true` exports every charge and refund that is booked from now on. `false` ends the current hour at this moment and stops. */
  enabled: boolean
}

/** Replaces all registered keys. */
export interface PutUsageKeys {
  /** At most 10 keys. A report shows the 1000 values that were billed most, and all others as `(other)`. */
  keys: string[]
}

/** The `details` of QUOTA_EXCEEDED: the cap that blocks the turn longest. */
export interface QuotaDetails {
  cap: "key_daily" | "key_monthly" | "key_window" | "end_user_daily" | "end_user_monthly" | "account_daily" | "members_daily"
  /** Where the limit is set: on the key, on this end user, as the account's default, by the account's plan, on the space by its owner, or as the service's default. */
  source: "key" | "end_user" | "account" | "plan" | "space" | "default"
  limit_usd: number
  /** Amount billed to turns that were accepted in this period, whenever they ended. For an end user, the turns of all keys of the account count. */
  spent_usd: number
  /** Amount held by turns of this period that have not ended. */
  reserved_usd: number
  /** Amount that new turns can still hold: limit - spent - reserved, at least 0. */
  left_usd: number
  /** When the next period begins, with nothing spent. Null: no window is open. */
  resets_at: string | null
  /** The smallest hold that the turn needs, in your cost. */
  needed_usd: number
  /** All caps that have less left than `needed_usd`. */
  exceeded: CapState[]
}

export interface RaiseAnyTurn {
  /** The new limit of the turn's cost, in USD. It can only be raised. */
  max_cost_usd: number | string
  /** Why you do it. The audit log records it. */
  reason: string
}

/** How much may be sent in a minute, and at the same time. */
export interface Rate {
  /** The most turns that are accepted in a minute. Null: no limit. */
  requests_per_minute: number | null
  /** The most input tokens in a minute. A turn is accepted while the window has any left. It counts by an estimate of its text, and from its end on by the tokens that its model calls had. Null: no limit. */
  input_tokens_per_minute: number | null
  /** The most turns that are queued or running at the same time. Null: no limit. */
  concurrent_turns: number | null
  /** What happens while the counters cannot be read. `open`: turns are accepted. `closed`: they are rejected with 503 `UNAVAILABLE`. `concurrent_turns` is exact in both cases. */
  fail: "open" | "closed"
}

export interface RateState {
  /** The limit: `requests` and `input_tokens` in a minute, or `turns` at the same time, of the key or of the end user. */
  limit: "key_requests" | "key_input_tokens" | "key_turns" | "end_user_requests" | "end_user_input_tokens" | "end_user_turns"
  /** The limit's value. */
  most: number
  /** How much of it is used now. It can exceed `most`. Null: the counters cannot be read at the moment. */
  used: number | null
  /** The length of the window. Null: no window. */
  window_seconds: number | null
}

/** How much the model reasons before it answers. */
export interface Reasoning {
  /** `none`: no reasoning, as far as the model can do without it. `high`: most of the output may be reasoning. */
  effort: "none" | "low" | "medium" | "high"
}

/** How much the model reasons before it answers. */
export interface ReasoningInput {
  /** `none`: no reasoning, as far as the model can do without it. `high`: most of the output may be reasoning. */
  effort: "none" | "low" | "medium" | "high"
}

export interface Reauthenticate {
  /** Required if you have a password. */
  password?: string | undefined
  /** Required if you have a second factor. */
  code?: string | undefined
}

export interface ReauthenticateAnswer {
  ok: true
}

/** What a turn was charged. It never changes after the end of the turn. */
export interface Receipt {
  document: "receipt"
  version: 1
  turn_id: string
  test: boolean
  state: "done" | "failed" | "cancelled"
  space: string
  /** Null for a turn of the web chat. */
  key_id: string | null
  /** Null for a turn of the web chat. */
  end_user_ref: string | null
  accepted_at: string
  /** The time of the charge. It decides the month of the statement. */
  ended_at: string
  currency: "USD"
  rounding: string
  /** Model calls and images, including those of sub-agents, in order. */
  calls: ReceiptCall[]
  hold: ReceiptHold
  /** The sum of the calls, and the amount of the entry in the ledger. */
  total_usd: string
}

export interface ReceiptCall {
  /** The step's number. */
  step: number
  /** The tool call that made an image. Null: a model call. */
  call: number | null
  /** The sub-agent's name. Null: the space's own agent. */
  subagent: string | null
  /** The model, as a pin. */
  model: string
  /** The version of the model's prices that applied. */
  price_version: number
  /** The prices are those of the model's tier for prompts with more tokens than this. Missing: of no tier. */
  above_input_tokens?: number | undefined
  /** How the provider says that it has served the call. The prices contain the factor of each. Missing: as usual. */
  modifiers?: string[] | undefined
  lines: ReceiptLine[]
  /** The sum of `quantity` × `unit_price_usd` / `per` over the lines, rounded up to 7 decimals. */
  computed_usd: string
  /** The part of `computed_usd` that is not charged. */
  waived_usd: string
  /** `test`: test turns are free. `lost`: the service has lost the turn. `over_hold`: a charge never exceeds the turn's hold. Null: nothing is waived. */
  waived_for: "test" | "lost" | "over_hold" | null
  /** The amount charged: `computed_usd` - `waived_usd`. */
  amount_usd: string
  made_at: string
}

export interface ReceiptHold {
  /** The amount held when the turn ended. */
  held_usd: string
  /** The part that was charged: `total_usd`. */
  charged_usd: string
  /** The part that was released. */
  released_usd: string
}

export interface ReceiptLine {
  /** Each token is in one line. `input`: input tokens. `cached`: prompt tokens that the provider read from its cache. `cache_written`: prompt tokens that the provider writes to its cache. `cache_written_hour`: prompt tokens that the cache keeps for an hour instead of five minutes. `audio_input`: prompt tokens of audio. `output`: output tokens. `reasoning`: output tokens of reasoning. `web_search`: one web search that the provider makes itself. `x_search`: one search of posts on X that the provider makes itself. `code_execution`: one run of code in the provider's own container. `image`: one picture of any size. */
  kind: "input" | "cached" | "cache_written" | "cache_written_hour" | "audio_input" | "output" | "reasoning" | "web_search" | "x_search" | "code_execution" | "image"
  /** The number of tokens or images. */
  quantity: number
  /** The price of `per` units. Null: not known any more. */
  unit_price_usd: string | null
  /** The units of the price: a million tokens, or one image. */
  per: number
}

export interface Reconciliation {
  reconciliation_id: string
  /** `schedule`, `operator` (command line), or `admin:` with a `user_id`. */
  started_by: string
  /** `all`: all history. `recent`: changes since the last pass, and all open turns, balances and current counters. */
  scope: "all" | "recent"
  started_at: string
  /** Null while the pass is under way. */
  finished_at: string | null
  /** Accounts checked so far. */
  accounts: number
  ledger_rows: number
  turns: number
  /** Counters of caps. */
  counters: number
  findings_total: number
  /** The first findings, in the order in which they were found. */
  findings: ReconciliationFinding[]
}

export interface ReconciliationFinding {
  /** What is wrong:

- `balance`: The account's balance differs from the last running total of its ledger.
- `held`: The account's held credit differs from the holds of its open turns. Repaired: it is set to their sum.
- `running_total`: A ledger entry's running total is not the previous total plus its amount. A previous entry is missing, or this one was changed.
- `charge_without_turn`: A charge in the ledger has no turn and is not for containers and storage.
- `infra_bill`: A charge for containers and storage differs from its bill.
- `infra_due`: The amount due for containers and storage differs from the uncharged part of the account's bills.
- `subscriptions`: The account has several active subscriptions that were not given `alongside`. It gets the credit of each plan. End all but one.
- `charged_twice`: A turn was charged more than once.
- `charge_missing`: A turn that was billed has no charge in the ledger.
- `charge_amount`: A turn's charge differs from its bill.
- `charge_unexpected`: A turn was charged although it has not ended, was billed nothing or is a test turn.
- `charge_of_other_account`: A turn was charged to another account.
- `charge_of_other_kind`: The charge of a key's turn is booked as a web-chat charge, or the reverse.
- `failure_charged`: A turn was charged although it failed because of the service. Repaired: it is refunded.
- `usage_bills`: The bills of a turn's model calls do not add up to the turn's bill.
- `chat_calls`: The model calls of a web-chat turn do not add up to its record, in number, cost or bill. `expected_usd` and `found_usd` are the costs.
- `refunded_twice`: A turn was refunded more than once.
- `refund_amount`: A turn's refund differs from its charge.
- `refund_untold`: The refund on a turn, which reports read, differs from its refund in the ledger.
- `refund_of_other_account`: A turn was refunded to another account.
- `hold_on_ended_turn`: A turn that has ended still has a hold.
- `hold_differs`: An open turn's hold differs from the amount that it will release.
- `orphaned_turn`: No worker would ever claim this open turn. Repaired: the sweep wakes it.
- `unposted`: The unposted charges in the account's shards differ from the queue of postings.
- `counter_spent`: A cap's counter differs from the bills of its turns. Repaired: it is set to their sum.
- `counter_reserved`: A cap's counter differs from the holds of its open turns. Repaired: it is set to their sum.
- `counter_missing`: Turns of a current period have no counter. Repaired: it is created.
- `end_user_balance`: The balance of an end user's wallet differs from the last running total of its ledger.
- `end_user_held`: The held credit of an end user's wallet differs from the holds of the end user's open turns.
- `end_user_ledger`: The entries of an end user's ledger do not add up to its last running total.
- `end_user_charges`: The charges in an end user's ledger, less refunds, differ from the charges of the end user's turns that were not refunded.
- `rollup`: A number in a rollup of a past day differs from the raw records. */
  kind: "balance" | "held" | "running_total" | "charge_without_turn" | "infra_bill" | "infra_due" | "subscriptions" | "charged_twice" | "charge_missing" | "charge_amount" | "charge_unexpected" | "charge_of_other_account" | "charge_of_other_kind" | "failure_charged" | "usage_bills" | "chat_calls" | "refunded_twice" | "refund_amount" | "refund_untold" | "refund_of_other_account" | "hold_on_ended_turn" | "hold_differs" | "orphaned_turn" | "unposted" | "counter_spent" | "counter_reserved" | "counter_missing" | "end_user_balance" | "end_user_held" | "end_user_ledger" | "end_user_charges" | "rollup"
  /** The account. */
  user_id: number | null
  turn_id: string | null
  /** The wrong entry, or the first entry after a missing one. */
  ledger_id: number | null
  /** The wrong counter of a cap, or the wrong rollup. Null for other findings. */
  counter: {
    kind: "key" | "end_user" | "account" | "members" | "wallet" | "rollup"
    /** A `key_id` or an `end_user_ref`, empty for an account. For `members` the number of the space. For a `wallet` its `end_user_ref`. For a rollup its table, key and column. */
    subject: string
    period: "day" | "month" | "window" | "hour"
    starts_at: string
  } | null
  /** The expected amount; null if the finding compares no amounts. */
  expected_usd: number | null
  /** The amount that was found. */
  found_usd: number | null
  /** True if the reconciliation repaired it. */
  repaired: boolean
  found_at: string
}

export interface RecoveryCodes {
  /** Each replaces a code of the authenticator app once. */
  recovery_codes: string[]
}

/** The operator has refunded a turn that you asked a refund for, or declined your request. It is a notice to the account's owner, so only keys to all spaces see it. */
export interface RefundDecidedEvent {
  /** The same in every delivery and replay. Store it, so that you handle each event once. */
  id: string
  type: "refund.decided"
  created_at: string
  /** Always null: the event belongs to no turn. */
  seq: number | null
  data: {
    turn_id: string
    decision: "refunded" | "declined"
    answer: string
  }
}

/** A refund of a turn. The receipt of the turn does not change. */
export interface RefundDocument {
  document: "refund"
  version: 1
  turn_id: string
  /** The digest of the receipt that is refunded. */
  receipt_digest: string
  currency: "USD"
  refunded_usd: string
  /** The refund's entry in the ledger. */
  ledger_id: number
  /** It decides the month of the statement. */
  refunded_at: string
}

export interface RefundRequest {
  turn_id: string
  state: "open" | "refunded" | "declined"
  /** What the turn was billed. */
  amount_usd: number
  /** Empty after the erasure of the turn's end user. */
  reason: string
  /** The operator's words about the decision. Null: the request is open. */
  answer: string | null
  requested_at: string
  decided_at: string | null
}

export interface RefundRequestList {
  items: RefundRequest[]
  /** The number of entries on all pages. */
  total: number
  limit: number
  offset: number
}

export type RefusedBy = RefusedByCap | RefusedByBalance | RefusedByEndUserCredit | RefusedByCostLimit

export interface RefusedByBalance {
  code: "INSUFFICIENT_CREDITS"
  message: string
  details: CreditsDetails
  /** Always null: waiting does not help. */
  retry_after: null
  retryable: false
}

export interface RefusedByCap {
  code: "QUOTA_EXCEEDED"
  message: string
  details: QuotaDetails
  /** Whole seconds until that cap resets. Null: the cap is too small for the turn, so waiting does not help. */
  retry_after: number | null
  /** True if the same turn can be sent again after `retry_after`. False: the cap is too small for it at any time. */
  retryable: boolean
}

export interface RefusedByCostLimit {
  code: "COST_LIMIT_TOO_LOW"
  message: string
  details: CostLimitDetails
  /** Always null: waiting does not help. */
  retry_after: null
  retryable: false
}

export interface RefusedByEndUserCredit {
  code: "END_USER_CREDIT_SPENT"
  message: string
  details: EndUserCreditDetails
  /** Always null: waiting does not help. */
  retry_after: null
  retryable: false
}

export interface RefusedRequest {
  /** The code of the error. */
  code: string
  status: number
  /** What the code means. */
  cause: string
  /** What to do about it. */
  cure: string
  /** The method and the path. */
  operation: string
  /** The field or parameter that the error names. */
  param: string | null
  key_id: string
  key_name: string | null
  request_id: string
  refused_at: string
}

export interface RemoveMemberAnswer {
  ok: true
}

export interface RemoveSecondFactorAnswer {
  ok: true
}

export interface RemovedWorkspaceMember {
  workspace_id: string
  name: string
  /** The attached team; null if none. Its members are members of the workspace unless it is archived. */
  team: {
    team_id: number
    name: string
    archived: boolean
  } | null
  members: ({
    user_id: number
    name: string | null
    email: string | null
    role: "owner" | "admin" | "member"
    since: string
  })[]
  /** The members of the attached team. They can also be direct members. */
  team_members: ({
    user_id: number
    name: string | null
    email: string | null
  })[]
  /** The spaces that members can see and use. */
  spaces: ({
    space_id: string
    title: string
    /** The user who owns the space and is billed for it. */
    owner_id: number
    archived: boolean
    test: boolean
  })[]
  bot: {
    /** The username of the bot without the @; null if there is no bot. */
    username: string | null
    /** Whether a token is stored. The token is never shown. */
    has_token: boolean
  }
  /** Whether the workspace is archived. Its members then have no access to its spaces. */
  archived: boolean
  /** Increases with each change, including changes of members and the bot. */
  version: number
  created_at: string
  updated_at: string
  /** The admin who made the last change; null if it was the command line. */
  updated_by: {
    user_id: number
    name: string | null
  } | null
  /** Whether the user still has access, because the attached team has them as a member. */
  keeps_access_by_team: boolean
}

export interface Replay {
  /** The start of the period (inclusive). Events from before the time for which deliveries are kept are left out, because they might be sent twice. */
  from: string
  /** The end of the period (exclusive). Default: no end. */
  to?: string | undefined
  /** The types of events to send. Null: all types, including those added later, but not `activity.recorded`, which must be named. */
  events?: ("turn.queued" | "turn.running" | "turn.waiting" | "turn.resumed" | "turn.done" | "turn.failed" | "turn.cancelled" | "call.decided" | "balance.low" | "balance.depleted" | "end_user.balance_low" | "end_user.depleted" | "cap.reached" | "activity.recorded" | "usage.posted" | "hour.closed" | "endpoint.disabled" | "account.signed_in" | "account.locked" | "account.factor_changed" | "key.created" | "key.revoked" | "refund.decided" | "anomaly.found" | "budget.reached" | "mcp_server.failing" | "space.shared")[] | null | undefined
  /** `true` also sends events that this webhook has already accepted. */
  include_delivered?: boolean | undefined
}

export interface Replayed {
  /** The number of deliveries that this request made pending. */
  replayed: number
  has_more: boolean
  next_cursor: string | null
}

export interface ReportFile {
  file_id: string
  /** The report, as in the file's name. */
  report: "usage-by-slug" | "context-size" | "subscription-usage"
  /** `making`: a callback writes the file. `failed`: it has no content. Ask for the report again. */
  state: "making" | "ready" | "failed"
  /** The share of the report's entries that are written, from 0 to 1. */
  progress: number
  /** The rows that are written, without the header. */
  rows: number
  /** The bytes that are written. */
  bytes: number
  /** The path of the file, for the same operator. Null while it is made, or if it failed. */
  url: string | null
  created_at: string
  /** When the file is removed. Null while it is made. */
  expires_at: string | null
}

export interface ResetPassword {
  /** The token of the link in the email. */
  token: string
  /** At least 8 characters, and not one of the most common passwords. */
  new_password: string
}

export interface ResetPasswordAnswer {
  ok: true
}

export interface ResetSecondFactorAnswer {
  ok: true
}

/** The form of the result. `text`: any text. `json_object`: a JSON object. `json_schema`: JSON that fits a schema. See [Results with a form](/docs/results). */
export type ResponseFormat = {
  type: "text"
} | {
  type: "json_object"
} | {
  type: "json_schema"
  /** A name for the form, which the model may read. */
  name: string
  /** What the result is. The model reads it. */
  description?: string | undefined
  /** The JSON Schema of the result, of draft 4 to 2020-12. References stay within the schema. Patterns use RE2, which has no look-arounds and no back-references. */
  schema: Record<string, unknown>
}

/** The form of the result. `text`: any text. `json_object`: a JSON object. `json_schema`: JSON that fits a schema. See [Results with a form](/docs/results). */
export type ResponseFormatInput = {
  type: "text"
} | {
  type: "json_object"
} | {
  type: "json_schema"
  /** A name for the form, which the model may read. */
  name: string
  /** What the result is. The model reads it. */
  description?: string | undefined
  /** The JSON Schema of the result, of draft 4 to 2020-12. References stay within the schema. Patterns use RE2, which has no look-arounds and no back-references. */
  schema: Record<string, unknown>
}

export interface Retention {
  /** The days that the space has set. */
  own: {
    text_days?: number | undefined
    step_days?: number | undefined
    event_days?: number | undefined
    attempt_days?: number | undefined
  }
  /** The days of the service, which apply to all spaces. */
  service: {
    text_days: number
    step_days: number
    event_days: number
    attempt_days: number
  }
  /** The days that apply: for each kind, the fewer of both. */
  kept: {
    text_days: number
    step_days: number
    event_days: number
    attempt_days: number
  }
}

export interface RevokeInvitationAnswer {
  ok: true
}

export interface RoleRequired {
  /** The caller's role in the account. `none`: no longer any. */
  role: "owner" | "developer" | "billing" | "read_only" | "none"
  /** The roles that allow the operation. */
  roles: ("owner" | "developer" | "billing" | "read_only")[]
}

export interface RotateApiKey {
  /** The time in seconds for which the old value still works. 0: only the new value works from now on, and the values of earlier rotations end too. */
  overlap_seconds?: number | undefined
}

export interface SavedProvider {
  /** The account's id. Usage reports name it `subscription_id`. */
  provider_id: string
  pool: "main" | "alt-pool" | "media"
  name: string
  kind: "api_key" | "oauth_code" | "oauth_device"
  engine: "anthropic" | "openai" | "openai-compatible"
  /** The URL that calls go to. Null: the engine's own URL. */
  base_url: string | null
  /** The account's id at its provider. Another login with this id renews the account. Null for an API key. */
  external_id: string | null
  disabled: boolean
  /** `needs_login`: its credential was refused for good. `contained`: a refreshed credential may have been lost; enable the account or log in to it again. */
  health: "healthy" | "needs_login" | "contained"
  /** When the access token expires. Null: never, or not known. */
  expires_at: string | null
  /** The version of the account. Each change increments it. */
  version: number
  created_at: string
  updated_at: string
  /** The user who last changed it. Null: the command line. */
  updated_by: {
    user_id: number
    name: string | null
  } | null
}

export interface SearchHit {
  /** The kind of object. `user` and `audit` are only for operators. */
  kind: "turn" | "conversation" | "space" | "end_user" | "key" | "webhook" | "delivery" | "event" | "file" | "user" | "audit"
  /** Its id; of an end user its `end_user_ref`. */
  id: string
  /** Its title or name; of a turn or delivery its state. */
  title: string
  /** Its parent, or the id by which it was found. Null: neither. For operators, the parent of an `end_user`, a `webhook` and an `event` is the `user_id` of the account. */
  detail: string | null
  /** When it was created or last used. Null if that is not known. */
  at: string | null
}

export interface SearchHitList {
  items: SearchHit[]
  /** The number of entries on all pages. */
  total: number
  limit: number
  offset: number
}

export interface SecondFactor {
  /** True if signing in requires a code. */
  enrolled: boolean
  /** True if you need one to act as an admin. */
  required: boolean
  recovery_codes_left: number
  enrolled_at: string | null
}

export interface SecondFactorCode {
  /** The code that your authenticator app shows, or a recovery code. */
  code: string
}

export interface SecondFactorSecret {
  /** The secret in base32, for typing. */
  secret: string
  /** The URI to show as a QR code. */
  uri: string
}

/** The name and dates of a secret. Its value is never shown. */
export interface Secret {
  name: string
  created_at: string
  updated_at: string
}

export interface SecretList {
  items: Secret[]
  /** The number of entries on all pages. */
  total: number
  limit: number
  offset: number
}

export interface ServiceHealth {
  status: "ok" | "failing"
  checked_at: string
  /** One entry for each check, in a fixed order. */
  checks: ({
    name: "database" | "queue" | "redis" | "cron" | "sweeps" | "turns" | "webhooks" | "reconciliation" | "providers" | "provider_books" | "settings"
    /** Null: unknown, because the database does not answer. */
    ok: boolean | null
    /** The state in words, without secrets. */
    message: string
    /** The figure that the check compares: milliseconds of a database query, messages at once, seconds since the last run, or a count. */
    value: number | null
    /** The highest value that is still fine. */
    limit: number | null
  })[]
}

export interface ServiceLevel {
  status: "ok" | "failing"
  /** The state of the service in a sentence. */
  verdict: string
  /** Since when every check has passed, as the sweeps have seen it; the check `queue` is not asked then. Null while one fails. */
  since: string | null
  /** The checks that fail now, in the order of `GET /api/health`. */
  failing: ({
    name: "database" | "queue" | "redis" | "cron" | "sweeps" | "turns" | "webhooks" | "reconciliation" | "providers" | "provider_books" | "settings"
    /** Null: unknown, because the database does not answer. */
    ok: boolean | null
    /** The state in words, without secrets. */
    message: string
    /** The figure that the check compares: milliseconds of a database query, messages at once, seconds since the last run, or a count. */
    value: number | null
    /** The highest value that is still fine. */
    limit: number | null
    /** The page of the web app for it. */
    page: string
    /** The list of the turns that the failure hits. Null: it hits none. */
    turns: string | null
  })[]
  /** Every quarter of an hour of the range, oldest first. The last one is not over. Counts are exact after at most a minute. */
  levels: ({
    /** The start of a quarter of an hour. */
    starts_at: string
    /** Live turns that ended as `done`. */
    done: number | null
    /** Live turns that failed. */
    failed: number | null
    /** The 95th percentile of the time from acceptance to end, without the time that a turn waited. Null if none has ended. */
    p95_seconds: number | null
    /** Model calls of live turns that succeeded. */
    provider_calls: number | null
    /** Model calls of live turns that failed. */
    provider_errors: number | null
    /** For how long a turn has at most been ready to start. Null if the cron did not run in it, as while it sleeps. */
    oldest_queued_seconds: number | null
    /** The most deliveries that were due. Null if the cron did not run in it, as while it sleeps. */
    webhook_backlog: number | null
  })[]
}

export interface Session {
  session_id: string
  /** True for the session of this request. */
  current: boolean
  user_agent: string | null
  /** The IP address from which the session was started. */
  address: string | null
  created_at: string
  /** When the session was last used, accurate to an hour. */
  last_seen_at: string
  /** Each use extends it to 30 days later, up to a maximum age. */
  expires_at: string
}

export interface SessionList {
  items: Session[]
  /** The number of entries on all pages. */
  total: number
  limit: number
  offset: number
}

export interface SetCaps {
  /** The most that the key can spend in a UTC day, in USD. 0: nothing. Null: no cap. */
  daily_usd?: number | string | null | undefined
  /** The most that the key can spend in a UTC month, in USD. 0: nothing. Null: no cap. */
  monthly_usd?: number | string | null | undefined
  /** The default daily limit, in USD, for each of your customers without a limit of their own, when this key sends their turns. It counts their spending across all keys of the account. Null: no limit. */
  end_user_daily_usd?: number | string | null | undefined
  /** The default limit for each customer in a UTC month, in USD. Null: no limit. */
  end_user_monthly_usd?: number | string | null | undefined
  /** The most that the key can spend in a window, in USD. The first turn opens the window, which ends after `window_seconds`. Null: no cap. */
  window_usd?: number | string | null | undefined
  /** The length of the window, in seconds. */
  window_seconds?: number | null | undefined
}

export interface SetCredentials {
  email?: string | undefined
  /** At least 8 characters, and not one of the most common passwords. */
  password?: string | undefined
}

/** Replaces the whole rate. */
export interface SetRate {
  /** The most turns that are accepted in a minute. Null: no limit. */
  requests_per_minute?: number | null | undefined
  /** The most input tokens in a minute. A turn is accepted while the window has any left. It counts by an estimate of its text, and from its end on by the tokens that its model calls had. Null: no limit. */
  input_tokens_per_minute?: number | null | undefined
  /** The most turns that are queued or running at the same time. Null: no limit. */
  concurrent_turns?: number | null | undefined
  /** What happens while the counters cannot be read. `open`: turns are accepted. `closed`: they are rejected with 503 `UNAVAILABLE`. `concurrent_turns` is exact in both cases. */
  fail?: "open" | "closed" | undefined
}

export interface Setting {
  key: "plans" | "trial_plan" | "trial_days" | "signup_credit_micros" | "referred_credit_micros" | "referrer_credit_micros" | "referrer_most_credited" | "admin_second_factor" | "turn_texts_for_operators" | "members_daily_credit_micros" | "top_up_url" | "container_second_usd" | "stored_gib_hour_usd" | "max_open_test_turns" | "max_daily_test_turns" | "test_data_days" | "text_days" | "step_days" | "event_days" | "delivery_days" | "attempt_days" | "session_days" | "audit_days" | "snapshot_days" | "max_keys" | "max_daily_key_changes" | "max_members" | "max_daily_invitations" | "max_end_users" | "max_spaces" | "kept_versions" | "max_config_bytes" | "max_files" | "max_file_bytes" | "provider_limit_requests"
  /** The current value. */
  value: unknown
  /** The value until an operator sets one. */
  default: unknown
  description: string
  /** The JSON Schema of the value. */
  schema: Record<string, unknown>
  /** Increases with each change. 0 if the setting was never set. */
  version: number
  updated_at: string | null
  /** The admin who last set it; null if it was never set, or was set by the command line. */
  updated_by: {
    user_id: number
    name: string | null
  } | null
}

export interface SettingList {
  items: Setting[]
  /** The number of entries on all pages. */
  total: number
  limit: number
  offset: number
}

export interface SettingUpdate {
  key: "plans" | "trial_plan" | "trial_days" | "signup_credit_micros" | "referred_credit_micros" | "referrer_credit_micros" | "referrer_most_credited" | "admin_second_factor" | "turn_texts_for_operators" | "members_daily_credit_micros" | "top_up_url" | "container_second_usd" | "stored_gib_hour_usd" | "max_open_test_turns" | "max_daily_test_turns" | "test_data_days" | "text_days" | "step_days" | "event_days" | "delivery_days" | "attempt_days" | "session_days" | "audit_days" | "snapshot_days" | "max_keys" | "max_daily_key_changes" | "max_members" | "max_daily_invitations" | "max_end_users" | "max_spaces" | "kept_versions" | "max_config_bytes" | "max_files" | "max_file_bytes" | "provider_limit_requests"
  /** The complete new value. */
  value: unknown
}

export interface SharedSpace {
  space_id: string
  title: string
  /** The workspace whose members can use the space; null: the space is in no workspace. */
  workspace: {
    workspace_id: string
    name: string
  } | null
  /** The number of people with whom the space is shared. */
  people_count: number
}

export interface SharedSpaceList {
  items: SharedSpace[]
  /** The number of entries on all pages. */
  total: number
  limit: number
  offset: number
}

/** The provider's prices, which we pay. Null: the same as ours. */
export type ShownListedPrices = {
  /** Prices in USD per million tokens. 0 for a model of the kind `image`. */
  price_usd_per_million_tokens: {
    input: number
    cached: number
    cache_write: number | null
    cache_write_hour: number | null
    audio_input: number | null
    output: number
    reasoning: number | null
  }
  /** The price of one picture in USD; null for a model of the kind `chat`. */
  price_usd_per_picture: number | null
  /** USD for one web search that the provider makes itself; null: free. */
  price_usd_per_web_search: number | null
  /** USD for one search of posts on X that the provider makes itself; null: free. */
  price_usd_per_x_search: number | null
  /** USD for one run of code in the provider's own container; null: free. */
  price_usd_per_code_execution: number | null
  /** Prices in USD per million tokens of calls with a longer prompt, in the order of `above_input_tokens`. */
  price_tiers: ShownPriceTier[]
  /** Factors of all prices per token, by how the provider says that it has served the call: a service tier (`flex`, `priority`), `fast`, or `geo_` and a region (`geo_us`). */
  price_modifiers: Record<string, number>
} | null

export interface ShownPriceTier {
  input: number
  cached: number
  cache_write: number | null
  cache_write_hour: number | null
  audio_input: number | null
  output: number
  reasoning: number | null
  /** Its prices count for the whole call if the prompt has more tokens than this, cached ones included. */
  above_input_tokens: number
}

export interface SignInWays {
  /** The session of the browser's cookie. `none`: there is no cookie. `ended`: the session has expired or was ended. `second_factor`: it waits for a code. `open`: the user is signed in. */
  session: "none" | "ended" | "second_factor" | "open"
  /** True if `GET /api/auth/oauth-login/start` leads to an identity provider. */
  identity_provider: boolean
  /** True if the brand of this host has a bot that confirms a sign-in. */
  messaging_app: boolean
  /** True if the service sends emails, and so links to reset a password. */
  password_reset: boolean
}

export interface SignedEndUserReceipt {
  kind: "end_user_receipt"
  document: EndUserChargeReceipt
  /** SHA-256 of the document's canonical JSON (RFC 8785), in hex. */
  digest: string
  /** A JWS with detached content (RFC 7515, appendix F): its payload is the canonical JSON of the document. `kid` in its header names the key at `/.well-known/jwks.json`. */
  signature: string
}

export interface SignedReceipt {
  kind: "receipt"
  document: Receipt
  /** SHA-256 of the document's canonical JSON (RFC 8785), in hex. */
  digest: string
  /** A JWS with detached content (RFC 7515, appendix F): its payload is the canonical JSON of the document. `kid` in its header names the key at `/.well-known/jwks.json`. */
  signature: string
}

export interface SignedRefund {
  kind: "refund"
  document: RefundDocument
  /** SHA-256 of the document's canonical JSON (RFC 8785), in hex. */
  digest: string
  /** A JWS with detached content (RFC 7515, appendix F): its payload is the canonical JSON of the document. `kid` in its header names the key at `/.well-known/jwks.json`. */
  signature: string
}

export interface SignedStatement {
  kind: "statement"
  document: Statement
  /** SHA-256 of the document's canonical JSON (RFC 8785), in hex. */
  digest: string
  /** A JWS with detached content (RFC 7515, appendix F): its payload is the canonical JSON of the document. `kid` in its header names the key at `/.well-known/jwks.json`. */
  signature: string
}

export interface SlugUsageReport {
  /** The start of the range (UTC). */
  from: string
  /** The end of the range (UTC), exclusive. A range of days ends at midnight after its last day, which may be today. */
  to: string
  /** The period that a row of the series covers. */
  granularity: "day"
  /** The time at which the report was made. Its figures are exact at this time. */
  as_of: string
  /** Only the spaces of this account. Null for all accounts. */
  user_id: number | null
  /** Only this chat. Null for all chats. */
  chat_key: string | null
  grouped_by: "slug"
  /** The number of entries on all pages. */
  total: number
  /** The most entries on a page. */
  limit: number
  /** The number of entries that were skipped. */
  offset: number
  /** The `offset` of the next page. Null on the last page. */
  next_offset: number | null
  /** The days of each space that was used in the range, by slug. The highest billed amount is first. */
  series: Record<string, ({
    date: string
    /** Live turns that ended, including turns that were billed nothing. */
    turns: number
    /** Model calls, including the calls of sub-agents. */
    model_calls: number
    /** All input tokens, including cached ones. */
    tokens_input: number
    tokens_cached: number
    tokens_output: number
    /** The exact amount that the turns were billed. Refunds are not subtracted. */
    billed_cost_usd: number
    /** The exact amount that was refunded. A refund counts when it was booked, not when its turn ended. */
    refunded_usd: number
    /** The billed amount less `refunded_usd`. Negative if more was refunded than billed in this time. */
    net_usd: number
    /** The average duration of a call, in seconds. Calls of web chats are not timed. Null on days without other calls. */
    avg_duration_sec: number | null
    /** The part of `tokens_output` that is reasoning, as providers report it. */
    tokens_reasoning: number
  })[]>
}

export interface Space {
  /** The id of the space, which turns send as `space`. */
  space_id: string
  title: string
  /** The pin of the default model of its turns; null: the catalog's first model. */
  model: string | null
  manifest: Manifest
  /** The names of its tools. */
  tools: string[]
  /** The names of its MCP servers. */
  mcp_servers: string[]
  /** Your own key-value pairs: at most 16 pairs, keys of 64 and values of 512 characters. */
  metadata: Record<string, string>
  /** The number of the current version of its configuration. */
  config_version: number
  /** True if the space is archived. You can read it, but not change or use it. */
  archived: boolean
  /** True if the space is test data. Only test keys can access it. */
  test: boolean
  created_at: string
  updated_at: string
}

export interface SpaceContext {
  space_id: number
  slug: string
  title: string
  /** The last call of the space's own agent; null if it made none. */
  orchestrator: {
    /** The model pin of the call. */
    model: string
    /** The number of tokens that the call read. */
    context_tokens: number
    /** The size of the model's context window, in tokens; null if unknown. */
    window_tokens: number | null
    /** `context_tokens / window_tokens`; null if the window is unknown. */
    share: number | null
    turn_id: string
    called_at: string
  } | null
  /** The last call of each sub-agent that was called, by name. */
  subagents: ({
    /** The model pin of the call. */
    model: string
    /** The number of tokens that the call read. */
    context_tokens: number
    /** The size of the model's context window, in tokens; null if unknown. */
    window_tokens: number | null
    /** `context_tokens / window_tokens`; null if the window is unknown. */
    share: number | null
    turn_id: string
    called_at: string
    name: string
  })[]
}

export interface SpaceContextList {
  items: SpaceContext[]
  /** The number of entries on all pages. */
  total: number
  limit: number
  offset: number
}

export interface SpaceMember {
  space_id: number
  user_id: number
  name: string | null
  email: string | null
  since: string
}

/** An operator has shared spaces of yours with more people, by adding people or a space to a workspace or its team. It is a notice to the account's owner, so only keys to all spaces see it. */
export interface SpaceSharedEvent {
  /** The same in every delivery and replay. Store it, so that you handle each event once. */
  id: string
  type: "space.shared"
  created_at: string
  /** Always null: the event belongs to no turn. */
  seq: number | null
  data: {
    /** At most 20. */
    spaces: ({
      space: string
      title: string | null
    })[]
    space_count: number
    /** At most 20. */
    people: ({
      user_id: number
      name: string | null
    })[]
    people_count: number
  }
}

export interface SpaceSharing {
  space_id: string
  /** The workspace whose members can use the space; null: the space is in no workspace. */
  workspace: {
    workspace_id: string
    name: string
  } | null
  /** The people with whom the space is shared, by name, at most 200. */
  people: ({
    user_id: number
    name: string | null
    /** `admin`: can change the space and use its secrets in tools. `member`: can see and use the space. */
    role: "admin" | "member"
  })[]
  /** The number of people with whom the space is shared. */
  people_count: number
  /** Your limit of what these people can spend together in a UTC day, in USD; null: the default. */
  daily_usd: number | null
  cap: CapState
}

export interface SpaceSpend {
  space_id: string
  days: number
  /** Turns that have ended. */
  turns: number
  /** The amount that the owner of the space was billed for these turns. */
  billed_usd: number
  /** By the day (UTC) on which the turns ended. Days without turns are omitted. */
  series: ({
    date: string
    /** Turns that have ended. */
    turns: number
    /** The amount that the owner of the space was billed for these turns. */
    billed_usd: number
  })[]
  /** Web-chat turns by sender, highest spend first. */
  people: ({
    user_id: number
    name: string | null
    /** Turns that have ended. */
    turns: number
    /** The amount that the owner of the space was billed for these turns. */
    billed_usd: number
  })[]
  /** Turns of the owner's API keys. */
  keys: {
    /** Turns that have ended. */
    turns: number
    /** The amount that the owner of the space was billed for these turns. */
    billed_usd: number
  }
}

export interface SpaceSummary {
  /** The id of the space, which turns send as `space`. */
  space_id: string
  title: string
  /** The pin of the default model of its turns; null: the catalog's first model. */
  model: string | null
  /** Your own key-value pairs: at most 16 pairs, keys of 64 and values of 512 characters. */
  metadata: Record<string, string>
  /** The number of the current version of its configuration. */
  config_version: number
  /** True if the space is archived. You can read it, but not change or use it. */
  archived: boolean
  /** True if the space is test data. Only test keys can access it. */
  test: boolean
  created_at: string
  updated_at: string
  /** Your role. `owner`: is billed for the space, and can change it. `admin`: can change it; the owners and admins of its workspace are `admin`. `member`: can see and use it. */
  role: "owner" | "admin" | "member"
  /** The workspace whose members can see and use the space; null: none. */
  workspace_id: string | null
}

export interface SpaceSummaryList {
  items: SpaceSummary[]
  /** The number of entries on all pages. */
  total: number
  limit: number
  offset: number
}

export interface StartPasswordReset {
  email: string
}

export interface StartPasswordResetAnswer {
  ok: true
}

export interface Statement {
  document: "statement"
  version: 1
  month: string
  from: string
  /** Exclusive. */
  to: string
  currency: "USD"
  receipts: StatementReceipts
  /** The days (UTC) with receipts. */
  days: StatementDay[]
  refunds: StatementRefunds
  other_charges: StatementOther
  /** Receipts and other charges less refunds. */
  total_usd: string
}

export interface StatementDay {
  day: string
  receipts: number
  amount_usd: string
  /** It begins with zero bytes. For each receipt, by `ended_at` and then `turn_id`, it becomes the SHA-256 of itself and the receipt's digest. */
  digest: string
}

export type StatementDocument = SignedReceipt | SignedRefund

export interface StatementDocumentList {
  data: StatementDocument[]
  has_more: boolean
  next_cursor: string | null
}

/** Charges for containers and storage. */
export interface StatementOther {
  count: number
  amount_usd: string
}

/** The receipts of all live turns that ended in the month. */
export interface StatementReceipts {
  count: number
  amount_usd: string
  /** SHA-256 of the digests in `days`, one after the other. */
  digest: string
}

/** The refunds that were booked in the month, whenever their turns ended. */
export interface StatementRefunds {
  count: number
  amount_usd: string
  /** As in `days`, over the refunds by `ledger_id`. */
  digest: string
}

/** An agent to which the main agent can delegate tasks. Sub-agents cannot delegate. */
export interface Subagent {
  name: string
  /** When to use the sub-agent. The agent reads this text. */
  description: string
  /** The sub-agent's system instructions. */
  instructions?: string | undefined
  /** The pin of the sub-agent's model. Default: the model of the agent. */
  model?: string | undefined
  /** The names of the tools that the sub-agent can call: `name`, `server__tool`, `server__*`, or a built-in tool. Default: all tools of the agent. */
  tools?: string[] | undefined
  /** The maximum number of model calls for one task. Default 16. */
  max_steps?: number | undefined
  max_output_tokens?: number | undefined
}

/** An agent to which the main agent can delegate tasks. Sub-agents cannot delegate. */
export interface SubagentInput {
  name: string
  /** When to use the sub-agent. The agent reads this text. */
  description: string
  /** The sub-agent's system instructions. */
  instructions?: string | undefined
  /** The pin of the sub-agent's model. Default: the model of the agent. */
  model?: string | undefined
  /** The names of the tools that the sub-agent can call: `name`, `server__tool`, `server__*`, or a built-in tool. Default: all tools of the agent. */
  tools?: string[] | undefined
  /** The maximum number of model calls for one task. Default 16. */
  max_steps?: number | undefined
  max_output_tokens?: number | undefined
}

export interface Subscription {
  sub_id: number
  user_id: number
  /** The id of a plan in the setting `plans`. */
  plan: string
  /** Whether the service assigned the plan at the first sign-in. */
  trial: boolean
  starts_at: string
  /** The end of the plan, exclusive; null for no end. */
  ends_at: string | null
  deactivated_at: string | null
  note: string | null
  /** Whether an admin gave it besides another active subscription. */
  alongside: boolean
  version: number
  created_at: string
  updated_at: string
  /** The admin who made the last edit; null if it was the service. */
  updated_by: number | null
}

export interface SubscriptionCreate {
  user_id: number
  /** The id of a plan in the setting `plans`. */
  plan: string
  /** Default: now. Each period starts on the same day of the month. */
  starts_at?: string | undefined
  /** The end of the plan, exclusive; null for no end. */
  ends_at?: string | null | undefined
  note?: string | null | undefined
  /** The `sub_id` of a subscription of the user that ends when this one starts; at once if this one has started. */
  replaces?: number | null | undefined
  /** Allows that the user has another active subscription at the same time. Both plans give their credit. */
  alongside?: boolean | undefined
}

export interface SubscriptionList {
  items: Subscription[]
  /** The number of entries on all pages. */
  total: number
  limit: number
  offset: number
}

export interface SubscriptionSpaces {
  /** The start of the range (UTC). */
  from: string
  /** The end of the range (UTC), exclusive. A range of days ends at midnight after its last day, which may be today. */
  to: string
  /** Null: each row covers the whole range. */
  granularity: null
  /** The time at which the report was made. Its figures are exact at this time. */
  as_of: string
  /** The requested `provider_key`. Null for all. */
  subscription_id: string | null
  /** The requested chat. Null for all chats. */
  chat_key: string | null
  /** All providers, the highest billed amount first. */
  providers: ({
    /** The member of a pool that served the calls. Otherwise their provider, also for calls that a user's plan paid for. */
    provider_key: string
    /** Live turns that ended, including turns that were billed nothing. */
    turns: number
    /** Model calls, including the calls of sub-agents. */
    model_calls: number
    /** All input tokens, including cached ones. */
    tokens_input: number
    tokens_cached: number
    tokens_output: number
    /** The exact amount that the turns were billed. Refunds are not subtracted. */
    billed_cost_usd: number
    /** The exact amount that was refunded. A refund counts when it was booked, not when its turn ended. */
    refunded_usd: number
    /** The billed amount less `refunded_usd`. Negative if more was refunded than billed in this time. */
    net_usd: number
    /** The cost of the calls for us, at the providers' prices of their time, including calls that no account pays for. */
    cost_usd: number
    /** `billed_cost_usd` - `cost_usd`. Negative if calls cost more than accounts were billed for them. Refunds are not subtracted. */
    margin_usd: number
  })[]
  /** The sum of the pairs on all other pages. */
  other: {
    /** Live turns that ended, including turns that were billed nothing. */
    turns: number
    /** Model calls, including the calls of sub-agents. */
    model_calls: number
    /** All input tokens, including cached ones. */
    tokens_input: number
    tokens_cached: number
    tokens_output: number
    /** The exact amount that the turns were billed. Refunds are not subtracted. */
    billed_cost_usd: number
    /** The exact amount that was refunded. A refund counts when it was booked, not when its turn ended. */
    refunded_usd: number
    /** The billed amount less `refunded_usd`. Negative if more was refunded than billed in this time. */
    net_usd: number
    /** The cost of the calls for us, at the providers' prices of their time, including calls that no account pays for. */
    cost_usd: number
    /** `billed_cost_usd` - `cost_usd`. Negative if calls cost more than accounts were billed for them. Refunds are not subtracted. */
    margin_usd: number
  }
  /** The sum of all pairs: the items and `other`. */
  total: {
    /** Live turns that ended, including turns that were billed nothing. */
    turns: number
    /** Model calls, including the calls of sub-agents. */
    model_calls: number
    /** All input tokens, including cached ones. */
    tokens_input: number
    tokens_cached: number
    tokens_output: number
    /** The exact amount that the turns were billed. Refunds are not subtracted. */
    billed_cost_usd: number
    /** The exact amount that was refunded. A refund counts when it was booked, not when its turn ended. */
    refunded_usd: number
    /** The billed amount less `refunded_usd`. Negative if more was refunded than billed in this time. */
    net_usd: number
    /** The cost of the calls for us, at the providers' prices of their time, including calls that no account pays for. */
    cost_usd: number
    /** `billed_cost_usd` - `cost_usd`. Negative if calls cost more than accounts were billed for them. Refunds are not subtracted. */
    margin_usd: number
  }
  /** The number of pairs on all pages. */
  pairs: number
  /** The size of a page. */
  limit: number
  /** The number of entries that were skipped. */
  offset: number
  /** Pairs of a provider and a space, the highest billed amount first. */
  items: ({
    /** The member of a pool that served the calls. Otherwise their provider, also for calls that a user's plan paid for. */
    provider_key: string
    /** The number of the space. */
    space_id: number
    slug: string
    chat_key: string | null
    title: string
    /** The account that is billed. */
    owner_id: number
    /** Live turns that ended, including turns that were billed nothing. */
    turns: number
    /** Model calls, including the calls of sub-agents. */
    model_calls: number
    /** All input tokens, including cached ones. */
    tokens_input: number
    tokens_cached: number
    tokens_output: number
    /** The exact amount that the turns were billed. Refunds are not subtracted. */
    billed_cost_usd: number
    /** The exact amount that was refunded. A refund counts when it was booked, not when its turn ended. */
    refunded_usd: number
    /** The billed amount less `refunded_usd`. Negative if more was refunded than billed in this time. */
    net_usd: number
    /** The cost of the calls for us, at the providers' prices of their time, including calls that no account pays for. */
    cost_usd: number
    /** `billed_cost_usd` - `cost_usd`. Negative if calls cost more than accounts were billed for them. Refunds are not subtracted. */
    margin_usd: number
  })[]
}

export interface SubscriptionUpdate {
  /** The id of a plan in the setting `plans`. */
  plan?: string | undefined
  /** The end of the plan, exclusive; null for no end. */
  ends_at?: string | null | undefined
  note?: string | null | undefined
  /** Allows that the user has another active subscription at the same time. Both plans give their credit. */
  alongside?: boolean | undefined
}

export interface SubscriptionUsage {
  /** The first day of the report (UTC). */
  from: string
  /** The day after the last day of the report (UTC). */
  to: string
  /** The time at which the page was chosen. Later calls may be in its days. */
  as_of: string
  /** The number of subscriptions that were used. */
  total: number
  limit: number
  offset: number
  /** The `offset` of the next page, which may begin before `limit` is reached. Null on the last page. */
  next_offset: number | null
  /** Subscriptions, highest bill first. */
  items: ({
    /** The `sub_id` of a user's plan, or the name of the provider account that served the calls. */
    subscription_id: string
    /** The user who has the plan; null for a provider account. */
    user_id: number | null
    plan: string | null
    billed_usd: number
    /** Days with calls, oldest first. A call counts on the day on which its turn ended. */
    days: ({
      date: string
      model_calls: number
      tokens_input: number
      tokens_cached: number
      tokens_output: number
      billed_usd: number
    })[]
  })[]
}

export interface System {
  database: {
    ok: boolean
    /** The duration of one short query, in milliseconds. */
    round_trip_ms: number
  }
  /** Open turns of all accounts. */
  turns: {
    /** Turns in the state `queued`. */
    queued: number
    /** Turns in the state `running`. Turns that wait are included. */
    running: number
    /** Running turns that have no worker because they wait, one entry for each reason. */
    waiting: ({
      /** A limit, a decision about a call, or a later result of a call. */
      for: "limit" | "approval" | "result"
      turns: number
      /** Since when the first of them has waited. */
      oldest_at: string | null
    })[]
    /** Queued turns that cannot start yet, because an earlier turn of their conversation waits. */
    blocked: number
    /** Open turns that a runner should have claimed at least two minutes ago. Waiting turns do not count. */
    overdue: number
  }
  /** The backlog of all endpoints. */
  webhooks: {
    /** Deliveries that were neither delivered nor given up. */
    pending: number
    /** The reasons for which deliveries are pending, one entry for each. */
    waiting: ({
      /** `verification`: the endpoint has not answered its first ping. `retry`: an attempt has failed, and the next one is later. `attempt`: a dispatcher sends it. */
      for: "verification" | "retry" | "attempt"
      deliveries: number
      /** When the first of them was created. */
      oldest_at: string | null
    })[]
    /** Deliveries that should have been attempted at least two minutes ago, of endpoints without any attempt since. Deliveries that wait for their receivers do not count. */
    overdue: number
  }
  /** The queue of charges of large accounts. Balances include them at once. If the oldest has waited for several seconds, posting is failing. */
  postings: {
    /** Charges that are not in the ledger yet. */
    queued: number
    /** The age of the oldest charge in the queue, in seconds; null if the queue is empty. */
    oldest_seconds: number | null
  }
  /** Containers of spaces, and their bills. */
  containers: {
    /** Enabled mappings of spaces to containers. */
    mappings: number
    /** When containers and storage were last billed; null if never. */
    billed_until: string | null
    /** The amount, in USD, that accounts could not pay yet for containers and storage. */
    due_usd: number
  }
  /** Failures of live turns in the last 24 hours, counted over the newest 10000. */
  errors: ({
    kind: "container_start" | "container_exec" | "subagent_dispatch" | "model_call"
    /** The provider or the container. */
    name: string
    errors: number
  })[]
  /** The last run of each sweep. Sweeps run every minute, except while the cron sleeps. */
  sweeps: ({
    name: string
    ran_at: string
    duration_ms: number
    ok: boolean
    succeeded_at: string | null
  })[]
  /** The checks `queue` and `redis` of `GET /api/health`, with the provider's own words if it refuses. */
  outside: ({
    name: "database" | "queue" | "redis" | "cron" | "sweeps" | "turns" | "webhooks" | "reconciliation" | "providers" | "provider_books" | "settings"
    /** Null: unknown, because the database does not answer. */
    ok: boolean | null
    /** The state in words, without secrets. */
    message: string
    /** The figure that the check compares: milliseconds of a database query, messages at once, seconds since the last run, or a count. */
    value: number | null
    /** The highest value that is still fine. */
    limit: number | null
  })[]
  /** The sleep of the cron: no sweep has work before it ends. A change ends it. Null if awake. */
  asleep: {
    since: string
    until: string
  } | null
  /** The last finished reconciliation, with its findings; null until the first one has finished. */
  reconciliation: Reconciliation | null
  /** The last finished reconciliation of all history; null if none. It starts once a week, and after a finding. */
  reconciliation_of_all: Reconciliation | null
  /** The running reconciliation; null if none is running. */
  reconciliation_running: Reconciliation | null
}

export interface Task {
  task_id: number
  space: {
    slug: string
    title: string
    brand: string
  }
  /** The brand of the space when the task was created. */
  brand: string
  state: "open" | "closed" | "done" | "cancelled"
  title: string
  description: string | null
  /** The flow to which the task belongs; null if none. */
  flow: string | null
  /** The number of the step in the flow, from 1; null if the task belongs to no flow. */
  flow_place: number | null
  /** The user to whom the task is assigned; null if unassigned. */
  assignee: {
    user_id: number
    name: string | null
  } | null
  /** The account whose agent created the task. */
  creator: {
    user_id: number
    name: string | null
  } | null
  end_user_ref: string | null
  /** The turn in which the task was created. */
  turn_id: string | null
  created_at: string
  updated_at: string
}

export interface TaskList {
  items: Task[]
  /** The number of entries on all pages. */
  total: number
  limit: number
  offset: number
}

export interface Team {
  team_id: number
  name: string
  description: string | null
  members: ({
    user_id: number
    name: string | null
    email: string | null
    role: "lead" | "member"
    since: string
  })[]
  archived: boolean
  /** Increases with each change. */
  version: number
  created_at: string
  updated_at: string
  /** The admin who made the last change; null if it was the command line. */
  updated_by: {
    user_id: number
    name: string | null
  } | null
}

export interface TeamCreate {
  name: string
  description?: string | null | undefined
  members?: ({
    user_id: number
    role?: "lead" | "member" | undefined
  })[] | undefined
}

export interface TeamList {
  items: Team[]
  /** The number of entries on all pages. */
  total: number
  limit: number
  offset: number
}

/** Omitted fields do not change; null clears a field. */
export interface TeamUpdate {
  name?: string | undefined
  description?: string | null | undefined
  /** Replaces all members. Members who stay keep their `since`. */
  members?: ({
    user_id: number
    role?: "lead" | "member" | undefined
  })[] | undefined
  /** `true` archives the team: its members lose access to its workspaces. `false` restores it. */
  archived?: boolean | undefined
}

export interface TestTool {
  /** The end user for whom the request is made: `{{end_user.ref}}` and the subject of `Turnpike-Identity`. Default: none, as in a web chat. Only keys and the owner of the space can choose one. */
  end_user_ref?: string | undefined
  /** The values of `{{metadata.KEY}}`. */
  metadata?: Record<string, string> | undefined
  /** The values of `{{profile.KEY}}`. */
  profile?: Record<string, string | number | boolean> | undefined
  /** The tool's input, as a model would send it. Default: `{}`. */
  input?: Record<string, unknown> | undefined
}

/** A tool of your own: a request to your API that the agent can make, or calls that your worker takes. */
export interface Tool {
  name: string
  /** What the tool does. The model reads this text. */
  description: string
  /** The JSON Schema (2020-12) of the tool's input, with `type: object`. Patterns use RE2, which has no look-arounds and no back-references. */
  input_schema: Record<string, unknown>
  /** The request to your API. Null: your own worker takes the calls (`GET /v1/calls`), or your server sees them in `turn.waiting` and sends their results. */
  request: {
    method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
    /** The URL. Placeholders are allowed only after the host. */
    url: string
    /** HTTP headers. Values can contain placeholders. Store credentials as secrets: `Bearer {{secrets.TOKEN}}`. */
    headers?: Record<string, string> | undefined
    /** Query parameters. A parameter that is only a placeholder is left out if the input has no such value. */
    query?: Record<string, string> | undefined
    /** The JSON body. Its texts can contain placeholders. A text that is only a placeholder becomes the value itself, with its type. A body that is a text is sent unchanged. Default for POST, PUT and PATCH: the input. The model neither sees nor fills a field whose value is taken from the turn, such as `{{end_user.ref}}`. */
    body?: unknown
  } | null
  approval?: Approval | undefined
  /** Whether your server may respond with 202 and send the result later. Then each request carries `Turnpike-Result-Url`, the address for the result, and `Turnpike-Result-Token`, with which the server can send it without an API key: `Authorization: Bearer`. Default false. */
  answers_later?: boolean | undefined
  /** Whether each request carries `Turnpike-Identity`, a signed token that names the end user, the turn and the call. See [Whom a tool acts for](/docs/tools#whom-a-tool-acts-for). Default `signed`. */
  identity?: "signed" | "none" | undefined
  /** The time limit of one call, in seconds. Default 30. */
  timeout_seconds?: number | undefined
}

/** A tool of your own: a request to your API that the agent can make, or calls that your worker takes. */
export interface ToolInput {
  name: string
  /** What the tool does. The model reads this text. */
  description: string
  /** The JSON Schema (2020-12) of the tool's input, with `type: object`. Patterns use RE2, which has no look-arounds and no back-references. */
  input_schema: Record<string, unknown>
  /** The request to your API. Null: your own worker takes the calls (`GET /v1/calls`), or your server sees them in `turn.waiting` and sends their results. */
  request: {
    method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
    /** The URL. Placeholders are allowed only after the host. */
    url: string
    /** HTTP headers. Values can contain placeholders. Store credentials as secrets: `Bearer {{secrets.TOKEN}}`. */
    headers?: Record<string, string> | undefined
    /** Query parameters. A parameter that is only a placeholder is left out if the input has no such value. */
    query?: Record<string, string> | undefined
    /** The JSON body. Its texts can contain placeholders. A text that is only a placeholder becomes the value itself, with its type. A body that is a text is sent unchanged. Default for POST, PUT and PATCH: the input. The model neither sees nor fills a field whose value is taken from the turn, such as `{{end_user.ref}}`. */
    body?: unknown
  } | null
  approval?: ApprovalInput | undefined
  /** Whether your server may respond with 202 and send the result later. Then each request carries `Turnpike-Result-Url`, the address for the result, and `Turnpike-Result-Token`, with which the server can send it without an API key: `Authorization: Bearer`. Default false. */
  answers_later?: boolean | undefined
  /** Whether each request carries `Turnpike-Identity`, a signed token that names the end user, the turn and the call. See [Whom a tool acts for](/docs/tools#whom-a-tool-acts-for). Default `signed`. */
  identity?: "signed" | "none" | undefined
  /** The time limit of one call, in seconds. Default 30. */
  timeout_seconds?: number | undefined
}

export interface ToolList {
  items: Tool[]
  /** The number of entries on all pages. */
  total: number
  limit: number
  offset: number
}

export interface ToolOutput {
  is_error: boolean
  /** The text that the model got. */
  text: string
  /** Images and other binary parts. */
  objects: ({
    name: string
    media_type: string
    bytes: number
  })[]
}

export interface ToolTest {
  /** True if a model would see a result; false if it would see an error. */
  ok: boolean
  /** The text that a model would see. */
  result: string
  /** The request as it was sent, with `{{secrets.NAME}}` in place of each secret. Null if none could be made. */
  request: {
    method: string
    url: string
    headers: Record<string, string>
    body: string | null
  } | null
  /** What your server reads from `Turnpike-Identity`. Null: the request carries none. */
  identity: {
    /** True if a published key confirms the token. */
    valid: boolean
    claims: Record<string, unknown>
  } | null
  /** The response of the tool's server. Null if none arrived. */
  response: {
    status: number
    headers: Record<string, string>
    body: string
  } | null
  duration_ms: number
}

export interface TopSpacesReport {
  /** The start of the range (UTC). */
  from: string
  /** The end of the range (UTC), exclusive. A range of days ends at midnight after its last day, which may be today. */
  to: string
  /** Null: each row covers the whole range. */
  granularity: null
  /** The time at which the report was made. Its figures are exact at this time. */
  as_of: string
  limit: number
  /** The spaces whose turns were billed most, including archived ones. The highest amount is first, then by id. */
  items: ({
    /** The number of the space. */
    space_id: number
    slug: string
    chat_key: string | null
    title: string
    /** The account that is billed. */
    owner_id: number
    /** Live turns that ended, including turns that were billed nothing. */
    turns: number
    /** Model calls, including the calls of sub-agents. */
    model_calls: number
    /** All input tokens, including cached ones. */
    tokens_input: number
    tokens_cached: number
    tokens_output: number
    /** The exact amount that the turns were billed. Refunds are not subtracted. */
    billed_cost_usd: number
    /** The exact amount that was refunded. A refund counts when it was booked, not when its turn ended. */
    refunded_usd: number
    /** The billed amount less `refunded_usd`. Negative if more was refunded than billed in this time. */
    net_usd: number
  })[]
  /** The sum of all other spaces. */
  other: {
    /** Live turns that ended, including turns that were billed nothing. */
    turns: number
    /** Model calls, including the calls of sub-agents. */
    model_calls: number
    /** All input tokens, including cached ones. */
    tokens_input: number
    tokens_cached: number
    tokens_output: number
    /** The exact amount that the turns were billed. Refunds are not subtracted. */
    billed_cost_usd: number
    /** The exact amount that was refunded. A refund counts when it was booked, not when its turn ended. */
    refunded_usd: number
    /** The billed amount less `refunded_usd`. Negative if more was refunded than billed in this time. */
    net_usd: number
  }
  /** The sum of all spaces: the items and `other`. */
  total: {
    /** Live turns that ended, including turns that were billed nothing. */
    turns: number
    /** Model calls, including the calls of sub-agents. */
    model_calls: number
    /** All input tokens, including cached ones. */
    tokens_input: number
    tokens_cached: number
    tokens_output: number
    /** The exact amount that the turns were billed. Refunds are not subtracted. */
    billed_cost_usd: number
    /** The exact amount that was refunded. A refund counts when it was booked, not when its turn ended. */
    refunded_usd: number
    /** The billed amount less `refunded_usd`. Negative if more was refunded than billed in this time. */
    net_usd: number
  }
}

export interface TopUsersReport {
  /** The start of the range (UTC). */
  from: string
  /** The end of the range (UTC), exclusive. A range of days ends at midnight after its last day, which may be today. */
  to: string
  /** Null: each row covers the whole range. */
  granularity: null
  /** The time at which the report was made. Its figures are exact at this time. */
  as_of: string
  limit: number
  /** The accounts that were billed most, the highest amount first, then by id. */
  items: ({
    /** The account that is billed. */
    user_id: number
    name: string | null
    email: string | null
    /** Live turns that ended, including turns that were billed nothing. */
    turns: number
    /** Model calls, including the calls of sub-agents. */
    model_calls: number
    /** All input tokens, including cached ones. */
    tokens_input: number
    tokens_cached: number
    tokens_output: number
    /** The exact amount that the turns were billed. Refunds are not subtracted. */
    billed_cost_usd: number
    /** The exact amount that was refunded. A refund counts when it was booked, not when its turn ended. */
    refunded_usd: number
    /** The billed amount less `refunded_usd`. Negative if more was refunded than billed in this time. */
    net_usd: number
  })[]
  /** The sum of all other accounts. */
  other: {
    /** Live turns that ended, including turns that were billed nothing. */
    turns: number
    /** Model calls, including the calls of sub-agents. */
    model_calls: number
    /** All input tokens, including cached ones. */
    tokens_input: number
    tokens_cached: number
    tokens_output: number
    /** The exact amount that the turns were billed. Refunds are not subtracted. */
    billed_cost_usd: number
    /** The exact amount that was refunded. A refund counts when it was booked, not when its turn ended. */
    refunded_usd: number
    /** The billed amount less `refunded_usd`. Negative if more was refunded than billed in this time. */
    net_usd: number
  }
  /** The sum of all accounts: the items and `other`. */
  total: {
    /** Live turns that ended, including turns that were billed nothing. */
    turns: number
    /** Model calls, including the calls of sub-agents. */
    model_calls: number
    /** All input tokens, including cached ones. */
    tokens_input: number
    tokens_cached: number
    tokens_output: number
    /** The exact amount that the turns were billed. Refunds are not subtracted. */
    billed_cost_usd: number
    /** The exact amount that was refunded. A refund counts when it was booked, not when its turn ended. */
    refunded_usd: number
    /** The billed amount less `refunded_usd`. Negative if more was refunded than billed in this time. */
    net_usd: number
  }
}

export interface TraceEndpoint {
  /** The whole URL for traces of your OTLP/HTTP collector. It must use https and a public host name. */
  url: string
  /** The names of the stored headers. */
  header_names: string[]
  /** True if spans have texts. */
  with_text: boolean
  /** Spans that the endpoint has taken. */
  spans_sent: number
  /** Spans of turns that ended before this time were sent or given up. */
  exported_until: string
  /** When the endpoint last took spans. Null: never. */
  last_sent_at: string | null
  /** When a request last failed. Null: never. */
  last_failed_at: string | null
  /** Why it failed. Null: nothing has failed. */
  last_error: string | null
  /** When the next request may be sent, if the last one failed. Null: the last one did not fail. */
  retry_at: string | null
  created_at: string
  updated_at: string
}

export interface TraceSpan {
  /** `queue`: until a worker took the turn. `model`: a model call. `tool`: a tool call. `attempt`: a call of a model, a container or a sub-agent that failed; only its end is known. `wait`: a pause before the next attempt, until the provider has capacity, or until a person or another system acts: a decision, a result or a higher limit. */
  kind: "queue" | "model" | "tool" | "attempt" | "wait"
  /** The model, the tool, the code of the failed attempt, or the tools or the limit that the turn waits for. */
  name: string
  /** The number of its step. */
  step: number | null
  /** The sub-agent that made the call. */
  subagent: string | null
  /** Milliseconds from the acceptance of the turn to its start. */
  start_ms: number
  duration_ms: number
  /** `open`: it has not ended. */
  state: "ok" | "failed" | "open"
  /** Why a model's answer ended, the kind of a failed call, or what a pause waits for, such as `approval`. */
  detail: string | null
  /** The tokens of a model call that has ended. */
  tokens: {
    input: number
    /** The part of `input` from the provider's cache. */
    cached: number
    output: number
    /** The part of `output` that is reasoning. */
    reasoning: number
  } | null
  /** How a model was called, if the turn or the manifest of its space says so. */
  settings: {
    max_output_tokens: number | null
    temperature: number | null
    reasoning: "none" | "low" | "medium" | "high" | null
    service_tier: "auto" | "default" | "flex" | "priority" | "fast" | "ultrafast" | null
  } | null
  /** The words of the model's provider about a failed attempt. */
  error: ProviderDetails | null
}

export interface TransferAccount {
  /** The person of the account who becomes an owner. */
  user_id: number
  /** Your role afterwards. Null: you leave the account. */
  role: "developer" | "billing" | "read_only" | null
}

export interface TransferredAccount {
  /** Keys whose values you know, and that have more rights than you now. The owners decide about them. */
  keys_to_decide: KnownKey[]
}

export interface Turn {
  turn_id: string
  /** The space that the turn runs in. */
  space: string
  /** Your own id for your end user. */
  end_user_ref: string
  /** The conversation's id. Turns of one conversation run in order, one at a time. */
  conversation: string
  /** `done`, `failed` and `cancelled` are final. */
  state: "queued" | "running" | "done" | "failed" | "cancelled"
  /** Why a running turn waits. Null: it does not wait. */
  waiting: Waiting | null
  /** The earlier turn of the conversation that waits, if a queued turn cannot start because of it. */
  waits_behind: string | null
  /** When the queued turn is `cancelled` (`expired`) if that earlier turn still waits. */
  waits_behind_until: string | null
  /** Why the turn is `failed` (the error's code) or `cancelled` (such as `client` or `expired`). Otherwise null. */
  status_reason: string | null
  /** The end user's message. A turn with messages has the user's last text, at most 100000 bytes; read them all with `GET /v1/turns/{turn_id}/messages`. */
  text: string
  /** The agent's reply. Null until the turn has ended, or without one. */
  result: string | null
  /** The value of the result, if the turn is done and has a `response_format` of JSON: it fits the schema. Otherwise null. */
  output: unknown
  /** How a turn is done: with a reply, or with `calls` of your tools. Null in all other states. */
  finish: "stop" | "tool_calls" | null
  /** Calls of your tools with which the turn is done. Carry them out and send their `results` with the next turn of the conversation. Empty without calls, and after the texts are deleted. */
  calls: ({
    id: string
    name: string
    input: Record<string, unknown>
  })[]
  /** True if the reply of a done turn was cut off at an output limit. */
  truncated: boolean
  /** Why the turn failed: `MODEL_UNAVAILABLE`, `FILE_REJECTED`, `EMPTY_ANSWER`, `OUTPUT_INVALID`, `TIMEOUT_REACHED`, … Null in all other states. `details` has the provider's words. It is null if no provider has caused the failure. */
  error: {
    code: string
    message: string
    details: ProviderDetails | null
  } | null
  /** What the turn had to do without. It did not fail for that. */
  warnings: ({
    /** `TOOLS_MISSING`: an optional MCP server did not answer. */
    code: string
    server: string
    message: string
  })[]
  /** Ids of the files that were sent with the turn. */
  files: string[]
  /** The files that the agent made, once the turn is done. A turn that failed or was cancelled has the images that it is billed for. */
  outputs: Output[]
  /** Amount charged for the turn. 0 until it has ended. */
  billed_cost_usd: number
  /** Amount of `billed_cost_usd` that the operator has returned to your balance: 0, or all of it. Reports count it when it was booked. */
  refunded_usd: number
  /** Your price for the end user and its version, as they were when the turn was accepted. Null: no price. Read the version with `GET /v1/prices/{name}?version=`. */
  price: TurnPrice | null
  /** The amount that your end user is charged, by your price or from the end user's wallet. Null until the turn has ended, and for a turn with neither. A test turn is charged to the test wallet, for its rehearsed cost. See [Prices and wallets](/docs/resale). */
  end_user_charge_usd: number | null
  /** Amount of your balance that is set aside for the turn until it ends. */
  held_usd: number
  /** The most that the turn can cost, as sent or raised since. Null: it has no limit of its own. Null in events of an open turn. */
  max_cost_usd: number | null
  /** `fail` or `wait` at a limit, as sent. Null: the manifest of its space says it. */
  on_limit: "fail" | "wait" | null
  /** The most output tokens of each model call, as sent. Null: the manifest of its space says it. */
  max_output_tokens: number | null
  /** The temperature, as sent. Null: the manifest of its space says it. */
  temperature: number | null
  /** The effort of reasoning, as sent. Null: the manifest of its space says it. */
  reasoning: Reasoning | null
  /** The form of the result, as sent. Null: the manifest of its space says it. */
  response_format: ResponseFormat | null
  /** The sequences before which the reply ends, as sent. Null: none. */
  stop: string[] | null
  /** False: the texts of the turn are deleted soon after its end. */
  store: boolean
  usage: {
    /** Model calls of all agents of the turn. */
    model_calls: number
    /** Tool calls, including calls of built-in tools. */
    tool_calls: number
    /** All prompt tokens, including cached tokens. */
    tokens_input: number
    /** The part of `tokens_input` that came from the provider's cache. */
    tokens_cached: number
    /** All tokens that models wrote, including reasoning. */
    tokens_output: number
    /** The reasoning in `tokens_output`. 0 if it is not counted. */
    tokens_reasoning: number
  }
  /** The model that the turn runs on, as a pin. */
  model: string
  /** Your own key-value pairs: at most 16 pairs, keys of 64 and values of 512 characters. */
  metadata: Record<string, string>
  /** True if a test key sent the turn: it is rehearsed and free. */
  test: boolean
  /** The turn's span in its trace (W3C Trace Context): the trace of the request's `traceparent`, or a new one. See [Traces](/docs/traces). */
  traceparent: string
  /** The `tracestate` of the request. Null without one. */
  tracestate: string | null
  /** When the texts of the turn were deleted, because their time was over or the end user was erased. Then `text` is empty, `result` is null, and the bill stays. Null while the texts are kept. */
  texts_deleted_at: string | null
  /** The same for the turn's steps and its log. Then it has no events. Null while they are kept. */
  steps_deleted_at: string | null
  created_at: string
  /** When the turn started to run. Null if it has not started. */
  started_at: string | null
  /** When the turn ended. Null until then. */
  finished_at: string | null
}

export interface TurnBill {
  turn_id: string
  state: "queued" | "running" | "done" | "failed" | "cancelled"
  /** Cost of the turn's model calls and images so far. */
  cost_usd: number
  /** Amount charged. 0 until the turn has ended, and for a turn that the service has lost. */
  billed_cost_usd: number
  /** Amount of `billed_cost_usd` that the operator has returned to your balance: 0, or all of it. Reports count it when it was booked. */
  refunded_usd: number
  /** Amount set aside for the turn until it ends. */
  held_usd: number
  /** Model calls and images of the turn, in order. They add up to both sums. */
  items: ({
    /** The step's number. -1 for amounts of the whole turn. */
    step: number
    /** The tool call that made an image. Null for a model call. */
    call: number | null
    /** Number of model calls in this line. */
    calls: number
    /** `orchestrator`, `subagent`, or `summary` for the summary of earlier turns. */
    role: "orchestrator" | "subagent" | "summary"
    /** The sub-agent's name. Null for the space's own agent. */
    subagent: string | null
    /** The model, as a pin. */
    model: string
    /** All prompt tokens, including cached tokens. */
    tokens_input: number
    /** The part of `tokens_input` that came from the provider's cache. */
    tokens_cached: number
    /** The part of `tokens_input` that was written to the provider's cache. */
    tokens_cache_written: number
    /** The part of `tokens_cache_written` that is cached for an hour instead of five minutes. */
    tokens_cache_written_hour: number
    /** The part of `tokens_input` that is audio and was neither read from the provider's cache nor written to it. */
    tokens_audio: number
    /** All output tokens, including hidden ones. */
    tokens_output: number
    /** The part of `tokens_output` that is reasoning, if the provider counts it. */
    tokens_reasoning: number
    /** The web searches that the provider has made itself. */
    web_searches: number
    /** The searches of posts on X that the provider has made itself. */
    x_searches: number
    /** The runs of code in the provider's own container. */
    code_executions: number
    /** The version of the model's prices that applied. */
    price_version: number
    /** `price` is that of prompts with more tokens than this. Null: the model's own. */
    above_input_tokens: number | null
    /** How the provider says that it has served the call. `price` contains the factor of each. */
    modifiers: string[]
    /** The prices of that version. Null if they are no longer known. */
    price: BillPrice | null
    /** Cost at these prices, within the turn's hold. */
    cost_usd: number
    /** Amount charged for this line. */
    billed_usd: number
    created_at: string
  })[]
}

export interface TurnCosts {
  /** The cost for us, at the provider's prices. */
  cost_usd: number
  /** The amount charged. 0 until the turn has ended. */
  billed_cost_usd: number
  /** `billed_cost_usd` - `cost_usd`. */
  margin_usd: number
  /** The model calls and pictures of the turn, in order. */
  calls: ({
    step: number
    /** The tool call that made a picture. Null for a model call. */
    call: number | null
    /** The model, as a pin. */
    model: string
    /** The version of the model's prices that applied. */
    price_version: number
    /** The cost for us, at the provider's prices. */
    cost_usd: number
    /** The amount charged. 0 until the turn has ended. */
    billed_cost_usd: number
    /** `billed_cost_usd` - `cost_usd`. */
    margin_usd: number
  })[]
}

export interface TurnEstimate {
  /** True if the turn would be accepted now. */
  admitted: boolean
  /** The first hold that the turn would get. 0 if it would be refused. With a test key: the rehearsed hold, or 0 without a price, a wallet or a limit of the end user. */
  hold_usd: number
  /** The smallest hold that the turn needs, in your cost: the most that its first model call can cost. With a test key as `hold_usd`. */
  needed_usd: number
  /** The same as a charge: the amount that the end user's wallet must have available. Null: no wallet pays for the turn. */
  end_user_needed_usd: number | null
  /** The refusal that the turn would get, with code, message and details. Null if it would be accepted. */
  refused_by: RefusedBy | null
  /** A turn that could not pay for a later model call would do this: `fail`, or `wait` until the limit allows it. */
  on_limit: "fail" | "wait"
  /** The model that the turn would run on, as a pin. */
  model: string
  /** The account's balance. Null for a test key, and for a key to one space. */
  balance: Balance | null
  /** All caps that apply to the turn. A window that is not open is shown as if the turn opened it now. */
  caps: CapState[]
}

export interface TurnEvent {
  id: string
  /** The event's number in its turn: from 1, without gaps. In a stream, a piece of text that is not in the log yet has the number of the last event before it. */
  seq: number
  /** `turn.queued`, `turn.running`, `turn.done`, `turn.failed`, `turn.cancelled`, `step.started`, `step.ended`, `tool.started`, `tool.ended`, `tool.requested`, `text.delta`, `model.waiting`, `context.trimmed`, `context.summarised`, `request.adjusted`, `tools.missing`, `turn.waiting`, `turn.resumed`, `call.decided`. */
  type: string
  /** Depends on the type, such as `name` and `ok` for `tool.ended`. */
  data: Record<string, unknown>
  created_at: string
}

export interface TurnEventList {
  items: TurnEvent[]
  /** The number of entries on all pages. */
  total: number
  limit: number
  offset: number
}

export interface TurnList {
  items: Turn[]
  /** The number of entries on all pages. */
  total: number
  limit: number
  offset: number
}

export type TurnMessage = {
  role: "system" | "developer"
  content: string | ({
    type: "text"
    text: string
  })[]
} | {
  role: "user"
  content: string | ({
    type: "text"
    text: string
  } | {
    type: "file"
    /** A file of the space. */
    file_id: string
  })[]
} | {
  role: "assistant"
  content?: string | ({
    type: "text"
    text: string
  })[] | null | undefined
  /** Calls of tools that the model has made. */
  calls?: ({
    id: string
    name: string
    input: Record<string, unknown>
  })[] | undefined
} | {
  role: "tool"
  /** The results of calls of the assistant's message before it, in any order. */
  results: ({
    id: string
    output?: string | undefined
    error?: string | undefined
  })[]
}

export interface TurnMessages {
  turn_id: string
  messages: TurnMessage[]
}

export interface TurnPrice {
  name: string
  version: number
}

export interface TurnReceipt {
  receipt: SignedReceipt
  /** The receipt for the turn's end user, without your cost. Null: the end user was not charged by a price or from a wallet. */
  end_user_receipt: SignedEndUserReceipt | null
  /** The refund of the turn. Null: it was not refunded. */
  refund: SignedRefund | null
}

/** A turn has a new state. */
export interface TurnStateEvent {
  /** The same in every delivery and replay. Store it, so that you handle each event once. */
  id: string
  type: "turn.queued" | "turn.running" | "turn.waiting" | "turn.resumed" | "turn.done" | "turn.failed" | "turn.cancelled"
  created_at: string
  /** The event's number in its turn's log. */
  seq: number | null
  data: {
    /** The turn as it was at that moment. */
    turn: Turn
  }
}

export interface TurnStats {
  /** The start of the range. Null: all turns. */
  since: string | null
  turns: number
  done: number
  failed: number
  cancelled: number
  /** Queued and running turns. */
  open: number
  billed_usd: number
  /** done / (done + failed). Null without such turns. */
  success_rate: number | null
  /** The median time from acceptance to end. */
  p50_seconds: number | null
  /** The 95th percentile of that time. */
  p95_seconds: number | null
  /** The length of a bucket. */
  bucket_seconds: number
  /** The turns by the time of their acceptance, oldest first. Empty buckets are left out. */
  buckets: ({
    starts_at: string
    turns: number
    failed: number
    cancelled: number
    billed_usd: number
  })[]
  /** The most frequent reasons of failed and cancelled turns, at most 10. */
  reasons: ({
    value: string
    turns: number
    billed_usd: number
  })[]
  /** The most frequent models, at most 10. */
  models: ({
    value: string
    turns: number
    billed_usd: number
  })[]
}

export interface TurnStep {
  /** The step's number: from 0, over all agents of the turn. */
  step: number
  /** The tool call (`step.call`) that a sub-agent works for, or `summary:…` for the summary of earlier turns. Null for the space's own agent. */
  agent: string | null
  /** The sub-agent's name. Null for the space's own agent. */
  subagent: string | null
  /** The model of the step, as a pin. Null in old turns. */
  model: string | null
  /** The text that the model wrote. */
  text: string
  /** Why the answer ended: `stop`, `length`, `tool-calls`, `more`, `paused`, `refused`, `filtered`, `error`, `other`, `empty` if it has neither text nor a call, or `aborted` if the call was cut off. */
  finish: string
  /** The tool calls of the step, with input and output. */
  tool_calls: ({
    /** The call's number in the step, as in the events. */
    call: number
    name: string
    /** The input that the model gave. */
    input: unknown
    /** The tool's output. Null until it has answered. */
    output: ToolOutput | null
  })[]
  created_at: string
}

export interface TurnStepList {
  items: TurnStep[]
  /** The number of entries on all pages. */
  total: number
  limit: number
  offset: number
}

export interface TurnSummary {
  turn_id: string
  state: "queued" | "running" | "done" | "failed" | "cancelled"
  waiting: WaitSummary
  /** Why the turn is `failed` (the error's code) or `cancelled`. Otherwise null. */
  status_reason: string | null
  space: string
  space_title: string
  /** The API key that sent the turn. Null for a web chat. */
  key: {
    key_id: string
    name: string
  } | null
  end_user_ref: string
  conversation: string
  model: string
  billed_cost_usd: number
  /** Amount of `billed_cost_usd` that the operator has returned to your balance: 0, or all of it. Reports count it when it was booked. */
  refunded_usd: number
  held_usd: number
  /** The time from acceptance to the end, or until now. */
  seconds: number
  model_calls: number
  tool_calls: number
  test: boolean
  created_at: string
  finished_at: string | null
  /** The first 300 characters of the request. */
  text: string | null
  /** The first 300 characters of the reply. Null without one. */
  result: string | null
}

export interface TurnSummaryList {
  items: TurnSummary[]
  /** The number of entries on all pages. */
  total: number
  limit: number
  offset: number
}

export interface TurnTrace {
  turn_id: string
  /** The time from acceptance to the end, or until now. */
  total_ms: number
  space: {
    space_id: string
    title: string
  }
  /** The API key that sent the turn. Null for a web chat. */
  key: {
    key_id: string
    name: string
  } | null
  /** The request that sent the turn. Null if it is not known. */
  request_id: string | null
  idempotency_key: string
  /** The part of the conversation that the agent saw, if its prompt did not fit into the model's window. Null: all of it. */
  context: {
    /** The earlier turns of the conversation. */
    earlier_turns: number
    /** The newest of them that the agent saw. */
    seen_turns: number
    /** Results of tools that a note replaced. */
    results_left_out: number
  } | null
  /** By their start. */
  spans: TraceSpan[]
}

export interface UnlinkIdentityAnswer {
  ok: true
}

export interface UpdateApiKey {
  name?: string | undefined
  /** The time at which the key expires. Null: never. */
  expires_at?: string | null | undefined
  default_end_user_ref?: string | null | undefined
  /** Caps that you leave out keep their values. */
  caps?: SetCaps | undefined
  /** How much the key may send in a minute, and at the same time. Null: no limit. A rate that you leave out keeps its value. */
  rate?: SetRate | null | undefined
  /** The default rate of each of your customers without a rate of their own, when this key sends their turns. Null: the account's default. */
  end_user_rate?: SetRate | null | undefined
}

export interface UpdateApiKeyRequest {
  /** 8–8192 printable ASCII characters without spaces. The value is never shown again. */
  value: string
}

export interface UpdateMember {
  /** `owner`: everything. `developer`: spaces, tools, keys, webhooks and turns, but no decisions about money. `billing`: balance, prices, wallets, caps and limits. `read_only`: reads everything except secrets. */
  role: "owner" | "developer" | "billing" | "read_only"
  /** The decision about the keys whose values the person knows and that have more rights than the person from now on. `revoke`: they end at once. `keep`: they stay, and you answer for them. If the `known_value` of a key is `former`, only the old values end or stay. To keep a key in use with another value, rotate it before, without an overlap. Without a decision the answer is 409 `MEMBER_HAS_KEYS` with these keys. */
  keys?: "revoke" | "keep" | undefined
}

export interface UpdateUser {
  name?: string | null | undefined
  email?: string | null | undefined
  /** Whether the email is verified. Default: false for a new email; otherwise unchanged. */
  email_verified?: boolean | undefined
  role?: "user" | "admin" | undefined
  /** A brand of the service. Reports count an account under its first brand. */
  brand?: string | undefined
  /** `true` disables the account: it ends its sessions and turns, and disables its keys and webhooks. `false` enables it. */
  disabled?: boolean | undefined
  /** Why you change the account. The audit log records it. */
  reason?: string | undefined
  /** The event `balance.low` is sent when the balance falls below this amount. 0 disables the event. */
  low_balance_usd?: number | string | undefined
  /** Default daily cap per end user, in USD per UTC day; null removes it. A cap of the end user replaces it. */
  end_user_daily_usd?: number | string | null | undefined
  /** Default monthly cap per end user, in USD per UTC month; null removes it. */
  end_user_monthly_usd?: number | string | null | undefined
}

export interface UpdateWebhook {
  /** The URL to which events are posted. It must use https and a public host name. */
  url?: string | undefined
  /** The types of events to send. Null: all types, including those added later, but not `activity.recorded`, which must be named. */
  events?: ("turn.queued" | "turn.running" | "turn.waiting" | "turn.resumed" | "turn.done" | "turn.failed" | "turn.cancelled" | "call.decided" | "balance.low" | "balance.depleted" | "end_user.balance_low" | "end_user.depleted" | "cap.reached" | "activity.recorded" | "usage.posted" | "hour.closed" | "endpoint.disabled" | "account.signed_in" | "account.locked" | "account.factor_changed" | "key.created" | "key.revoked" | "refund.decided" | "anomaly.found" | "budget.reached" | "mcp_server.failing" | "space.shared")[] | null | undefined
  /** Your own description. */
  description?: string | null | undefined
  /** `false` disables the webhook. `true` enables it again, also if it was disabled automatically. */
  enabled?: boolean | undefined
}

export interface UsageBreakdown {
  /** The start of the range (UTC). */
  from: string
  /** The end of the range (UTC), exclusive. A range of days ends at midnight after its last day, which may be today. */
  to: string
  /** Null: each row covers the whole range. */
  granularity: null
  /** The time at which the report was made. Its figures are exact at this time. */
  as_of: string
  dimension: "space" | "user" | "model" | "provider"
  limit: number
  /** The items that were billed most, the highest amount first, then by key. */
  items: ({
    /** The `space_id`, `user_id`, model pin, or name of a provider or of a pool's member. */
    key: string
    /** The title of a space, the name of a user or the label of a model. Null for providers, or without a name. */
    name: string | null
    /** The chat key of a space. Null for other dimensions. */
    chat_key: string | null
    /** Live turns that ended, including turns that were billed nothing. */
    turns: number
    /** Model calls, including the calls of sub-agents. */
    model_calls: number
    /** All input tokens, including cached ones. */
    tokens_input: number
    tokens_cached: number
    tokens_output: number
    /** The exact amount that the turns were billed. Refunds are not subtracted. */
    billed_cost_usd: number
    /** The exact amount that was refunded. A refund counts when it was booked, not when its turn ended. */
    refunded_usd: number
    /** The billed amount less `refunded_usd`. Negative if more was refunded than billed in this time. */
    net_usd: number
    /** The cost of the calls for us, at the providers' prices of their time, including calls that no account pays for. */
    cost_usd: number
    /** `billed_cost_usd` - `cost_usd`. Negative if calls cost more than accounts were billed for them. Refunds are not subtracted. */
    margin_usd: number
    /** The share of the billed total, 0 to 1. Null if nothing was billed. */
    share: number | null
  })[]
  /** The sum of all other items. */
  other: {
    /** Live turns that ended, including turns that were billed nothing. */
    turns: number
    /** Model calls, including the calls of sub-agents. */
    model_calls: number
    /** All input tokens, including cached ones. */
    tokens_input: number
    tokens_cached: number
    tokens_output: number
    /** The exact amount that the turns were billed. Refunds are not subtracted. */
    billed_cost_usd: number
    /** The exact amount that was refunded. A refund counts when it was booked, not when its turn ended. */
    refunded_usd: number
    /** The billed amount less `refunded_usd`. Negative if more was refunded than billed in this time. */
    net_usd: number
    /** The cost of the calls for us, at the providers' prices of their time, including calls that no account pays for. */
    cost_usd: number
    /** `billed_cost_usd` - `cost_usd`. Negative if calls cost more than accounts were billed for them. Refunds are not subtracted. */
    margin_usd: number
  }
  /** The sum of everything: the items and `other`. */
  total: {
    /** Live turns that ended, including turns that were billed nothing. */
    turns: number
    /** Model calls, including the calls of sub-agents. */
    model_calls: number
    /** All input tokens, including cached ones. */
    tokens_input: number
    tokens_cached: number
    tokens_output: number
    /** The exact amount that the turns were billed. Refunds are not subtracted. */
    billed_cost_usd: number
    /** The exact amount that was refunded. A refund counts when it was booked, not when its turn ended. */
    refunded_usd: number
    /** The billed amount less `refunded_usd`. Negative if more was refunded than billed in this time. */
    net_usd: number
    /** The cost of the calls for us, at the providers' prices of their time, including calls that no account pays for. */
    cost_usd: number
    /** `billed_cost_usd` - `cost_usd`. Negative if calls cost more than accounts were billed for them. Refunds are not subtracted. */
    margin_usd: number
  }
}

export interface UsageExport {
  enabled: boolean
  /** The export has every row that was booked since then. Null: it was never started. */
  started_at: string | null
  /** No row comes into an hour before this time any more. Null: it was never started. */
  closed_until: string | null
}

export interface UsageGroup {
  /** The end_user_ref, `space_id`, model pin, `key_id`, day (`2026-11-20`, UTC), hour of the day (`00` to `23`, UTC), configuration (`space_id@version`), or value of metadata. `(other)`: all other values. Empty: turns without a value. `kind` tells both from values of the same text. */
  group: string
  /** `value`: `group` is a value. `none`: the turns have no value of the key of metadata. `other`: all values beyond the ones that are shown. */
  kind: "value" | "none" | "other"
  /** The billed amount: the exact sum of the ledger entries. Refunds are not subtracted. */
  billed_usd: number
  /** The exact amount that was refunded. A refund counts when it was booked, not when its turn ended. */
  refunded_usd: number
  /** The billed amount less `refunded_usd`. Negative if more was refunded than billed in this time. */
  net_usd: number
  /** The amount that your end users were charged for these turns, before refunds. Null by `model`, because a charge is rounded per turn. */
  end_user_charge_usd: number | null
  /** `end_user_charge_usd` minus `charged_turns_billed_usd`, before refunds. Turns without a price and a wallet do not count. */
  margin_usd: number | null
  /** The part of `billed_usd` that is of turns with a charge: those with a price or a wallet. Null without such turns, and by `model`. */
  charged_turns_billed_usd: number | null
  /** Turns that ended, including those that were billed nothing. */
  turns: number
  model_calls: number
  /** All prompt tokens, cached ones included. */
  tokens_input: number
  tokens_cached: number
  tokens_output: number
}

export interface UsageKeys {
  /** The registered keys. */
  keys: string[]
}

/** A charge, or the refund of a turn, is in the ledger. It is sent only while the [usage export](/docs/metering) runs. */
export interface UsagePostedEvent {
  /** The same in every delivery and replay. Store it, so that you handle each event once. */
  id: string
  type: "usage.posted"
  created_at: string
  /** Always null: the event belongs to no turn. */
  seq: number | null
  data: {
    /** The row's id, which is never used again. */
    ledger_id: number
    /** The hour (UTC) into which the row counts. */
    hour: string
    kind: "usage" | "space_usage" | "refund"
    /** A decimal in USD. Negative for a refund. */
    amount_usd: string
    turn_id: string | null
    end_user_ref: string | null
    /** what your end user is charged for the turn, a decimal; null for a refund, or without a price and a wallet */
    end_user_charge_usd: string | null
    /** your price of the turn */
    price: {
      name: string
      version: number
    } | null
    space: string | null
    key_id: string | null
    booked_at: string
  }
}

export interface UsageReport {
  from: string
  to: string
  group_by: string
  data: UsageGroup[]
  /** The sum over all groups, not only those of this page. A turn that used two models counts once. By `model`, turns without a model call are in no group and do not count here. */
  total: UsageSums
  has_more: boolean
  next_cursor: string | null
}

export interface UsageSums {
  /** The billed amount: the exact sum of the ledger entries. Refunds are not subtracted. */
  billed_usd: number
  /** The exact amount that was refunded. A refund counts when it was booked, not when its turn ended. */
  refunded_usd: number
  /** The billed amount less `refunded_usd`. Negative if more was refunded than billed in this time. */
  net_usd: number
  /** The amount that your end users were charged for these turns, before refunds. Null by `model`, because a charge is rounded per turn. */
  end_user_charge_usd: number | null
  /** `end_user_charge_usd` minus `charged_turns_billed_usd`, before refunds. Turns without a price and a wallet do not count. */
  margin_usd: number | null
  /** The part of `billed_usd` that is of turns with a charge: those with a price or a wallet. Null without such turns, and by `model`. */
  charged_turns_billed_usd: number | null
  /** Turns that ended, including those that were billed nothing. */
  turns: number
  model_calls: number
  /** All prompt tokens, cached ones included. */
  tokens_input: number
  tokens_cached: number
  tokens_output: number
}

export interface User {
  user_id: number
  name: string | null
  email: string | null
  email_verified: boolean
  role: "user" | "admin"
  /** The brand of the account. Reports count it under its first brand. */
  brand: string
  created_at: string
}

export interface UserCostsReport {
  /** The start of the range (UTC). */
  from: string
  /** The end of the range (UTC), exclusive. A range of days ends at midnight after its last day, which may be today. */
  to: string
  /** Null: each row covers the whole range. */
  granularity: null
  /** The time at which the report was made. Its figures are exact at this time. */
  as_of: string
  limit: number
  /** The accounts that were billed most, the highest amount first, then by id. */
  items: ({
    /** The account that is billed. */
    user_id: number
    name: string | null
    email: string | null
    /** Live turns that ended, including turns that were billed nothing. */
    turns: number
    /** Model calls, including the calls of sub-agents. */
    model_calls: number
    /** All input tokens, including cached ones. */
    tokens_input: number
    tokens_cached: number
    tokens_output: number
    /** The exact amount that the turns were billed. Refunds are not subtracted. */
    billed_cost_usd: number
    /** The exact amount that was refunded. A refund counts when it was booked, not when its turn ended. */
    refunded_usd: number
    /** The billed amount less `refunded_usd`. Negative if more was refunded than billed in this time. */
    net_usd: number
    /** The cost of the calls for us, at the providers' prices of their time, including calls that no account pays for. */
    cost_usd: number
    /** `billed_cost_usd` - `cost_usd`. Negative if calls cost more than accounts were billed for them. Refunds are not subtracted. */
    margin_usd: number
  })[]
  /** The sum of all other accounts. */
  other: {
    /** Live turns that ended, including turns that were billed nothing. */
    turns: number
    /** Model calls, including the calls of sub-agents. */
    model_calls: number
    /** All input tokens, including cached ones. */
    tokens_input: number
    tokens_cached: number
    tokens_output: number
    /** The exact amount that the turns were billed. Refunds are not subtracted. */
    billed_cost_usd: number
    /** The exact amount that was refunded. A refund counts when it was booked, not when its turn ended. */
    refunded_usd: number
    /** The billed amount less `refunded_usd`. Negative if more was refunded than billed in this time. */
    net_usd: number
    /** The cost of the calls for us, at the providers' prices of their time, including calls that no account pays for. */
    cost_usd: number
    /** `billed_cost_usd` - `cost_usd`. Negative if calls cost more than accounts were billed for them. Refunds are not subtracted. */
    margin_usd: number
  }
  /** The sum of all accounts: the items and `other`. */
  total: {
    /** Live turns that ended, including turns that were billed nothing. */
    turns: number
    /** Model calls, including the calls of sub-agents. */
    model_calls: number
    /** All input tokens, including cached ones. */
    tokens_input: number
    tokens_cached: number
    tokens_output: number
    /** The exact amount that the turns were billed. Refunds are not subtracted. */
    billed_cost_usd: number
    /** The exact amount that was refunded. A refund counts when it was booked, not when its turn ended. */
    refunded_usd: number
    /** The billed amount less `refunded_usd`. Negative if more was refunded than billed in this time. */
    net_usd: number
    /** The cost of the calls for us, at the providers' prices of their time, including calls that no account pays for. */
    cost_usd: number
    /** `billed_cost_usd` - `cost_usd`. Negative if calls cost more than accounts were billed for them. Refunds are not subtracted. */
    margin_usd: number
  }
}

export interface UserDetail {
  user_id: number
  name: string | null
  email: string | null
  email_verified: boolean
  role: "user" | "admin"
  /** The brand of the account. Reports count it under its first brand. */
  brand: string
  created_at: string
  /** The id of the user on the messaging platform; null if no messaging identity is linked. */
  messenger_id: string | null
  /** Whether the user has a password and can sign in with it. */
  has_password: boolean
  /** The time at which the account was disabled; null if it is active. */
  disabled_at: string | null
  balance_usd: number
  /** The event `balance.low` is sent when the balance falls below this amount. 0 disables the event. */
  low_balance_usd: number
  /** Default daily cap per end user, in USD per UTC day; null if no default is set. A cap of the end user replaces it. */
  end_user_daily_usd: number | null
  /** Default monthly cap per end user, in USD per UTC month; null if no default is set. */
  end_user_monthly_usd: number | null
  /** Increases with each edit. */
  version: number
  /** The time of the last edit; null if the user was never edited. */
  updated_at: string | null
  /** The admin who made the last edit; null if it was the owner or the command line. */
  updated_by: number | null
  identities: ({
    identity_id: string
    issuer: string
    /** The id of the user at the issuer. */
    subject: string
    email: string | null
    email_verified: boolean
    created_at: string
    last_used_at: string | null
  })[]
  /** Valid sessions, most recently used first; at most 100. */
  sessions: ({
    session_id: string
    user_agent: string | null
    address: string | null
    created_at: string
    last_seen_at: string
    expires_at: string
  })[]
  wallet: Balance
  /** The active subscription; if several are active, the one that started last. Null if none is active. */
  subscription: {
    sub_id: number
    plan: string
    trial: boolean
    starts_at: string
    ends_at: string | null
  } | null
  /** All subscriptions, active or not, newest first; at most 100. */
  subscriptions: Subscription[]
  teams: ({
    team_id: number
    name: string
  })[]
  workspaces: ({
    workspace_id: string
    name: string
  })[]
  /** Accounts of other users that were handed over, and have no owner who can sign in except this user. While this user is disabled, no owner can act for them. */
  only_owner_of: ({
    user_id: number
    name: string | null
  })[]
  referral: {
    /** The code that referred users give at their first sign-in. */
    ref_code: string
    /** The user who referred this user; null if the user was not referred. */
    referred_by: number | null
    /** The number of users that this user referred. */
    referred: number
  }
  /** The billed amount of the account's live turns that ended in the last 30 days (UTC), including today, as in the reports. Refunds are not subtracted. Containers and storage do not count. */
  spend_30_days_usd: number
  /** The refunds that were booked in these 30 days, whenever their turns ended. */
  refunded_30_days_usd: number
  /** `spend_30_days_usd` less `refunded_30_days_usd`. Negative if more was refunded than billed. */
  net_30_days_usd: number
}

export interface UserEnergy {
  user_id: number
  balance_energy: number
  /** Held by open turns. */
  held_energy: number
  /** Totals of all time by bucket. */
  totals: {
    /** Energy granted by operators. */
    free: number
    /** Energy for signing up and for referrals. */
    bonus: number
    /** Purchased energy. */
    paid: number
    /** Energy of refunded turns, when the refunds were booked. */
    refunded: number
    /** Charged energy, as a positive number. */
    spent: number
  }
  /** Totals for each UTC day, oldest first. Days without changes are included. */
  days: ({
    /** Energy granted by operators. */
    free: number
    /** Energy for signing up and for referrals. */
    bonus: number
    /** Purchased energy. */
    paid: number
    /** Energy of refunded turns, when the refunds were booked. */
    refunded: number
    /** Charged energy, as a positive number. */
    spent: number
    date: string
  })[]
  ledger: {
    /** Newest first. */
    items: AdminLedgerEntry[]
    total: number
    limit: number
    offset: number
  }
}

export interface UserSpace {
  space_id: number
  slug: string
  title: string
  /** The role of the user in the space. */
  role: "owner" | "admin" | "member"
  /** `registered`: the owner, or a member of the space, its workspace or the workspace's team. `board`: only in the space's messaging chat, which gives no access to the space. */
  via: "registered" | "board"
  /** Where the space was created. */
  origin: string
  brand: string
  /** Whether the space is test data. */
  test: boolean
  archived: boolean
  created_at: string
}

export interface UserSpaceList {
  items: UserSpace[]
  /** The number of entries on all pages. */
  total: number
  limit: number
  offset: number
}

export interface UsersChange {
  /** The subject of the audit entry. Null for a preview, and if no user was changed. */
  bulk_id: string | null
  /** Which users are changed or refused, and why. It also changes when an act of this kind is applied, so an act is applied once from a preview. It does not cover balances. */
  state: string
  changed: number
  unchanged: number
  refused: number
  /** The users, by id. */
  items: ({
    user_id: number
    name: string | null
    email: string | null
    /** `unchanged`: it is in effect already. */
    outcome: "changed" | "unchanged" | "refused"
    /** Why the user is refused. Null otherwise. */
    code: "NOT_FOUND" | "BALANCE_TOO_LOW" | "SUBSCRIPTION_ACTIVE" | "LAST_ADMIN" | null
    /** The reason in words. */
    detail: string | null
    /** The balance before the entry. Null if nothing is booked. */
    balance_before_usd: number | null
    balance_after_usd: number | null
    /** The new subscription, or the active one that is the reason to refuse. Null in a preview. */
    sub_id: number | null
    /** The plan of this subscription. */
    plan: string | null
    /** With `disable`: the accounts that then have no owner who can sign in. */
    only_owner_of: ({
      user_id: number
      name: string | null
    })[]
  })[]
}

/** Why a running turn waits. Null: it does not wait. */
export type WaitSummary = {
  /** A limit, a decision about a call, or the result of a call. */
  for: "limit" | "approval" | "result"
  since: string
  /** Then the turn fails with `WAIT_EXPIRED` and keeps its partial result. */
  expires_at: string
} | null

export interface Waiting {
  /** A limit, a decision about a call, or the result of a call. */
  for: "limit" | "approval" | "result"
  since: string
  /** Then the turn fails with `WAIT_EXPIRED` and keeps its partial result. */
  expires_at: string
  /** The limit that the turn waits for. Null: it waits for calls. */
  limit: {
    /** `max_cost`, `balance`, `end_user_credit` (the end user's wallet), or the name of a cap. */
    kind: string
    /** The amount that this limit must have left so that the turn continues, in USD. For `end_user_credit` it is what the end user is charged, as all amounts of that wallet; for all other limits it is your cost. */
    needed_usd: number
    /** The limit itself: the turn's `max_cost_usd`, or the cap. Null for `balance` and `end_user_credit`: compare `needed_usd` with the `available_usd` of that wallet. */
    limit_usd: number | null
    /** The least value of this limit with which the turn continues, unless another limit binds it then. Null for `balance` and `end_user_credit`. */
    continue_at_usd: number | null
    /** When the cap resets. Null: it does not reset by itself. */
    resets_at: string | null
  } | null
  /** The calls that the turn waits for. */
  calls: ({
    /** Names the call in requests about it. */
    call: string
    tool: string
    /** Null in an event: read the turn. */
    input: Record<string, unknown> | null
    /** A decision, or its result. */
    for: "approval" | "result"
  })[]
}

export interface WaitingTurn {
  turn_id: string
  /** The space that the turn runs in. */
  space: string
  /** Your own id for your end user. */
  end_user_ref: string
  /** The conversation's id. Turns of one conversation run in order, one at a time. */
  conversation: string
  created_at: string
  space_title: string
  waiting: Waiting
  /** The turn's own limit. Null: it has none. */
  max_cost_usd: number | null
  /** Your role in the space. Its owner and admins decide about calls. Only the owner raises the turn's limit. */
  role: "owner" | "admin" | "member"
  /** The first 300 characters of the request. Null: you cannot read the turn. */
  text: string | null
  /** The API key that sent the turn. Null: none, or you do not own the space. */
  key_id: string | null
  /** True if you can read the turn: you own the space or sent the turn. */
  readable: boolean
}

export interface WaitingTurnList {
  items: WaitingTurn[]
  /** The number of entries on all pages. */
  total: number
  limit: number
  offset: number
}

export interface WebLogin {
  token: string
  /** Opens the brand's bot. Starting the bot confirms the login. */
  url: string
  expires_at: string
}

export interface WebLoginStatus {
  status: "pending" | "confirmed" | "denied"
  /** The user, only if `status` is `confirmed`. */
  user?: User | undefined
}

export interface Webhook {
  webhook_id: string
  /** The key that created it and whose scope it has. Null if it was created in the dashboard. It stays active after the key is revoked. */
  key_id: string | null
  /** The URL to which events are posted. */
  url: string
  /** The types of events to send. Null: all types. */
  events: string[] | null
  description: string | null
  /** `pending`: the URL has not answered a `ping` with 2xx yet. Events wait until it has. A failed ping is retried like any event, and `POST …/test` sends one at once. */
  state: "pending" | "verified"
  /** When the URL answered a ping. Null: not yet. */
  verified_at: string | null
  /** True if events are posted to it. */
  enabled: boolean
  disabled_at: string | null
  /** `customer`: you disabled it. `gone`: it returned 410. `failing`: every attempt failed for 5 days, or it never answered its ping. `account_disabled`: it is enabled again together with the account. */
  disabled_reason: "customer" | "gone" | "failing" | "account_disabled" | null
  /** When the first failure since the last success occurred. Null: the last attempt succeeded. */
  failing_since: string | null
  /** Until when former secrets also sign, as their rotations set. Null: none signs. */
  previous_secret_expires_at: string | null
  /** True if it was created with a test key. Then it receives only events of test turns. */
  test: boolean
  created_at: string
  updated_at: string
}

/** The results of the newest 200 deliveries, for a success rate. */
export interface WebhookHealth {
  /** How many of the newest deliveries were attempted. */
  attempted: number
  /** How many of these were delivered. */
  delivered: number
  /** How many have failed and are not attempted again. */
  failed: number
  /** How many failed so far and are attempted again. */
  retrying: number
}

export interface WebhookWithSecret {
  webhook_id: string
  /** The key that created it and whose scope it has. Null if it was created in the dashboard. It stays active after the key is revoked. */
  key_id: string | null
  /** The URL to which events are posted. */
  url: string
  /** The types of events to send. Null: all types. */
  events: string[] | null
  description: string | null
  /** `pending`: the URL has not answered a `ping` with 2xx yet. Events wait until it has. A failed ping is retried like any event, and `POST …/test` sends one at once. */
  state: "pending" | "verified"
  /** When the URL answered a ping. Null: not yet. */
  verified_at: string | null
  /** True if events are posted to it. */
  enabled: boolean
  disabled_at: string | null
  /** `customer`: you disabled it. `gone`: it returned 410. `failing`: every attempt failed for 5 days, or it never answered its ping. `account_disabled`: it is enabled again together with the account. */
  disabled_reason: "customer" | "gone" | "failing" | "account_disabled" | null
  /** When the first failure since the last success occurred. Null: the last attempt succeeded. */
  failing_since: string | null
  /** Until when former secrets also sign, as their rotations set. Null: none signs. */
  previous_secret_expires_at: string | null
  /** True if it was created with a test key. Then it receives only events of test turns. */
  test: boolean
  created_at: string
  updated_at: string
  /** The signing secret (Standard Webhooks), shown only here. */
  secret: string
}

export interface Workspace {
  workspace_id: string
  name: string
  /** The attached team; null if none. Its members are members of the workspace unless it is archived. */
  team: {
    team_id: number
    name: string
    archived: boolean
  } | null
  members: ({
    user_id: number
    name: string | null
    email: string | null
    role: "owner" | "admin" | "member"
    since: string
  })[]
  /** The members of the attached team. They can also be direct members. */
  team_members: ({
    user_id: number
    name: string | null
    email: string | null
  })[]
  /** The spaces that members can see and use. */
  spaces: ({
    space_id: string
    title: string
    /** The user who owns the space and is billed for it. */
    owner_id: number
    archived: boolean
    test: boolean
  })[]
  bot: {
    /** The username of the bot without the @; null if there is no bot. */
    username: string | null
    /** Whether a token is stored. The token is never shown. */
    has_token: boolean
  }
  /** Whether the workspace is archived. Its members then have no access to its spaces. */
  archived: boolean
  /** Increases with each change, including changes of members and the bot. */
  version: number
  created_at: string
  updated_at: string
  /** The admin who made the last change; null if it was the command line. */
  updated_by: {
    user_id: number
    name: string | null
  } | null
}

/** Omitted fields do not change; null clears a field. */
export interface WorkspaceBot {
  username?: string | null | undefined
  /** Write-only. The token is stored encrypted and never shown. */
  token?: string | null | undefined
}

export interface WorkspaceBotTest {
  /** Whether the platform accepted the token. */
  ok: boolean
  /** The HTTP status of the platform's answer; null if it did not answer. */
  status: number | null
  /** The username of the bot that the token belongs to; null if the test failed. */
  username: string | null
  name: string | null
  /** Whether `username` is the `bot.username` of the workspace. */
  matches: boolean
  /** A readable description of the outcome. */
  message: string
}

export interface WorkspaceBotWebhook {
  /** Whether the platform accepted `url` for the updates of the bot. */
  ok: boolean
  /** The HTTP status of the platform's answer; null if it did not answer. */
  status: number | null
  url: string
  allowed_updates: string[]
  /** A readable description of the outcome. */
  message: string
}

export interface WorkspaceCreate {
  /** The slug of the workspace. It cannot be changed. */
  workspace_id: string
  name: string
  team_id?: number | null | undefined
  members?: ({
    user_id: number
    role?: "owner" | "admin" | "member" | undefined
  })[] | undefined
}

export interface WorkspaceList {
  items: Workspace[]
  /** The number of entries on all pages. */
  total: number
  limit: number
  offset: number
}

/** Omitted fields do not change; null clears a field. */
export interface WorkspaceUpdate {
  name?: string | undefined
  team_id?: number | null | undefined
  /** `true` archives the workspace: its members lose access to its spaces. `false` restores it. */
  archived?: boolean | undefined
  /** The `space_id`s of all spaces of the workspace. Replaces the list. */
  spaces?: string[] | undefined
}

/** What each operation takes and answers. */
export interface Operations {
  /** Accept an invitation */
  acceptInvitation: {
    body: InvitationToken
    answer: AcceptInvitationAnswer
  }

  /** Act as a user */
  actAsUser: {
    path: {
      user_id: number
    }
    query?: {
      reason?: string | undefined
    }
    answer: Acting
  }

  /** Add a model */
  addModel: {
    body: ModelCatalogAdd
    answer: ModelCatalogRow
  }

  /** Save a provider account */
  addProvider: {
    body: AddProviderRequest
    answer: SavedProvider
  }

  /** Share a space with a user */
  addSpaceMember: {
    path: {
      /** The space's number. */
      space_id: number
    }
    body: AddSpaceMember
    answer: SpaceMember
  }

  /** Add a member to a workspace */
  addWorkspaceMember: {
    path: {
      workspace_id: string
    }
    body: AddWorkspaceMember
    answer: Workspace
  }

  /** Receive an update of a bot */
  answerBotUpdate: {
    query?: {
      /** The workspace of the bot. Left out: the brand's bot. */
      workspace?: string | undefined
    }
    body: BotUpdate
    answer: BotReply
  }

  /** Finish signing in with a code */
  answerSecondFactor: {
    body: SecondFactorCode
    answer: User
  }

  /** Archive a space */
  archiveSpace: {
    path: {
      /** The space, `spc_…`. */
      space_id: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    answer: Space
  }

  /** Start to set up a second factor */
  beginSecondFactor: {
    answer: SecondFactorSecret
  }

  /** Bill containers and storage */
  billInfra: {
    query?: {
      /** `true`: bills nothing, and returns the amounts that would be billed now. With very many accounts, only for the first ones. Default: false. */
      dry_run?: boolean | "true" | "false" | undefined
    }
    answer: InfraBilling
  }

  /** Cancel a turn of any account */
  cancelAnyTurn: {
    path: {
      /** The turn, `turn_…`. */
      turn_id: string
    }
    body: CancelAnyTurn
    answer: ActedTurn
  }

  /** Cancel a model's planned prices */
  cancelPlannedPrices: {
    path: {
      /** The model's pin. You can write its slash as `%2F`. */
      pin: string
    }
    answer: ModelCatalogRow
  }

  /** Cancel a turn */
  cancelTurn: {
    path: {
      /** The turn, `turn_…`. */
      turn_id: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    answer: Turn
  }

  /** Change the password, or set the first one */
  changePassword: {
    body: ChangePassword
    answer: ChangePasswordAnswer
  }

  /** Act on many users */
  changeUsers: {
    body: ChangeUsers
    answer: UsersChange
  }

  /** Connect to an MCP server */
  checkMcpServer: {
    path: {
      /** The space, `spc_…`. */
      space_id: string
      /** The name, which is unique in the space. */
      name: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
      /** The end user for whom the request is made: `{{end_user.ref}}` and the subject of `Turnpike-Identity`. Default: none, as in a web chat. Only keys and the owner of the space can choose one. */
      end_user_ref?: string | undefined
    }
    answer: McpCheck
  }

  /** Compare a day again */
  compareProviderBook: {
    path: {
      /** The account. */
      provider_id: string
      /** The day (UTC). */
      day: string
    }
    answer: ProviderBook
  }

  /** Complete the login to the media account */
  completeMediaLogin: {
    body: MediaCompleteRequest
    answer: MediaCompleted
  }

  /** Confirm your second factor */
  confirmSecondFactor: {
    body: SecondFactorCode
    answer: RecoveryCodes
  }

  /** Create a token for an app's webview */
  createAppToken: {
    answer: AppToken
  }

  /** Send a turn of the web chat */
  createChatTurn: {
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    body: CreateChatTurn
    answer: Turn
  }

  /** Create a session for a user of your own identity service */
  createIdpSession: {
    body: IdpSessionRequest
    answer: User
  }

  /** Create an API key */
  createKey: {
    body: CreateApiKey
    answer: NewApiKey
  }

  /** Create a space */
  createSpace: {
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    body: CreateSpace
    answer: Space
  }

  /** Create a subscription */
  createSubscription: {
    body: SubscriptionCreate
    answer: Subscription
  }

  /** Create a team */
  createTeam: {
    body: TeamCreate
    answer: Team
  }

  /** Create a user */
  createUser: {
    body: CreateUser
    answer: AdminUser
  }

  /** Register a webhook */
  createWebhook: {
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    body: CreateWebhook
    answer: WebhookWithSecret
  }

  /** Create a workspace */
  createWorkspace: {
    body: WorkspaceCreate
    answer: Workspace
  }

  /** Add credit to an end user's wallet */
  creditEndUser: {
    path: {
      /** The `end_user_ref` of the turns, percent-encoded: `a/b` is `a%2Fb`. */
      end_user_ref: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    body: CreditEndUser
    answer: EndUserLedgerEntry
  }

  /** Credit an account */
  creditUser: {
    path: {
      /** The account. */
      user_id: number
    }
    body: CreateCredit
    answer: AdminLedgerEntry
  }

  /** Deactivate a subscription */
  deactivateSubscription: {
    path: {
      sub_id: number
    }
    answer: Subscription
  }

  /** Decide about a call */
  decideCall: {
    path: {
      /** The turn, `turn_…`. */
      turn_id: string
      /** The `call` of `waiting.calls`. */
      call: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    body: Decision
    answer: DecidedCall
  }

  /** Decide about a request for a refund */
  decideRefund: {
    path: {
      /** The turn, `turn_…`. */
      turn_id: string
    }
    body: DecideRefund
    answer: RefundRequest
  }

  /** Delete the account's budget */
  deleteBudget: {
    answer: Budget
  }

  /** Delete an end user's profile */
  deleteEndUserProfile: {
    path: {
      /** The `end_user_ref` of the turns, percent-encoded: `a/b` is `a%2Fb`. */
      end_user_ref: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    answer: EndUserProfile
  }

  /** Delete a file */
  deleteFile: {
    path: {
      /** The space, `spc_…`. */
      space_id: string
      /** The file, `file_…`. */
      file_id: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    answer: DeletedFile
  }

  /** Delete an MCP server */
  deleteMcpServer: {
    path: {
      /** The space, `spc_…`. */
      space_id: string
      /** The name, which is unique in the space. */
      name: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    answer: Deleted
  }

  /** Delete a price */
  deletePrice: {
    path: {
      /** The name of the price. */
      name: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    answer: DeletedPrice
  }

  /** Delete a secret */
  deleteSecret: {
    path: {
      /** The space, `spc_…`. */
      space_id: string
      /** The name, which is unique in the space. */
      name: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    answer: Deleted
  }

  /** Delete a tool */
  deleteTool: {
    path: {
      /** The space, `spc_…`. */
      space_id: string
      /** The name, which is unique in the space. */
      name: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    answer: Deleted
  }

  /** Remove the endpoint for traces */
  deleteTraceEndpoint: {
    answer: DeleteTraceEndpointAnswer
  }

  /** Delete a webhook */
  deleteWebhook: {
    path: {
      /** The webhook, `whk_…`. */
      webhook_id: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    answer: DeleteWebhookAnswer
  }

  /** Disable an account of the alt-pool */
  disableAltPoolAccount: {
    path: {
      account_id: string
    }
    answer: Provider
  }

  /** Disable a subscription */
  disableProvider: {
    path: {
      provider_id: string
    }
    body: DisableProviderRequest
    answer: Provider
  }

  /** Enable an account of the alt-pool */
  enableAltPoolAccount: {
    path: {
      account_id: string
    }
    answer: Provider
  }

  /** Enable a subscription */
  enableProvider: {
    path: {
      provider_id: string
    }
    answer: Provider
  }

  /** Stop acting as a user */
  endActing: {
    path: {
      user_id: number
    }
    answer: EndActingAnswer
  }

  /** End a session */
  endSession: {
    path: {
      /** The session, `ses_…`. */
      session_id: string
    }
    answer: EndSessionAnswer
  }

  /** End all sessions, or all others */
  endSessions: {
    query?: {
      /** `others`: all sessions except that of this request. `all`: that session too. */
      which?: "others" | "all" | undefined
    }
    answer: EndSessionsAnswer
  }

  /** End the sharing of a space */
  endSharing: {
    path: {
      /** The space, `spc_…`. */
      space_id: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    answer: SpaceSharing
  }

  /** End all sessions of a user */
  endUserSessions: {
    path: {
      user_id: number
    }
    answer: EndUserSessionsAnswer
  }

  /** Erase an end user */
  eraseEndUser: {
    path: {
      /** The `end_user_ref` of the turns, percent-encoded: `a/b` is `a%2Fb`. */
      end_user_ref: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    answer: Erasure
  }

  /** Estimate a turn of the web chat */
  estimateChatTurn: {
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    body: CreateChatTurn
    answer: TurnEstimate
  }

  /** Exchange a one-time token for a session */
  exchangeToken: {
    body: MagicExchange
    answer: User
  }

  /** Explore turns */
  exploreTurns: {
    query?: {
      /** An id, or a part of a customer, a space's title or a text. The newest 2000 turns that match the other filters are searched. */
      q?: string | undefined
      /** A `space_id`. */
      space?: string | undefined
      /** A `key_id`. */
      key?: string | undefined
      end_user_ref?: string | undefined
      /** A conversation's id. */
      conversation?: string | undefined
      state?: "queued" | "running" | "done" | "failed" | "cancelled" | undefined
      /** Only turns that wait for this, or with `any` for anything. Without `created_after`, also older turns. */
      waiting?: "limit" | "approval" | "result" | "any" | undefined
      /** The code of a failed turn, or the reason of a cancelled one. */
      reason?: string | undefined
      /** A model, as a pin. */
      model?: string | undefined
      /** Only turns that cost at least this. */
      min_cost_usd?: number | undefined
      /** Only turns that took at least this long from acceptance to end. */
      min_seconds?: number | undefined
      /** Only turns accepted at or after this time. Default: 30 days ago. */
      created_after?: string | undefined
      /** Only turns accepted before this time. */
      created_before?: string | undefined
      sort?: "newest" | "cost" | "duration" | undefined
      direction?: "asc" | "desc" | undefined
      /** The most entries on a page. */
      limit?: number | undefined
      /** The number of entries to skip. */
      offset?: number | undefined
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
      /** `csv`: the whole list with these filters as a file, without pages. */
      format?: "json" | "csv" | undefined
      /** `true`: a CSV begins with a byte order mark, so that Excel reads it as UTF-8. */
      bom?: "true" | "false" | undefined
    }
    answer: TurnSummaryList
  }

  /** Export all data of an end user */
  exportEndUser: {
    path: {
      /** The `end_user_ref` of the turns, percent-encoded: `a/b` is `a%2Fb`. */
      end_user_ref: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    answer: EndUserExport
  }

  /** Finish a sign-in with the identity provider */
  finishOauthLogin: {
    query?: {
      /** The `state` of the request to the provider. */
      state?: string | undefined
      /** The code that is exchanged for the ID token. */
      code?: string | undefined
      /** The reason why the provider did not sign the person in. */
      error?: string | null | undefined
      /** The provider's issuer (RFC 9207). */
      iss?: string | undefined
    }
    answer: Blob
  }

  /** Count the turns of all accounts */
  getAllTurnStats: {
    query?: {
      /** An id, or a part of a customer or a space's title; texts are not searched. The newest 2000 turns that match the other filters are searched. */
      q?: string | undefined
      /** A `space_id`. */
      space?: string | undefined
      /** A `key_id`. */
      key?: string | undefined
      end_user_ref?: string | undefined
      /** A conversation's id. */
      conversation?: string | undefined
      state?: "queued" | "running" | "done" | "failed" | "cancelled" | undefined
      /** Only turns that wait for this, or with `any` for anything. Without `created_after`, also older turns. */
      waiting?: "limit" | "approval" | "result" | "any" | undefined
      /** The code of a failed turn, or the reason of a cancelled one. */
      reason?: string | undefined
      /** A model, as a pin. */
      model?: string | undefined
      /** Only turns that cost at least this. */
      min_cost_usd?: number | undefined
      /** Only turns that took at least this long from acceptance to end. */
      min_seconds?: number | undefined
      /** Only turns accepted at or after this time. Default: 30 days ago. */
      created_after?: string | undefined
      /** Only turns accepted before this time. */
      created_before?: string | undefined
      /** Turns with a failure of the infrastructure of this kind within the range, also turns that recovered from it. */
      failure?: "container_start" | "container_exec" | "subagent_dispatch" | "model_call" | undefined
      /** Turns with a call of this provider account within the range, or of a provider that is called with the service's key, also if the call failed. Only the last 24 hours of the range are searched, or with `created_after` at most its last 7 days. With `failure`: with such a failure at it, in the whole range. */
      provider?: string | undefined
      /** The account that is billed. */
      user_id?: number | undefined
      /** `true` for test turns. Default: live turns. */
      test?: boolean | "true" | "false" | undefined
    }
    answer: TurnStats
  }

  /** Read the alt-pool */
  getAltPool: {
    answer: AltPool
  }

  /** Read a turn of any account */
  getAnyTurn: {
    path: {
      /** The turn, `turn_…`. */
      turn_id: string
    }
    query?: {
      /** Why you read the account's texts. The audit log records it. */
      reason?: string | undefined
    }
    answer: AdminTurn
  }

  /** Read the receipt of a turn of any account */
  getAnyTurnReceipt: {
    path: {
      /** The turn, `turn_…`. */
      turn_id: string
    }
    answer: AnyTurnReceipt
  }

  /** Read what needs the owner now */
  getAttention: {
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    answer: Attention
  }

  /** Read the balance */
  getBalance: {
    answer: Balance
  }

  /** Report balances of active users over time */
  getBalanceTrend: {
    query?: {
      /** The number of days, including today. */
      days?: number | undefined
      /** The start of the range, instead of `days`: an instant, or a date, which means 00:00 UTC. In a report by day or hour, it is the start of a day, and the range has at most 366 days. */
      start?: string | undefined
      /** The end of the range, exclusive. Default: the end of today (24:00 UTC). */
      end?: string | undefined
      /** The range by name (UTC), instead of `days`, `start` and `end`. Weeks begin on Monday. A period that has not ended is cut at the end of today. */
      period?: "today" | "yesterday" | "this_week" | "last_week" | "this_month" | "last_month" | "this_year" | "last_year" | undefined
      /** `csv`: the whole list with these filters as a file, without pages. */
      format?: "json" | "csv" | undefined
      /** `true`: a CSV begins with a byte order mark, so that Excel reads it as UTF-8. */
      bom?: "true" | "false" | undefined
      /** Only accounts that were created under this brand, or `all`. An account stays in the reports of its first brand if its brand is changed later. An unknown brand is rejected. */
      brand?: string | undefined
      /** `true`: starts on the day of the earliest ledger entry, and ignores `days`, `start` and `period`. Default: false. */
      all_time?: boolean | "true" | "false" | undefined
      /** A user is active if they were charged within this many days before the end of a bucket. */
      active_window_days?: number | undefined
    }
    answer: BalanceTrend
  }

  /** Read the billing details */
  getBillingDetails: {
    answer: BillingDetails
  }

  /** Read the account's budget */
  getBudget: {
    answer: Budget
  }

  /** Read quota snapshots and spending */
  getCapacity: {
    query?: {
      /** The number of hours up to now. */
      hours?: number | undefined
      /** Only this pool. Default: both pools. */
      provider?: "main" | "alt-pool" | undefined
      /** `csv`: the whole list with these filters as a file, without pages. */
      format?: "json" | "csv" | undefined
      /** `true`: a CSV begins with a byte order mark, so that Excel reads it as UTF-8. */
      bom?: "true" | "false" | undefined
    }
    answer: CapacityReport
  }

  /** Read a turn of the web chat */
  getChatTurn: {
    path: {
      /** The turn, `turn_…`. */
      turn_id: string
    }
    query?: {
      /** Maximum time in seconds to wait before the response is sent. It is sent when the turn ends or begins to wait. */
      wait?: number | undefined
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    answer: Turn
  }

  /** Read one version of a space's configuration */
  getConfigVersion: {
    path: {
      /** The space, `spc_…`. */
      space_id: string
      /** The version number. */
      version: number
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    answer: ConfigVersion
  }

  /** Compare the contexts of orchestrators and sub-agents */
  getContextComparison: {
    query?: {
      /** The number of days, including today. */
      days?: number | undefined
      /** The start of the range, instead of `days`: an instant, or a date, which means 00:00 UTC. In a report by day or hour, it is the start of a day, and the range has at most 366 days. */
      start?: string | undefined
      /** The end of the range, exclusive. Default: the end of today (24:00 UTC). */
      end?: string | undefined
      /** The range by name (UTC), instead of `days`, `start` and `end`. Weeks begin on Monday. A period that has not ended is cut at the end of today. */
      period?: "today" | "yesterday" | "this_week" | "last_week" | "this_month" | "last_month" | "this_year" | "last_year" | undefined
      /** `csv`: the whole list with these filters as a file, without pages. */
      format?: "json" | "csv" | undefined
      /** `true`: a CSV begins with a byte order mark, so that Excel reads it as UTF-8. */
      bom?: "true" | "false" | undefined
      /** Only accounts that were created under this brand, or `all`. An account stays in the reports of its first brand if its brand is changed later. An unknown brand is rejected. */
      brand?: string | undefined
    }
    answer: ContextComparisonReport
  }

  /** Report the context sizes of spaces by day */
  getContextSize: {
    query?: {
      /** The number of days, including today. */
      days?: number | undefined
      /** The start of the range, instead of `days`: an instant, or a date, which means 00:00 UTC. In a report by day or hour, it is the start of a day, and the range has at most 366 days. */
      start?: string | undefined
      /** The end of the range, exclusive. Default: the end of today (24:00 UTC). */
      end?: string | undefined
      /** The range by name (UTC), instead of `days`, `start` and `end`. Weeks begin on Monday. A period that has not ended is cut at the end of today. */
      period?: "today" | "yesterday" | "this_week" | "last_week" | "this_month" | "last_month" | "this_year" | "last_year" | undefined
      /** `csv`: the whole list with these filters as a file, without pages. */
      format?: "json" | "csv" | undefined
      /** `true`: a CSV begins with a byte order mark, so that Excel reads it as UTF-8. */
      bom?: "true" | "false" | undefined
      /** Only accounts that were created under this brand, or `all`. An account stays in the reports of its first brand if its brand is changed later. An unknown brand is rejected. */
      brand?: string | undefined
      /** Only the space with this slug. */
      space?: string | undefined
      /** `false`: without days that have no usage. */
      empty_days?: boolean | "true" | "false" | undefined
      /** The most entries on a page. Default: all entries, up to 10000. A page also ends before it has more than 50,000 days, after at least one entry. `next_offset` is where the next page begins. */
      limit?: number | undefined
      /** The number of entries to skip. */
      offset?: number | undefined
    }
    answer: ContextSizeReport
  }

  /** Read a conversation */
  getConversation: {
    path: {
      conversation_id: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    answer: Conversation
  }

  /** Report the cost per turn and per million tokens, by day */
  getCostRatesReport: {
    query?: {
      /** The number of days, including today. */
      days?: number | undefined
      /** The start of the range, instead of `days`: an instant, or a date, which means 00:00 UTC. In a report by day or hour, it is the start of a day, and the range has at most 366 days. */
      start?: string | undefined
      /** The end of the range, exclusive. Default: the end of today (24:00 UTC). */
      end?: string | undefined
      /** The range by name (UTC), instead of `days`, `start` and `end`. Weeks begin on Monday. A period that has not ended is cut at the end of today. */
      period?: "today" | "yesterday" | "this_week" | "last_week" | "this_month" | "last_month" | "this_year" | "last_year" | undefined
      /** `csv`: the whole list with these filters as a file, without pages. */
      format?: "json" | "csv" | undefined
      /** `true`: a CSV begins with a byte order mark, so that Excel reads it as UTF-8. */
      bom?: "true" | "false" | undefined
      /** Only accounts that were created under this brand, or `all`. An account stays in the reports of its first brand if its brand is changed later. An unknown brand is rejected. */
      brand?: string | undefined
      /** Only this account. */
      user_id?: number | undefined
      /** Only this chat. */
      chat_key?: string | undefined
    }
    answer: CostRatesReport
  }

  /** Report costs by day and model */
  getCostsReport: {
    query?: {
      /** The number of days, including today. */
      days?: number | undefined
      /** The start of the range, instead of `days`: an instant, or a date, which means 00:00 UTC. In a report by day or hour, it is the start of a day, and the range has at most 366 days. */
      start?: string | undefined
      /** The end of the range, exclusive. Default: the end of today (24:00 UTC). */
      end?: string | undefined
      /** The range by name (UTC), instead of `days`, `start` and `end`. Weeks begin on Monday. A period that has not ended is cut at the end of today. */
      period?: "today" | "yesterday" | "this_week" | "last_week" | "this_month" | "last_month" | "this_year" | "last_year" | undefined
      /** `csv`: the whole list with these filters as a file, without pages. */
      format?: "json" | "csv" | undefined
      /** `true`: a CSV begins with a byte order mark, so that Excel reads it as UTF-8. */
      bom?: "true" | "false" | undefined
      /** Only accounts that were created under this brand, or `all`. An account stays in the reports of its first brand if its brand is changed later. An unknown brand is rejected. */
      brand?: string | undefined
    }
    answer: CostsReport
  }

  /** Read the signed-in user */
  getCurrentUser: {
    answer: User
  }

  /** Report usage by day */
  getDailyUsage: {
    query?: {
      /** The number of days, including today. */
      days?: number | undefined
      /** The start of the range, instead of `days`: an instant, or a date, which means 00:00 UTC. In a report by day or hour, it is the start of a day, and the range has at most 366 days. */
      start?: string | undefined
      /** The end of the range, exclusive. Default: the end of today (24:00 UTC). */
      end?: string | undefined
      /** The range by name (UTC), instead of `days`, `start` and `end`. Weeks begin on Monday. A period that has not ended is cut at the end of today. */
      period?: "today" | "yesterday" | "this_week" | "last_week" | "this_month" | "last_month" | "this_year" | "last_year" | undefined
      /** `csv`: the whole list with these filters as a file, without pages. */
      format?: "json" | "csv" | undefined
      /** `true`: a CSV begins with a byte order mark, so that Excel reads it as UTF-8. */
      bom?: "true" | "false" | undefined
      /** Only accounts that were created under this brand, or `all`. An account stays in the reports of its first brand if its brand is changed later. An unknown brand is rejected. */
      brand?: string | undefined
      /** Only usage that is billed to this account: all turns in its spaces, by any sender. */
      user_id?: number | undefined
      /** Only this chat. With `user_id`: only if the chat belongs to that account. */
      chat_key?: string | undefined
      /** `slug`: one series per space. */
      group_by?: "slug" | undefined
      /** Only with `group_by=slug`. `false`: without days that have no usage. */
      empty_days?: boolean | "true" | "false" | undefined
      /** Only with `group_by=slug`. The most entries on a page. Default: all entries, up to 10000. A page also ends before it has more than 50,000 days, after at least one entry. `next_offset` is where the next page begins. */
      limit?: number | undefined
      /** Only with `group_by=slug`: the number of series to skip. */
      offset?: number | undefined
    }
    answer: GetDailyUsageAnswer
  }

  /** Read a delivery */
  getDelivery: {
    path: {
      /** The delivery, `dlv_…`. */
      delivery_id: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    answer: Delivery
  }

  /** Get the newest device login */
  getDeviceLogin: {
    answer: DeviceLoginStatus
  }

  /** Read an end user */
  getEndUser: {
    path: {
      /** The `end_user_ref` of the turns, percent-encoded: `a/b` is `a%2Fb`. */
      end_user_ref: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    answer: EndUser
  }

  /** Read an end user's wallet */
  getEndUserBalance: {
    path: {
      /** The `end_user_ref` of the turns, percent-encoded: `a/b` is `a%2Fb`. */
      end_user_ref: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    answer: EndUserBalance
  }

  /** Read an end user's profile */
  getEndUserProfile: {
    path: {
      /** The `end_user_ref` of the turns, percent-encoded: `a/b` is `a%2Fb`. */
      end_user_ref: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    answer: EndUserProfile
  }

  /** Report the usage of one account by end user */
  getEndUsersReport: {
    query: {
      /** The account. */
      user_id: number
      /** The number of days, including today. */
      days?: number | undefined
      /** The start of the range, instead of `days`: an instant, or a date, which means 00:00 UTC. In a report by day or hour, it is the start of a day, and the range has at most 366 days. */
      start?: string | undefined
      /** The end of the range, exclusive. Default: the end of today (24:00 UTC). */
      end?: string | undefined
      /** The range by name (UTC), instead of `days`, `start` and `end`. Weeks begin on Monday. A period that has not ended is cut at the end of today. */
      period?: "today" | "yesterday" | "this_week" | "last_week" | "this_month" | "last_month" | "this_year" | "last_year" | undefined
      /** `csv`: the whole list with these filters as a file, without pages. */
      format?: "json" | "csv" | undefined
      /** `true`: a CSV begins with a byte order mark, so that Excel reads it as UTF-8. */
      bom?: "true" | "false" | undefined
      /** `spend`: the billed amount. `tokens`: input and output tokens together. */
      sort?: "spend" | "tokens" | "turns" | undefined
      direction?: "asc" | "desc" | undefined
      /** The most entries on a page. */
      limit?: number | undefined
      /** The number of entries to skip. */
      offset?: number | undefined
    }
    answer: EndUsersReport
  }

  /** Read the account's energy */
  getEnergy: {
    query?: {
      /** The number of days, including today. */
      days?: number | undefined
      /** `csv`: the whole list with these filters as a file, without pages. */
      format?: "json" | "csv" | undefined
      /** `true`: a CSV begins with a byte order mark, so that Excel reads it as UTF-8. */
      bom?: "true" | "false" | undefined
    }
    answer: Energy
  }

  /** Report the ledger of all accounts over time */
  getEnergyTimeline: {
    query?: {
      /** The number of days, including today. */
      days?: number | undefined
      /** The start of the range, instead of `days`: an instant, or a date, which means 00:00 UTC. In a report by day or hour, it is the start of a day, and the range has at most 366 days. */
      start?: string | undefined
      /** The end of the range, exclusive. Default: the end of today (24:00 UTC). */
      end?: string | undefined
      /** The range by name (UTC), instead of `days`, `start` and `end`. Weeks begin on Monday. A period that has not ended is cut at the end of today. */
      period?: "today" | "yesterday" | "this_week" | "last_week" | "this_month" | "last_month" | "this_year" | "last_year" | undefined
      /** `csv`: the whole list with these filters as a file, without pages. */
      format?: "json" | "csv" | undefined
      /** `true`: a CSV begins with a byte order mark, so that Excel reads it as UTF-8. */
      bom?: "true" | "false" | undefined
      /** Only accounts that were created under this brand, or `all`. An account stays in the reports of its first brand if its brand is changed later. An unknown brand is rejected. */
      brand?: string | undefined
      /** `true`: starts on the day of the earliest ledger entry, and ignores `days`, `start` and `period`. Default: false. */
      all_time?: boolean | "true" | "false" | undefined
    }
    answer: EnergyTimeline
  }

  /** Read the receipt of an erasure */
  getErasure: {
    path: {
      /** The erasure, `era_…`. */
      erasure_id: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    answer: Erasure
  }

  /** Report failures of infrastructure by day */
  getErrorsReport: {
    query?: {
      /** The number of days, including today. */
      days?: number | undefined
      /** The start of the range, instead of `days`: an instant, or a date, which means 00:00 UTC. In a report by day or hour, it is the start of a day, and the range has at most 366 days. */
      start?: string | undefined
      /** The end of the range, exclusive. Default: the end of today (24:00 UTC). */
      end?: string | undefined
      /** The range by name (UTC), instead of `days`, `start` and `end`. Weeks begin on Monday. A period that has not ended is cut at the end of today. */
      period?: "today" | "yesterday" | "this_week" | "last_week" | "this_month" | "last_month" | "this_year" | "last_year" | undefined
      /** `csv`: the whole list with these filters as a file, without pages. */
      format?: "json" | "csv" | undefined
      /** `true`: a CSV begins with a byte order mark, so that Excel reads it as UTF-8. */
      bom?: "true" | "false" | undefined
      /** Only accounts that were created under this brand, or `all`. An account stays in the reports of its first brand if its brand is changed later. An unknown brand is rejected. */
      brand?: string | undefined
    }
    answer: ErrorsReport
  }

  /** Read an event */
  getEvent: {
    path: {
      /** The event, `evt_…`. */
      event_id: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    answer: FeedEvent
  }

  /** Read a file's metadata */
  getFile: {
    path: {
      /** The space, `spc_…`. */
      space_id: string
      /** The file, `file_…`. */
      file_id: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    answer: FileInfo
  }

  /** Download a file */
  getFileContent: {
    path: {
      /** The space, `spc_…`. */
      space_id: string
      /** The file, `file_…`. */
      file_id: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    answer: Blob
  }

  /** Forecast the account's spend */
  getForecast: {
    answer: Forecast
  }

  /** Report cost by hour and space */
  getHourlySpaces: {
    query: {
      /** The start of the range, inclusive. */
      start: string
      /** The end of the range, exclusive. */
      end: string
      /** The number of spaces with a series of their own. */
      top?: number | undefined
      /** Only accounts that were created under this brand, or `all`. An account stays in the reports of its first brand if its brand is changed later. An unknown brand is rejected. */
      brand?: string | undefined
      /** `csv`: the whole list with these filters as a file, without pages. */
      format?: "json" | "csv" | undefined
      /** `true`: a CSV begins with a byte order mark, so that Excel reads it as UTF-8. */
      bom?: "true" | "false" | undefined
    }
    answer: HourlySpacesReport
  }

  /** Report usage by hour */
  getHourlyUsage: {
    query?: {
      /** The number of days, including today. */
      days?: number | undefined
      /** The start of the range, instead of `days`: an instant, or a date, which means 00:00 UTC. In a report by day or hour, it is the start of a day, and the range has at most 366 days. */
      start?: string | undefined
      /** The end of the range, exclusive. Default: the end of today (24:00 UTC). */
      end?: string | undefined
      /** The range by name (UTC), instead of `days`, `start` and `end`. Weeks begin on Monday. A period that has not ended is cut at the end of today. */
      period?: "today" | "yesterday" | "this_week" | "last_week" | "this_month" | "last_month" | "this_year" | "last_year" | undefined
      /** `csv`: the whole list with these filters as a file, without pages. */
      format?: "json" | "csv" | undefined
      /** `true`: a CSV begins with a byte order mark, so that Excel reads it as UTF-8. */
      bom?: "true" | "false" | undefined
      /** Only accounts that were created under this brand, or `all`. An account stays in the reports of its first brand if its brand is changed later. An unknown brand is rejected. */
      brand?: string | undefined
    }
    answer: HourlyReport
  }

  /** Read an API key */
  getKey: {
    path: {
      /** The key, `key_…`. */
      key_id: string
    }
    answer: ApiKeyWithCaps
  }

  /** Read the account's limits */
  getLimits: {
    answer: AccountLimits
  }

  /** Read a space's manifest */
  getManifest: {
    path: {
      /** The space, `spc_…`. */
      space_id: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    answer: Manifest
  }

  /** Read an MCP server */
  getMcpServer: {
    path: {
      /** The space, `spc_…`. */
      space_id: string
      /** The name, which is unique in the space. */
      name: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    answer: McpServer
  }

  /** Read the signed-in user, session and balance */
  getMe: {
    answer: AccountMe
  }

  /** Get the state of the media credential */
  getMediaLogin: {
    answer: MediaStatus
  }

  /** Read the overview */
  getOverview: {
    answer: Overview
  }

  /** Read the account's plan */
  getPlan: {
    answer: AccountPlan
  }

  /** Read the capacity of both pools */
  getPools: {
    answer: Pools
  }

  /** Read a price */
  getPrice: {
    path: {
      /** The name of the price. */
      name: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
      /** Shows this version only. Default: the newest ones. */
      version?: number | undefined
    }
    answer: Price
  }

  /** Read a day of a provider account */
  getProviderBook: {
    path: {
      /** The account. */
      provider_id: string
      /** The day (UTC). */
      day: string
    }
    answer: ProviderBook
  }

  /** Read the progress of a report's file */
  getReportFile: {
    path: {
      /** The file, `file_…`. */
      file_id: string
    }
    answer: ReportFile
  }

  /** Download a report's file */
  getReportFileContent: {
    path: {
      /** The file, `file_…`. */
      file_id: string
    }
    answer: Blob
  }

  /** Read how long a space's data is kept */
  getRetention: {
    path: {
      /** The space, `spc_…`. */
      space_id: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    answer: Retention
  }

  /** Read your second factor */
  getSecondFactor: {
    answer: SecondFactor
  }

  /** Check the whole service */
  getServiceHealth: {
    query?: {
      /** `prometheus`: the text format of Prometheus. Default: `json`. */
      format?: "json" | "prometheus" | undefined
    }
    answer: ServiceHealth
  }

  /** Read the service level */
  getServiceLevel: {
    query?: {
      /** The number of days until now. Default: 1. */
      days?: number | undefined
    }
    answer: ServiceLevel
  }

  /** Read how far the account's integration is */
  getSetup: {
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    answer: AccountSetup
  }

  /** Read a space's sharing */
  getSharing: {
    path: {
      /** The space, `spc_…`. */
      space_id: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    answer: SpaceSharing
  }

  /** Read a space */
  getSpace: {
    path: {
      /** The space, `spc_…`. */
      space_id: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    answer: AccountSpace
  }

  /** Read a registered space */
  getSpaceById: {
    path: {
      /** The space's number. */
      space_id: number
    }
    answer: AdminSpaceDetail
  }

  /** Read a chat with its people */
  getSpaceByKey: {
    path: {
      /** The chat, or the slug of its space. You can write slashes as `%2F`. */
      chat_key: string
    }
    query?: {
      /** The most entries on a page. Default: all entries, up to 10000. */
      limit?: number | undefined
      /** The number of entries to skip. */
      offset?: number | undefined
      /** `csv`: the whole list with these filters as a file, without pages. */
      format?: "json" | "csv" | undefined
      /** `true`: a CSV begins with a byte order mark, so that Excel reads it as UTF-8. */
      bom?: "true" | "false" | undefined
    }
    answer: GetSpaceByKeyAnswer
  }

  /** Read a space's spending */
  getSpaceSpend: {
    path: {
      /** The space, `spc_…`. */
      space_id: string
    }
    query?: {
      /** The number of days, including today. */
      days?: number | undefined
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    answer: SpaceSpend
  }

  /** Read a monthly statement */
  getStatement: {
    path: {
      /** A month (UTC). */
      month: string
    }
    answer: MonthStatement
  }

  /** Read a subscription */
  getSubscription: {
    path: {
      sub_id: number
    }
    answer: Subscription
  }

  /** Report usage by provider and space */
  getSubscriptionSpaces: {
    query?: {
      /** The number of days, including today. */
      days?: number | undefined
      /** The start of the range, instead of `days`: an instant, or a date, which means 00:00 UTC. In a report by day or hour, it is the start of a day, and the range has at most 366 days. */
      start?: string | undefined
      /** The end of the range, exclusive. Default: the end of today (24:00 UTC). */
      end?: string | undefined
      /** The range by name (UTC), instead of `days`, `start` and `end`. Weeks begin on Monday. A period that has not ended is cut at the end of today. */
      period?: "today" | "yesterday" | "this_week" | "last_week" | "this_month" | "last_month" | "this_year" | "last_year" | undefined
      /** `csv`: the whole list with these filters as a file, without pages. */
      format?: "json" | "csv" | undefined
      /** `true`: a CSV begins with a byte order mark, so that Excel reads it as UTF-8. */
      bom?: "true" | "false" | undefined
      /** Only accounts that were created under this brand, or `all`. An account stays in the reports of its first brand if its brand is changed later. An unknown brand is rejected. */
      brand?: string | undefined
      /** The first day (UTC), instead of `days`. */
      date_from?: string | undefined
      /** The last day (UTC), inclusive. Default: today. */
      date_to?: string | undefined
      /** Only this `provider_key`. The number of a user's plan is rejected, since calls that a plan paid for count under their provider. */
      subscription_id?: string | undefined
      /** Only this chat. */
      chat_key?: string | undefined
      /** The most entries on a page. Default: all entries, up to 10000. */
      limit?: number | undefined
      /** The number of entries to skip. */
      offset?: number | undefined
    }
    answer: SubscriptionSpaces
  }

  /** Report the usage of subscriptions */
  getSubscriptionUsage: {
    query?: {
      /** The number of days, including today. */
      days?: number | undefined
      /** The start of the range, instead of `days`: an instant, or a date, which means 00:00 UTC. In a report by day or hour, it is the start of a day, and the range has at most 366 days. */
      start?: string | undefined
      /** The end of the range, exclusive. Default: the end of today (24:00 UTC). */
      end?: string | undefined
      /** The range by name (UTC), instead of `days`, `start` and `end`. Weeks begin on Monday. A period that has not ended is cut at the end of today. */
      period?: "today" | "yesterday" | "this_week" | "last_week" | "this_month" | "last_month" | "this_year" | "last_year" | undefined
      /** `csv`: the whole list with these filters as a file, without pages. */
      format?: "json" | "csv" | undefined
      /** `true`: a CSV begins with a byte order mark, so that Excel reads it as UTF-8. */
      bom?: "true" | "false" | undefined
      /** Only accounts that were created under this brand, or `all`. An account stays in the reports of its first brand if its brand is changed later. An unknown brand is rejected. */
      brand?: string | undefined
      /** The most entries on a page. Default: all entries, up to 10000. A page also ends before it has more than 50,000 days, after at least one entry. `next_offset` is where the next page begins. */
      limit?: number | undefined
      /** The number of entries to skip. */
      offset?: number | undefined
    }
    answer: SubscriptionUsage
  }

  /** Read the system's status */
  getSystem: {
    answer: System
  }

  /** Read a team */
  getTeam: {
    path: {
      team_id: number
    }
    answer: Team
  }

  /** Read a tool */
  getTool: {
    path: {
      /** The space, `spc_…`. */
      space_id: string
      /** The name, which is unique in the space. */
      name: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    answer: Tool
  }

  /** List the spaces with the highest cost */
  getTopSpaces: {
    query?: {
      /** The number of days, including today. */
      days?: number | undefined
      /** The start of the range, instead of `days`: an instant, or a date, which means 00:00 UTC. In a report by day or hour, it is the start of a day, and the range has at most 366 days. */
      start?: string | undefined
      /** The end of the range, exclusive. Default: the end of today (24:00 UTC). */
      end?: string | undefined
      /** The range by name (UTC), instead of `days`, `start` and `end`. Weeks begin on Monday. A period that has not ended is cut at the end of today. */
      period?: "today" | "yesterday" | "this_week" | "last_week" | "this_month" | "last_month" | "this_year" | "last_year" | undefined
      /** `csv`: the whole list with these filters as a file, without pages. */
      format?: "json" | "csv" | undefined
      /** `true`: a CSV begins with a byte order mark, so that Excel reads it as UTF-8. */
      bom?: "true" | "false" | undefined
      /** Only accounts that were created under this brand, or `all`. An account stays in the reports of its first brand if its brand is changed later. An unknown brand is rejected. */
      brand?: string | undefined
      /** The number of rows. `other` contains the sum of the rest. */
      limit?: number | undefined
    }
    answer: TopSpacesReport
  }

  /** List the accounts with the highest cost */
  getTopUsers: {
    query?: {
      /** The number of days, including today. */
      days?: number | undefined
      /** The start of the range, instead of `days`: an instant, or a date, which means 00:00 UTC. In a report by day or hour, it is the start of a day, and the range has at most 366 days. */
      start?: string | undefined
      /** The end of the range, exclusive. Default: the end of today (24:00 UTC). */
      end?: string | undefined
      /** The range by name (UTC), instead of `days`, `start` and `end`. Weeks begin on Monday. A period that has not ended is cut at the end of today. */
      period?: "today" | "yesterday" | "this_week" | "last_week" | "this_month" | "last_month" | "this_year" | "last_year" | undefined
      /** `csv`: the whole list with these filters as a file, without pages. */
      format?: "json" | "csv" | undefined
      /** `true`: a CSV begins with a byte order mark, so that Excel reads it as UTF-8. */
      bom?: "true" | "false" | undefined
      /** Only accounts that were created under this brand, or `all`. An account stays in the reports of its first brand if its brand is changed later. An unknown brand is rejected. */
      brand?: string | undefined
      /** The number of rows. `other` contains the sum of the rest. */
      limit?: number | undefined
    }
    answer: TopUsersReport
  }

  /** Read the endpoint for traces */
  getTraceEndpoint: {
    answer: GetTraceEndpointAnswer
  }

  /** Read a turn */
  getTurn: {
    path: {
      /** The turn, `turn_…`. */
      turn_id: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    answer: Turn
  }

  /** Read a turn's bill */
  getTurnBill: {
    path: {
      /** The turn, `turn_…`. */
      turn_id: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    answer: TurnBill
  }

  /** Read the messages of a turn */
  getTurnMessages: {
    path: {
      /** The turn, `turn_…`. */
      turn_id: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    answer: TurnMessages
  }

  /** Read a turn's receipt */
  getTurnReceipt: {
    path: {
      /** The turn, `turn_…`. */
      turn_id: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    answer: TurnReceipt
  }

  /** Count turns */
  getTurnStats: {
    query?: {
      /** An id, or a part of a customer, a space's title or a text. The newest 2000 turns that match the other filters are searched. */
      q?: string | undefined
      /** A `space_id`. */
      space?: string | undefined
      /** A `key_id`. */
      key?: string | undefined
      end_user_ref?: string | undefined
      /** A conversation's id. */
      conversation?: string | undefined
      state?: "queued" | "running" | "done" | "failed" | "cancelled" | undefined
      /** Only turns that wait for this, or with `any` for anything. Without `created_after`, also older turns. */
      waiting?: "limit" | "approval" | "result" | "any" | undefined
      /** The code of a failed turn, or the reason of a cancelled one. */
      reason?: string | undefined
      /** A model, as a pin. */
      model?: string | undefined
      /** Only turns that cost at least this. */
      min_cost_usd?: number | undefined
      /** Only turns that took at least this long from acceptance to end. */
      min_seconds?: number | undefined
      /** Only turns accepted at or after this time. Default: 30 days ago. */
      created_after?: string | undefined
      /** Only turns accepted before this time. */
      created_before?: string | undefined
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    answer: TurnStats
  }

  /** Read a turn's trace */
  getTurnTrace: {
    path: {
      /** The turn, `turn_…`. */
      turn_id: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    answer: TurnTrace
  }

  /** Report usage by end user, space, model, key, day, hour or metadata */
  getUsage: {
    query?: {
      /** The dimension of the rows: `end_user_ref`, `space`, `model`, `key`, `day`, `hour` (of the day, UTC), `config_version`, or `metadata.` and a key that you have registered with `PUT /v1/usage-keys`. Default: `day`. */
      group_by?: "end_user_ref" | "space" | "model" | "key" | "day" | "hour" | "config_version" | string | undefined
      /** The start, inclusive: an instant, or a date, which means 00:00 UTC. Default: 30 days before `to`. */
      from?: string | undefined
      /** The end, exclusive: an instant, or a date, which means 00:00 UTC. Default: the end of today (UTC). */
      to?: string | undefined
      /** Only these spaces. Repeat the parameter for several. */
      space?: string[] | undefined
      /** Only these end users. Repeat the parameter for several. */
      end_user_ref?: string[] | undefined
      /** Only model calls with these pins. Repeat the parameter for several. */
      model?: string[] | undefined
      /** Only turns of these keys, by `key_id`. Repeat the parameter for several. */
      key?: string[] | undefined
      /** The order of the groups: by their bytes (`group`), or by a sum. Equal sums are in the order of the groups. Default: `group`. */
      sort?: "group" | "billed" | "turns" | "model_calls" | "tokens_input" | "tokens_output" | undefined
      /** Default: `asc` by `group`, and `desc` by a sum. */
      direction?: "asc" | "desc" | undefined
      /** The format of the report. It takes precedence over the Accept header. Default: `json`. */
      format?: "json" | "csv" | undefined
      /** `true`: a CSV begins with a byte order mark, so that Excel reads it as UTF-8. */
      bom?: "true" | "false" | undefined
      /** The most entries on a page. */
      limit?: number | undefined
      /** The `next_cursor` of the previous page. Send it with the same filters. */
      cursor?: string | undefined
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    answer: UsageReport
  }

  /** Report usage by one dimension */
  getUsageBreakdown: {
    query?: {
      /** The dimension of the rows. Default: `space`. */
      dimension?: "space" | "user" | "model" | "provider" | undefined
      /** The number of days, including today. */
      days?: number | undefined
      /** The start of the range, instead of `days`: an instant, or a date, which means 00:00 UTC. In a report by day or hour, it is the start of a day, and the range has at most 366 days. */
      start?: string | undefined
      /** The end of the range, exclusive. Default: the end of today (24:00 UTC). */
      end?: string | undefined
      /** The range by name (UTC), instead of `days`, `start` and `end`. Weeks begin on Monday. A period that has not ended is cut at the end of today. */
      period?: "today" | "yesterday" | "this_week" | "last_week" | "this_month" | "last_month" | "this_year" | "last_year" | undefined
      /** `csv`: the whole list with these filters as a file, without pages. */
      format?: "json" | "csv" | undefined
      /** `true`: a CSV begins with a byte order mark, so that Excel reads it as UTF-8. */
      bom?: "true" | "false" | undefined
      /** Only accounts that were created under this brand, or `all`. An account stays in the reports of its first brand if its brand is changed later. An unknown brand is rejected. */
      brand?: string | undefined
      /** The number of rows. `other` contains the sum of the rest. */
      limit?: number | undefined
    }
    answer: UsageBreakdown
  }

  /** Read the state of the usage export */
  getUsageExport: {
    answer: UsageExport
  }

  /** Read the registered keys of metadata */
  getUsageKeys: {
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    answer: UsageKeys
  }

  /** Read a user */
  getUser: {
    path: {
      user_id: number
    }
    answer: UserDetail
  }

  /** Report usage and costs by account */
  getUserCostsReport: {
    query?: {
      /** The number of days, including today. */
      days?: number | undefined
      /** The start of the range, instead of `days`: an instant, or a date, which means 00:00 UTC. In a report by day or hour, it is the start of a day, and the range has at most 366 days. */
      start?: string | undefined
      /** The end of the range, exclusive. Default: the end of today (24:00 UTC). */
      end?: string | undefined
      /** The range by name (UTC), instead of `days`, `start` and `end`. Weeks begin on Monday. A period that has not ended is cut at the end of today. */
      period?: "today" | "yesterday" | "this_week" | "last_week" | "this_month" | "last_month" | "this_year" | "last_year" | undefined
      /** `csv`: the whole list with these filters as a file, without pages. */
      format?: "json" | "csv" | undefined
      /** `true`: a CSV begins with a byte order mark, so that Excel reads it as UTF-8. */
      bom?: "true" | "false" | undefined
      /** Only accounts that were created under this brand, or `all`. An account stays in the reports of its first brand if its brand is changed later. An unknown brand is rejected. */
      brand?: string | undefined
      /** The number of rows. `other` contains the sum of the rest. */
      limit?: number | undefined
    }
    answer: UserCostsReport
  }

  /** Read a user's energy */
  getUserEnergy: {
    path: {
      user_id: number
    }
    query?: {
      /** The number of days, including today. */
      days?: number | undefined
      reason?: "admin_grant" | "admin_action" | "operator_topup" | "signup_credit" | "referral_signup_credit" | "manual_topup" | "credit_purchase" | "usage" | "space_usage" | "referral_credit_commission" | undefined
      /** Only entries of the ledger in this bucket. */
      bucket?: "free" | "bonus" | "paid" | "refunded" | "spent" | undefined
      /** The most entries on a page. */
      limit?: number | undefined
      /** The number of entries to skip. */
      offset?: number | undefined
      /** `csv`: the whole list with these filters as a file, without pages. */
      format?: "json" | "csv" | undefined
      /** `true`: a CSV begins with a byte order mark, so that Excel reads it as UTF-8. */
      bom?: "true" | "false" | undefined
    }
    answer: UserEnergy
  }

  /** Read the state of a login */
  getWebLogin: {
    query: {
      token: string
    }
    answer: WebLoginStatus
  }

  /** Read a webhook */
  getWebhook: {
    path: {
      /** The webhook, `whk_…`. */
      webhook_id: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    answer: Webhook
  }

  /** Read a webhook's success rate */
  getWebhookHealth: {
    path: {
      /** The webhook, `whk_…`. */
      webhook_id: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    answer: WebhookHealth
  }

  /** Read a workspace */
  getWorkspace: {
    path: {
      workspace_id: string
    }
    answer: Workspace
  }

  /** Invite a person */
  inviteMember: {
    body: InviteMember
    answer: NewInvitation
  }

  /** Accept an invitation as a new user */
  joinAsNewUser: {
    body: JoinAsNewUser
    answer: User
  }

  /** Keep the key of a person who left */
  keepKey: {
    path: {
      /** The key, `key_…`. */
      key_id: string
    }
    query?: {
      /** A person of the account who is about to lose rights: you answer for the values that this person knows. */
      user_id?: number | undefined
    }
    answer: ApiKey
  }

  /** Leave an account */
  leaveAccount: {
    path: {
      user_id: number
    }
    answer: LeaveAccountAnswer
  }

  /** Link an identity of the identity provider */
  linkIdentity: {
    query?: {
      /** A path of this origin, such as `/chat?space=1`. Anything else, and every path below `/api/auth`, is ignored: the browser then goes to the brand's landing page. */
      next?: string | undefined
    }
    answer: Blob
  }

  /** List the activity of the account */
  listActivity: {
    query?: {
      /** The action. */
      action?: string | undefined
      /** The type of the changed object. */
      subject_type?: string | undefined
      /** The changed object. */
      subject_id?: string | undefined
      /** The key that made the changes. */
      key_id?: string | undefined
      /** The maker of the change: you, an API key, a member of the account or of a shared space, an end user, or an operator. */
      by?: "owner" | "key" | "member" | "end_user" | "operator" | undefined
      /** Only changes of the member with this user id. */
      member?: number | undefined
      /** Only entries created at or after this time. */
      created_after?: string | undefined
      /** Only entries created before this time. */
      created_before?: string | undefined
      /** The most entries on a page. */
      limit?: number | undefined
      /** The number of entries to skip. */
      offset?: number | undefined
      /** `csv`: the whole list with these filters as a file, without pages. */
      format?: "json" | "csv" | undefined
      /** `true`: a CSV begins with a byte order mark, so that Excel reads it as UTF-8. */
      bom?: "true" | "false" | undefined
    }
    answer: ActivityEntryList
  }

  /** List the requests for refunds of all accounts */
  listAllRefundRequests: {
    query?: {
      /** Only requests in this state. */
      state?: "open" | "refunded" | "declined" | undefined
      /** A `turn_id`. */
      turn?: string | undefined
      /** Only requests of this account. */
      user_id?: number | undefined
      /** The most entries on a page. */
      limit?: number | undefined
      /** The number of entries to skip. */
      offset?: number | undefined
    }
    answer: AdminRefundRequestList
  }

  /** Explore the turns of all accounts */
  listAllTurns: {
    query?: {
      /** An id, or a part of a customer or a space's title; texts are not searched. The newest 2000 turns that match the other filters are searched. */
      q?: string | undefined
      /** A `space_id`. */
      space?: string | undefined
      /** A `key_id`. */
      key?: string | undefined
      end_user_ref?: string | undefined
      /** A conversation's id. */
      conversation?: string | undefined
      state?: "queued" | "running" | "done" | "failed" | "cancelled" | undefined
      /** Only turns that wait for this, or with `any` for anything. Without `created_after`, also older turns. */
      waiting?: "limit" | "approval" | "result" | "any" | undefined
      /** The code of a failed turn, or the reason of a cancelled one. */
      reason?: string | undefined
      /** A model, as a pin. */
      model?: string | undefined
      /** Only turns that cost at least this. */
      min_cost_usd?: number | undefined
      /** Only turns that took at least this long from acceptance to end. */
      min_seconds?: number | undefined
      /** Only turns accepted at or after this time. Default: 30 days ago. */
      created_after?: string | undefined
      /** Only turns accepted before this time. */
      created_before?: string | undefined
      /** Turns with a failure of the infrastructure of this kind within the range, also turns that recovered from it. */
      failure?: "container_start" | "container_exec" | "subagent_dispatch" | "model_call" | undefined
      /** Turns with a call of this provider account within the range, or of a provider that is called with the service's key, also if the call failed. Only the last 24 hours of the range are searched, or with `created_after` at most its last 7 days. With `failure`: with such a failure at it, in the whole range. */
      provider?: string | undefined
      /** The account that is billed. */
      user_id?: number | undefined
      /** `true` for test turns. Default: live turns. */
      test?: boolean | "true" | "false" | undefined
      sort?: "newest" | "cost" | "duration" | undefined
      direction?: "asc" | "desc" | undefined
      /** The most entries on a page. */
      limit?: number | undefined
      /** The number of entries to skip. */
      offset?: number | undefined
      /** `csv`: the whole list with these filters as a file, without pages. */
      format?: "json" | "csv" | undefined
      /** `true`: a CSV begins with a byte order mark, so that Excel reads it as UTF-8. */
      bom?: "true" | "false" | undefined
    }
    answer: AdminTurnSummaryList
  }

  /** List anomalies of spend */
  listAnomalies: {
    query?: {
      /** Only anomalies in this state. */
      state?: "open" | "dismissed" | undefined
      /** Only of this end user. */
      end_user_ref?: string | undefined
      /** Only of this key. */
      key_id?: string | undefined
      /** Only of this space. */
      space?: string | undefined
      /** The most entries on a page. */
      limit?: number | undefined
      /** The number of entries to skip. */
      offset?: number | undefined
    }
    answer: AnomalyList
  }

  /** List the audit log */
  listAudit: {
    query?: {
      /** The user who made the change. */
      actor_user_id?: number | undefined
      /** The user who was changed, alone or in an act on many users. */
      changed_user_id?: number | undefined
      /** The type of the changed object: `user`, `setting`, … */
      subject_type?: string | undefined
      /** The id of the changed object. */
      subject_id?: string | undefined
      /** The action. */
      action?: string | undefined
      /** `true`: includes what owners changed in their own accounts, such as keys, webhooks and prices. A filter by actor, subject or action always includes them. Default: false. */
      own?: boolean | "true" | "false" | undefined
      /** Only entries created at or after this time. */
      created_after?: string | undefined
      /** Only entries created before this time. */
      created_before?: string | undefined
      /** The most entries on a page. */
      limit?: number | undefined
      /** The number of entries to skip. */
      offset?: number | undefined
      /** `csv`: the whole list with these filters as a file, without pages. */
      format?: "json" | "csv" | undefined
      /** `true`: a CSV begins with a byte order mark, so that Excel reads it as UTF-8. */
      bom?: "true" | "false" | undefined
    }
    answer: AuditEntryList
  }

  /** List the messaging platform's groups with a bot */
  listBoards: {
    query?: {
      /** The most entries on a page. */
      limit?: number | undefined
      /** The number of entries to skip. */
      offset?: number | undefined
    }
    answer: BoardList
  }

  /** List turns of the web chat */
  listChatTurns: {
    query?: {
      /** A `space_id`. */
      space?: string | undefined
      /** A conversation's id. */
      conversation?: string | undefined
      state?: "queued" | "running" | "done" | "failed" | "cancelled" | undefined
      /** Only entries created at or after this time. */
      created_after?: string | undefined
      /** Only entries created before this time. */
      created_before?: string | undefined
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
      /** The most entries on a page. */
      limit?: number | undefined
      /** The number of entries to skip. */
      offset?: number | undefined
    }
    answer: TurnList
  }

  /** List the versions of a space's configuration */
  listConfigVersions: {
    path: {
      /** The space, `spc_…`. */
      space_id: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
      /** The most entries on a page. */
      limit?: number | undefined
      /** The `next_cursor` of the previous page. Send it with the same filters. */
      cursor?: string | undefined
      /** Only entries created at or after this time. */
      created_after?: string | undefined
      /** Only entries created before this time. */
      created_before?: string | undefined
    }
    answer: ConfigVersionSummaryList
  }

  /** List container mappings */
  listContainerMappings: {
    query?: {
      /** Only mappings of this space. */
      space?: string | undefined
      /** Only mappings to this container. */
      container?: string | undefined
      /** The most entries on a page. */
      limit?: number | undefined
      /** The number of entries to skip. */
      offset?: number | undefined
    }
    answer: ContainerMappingList
  }

  /** Rank end users by their spend */
  listCustomers: {
    query?: {
      /** A part of the `end_user_ref`. Case does not matter. */
      q?: string | undefined
      /** `true`: only blocked end users. `false`: only end users who are not blocked. */
      blocked?: boolean | "true" | "false" | undefined
      /** `today`, `month` and `all_time` are billed amounts, `share` is `cap_share`. `turns` counts all turns; `latency` and `failed` use the turns of this month. */
      sort?: "today" | "month" | "all_time" | "share" | "turns" | "last_turn" | "latency" | "failed" | "name" | undefined
      direction?: "asc" | "desc" | undefined
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
      /** The most entries on a page. */
      limit?: number | undefined
      /** The number of entries to skip. */
      offset?: number | undefined
      /** `csv`: the whole list with these filters as a file, without pages. */
      format?: "json" | "csv" | undefined
      /** `true`: a CSV begins with a byte order mark, so that Excel reads it as UTF-8. */
      bom?: "true" | "false" | undefined
    }
    answer: ListCustomersAnswer
  }

  /** List a webhook's deliveries */
  listDeliveries: {
    path: {
      /** The webhook, `whk_…`. */
      webhook_id: string
    }
    query?: {
      state?: "pending" | "delivered" | "failed" | undefined
      event_type?: "turn.queued" | "turn.running" | "turn.waiting" | "turn.resumed" | "turn.done" | "turn.failed" | "turn.cancelled" | "call.decided" | "balance.low" | "balance.depleted" | "end_user.balance_low" | "end_user.depleted" | "cap.reached" | "activity.recorded" | "usage.posted" | "hour.closed" | "endpoint.disabled" | "account.signed_in" | "account.locked" | "account.factor_changed" | "key.created" | "key.revoked" | "refund.decided" | "anomaly.found" | "budget.reached" | "mcp_server.failing" | "space.shared" | "ping" | undefined
      /** Only deliveries of this turn's events: a `turn_id`. */
      turn?: string | undefined
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
      /** The most entries on a page. */
      limit?: number | undefined
      /** The number of entries to skip. */
      offset?: number | undefined
    }
    answer: DeliveryList
  }

  /** List the default prices */
  listEndUserDefaults: {
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    answer: EndUserDefaultList
  }

  /** List an end user's ledger */
  listEndUserLedger: {
    path: {
      /** The `end_user_ref` of the turns, percent-encoded: `a/b` is `a%2Fb`. */
      end_user_ref: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
      /** Only these entries. */
      reason?: "credit" | "correction" | "usage" | "refund" | undefined
      /** A `turn_id`: only its charge. */
      turn?: string | undefined
      /** The most entries on a page. */
      limit?: number | undefined
      /** The `next_cursor` of the previous page. Send it with the same filters. */
      cursor?: string | undefined
    }
    answer: EndUserLedgerEntryList
  }

  /** List end users */
  listEndUsers: {
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
      /** The most entries on a page. */
      limit?: number | undefined
      /** The `next_cursor` of the previous page. Send it with the same filters. */
      cursor?: string | undefined
      /** A part of the `end_user_ref`. Case does not matter. */
      q?: string | undefined
      /** `true`: only blocked end users. `false`: only end users who are not blocked. */
      blocked?: boolean | "true" | "false" | undefined
    }
    answer: EndUserList
  }

  /** List events */
  listEvents: {
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
      /** The most entries on a page. */
      limit?: number | undefined
      /** The `next_cursor` of the previous page. Send it with the same filters. */
      cursor?: string | undefined
      order?: "asc" | "desc" | undefined
      type?: "turn.queued" | "turn.running" | "turn.waiting" | "turn.resumed" | "turn.done" | "turn.failed" | "turn.cancelled" | "call.decided" | "balance.low" | "balance.depleted" | "end_user.balance_low" | "end_user.depleted" | "cap.reached" | "activity.recorded" | "usage.posted" | "hour.closed" | "endpoint.disabled" | "account.signed_in" | "account.locked" | "account.factor_changed" | "key.created" | "key.revoked" | "refund.decided" | "anomaly.found" | "budget.reached" | "mcp_server.failing" | "space.shared" | "ping" | undefined
      turn?: string | undefined
      /** Only entries created at or after this time. */
      created_after?: string | undefined
      /** Only entries created before this time. */
      created_before?: string | undefined
    }
    answer: EventList
  }

  /** List external API keys */
  listExternalApiKeys: {
    answer: ExternalApiKeyList
  }

  /** List a space's files */
  listFiles: {
    path: {
      /** The space, `spc_…`. */
      space_id: string
    }
    query?: {
      /** A `turn_id`: only files that the agent created in this turn. */
      turn?: string | undefined
      /** Only entries created at or after this time. */
      created_after?: string | undefined
      /** Only entries created before this time. */
      created_before?: string | undefined
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
      /** The most entries on a page. */
      limit?: number | undefined
      /** The number of entries to skip. */
      offset?: number | undefined
    }
    answer: FileList
  }

  /** List identities */
  listIdentities: {
    query?: {
      /** The most entries on a page. */
      limit?: number | undefined
      /** The number of entries to skip. */
      offset?: number | undefined
    }
    answer: IdentityList
  }

  /** List API keys */
  listKeys: {
    query?: {
      /** `true`: only test keys. `false`: only live keys. */
      test?: boolean | "true" | "false" | undefined
      /** A part of the name, or a prefix of the id. Case of the name does not matter. */
      q?: string | undefined
      /** Only these keys. Repeat the parameter for several. */
      key?: string[] | undefined
      /** The most entries on a page. */
      limit?: number | undefined
      /** The number of entries to skip. */
      offset?: number | undefined
    }
    answer: ApiKeyList
  }

  /** List the ledger */
  listLedger: {
    query?: {
      reason?: "admin_grant" | "admin_action" | "operator_topup" | "signup_credit" | "referral_signup_credit" | "manual_topup" | "credit_purchase" | "usage" | "space_usage" | "referral_credit_commission" | undefined
      bucket?: "free" | "bonus" | "paid" | "refunded" | "spent" | undefined
      /** A `turn_id`. */
      turn?: string | undefined
      /** Only entries created at or after this time. */
      created_after?: string | undefined
      /** Only entries created before this time. */
      created_before?: string | undefined
      /** The most entries on a page. */
      limit?: number | undefined
      /** The number of entries to skip. */
      offset?: number | undefined
      /** `csv`: the whole list with these filters as a file, without pages. */
      format?: "json" | "csv" | undefined
      /** `true`: a CSV begins with a byte order mark, so that Excel reads it as UTF-8. */
      bom?: "true" | "false" | undefined
    }
    answer: LedgerEntryList
  }

  /** List MCP servers that do not answer */
  listMcpServerFailures: {
    path: {
      /** The space, `spc_…`. */
      space_id: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    answer: McpServerFailureList
  }

  /** List a space's MCP servers */
  listMcpServers: {
    path: {
      /** The space, `spc_…`. */
      space_id: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    answer: McpServerList
  }

  /** List the people of the account */
  listMembers: {
    answer: Members
  }

  /** List your accounts */
  listMemberships: {
    answer: MembershipList
  }

  /** List the model catalog */
  listModelCatalog: {
    answer: ModelCatalogRowList
  }

  /** Compare the catalog with providers' prices */
  listModelProposals: {
    answer: ModelProposals
  }

  /** List the models */
  listModels: {
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    answer: ListModelsAnswer
  }

  /** List prices */
  listPrices: {
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    answer: PriceList
  }

  /** List days of provider accounts next to their providers' reports */
  listProviderBooks: {
    query?: {
      /** The number of days, including today. */
      days?: number | undefined
      /** Only this account. Default: all. */
      provider_id?: string | undefined
      /** `csv`: the whole list with these filters as a file, without pages. */
      format?: "json" | "csv" | undefined
      /** `true`: a CSV begins with a byte order mark, so that Excel reads it as UTF-8. */
      bom?: "true" | "false" | undefined
    }
    answer: ProviderBooks
  }

  /** List subscriptions used for inference */
  listProviders: {
    answer: ProviderList
  }

  /** List spaces by their activity */
  listRecentSpaces: {
    query?: {
      /** The most entries on a page. Default: all entries, up to 10000. */
      limit?: number | undefined
      /** The number of entries to skip. */
      offset?: number | undefined
    }
    answer: AdminSpaceList
  }

  /** List requests for refunds */
  listRefundRequests: {
    query?: {
      /** Only requests in this state. */
      state?: "open" | "refunded" | "declined" | undefined
      /** A `turn_id`. */
      turn?: string | undefined
      /** The most entries on a page. */
      limit?: number | undefined
      /** The number of entries to skip. */
      offset?: number | undefined
    }
    answer: RefundRequestList
  }

  /** List a space's secrets */
  listSecrets: {
    path: {
      /** The space, `spc_…`. */
      space_id: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    answer: SecretList
  }

  /** List sessions */
  listSessions: {
    query?: {
      /** The most entries on a page. */
      limit?: number | undefined
      /** The number of entries to skip. */
      offset?: number | undefined
    }
    answer: SessionList
  }

  /** List settings */
  listSettings: {
    answer: SettingList
  }

  /** List your spaces that are shared */
  listShares: {
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
      /** The most entries on a page. */
      limit?: number | undefined
      /** The number of entries to skip. */
      offset?: number | undefined
    }
    answer: SharedSpaceList
  }

  /** List the ways to sign in that this host offers */
  listSignInWays: {
    answer: SignInWays
  }

  /** Search the inventory of spaces */
  listSpaceInventory: {
    query?: {
      /** A part of the title, or a prefix of the slug. Case does not matter. */
      q?: string | undefined
      /** `api`, `dashboard` or `messenger`. */
      origin?: string | undefined
      /** The name of a brand, or `all`. An unknown brand is rejected. */
      brand?: string | undefined
      archived?: "active" | "archived" | "all" | undefined
      /** The owner's user id. */
      owner_id?: number | undefined
      /** A workspace's id. */
      workspace_id?: string | undefined
      sort?: "title" | "created_at" | "last_activity" | "messages" | "cost" | undefined
      direction?: "asc" | "desc" | undefined
      /** The most entries on a page. */
      limit?: number | undefined
      /** The number of entries to skip. */
      offset?: number | undefined
      /** `csv`: the whole list with these filters as a file, without pages. */
      format?: "json" | "csv" | undefined
      /** `true`: a CSV begins with a byte order mark, so that Excel reads it as UTF-8. */
      bom?: "true" | "false" | undefined
    }
    answer: AdminSpaceList
  }

  /** List the contexts of all spaces */
  listSpaceSessions: {
    query?: {
      /** The most entries on a page. Default: all entries, up to 10000. */
      limit?: number | undefined
      /** The number of entries to skip. */
      offset?: number | undefined
      /** `csv`: the whole list with these filters as a file, without pages. */
      format?: "json" | "csv" | undefined
      /** `true`: a CSV begins with a byte order mark, so that Excel reads it as UTF-8. */
      bom?: "true" | "false" | undefined
    }
    answer: SpaceContextList
  }

  /** List spaces */
  listSpaces: {
    query?: {
      /** A part of the title, or a prefix of the slug. Case does not matter. */
      q?: string | undefined
      /** Only these spaces. Repeat the parameter for several. */
      space?: string[] | undefined
      archived?: "active" | "archived" | "all" | undefined
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
      /** The most entries on a page. */
      limit?: number | undefined
      /** The number of entries to skip. */
      offset?: number | undefined
    }
    answer: SpaceSummaryList
  }

  /** List the documents of a month */
  listStatementDocuments: {
    path: {
      /** A month (UTC). */
      month: string
    }
    query?: {
      /** The most entries on a page. */
      limit?: number | undefined
      /** The `next_cursor` of the previous page. Send it with the same filters. */
      cursor?: string | undefined
    }
    answer: StatementDocumentList
  }

  /** List monthly statements */
  listStatements: {
    answer: ListedStatementList
  }

  /** List subscriptions */
  listSubscriptions: {
    query?: {
      /** Only subscriptions of this user. */
      user_id?: number | undefined
      /** Only subscriptions with this plan. */
      plan?: string | undefined
      /** `scheduled`: not started. `ended`: its end has passed, or it was deactivated. */
      state?: "active" | "scheduled" | "ended" | "all" | undefined
      /** Only trials, or only other subscriptions. */
      trial?: boolean | "true" | "false" | undefined
      /** Only subscriptions of users with more than one active subscription besides a trial, or of others. */
      several?: boolean | "true" | "false" | undefined
      /** The most entries on a page. */
      limit?: number | undefined
      /** The number of entries to skip. */
      offset?: number | undefined
      /** `csv`: the whole list with these filters as a file, without pages. */
      format?: "json" | "csv" | undefined
      /** `true`: a CSV begins with a byte order mark, so that Excel reads it as UTF-8. */
      bom?: "true" | "false" | undefined
    }
    answer: SubscriptionList
  }

  /** List tasks */
  listTasks: {
    query?: {
      /** A space's slug. */
      space?: string | undefined
      /** The name of a brand, or `all`. An unknown brand is rejected. */
      brand?: string | undefined
      state?: "open" | "closed" | "done" | "cancelled" | "all" | undefined
      /** The user to whom the task is assigned. */
      assignee_user_id?: number | undefined
      /** The account whose agent created the task. */
      creator_user_id?: number | undefined
      /** A part of the title. Case does not matter. */
      q?: string | undefined
      /** The most entries on a page. */
      limit?: number | undefined
      /** The number of entries to skip. */
      offset?: number | undefined
      /** `csv`: the whole list with these filters as a file, without pages. */
      format?: "json" | "csv" | undefined
      /** `true`: a CSV begins with a byte order mark, so that Excel reads it as UTF-8. */
      bom?: "true" | "false" | undefined
    }
    answer: TaskList
  }

  /** List teams */
  listTeams: {
    query?: {
      /** A part of the name. Case does not matter. */
      q?: string | undefined
      archived?: "active" | "archived" | "all" | undefined
      /** The most entries on a page. Default: all entries, up to 10000. */
      limit?: number | undefined
      /** The number of entries to skip. */
      offset?: number | undefined
      /** `csv`: the whole list with these filters as a file, without pages. */
      format?: "json" | "csv" | undefined
      /** `true`: a CSV begins with a byte order mark, so that Excel reads it as UTF-8. */
      bom?: "true" | "false" | undefined
    }
    answer: TeamList
  }

  /** List a space's tools */
  listTools: {
    path: {
      /** The space, `spc_…`. */
      space_id: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    answer: ToolList
  }

  /** List the webhook deliveries about a turn */
  listTurnDeliveries: {
    path: {
      /** The turn, `turn_…`. */
      turn_id: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
      /** The most entries on a page. */
      limit?: number | undefined
      /** The number of entries to skip. */
      offset?: number | undefined
    }
    answer: DeliveryList
  }

  /** Read a turn's events */
  listTurnEvents: {
    path: {
      /** The turn, `turn_…`. */
      turn_id: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
      /** The most entries on a page. */
      limit?: number | undefined
      /** The number of entries to skip. */
      offset?: number | undefined
    }
    answer: TurnEventList
  }

  /** List a turn's files */
  listTurnFiles: {
    path: {
      /** The turn, `turn_…`. */
      turn_id: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    answer: FileList
  }

  /** List a turn's steps */
  listTurnSteps: {
    path: {
      /** The turn, `turn_…`. */
      turn_id: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
      /** The most entries on a page. */
      limit?: number | undefined
      /** The number of entries to skip. */
      offset?: number | undefined
    }
    answer: TurnStepList
  }

  /** List turns */
  listTurns: {
    query?: {
      /** A `space_id`. */
      space?: string | undefined
      /** A conversation's id. */
      conversation?: string | undefined
      state?: "queued" | "running" | "done" | "failed" | "cancelled" | undefined
      /** Only entries created at or after this time. */
      created_after?: string | undefined
      /** Only entries created before this time. */
      created_before?: string | undefined
      /** Only turns that wait for this. */
      waiting?: "limit" | "approval" | "result" | undefined
      end_user_ref?: string | undefined
      /** A `key_id`. */
      key?: string | undefined
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
      /** The most entries on a page. */
      limit?: number | undefined
      /** The number of entries to skip. */
      offset?: number | undefined
    }
    answer: TurnList
  }

  /** List a user's spaces */
  listUserSpaces: {
    path: {
      user_id: number
    }
    query?: {
      /** The most entries on a page. */
      limit?: number | undefined
      /** The number of entries to skip. */
      offset?: number | undefined
    }
    answer: UserSpaceList
  }

  /** List users */
  listUsers: {
    query?: {
      /** A part of the name, the email, the id on the messaging platform, or the user id. Case does not matter. */
      q?: string | undefined
      /** `user` or `admin`. Any other role has no users. */
      role?: string | undefined
      /** `true`: only disabled users; `false`: only active ones. */
      disabled?: boolean | "true" | "false" | undefined
      /** The name of a brand, or `all`. An unknown brand is rejected. */
      brand?: string | undefined
      /** Only users with an active subscription to this plan. */
      plan?: string | undefined
      /** Only users created at or after this time. */
      created_after?: string | undefined
      /** Only users created before this time. */
      created_before?: string | undefined
      /** `created`: by id. `balance`, `last_seen`, `spend`: by these fields of the response. */
      sort?: "created" | "balance" | "last_seen" | "spend" | undefined
      direction?: "asc" | "desc" | undefined
      /** The most entries on a page. */
      limit?: number | undefined
      /** The number of entries to skip. */
      offset?: number | undefined
      /** `csv`: the whole list with these filters as a file, without pages. */
      format?: "json" | "csv" | undefined
      /** `true`: a CSV begins with a byte order mark, so that Excel reads it as UTF-8. */
      bom?: "true" | "false" | undefined
    }
    answer: ListedUserList
  }

  /** List waiting turns */
  listWaitingTurns: {
    query?: {
      /** Only turns that wait for this. */
      waiting?: "limit" | "approval" | "result" | undefined
      /** A `space_id`. */
      space?: string | undefined
      /** A `turn_id`. */
      turn?: string | undefined
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
      /** The most entries on a page. */
      limit?: number | undefined
      /** The number of entries to skip. */
      offset?: number | undefined
    }
    answer: WaitingTurnList
  }

  /** List webhooks */
  listWebhooks: {
    query?: {
      /** `true`: only enabled webhooks whose last attempt failed, except those that are still `pending`. `false`: only the other enabled ones. */
      failing?: boolean | "true" | "false" | undefined
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
      /** The most entries on a page. */
      limit?: number | undefined
      /** The number of entries to skip. */
      offset?: number | undefined
    }
    answer: ListedWebhookList
  }

  /** List workspaces */
  listWorkspaces: {
    query?: {
      /** A part of the name. Case does not matter. */
      q?: string | undefined
      archived?: "active" | "archived" | "all" | undefined
      /** The most entries on a page. Default: all entries, up to 10000. */
      limit?: number | undefined
      /** The number of entries to skip. */
      offset?: number | undefined
      /** `csv`: the whole list with these filters as a file, without pages. */
      format?: "json" | "csv" | undefined
      /** `true`: a CSV begins with a byte order mark, so that Excel reads it as UTF-8. */
      bom?: "true" | "false" | undefined
    }
    answer: WorkspaceList
  }

  /** Sign in with email and password */
  login: {
    body: LoginRequest
    answer: User
  }

  /** Sign out */
  logout: {
    answer: LogoutAnswer
  }

  /** Change a model */
  patchModel: {
    path: {
      /** The model's pin. You can write its slash as `%2F`. */
      pin: string
    }
    body: ModelCatalogPatch
    answer: ModelCatalogRow
  }

  /** Raise a turn's cost limit */
  patchTurn: {
    path: {
      /** The turn, `turn_…`. */
      turn_id: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    body: PatchTurn
    answer: Turn
  }

  /** Plan a model's prices */
  planModelPrices: {
    path: {
      /** The model's pin. You can write its slash as `%2F`. */
      pin: string
    }
    body: ModelPricesPlan
    answer: ModelCatalogRow
  }

  /** Preview the portal of an end user */
  previewPortal: {
    path: {
      /** The `end_user_ref` of the turns, percent-encoded: `a/b` is `a%2Fb`. */
      end_user_ref: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    body: PreviewPortal
    answer: PortalSession
  }

  /** Preview an act on many users */
  previewUsersChange: {
    body: PreviewUsersChange
    answer: UsersChange
  }

  /** Dismiss an anomaly */
  putAnomaly: {
    path: {
      /** The anomaly, `ano_…`. */
      anomaly_id: string
    }
    body: PutAnomaly
    answer: Anomaly
  }

  /** Set the billing details */
  putBillingDetails: {
    body: PutBillingDetails
    answer: BillingDetails
  }

  /** Set the account's budget */
  putBudget: {
    body: PutBudget
    answer: Budget
  }

  /** Map a space to a container */
  putContainerMapping: {
    body: MappingUpsert
    answer: ContainerMapping
  }

  /** Set how an end user is charged */
  putEndUserBilling: {
    path: {
      /** The `end_user_ref` of the turns, percent-encoded: `a/b` is `a%2Fb`. */
      end_user_ref: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    body: PutEndUserBilling
    answer: EndUserBalance
  }

  /** Set the default price */
  putEndUserDefaults: {
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    body: PutEndUserDefaults
    answer: EndUserDefaultList
  }

  /** Set an end user's limits */
  putEndUserLimits: {
    path: {
      /** The `end_user_ref` of the turns, percent-encoded: `a/b` is `a%2Fb`. */
      end_user_ref: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    body: PutEndUserLimits
    answer: EndUser
  }

  /** Set an end user's profile */
  putEndUserProfile: {
    path: {
      /** The `end_user_ref` of the turns, percent-encoded: `a/b` is `a%2Fb`. */
      end_user_ref: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    body: PutEndUserProfile
    answer: EndUserProfile
  }

  /** Set the account's limits */
  putLimits: {
    body: PutAccountLimits
    answer: AccountLimits
  }

  /** Replace a space's manifest */
  putManifest: {
    path: {
      /** The space, `spc_…`. */
      space_id: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    body: ManifestInput
    answer: Manifest
  }

  /** Add or replace an MCP server */
  putMcpServer: {
    path: {
      /** The space, `spc_…`. */
      space_id: string
      /** The name, which is unique in the space. */
      name: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    body: PutMcpServer
    answer: McpServer
  }

  /** Require a second factor of members */
  putMemberRules: {
    body: MemberRequirementsInput
    answer: MemberRequirements
  }

  /** Set the members' daily limit */
  putMembersLimit: {
    path: {
      /** The space, `spc_…`. */
      space_id: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    body: PutMembersLimit
    answer: SpaceSharing
  }

  /** Change a model's prices */
  putModelPrices: {
    path: {
      /** The model's pin. You can write its slash as `%2F`. */
      pin: string
    }
    body: ModelPricesInput
    answer: ModelCatalogRow
  }

  /** Set a price */
  putPrice: {
    path: {
      /** The name of the price. */
      name: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    body: PutPrice
    answer: Price
  }

  /** Set how the reports of a provider account are read */
  putProviderReport: {
    path: {
      /** The account. */
      provider_id: string
    }
    body: PutProviderReportRequest
    answer: ProviderReport
  }

  /** Set how long a space's data is kept */
  putRetention: {
    path: {
      /** The space, `spc_…`. */
      space_id: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    body: PutRetention
    answer: Retention
  }

  /** Set a secret */
  putSecret: {
    path: {
      /** The space, `spc_…`. */
      space_id: string
      /** The name, which is unique in the space. */
      name: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    body: PutSecret
    answer: Secret
  }

  /** Link a space to a messaging chat */
  putSpaceChat: {
    path: {
      /** The space's number. */
      space_id: number
    }
    body: PutSpaceChat
    answer: AdminSpaceDetail
  }

  /** Add or replace a tool */
  putTool: {
    path: {
      /** The space, `spc_…`. */
      space_id: string
      /** The name, which is unique in the space. */
      name: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    body: PutTool
    answer: Tool
  }

  /** Set the endpoint for traces */
  putTraceEndpoint: {
    body: PutTraceEndpoint
    answer: TraceEndpoint
  }

  /** Start or stop the usage export */
  putUsageExport: {
    body: PutUsageExport
    answer: UsageExport
  }

  /** Register keys of metadata */
  putUsageKeys: {
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    body: PutUsageKeys
    answer: UsageKeys
  }

  /** Set a workspace's bot */
  putWorkspaceBot: {
    path: {
      workspace_id: string
    }
    body: WorkspaceBot
    answer: Workspace
  }

  /** Raise the cost limit of a turn of any account */
  raiseAnyTurn: {
    path: {
      /** The turn, `turn_…`. */
      turn_id: string
    }
    body: RaiseAnyTurn
    answer: ActedTurn
  }

  /** Read an invitation */
  readInvitation: {
    body: InvitationToken
    answer: OpenedInvitation
  }

  /** Confirm your identity again */
  reauthenticate: {
    body: Reauthenticate
    answer: ReauthenticateAnswer
  }

  /** Reconcile the books now */
  reconcile: {
    answer: Reconciliation
  }

  /** Send a delivery again */
  redeliver: {
    path: {
      /** The delivery, `dlv_…`. */
      delivery_id: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    answer: Delivery
  }

  /** Refresh an account's limits */
  refreshProviderLimits: {
    path: {
      provider_id: string
    }
    answer: Provider
  }

  /** Refund a turn */
  refundTurn: {
    path: {
      /** The turn, `turn_…`. */
      turn_id: string
    }
    body: CreateRefund
    answer: AdminLedgerEntry
  }

  /** Remove a container mapping */
  removeContainerMapping: {
    path: {
      /** The slug of the space. */
      space: string
      container: string
    }
    answer: ContainerMapping
  }

  /** Remove a person from the account */
  removeMember: {
    path: {
      user_id: number
    }
    query?: {
      /** The decision about the keys whose values the person knows and that have more rights than the person from now on. `revoke`: they end at once. `keep`: they stay, and you answer for them. If the `known_value` of a key is `former`, only the old values end or stay. To keep a key in use with another value, rotate it before, without an overlap. Without a decision the answer is 409 `MEMBER_HAS_KEYS` with these keys. */
      keys?: "revoke" | "keep" | undefined
    }
    answer: RemoveMemberAnswer
  }

  /** Remove a subscription */
  removeProvider: {
    path: {
      provider_id: string
    }
    answer: Provider
  }

  /** End the comparison of a provider account */
  removeProviderReport: {
    path: {
      /** The account. */
      provider_id: string
    }
    answer: ProviderReport
  }

  /** Remove your second factor */
  removeSecondFactor: {
    answer: RemoveSecondFactorAnswer
  }

  /** Stop sharing a space with a user */
  removeSpaceMember: {
    path: {
      /** The space's number. */
      space_id: number
      user_id: number
    }
    answer: SpaceMember
  }

  /** Remove a member from a workspace */
  removeWorkspaceMember: {
    path: {
      workspace_id: string
      user_id: number
    }
    answer: RemovedWorkspaceMember
  }

  /** Replay the events of a period */
  replayEvents: {
    path: {
      /** The webhook, `whk_…`. */
      webhook_id: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
      /** The `cursor` of the previous response, to continue. */
      cursor?: string | undefined
    }
    body: Replay
    answer: Replayed
  }

  /** Ask for the refund of a turn */
  requestRefund: {
    path: {
      /** The turn, `turn_…`. */
      turn_id: string
    }
    body: CreateRefundRequest
    answer: RefundRequest
  }

  /** Reset a password */
  resetPassword: {
    body: ResetPassword
    answer: ResetPasswordAnswer
  }

  /** Remove a user's second factor */
  resetSecondFactor: {
    path: {
      user_id: number
    }
    answer: ResetSecondFactorAnswer
  }

  /** Revoke an invitation */
  revokeInvitation: {
    path: {
      /** The invitation, `inv_…`. */
      invitation_id: string
    }
    answer: RevokeInvitationAnswer
  }

  /** Revoke an API key */
  revokeKey: {
    path: {
      /** The key, `key_…`. */
      key_id: string
    }
    answer: ApiKey
  }

  /** Rotate an API key */
  rotateKey: {
    path: {
      /** The key, `key_…`. */
      key_id: string
    }
    body: RotateApiKey
    answer: NewApiKey
  }

  /** Rotate a webhook's signing secret */
  rotateWebhookSecret: {
    path: {
      /** The webhook, `whk_…`. */
      webhook_id: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
      /** The time in seconds for which the old secret also signs. 0: only the new secret signs from now on. */
      overlap_seconds?: number | undefined
    }
    answer: WebhookWithSecret
  }

  /** Search the account */
  search: {
    query: {
      /** An id or a part of a name. */
      q: string
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    answer: SearchHitList
  }

  /** Search all accounts */
  searchEverything: {
    query: {
      /** An id or a part of a name. */
      q: string
    }
    answer: SearchHitList
  }

  /** Mark the findings of a day as seen */
  seeProviderBook: {
    path: {
      /** The account. */
      provider_id: string
      /** The day (UTC). */
      day: string
    }
    answer: ProviderBook
  }

  /** Set a user's login */
  setUserCredentials: {
    path: {
      user_id: number
    }
    body: SetCredentials
    answer: AdminUser
  }

  /** Set the webhook of a workspace's bot */
  setWorkspaceBotWebhook: {
    path: {
      workspace_id: string
    }
    answer: WorkspaceBotWebhook
  }

  /** Sign in from the mini-app */
  signInMessengerWebApp: {
    body: MessengerWebAppAuth
    answer: User
  }

  /** Start a device login to an account of the alt-pool */
  startDeviceLogin: {
    answer: DeviceLoginStarted
  }

  /** Start a login to the media account */
  startMediaLogin: {
    answer: ProviderLoginStarted
  }

  /** Sign in with the identity provider */
  startOauthLogin: {
    query?: {
      /** A path of this origin, such as `/chat?space=1`. Anything else, and every path below `/api/auth`, is ignored: the browser then goes to the brand's landing page. */
      next?: string | undefined
    }
    answer: Blob
  }

  /** Request a password reset link */
  startPasswordReset: {
    body: StartPasswordReset
    answer: StartPasswordResetAnswer
  }

  /** Start a login to an account of the main pool */
  startProviderLogin: {
    body: AddProviderRequest
    answer: ProviderLoginStarted
  }

  /** Start a login that is confirmed in the bot */
  startWebLogin: {
    answer: WebLogin
  }

  /** Submit the pasted code of a login */
  submitProviderCode: {
    body: AuthCodeRequest
    answer: ProviderLoginAccount
  }

  /** Call a tool once */
  testTool: {
    path: {
      /** The space, `spc_…`. */
      space_id: string
      /** The name, which is unique in the space. */
      name: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    body: TestTool
    answer: ToolTest
  }

  /** Send a test event */
  testWebhook: {
    path: {
      /** The webhook, `whk_…`. */
      webhook_id: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    answer: Delivery
  }

  /** Test a workspace's bot */
  testWorkspaceBot: {
    path: {
      workspace_id: string
    }
    answer: WorkspaceBotTest
  }

  /** Hand the account over */
  transferAccount: {
    body: TransferAccount
    answer: TransferredAccount
  }

  /** Unlink an identity */
  unlinkIdentity: {
    path: {
      /** The identity, `idn_…`. */
      identity_id: string
    }
    answer: UnlinkIdentityAnswer
  }

  /** Unset an external API key */
  unsetExternalApiKey: {
    path: {
      /** `file.KEY`. */
      key_id: string
    }
    answer: ExternalApiKey
  }

  /** Set an external API key */
  updateExternalApiKey: {
    path: {
      /** `file.KEY`. */
      key_id: string
    }
    body: UpdateApiKeyRequest
    answer: ExternalApiKey
  }

  /** Change an API key's name, caps or expiry */
  updateKey: {
    path: {
      /** The key, `key_…`. */
      key_id: string
    }
    body: UpdateApiKey
    answer: ApiKey
  }

  /** Change the role of a person */
  updateMember: {
    path: {
      user_id: number
    }
    body: UpdateMember
    answer: Members
  }

  /** Change a setting */
  updateSetting: {
    body: SettingUpdate
    answer: Setting
  }

  /** Change a space's title, model or metadata */
  updateSpace: {
    path: {
      /** The space, `spc_…`. */
      space_id: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    body: PatchSpace
    answer: Space
  }

  /** Edit a subscription */
  updateSubscription: {
    path: {
      sub_id: number
    }
    body: SubscriptionUpdate
    answer: Subscription
  }

  /** Change a team */
  updateTeam: {
    path: {
      team_id: number
    }
    body: TeamUpdate
    answer: Team
  }

  /** Edit a user */
  updateUser: {
    path: {
      user_id: number
    }
    body: UpdateUser
    answer: AdminUser
  }

  /** Change a webhook */
  updateWebhook: {
    path: {
      /** The webhook, `whk_…`. */
      webhook_id: string
    }
    query?: {
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    body: UpdateWebhook
    answer: Webhook
  }

  /** Change a workspace */
  updateWorkspace: {
    path: {
      workspace_id: string
    }
    body: WorkspaceUpdate
    answer: Workspace
  }

  /** Upload a file */
  uploadFile: {
    path: {
      /** The space, `spc_…`. */
      space_id: string
    }
    query?: {
      /** The file's name. Default: the `filename` of the multipart part. */
      name?: string | undefined
      /** `true` for the data of test keys and their spaces. Default: live data. */
      test?: boolean | "true" | "false" | undefined
    }
    body: Blob
    answer: FileInfo
  }
}

/** How each operation is called; `once`: the service has its effect at most once for an Idempotency-Key; `needs`: the right in the account that it needs. */
export const OPERATIONS: {
  readonly [Id in keyof Operations]: { readonly method: string; readonly path: string; readonly once?: true; readonly needs?: "read" | "develop" | "bill" | "own" }
} = {
  acceptInvitation: { method: "POST", path: "/api/account/memberships" },
  actAsUser: { method: "POST", path: "/api/admin/users/{user_id}/act-as" },
  addModel: { method: "POST", path: "/api/admin/model-catalog" },
  addProvider: { method: "POST", path: "/api/admin/providers/add" },
  addSpaceMember: { method: "POST", path: "/api/admin/spaces/by-id/{space_id}/members" },
  addWorkspaceMember: { method: "POST", path: "/api/admin/workspaces/{workspace_id}/members" },
  answerBotUpdate: { method: "POST", path: "/api/auth/bot" },
  answerSecondFactor: { method: "POST", path: "/api/auth/second-factor" },
  archiveSpace: { method: "DELETE", path: "/api/account/spaces/{space_id}", needs: "develop" },
  beginSecondFactor: { method: "POST", path: "/api/account/second-factor" },
  billInfra: { method: "POST", path: "/api/admin/system/bill-infra" },
  cancelAnyTurn: { method: "POST", path: "/api/admin/turns/{turn_id}/cancel" },
  cancelPlannedPrices: { method: "DELETE", path: "/api/admin/model-catalog/{pin}/planned-prices" },
  cancelTurn: { method: "POST", path: "/api/account/turns/{turn_id}/cancel", needs: "develop" },
  changePassword: { method: "PUT", path: "/api/account/password" },
  changeUsers: { method: "POST", path: "/api/admin/users/bulk", once: true },
  checkMcpServer: { method: "POST", path: "/api/account/spaces/{space_id}/mcp-servers/{name}/check", once: true, needs: "develop" },
  compareProviderBook: { method: "POST", path: "/api/admin/provider-books/{provider_id}/{day}/compare" },
  completeMediaLogin: { method: "POST", path: "/api/admin/providers/media/auth/complete" },
  confirmSecondFactor: { method: "POST", path: "/api/account/second-factor/confirm" },
  createAppToken: { method: "POST", path: "/api/auth/app-token" },
  createChatTurn: { method: "POST", path: "/api/account/chat/turns", once: true, needs: "develop" },
  createIdpSession: { method: "POST", path: "/api/auth/idp/session" },
  createKey: { method: "POST", path: "/api/account/keys", once: true, needs: "develop" },
  createSpace: { method: "POST", path: "/api/account/spaces", once: true, needs: "develop" },
  createSubscription: { method: "POST", path: "/api/admin/subscriptions", once: true },
  createTeam: { method: "POST", path: "/api/admin/teams", once: true },
  createUser: { method: "POST", path: "/api/admin/users", once: true },
  createWebhook: { method: "POST", path: "/api/account/webhooks", once: true, needs: "develop" },
  createWorkspace: { method: "POST", path: "/api/admin/workspaces", once: true },
  creditEndUser: { method: "POST", path: "/api/account/end-users/{end_user_ref}/credits", once: true, needs: "bill" },
  creditUser: { method: "POST", path: "/api/admin/users/{user_id}/credits", once: true },
  deactivateSubscription: { method: "DELETE", path: "/api/admin/subscriptions/{sub_id}" },
  decideCall: { method: "POST", path: "/api/account/turns/{turn_id}/calls/{call}/decision", once: true, needs: "develop" },
  decideRefund: { method: "POST", path: "/api/admin/refund-requests/{turn_id}/decision" },
  deleteBudget: { method: "DELETE", path: "/api/account/budget", needs: "bill" },
  deleteEndUserProfile: { method: "DELETE", path: "/api/account/end-users/{end_user_ref}/profile", needs: "develop" },
  deleteFile: { method: "DELETE", path: "/api/account/spaces/{space_id}/files/{file_id}", needs: "develop" },
  deleteMcpServer: { method: "DELETE", path: "/api/account/spaces/{space_id}/mcp-servers/{name}", needs: "develop" },
  deletePrice: { method: "DELETE", path: "/api/account/prices/{name}", needs: "bill" },
  deleteSecret: { method: "DELETE", path: "/api/account/spaces/{space_id}/secrets/{name}", needs: "develop" },
  deleteTool: { method: "DELETE", path: "/api/account/spaces/{space_id}/tools/{name}", needs: "develop" },
  deleteTraceEndpoint: { method: "DELETE", path: "/api/account/trace-endpoint", needs: "develop" },
  deleteWebhook: { method: "DELETE", path: "/api/account/webhooks/{webhook_id}", needs: "develop" },
  disableAltPoolAccount: { method: "POST", path: "/api/admin/providers/alt-pool/accounts/{account_id}/disable" },
  disableProvider: { method: "POST", path: "/api/admin/providers/{provider_id}/disable" },
  enableAltPoolAccount: { method: "POST", path: "/api/admin/providers/alt-pool/accounts/{account_id}/enable" },
  enableProvider: { method: "POST", path: "/api/admin/providers/{provider_id}/enable" },
  endActing: { method: "DELETE", path: "/api/admin/users/{user_id}/act-as" },
  endSession: { method: "DELETE", path: "/api/account/sessions/{session_id}" },
  endSessions: { method: "DELETE", path: "/api/account/sessions" },
  endSharing: { method: "DELETE", path: "/api/account/spaces/{space_id}/sharing", needs: "own" },
  endUserSessions: { method: "DELETE", path: "/api/admin/users/{user_id}/sessions" },
  eraseEndUser: { method: "DELETE", path: "/api/account/end-users/{end_user_ref}", needs: "own" },
  estimateChatTurn: { method: "POST", path: "/api/account/chat/turns/estimate", needs: "develop" },
  exchangeToken: { method: "POST", path: "/api/auth/magic" },
  exploreTurns: { method: "GET", path: "/api/account/turn-summaries", needs: "read" },
  exportEndUser: { method: "GET", path: "/api/account/end-users/{end_user_ref}/export", needs: "develop" },
  finishOauthLogin: { method: "GET", path: "/api/auth/oauth-login/callback" },
  getAllTurnStats: { method: "GET", path: "/api/admin/turn-stats" },
  getAltPool: { method: "GET", path: "/api/admin/providers/alt-pool" },
  getAnyTurn: { method: "GET", path: "/api/admin/turns/{turn_id}" },
  getAnyTurnReceipt: { method: "GET", path: "/api/admin/turns/{turn_id}/receipt" },
  getAttention: { method: "GET", path: "/api/account/attention", needs: "read" },
  getBalance: { method: "GET", path: "/api/account/balance", needs: "read" },
  getBalanceTrend: { method: "GET", path: "/api/admin/analytics/balance-trend" },
  getBillingDetails: { method: "GET", path: "/api/account/billing-details", needs: "read" },
  getBudget: { method: "GET", path: "/api/account/budget", needs: "read" },
  getCapacity: { method: "GET", path: "/api/admin/providers/capacity" },
  getChatTurn: { method: "GET", path: "/api/account/chat/turns/{turn_id}", needs: "read" },
  getConfigVersion: { method: "GET", path: "/api/account/spaces/{space_id}/versions/{version}", needs: "read" },
  getContextComparison: { method: "GET", path: "/api/admin/context-comparison" },
  getContextSize: { method: "GET", path: "/api/admin/analytics/context-size" },
  getConversation: { method: "GET", path: "/api/account/conversations/{conversation_id}", needs: "read" },
  getCostRatesReport: { method: "GET", path: "/api/admin/analytics/cpm" },
  getCostsReport: { method: "GET", path: "/api/admin/analytics/costs" },
  getCurrentUser: { method: "GET", path: "/api/auth/me" },
  getDailyUsage: { method: "GET", path: "/api/admin/usage" },
  getDelivery: { method: "GET", path: "/api/account/deliveries/{delivery_id}", needs: "read" },
  getDeviceLogin: { method: "GET", path: "/api/admin/providers/alt-pool/auth/status" },
  getEndUser: { method: "GET", path: "/api/account/end-users/{end_user_ref}", needs: "read" },
  getEndUserBalance: { method: "GET", path: "/api/account/end-users/{end_user_ref}/balance", needs: "read" },
  getEndUserProfile: { method: "GET", path: "/api/account/end-users/{end_user_ref}/profile", needs: "read" },
  getEndUsersReport: { method: "GET", path: "/api/admin/analytics/end-users" },
  getEnergy: { method: "GET", path: "/api/account/energy", needs: "read" },
  getEnergyTimeline: { method: "GET", path: "/api/admin/analytics/energy-timeline" },
  getErasure: { method: "GET", path: "/api/account/erasures/{erasure_id}", needs: "read" },
  getErrorsReport: { method: "GET", path: "/api/admin/analytics/errors" },
  getEvent: { method: "GET", path: "/api/account/events/{event_id}", needs: "read" },
  getFile: { method: "GET", path: "/api/account/spaces/{space_id}/files/{file_id}", needs: "read" },
  getFileContent: { method: "GET", path: "/api/account/spaces/{space_id}/files/{file_id}/content", needs: "read" },
  getForecast: { method: "GET", path: "/api/account/forecast", needs: "read" },
  getHourlySpaces: { method: "GET", path: "/api/admin/analytics/hourly-spaces" },
  getHourlyUsage: { method: "GET", path: "/api/admin/analytics/hourly" },
  getKey: { method: "GET", path: "/api/account/keys/{key_id}", needs: "read" },
  getLimits: { method: "GET", path: "/api/account/limits", needs: "read" },
  getManifest: { method: "GET", path: "/api/account/spaces/{space_id}/manifest", needs: "read" },
  getMcpServer: { method: "GET", path: "/api/account/spaces/{space_id}/mcp-servers/{name}", needs: "read" },
  getMe: { method: "GET", path: "/api/account/me", needs: "read" },
  getMediaLogin: { method: "GET", path: "/api/admin/providers/media" },
  getOverview: { method: "GET", path: "/api/admin/overview" },
  getPlan: { method: "GET", path: "/api/account/plan", needs: "read" },
  getPools: { method: "GET", path: "/api/admin/providers/pool" },
  getPrice: { method: "GET", path: "/api/account/prices/{name}", needs: "read" },
  getProviderBook: { method: "GET", path: "/api/admin/provider-books/{provider_id}/{day}" },
  getReportFile: { method: "GET", path: "/api/admin/report-files/{file_id}" },
  getReportFileContent: { method: "GET", path: "/api/admin/report-files/{file_id}/content" },
  getRetention: { method: "GET", path: "/api/account/spaces/{space_id}/retention", needs: "read" },
  getSecondFactor: { method: "GET", path: "/api/account/second-factor" },
  getServiceHealth: { method: "GET", path: "/api/health" },
  getServiceLevel: { method: "GET", path: "/api/admin/service-level" },
  getSetup: { method: "GET", path: "/api/account/setup", needs: "read" },
  getSharing: { method: "GET", path: "/api/account/spaces/{space_id}/sharing", needs: "read" },
  getSpace: { method: "GET", path: "/api/account/spaces/{space_id}", needs: "read" },
  getSpaceById: { method: "GET", path: "/api/admin/spaces/by-id/{space_id}" },
  getSpaceByKey: { method: "GET", path: "/api/admin/spaces/by-key/{chat_key}" },
  getSpaceSpend: { method: "GET", path: "/api/account/spaces/{space_id}/spend", needs: "read" },
  getStatement: { method: "GET", path: "/api/account/usage/statements/{month}", needs: "read" },
  getSubscription: { method: "GET", path: "/api/admin/subscriptions/{sub_id}" },
  getSubscriptionSpaces: { method: "GET", path: "/api/admin/analytics/subscription-spaces" },
  getSubscriptionUsage: { method: "GET", path: "/api/admin/subscriptions/usage" },
  getSystem: { method: "GET", path: "/api/admin/system" },
  getTeam: { method: "GET", path: "/api/admin/teams/{team_id}" },
  getTool: { method: "GET", path: "/api/account/spaces/{space_id}/tools/{name}", needs: "read" },
  getTopSpaces: { method: "GET", path: "/api/admin/analytics/top-spaces" },
  getTopUsers: { method: "GET", path: "/api/admin/analytics/top-users" },
  getTraceEndpoint: { method: "GET", path: "/api/account/trace-endpoint", needs: "read" },
  getTurn: { method: "GET", path: "/api/account/turns/{turn_id}", needs: "read" },
  getTurnBill: { method: "GET", path: "/api/account/turns/{turn_id}/bill", needs: "read" },
  getTurnMessages: { method: "GET", path: "/api/account/turns/{turn_id}/messages", needs: "read" },
  getTurnReceipt: { method: "GET", path: "/api/account/turns/{turn_id}/receipt", needs: "read" },
  getTurnStats: { method: "GET", path: "/api/account/turn-stats", needs: "read" },
  getTurnTrace: { method: "GET", path: "/api/account/turns/{turn_id}/trace", needs: "read" },
  getUsage: { method: "GET", path: "/api/account/usage", needs: "read" },
  getUsageBreakdown: { method: "GET", path: "/api/admin/analytics/breakdown" },
  getUsageExport: { method: "GET", path: "/api/account/usage/export", needs: "read" },
  getUsageKeys: { method: "GET", path: "/api/account/usage-keys", needs: "read" },
  getUser: { method: "GET", path: "/api/admin/users/{user_id}" },
  getUserCostsReport: { method: "GET", path: "/api/admin/analytics/costs/per-user" },
  getUserEnergy: { method: "GET", path: "/api/admin/users/{user_id}/energy" },
  getWebLogin: { method: "GET", path: "/api/auth/tg-login/status" },
  getWebhook: { method: "GET", path: "/api/account/webhooks/{webhook_id}", needs: "read" },
  getWebhookHealth: { method: "GET", path: "/api/account/webhooks/{webhook_id}/health", needs: "read" },
  getWorkspace: { method: "GET", path: "/api/admin/workspaces/{workspace_id}" },
  inviteMember: { method: "POST", path: "/api/account/invitations", needs: "own" },
  joinAsNewUser: { method: "POST", path: "/api/auth/invitations/join" },
  keepKey: { method: "POST", path: "/api/account/keys/{key_id}/keep", needs: "own" },
  leaveAccount: { method: "DELETE", path: "/api/account/memberships/{user_id}" },
  linkIdentity: { method: "GET", path: "/api/account/identities/link" },
  listActivity: { method: "GET", path: "/api/account/activity", needs: "read" },
  listAllRefundRequests: { method: "GET", path: "/api/admin/refund-requests" },
  listAllTurns: { method: "GET", path: "/api/admin/turns" },
  listAnomalies: { method: "GET", path: "/api/account/anomalies", needs: "read" },
  listAudit: { method: "GET", path: "/api/admin/audit" },
  listBoards: { method: "GET", path: "/api/admin/boards" },
  listChatTurns: { method: "GET", path: "/api/account/chat/turns", needs: "read" },
  listConfigVersions: { method: "GET", path: "/api/account/spaces/{space_id}/versions", needs: "read" },
  listContainerMappings: { method: "GET", path: "/api/admin/system/containers/mappings" },
  listCustomers: { method: "GET", path: "/api/account/customers", needs: "read" },
  listDeliveries: { method: "GET", path: "/api/account/webhooks/{webhook_id}/deliveries", needs: "read" },
  listEndUserDefaults: { method: "GET", path: "/api/account/end-user-defaults", needs: "read" },
  listEndUserLedger: { method: "GET", path: "/api/account/end-users/{end_user_ref}/ledger", needs: "read" },
  listEndUsers: { method: "GET", path: "/api/account/end-users", needs: "read" },
  listEvents: { method: "GET", path: "/api/account/events", needs: "read" },
  listExternalApiKeys: { method: "GET", path: "/api/admin/api-keys" },
  listFiles: { method: "GET", path: "/api/account/spaces/{space_id}/files", needs: "read" },
  listIdentities: { method: "GET", path: "/api/account/identities" },
  listKeys: { method: "GET", path: "/api/account/keys", needs: "read" },
  listLedger: { method: "GET", path: "/api/account/ledger", needs: "read" },
  listMcpServerFailures: { method: "GET", path: "/api/account/spaces/{space_id}/mcp-server-failures", needs: "read" },
  listMcpServers: { method: "GET", path: "/api/account/spaces/{space_id}/mcp-servers", needs: "read" },
  listMembers: { method: "GET", path: "/api/account/members", needs: "read" },
  listMemberships: { method: "GET", path: "/api/account/memberships" },
  listModelCatalog: { method: "GET", path: "/api/admin/model-catalog" },
  listModelProposals: { method: "GET", path: "/api/admin/model-catalog/proposals" },
  listModels: { method: "GET", path: "/api/account/models", needs: "read" },
  listPrices: { method: "GET", path: "/api/account/prices", needs: "read" },
  listProviderBooks: { method: "GET", path: "/api/admin/provider-books" },
  listProviders: { method: "GET", path: "/api/admin/providers" },
  listRecentSpaces: { method: "GET", path: "/api/admin/spaces" },
  listRefundRequests: { method: "GET", path: "/api/account/refund-requests", needs: "read" },
  listSecrets: { method: "GET", path: "/api/account/spaces/{space_id}/secrets", needs: "read" },
  listSessions: { method: "GET", path: "/api/account/sessions" },
  listSettings: { method: "GET", path: "/api/admin/settings" },
  listShares: { method: "GET", path: "/api/account/shares", needs: "read" },
  listSignInWays: { method: "GET", path: "/api/auth/ways" },
  listSpaceInventory: { method: "GET", path: "/api/admin/spaces/list" },
  listSpaceSessions: { method: "GET", path: "/api/admin/spaces/sessions" },
  listSpaces: { method: "GET", path: "/api/account/spaces", needs: "read" },
  listStatementDocuments: { method: "GET", path: "/api/account/usage/statements/{month}/documents", needs: "read" },
  listStatements: { method: "GET", path: "/api/account/usage/statements", needs: "read" },
  listSubscriptions: { method: "GET", path: "/api/admin/subscriptions" },
  listTasks: { method: "GET", path: "/api/admin/tasks" },
  listTeams: { method: "GET", path: "/api/admin/teams" },
  listTools: { method: "GET", path: "/api/account/spaces/{space_id}/tools", needs: "read" },
  listTurnDeliveries: { method: "GET", path: "/api/account/turns/{turn_id}/deliveries", needs: "read" },
  listTurnEvents: { method: "GET", path: "/api/account/turns/{turn_id}/events", needs: "read" },
  listTurnFiles: { method: "GET", path: "/api/account/turns/{turn_id}/files", needs: "read" },
  listTurnSteps: { method: "GET", path: "/api/account/turns/{turn_id}/steps", needs: "read" },
  listTurns: { method: "GET", path: "/api/account/turns", needs: "read" },
  listUserSpaces: { method: "GET", path: "/api/admin/users/{user_id}/spaces" },
  listUsers: { method: "GET", path: "/api/admin/users" },
  listWaitingTurns: { method: "GET", path: "/api/account/waiting-turns", needs: "read" },
  listWebhooks: { method: "GET", path: "/api/account/webhooks", needs: "read" },
  listWorkspaces: { method: "GET", path: "/api/admin/workspaces" },
  login: { method: "POST", path: "/api/auth/login" },
  logout: { method: "POST", path: "/api/auth/logout" },
  patchModel: { method: "PATCH", path: "/api/admin/model-catalog/{pin}" },
  patchTurn: { method: "PATCH", path: "/api/account/turns/{turn_id}", needs: "develop" },
  planModelPrices: { method: "PUT", path: "/api/admin/model-catalog/{pin}/planned-prices" },
  previewPortal: { method: "POST", path: "/api/account/end-users/{end_user_ref}/portal-previews", needs: "develop" },
  previewUsersChange: { method: "POST", path: "/api/admin/users/bulk/preview" },
  putAnomaly: { method: "PUT", path: "/api/account/anomalies/{anomaly_id}", needs: "bill" },
  putBillingDetails: { method: "PUT", path: "/api/account/billing-details", needs: "bill" },
  putBudget: { method: "PUT", path: "/api/account/budget", needs: "bill" },
  putContainerMapping: { method: "PUT", path: "/api/admin/system/containers/mappings" },
  putEndUserBilling: { method: "PUT", path: "/api/account/end-users/{end_user_ref}/billing", needs: "bill" },
  putEndUserDefaults: { method: "PUT", path: "/api/account/end-user-defaults", needs: "bill" },
  putEndUserLimits: { method: "PUT", path: "/api/account/end-users/{end_user_ref}/limits", needs: "bill" },
  putEndUserProfile: { method: "PUT", path: "/api/account/end-users/{end_user_ref}/profile", needs: "develop" },
  putLimits: { method: "PUT", path: "/api/account/limits", needs: "bill" },
  putManifest: { method: "PUT", path: "/api/account/spaces/{space_id}/manifest", needs: "develop" },
  putMcpServer: { method: "PUT", path: "/api/account/spaces/{space_id}/mcp-servers/{name}", needs: "develop" },
  putMemberRules: { method: "PUT", path: "/api/account/members/rules", needs: "own" },
  putMembersLimit: { method: "PUT", path: "/api/account/spaces/{space_id}/members-limit", needs: "bill" },
  putModelPrices: { method: "PUT", path: "/api/admin/model-catalog/{pin}/prices" },
  putPrice: { method: "PUT", path: "/api/account/prices/{name}", needs: "bill" },
  putProviderReport: { method: "PUT", path: "/api/admin/providers/{provider_id}/report" },
  putRetention: { method: "PUT", path: "/api/account/spaces/{space_id}/retention", needs: "develop" },
  putSecret: { method: "PUT", path: "/api/account/spaces/{space_id}/secrets/{name}", needs: "develop" },
  putSpaceChat: { method: "PUT", path: "/api/admin/spaces/by-id/{space_id}/chat" },
  putTool: { method: "PUT", path: "/api/account/spaces/{space_id}/tools/{name}", needs: "develop" },
  putTraceEndpoint: { method: "PUT", path: "/api/account/trace-endpoint", needs: "develop" },
  putUsageExport: { method: "PUT", path: "/api/account/usage/export", once: true, needs: "bill" },
  putUsageKeys: { method: "PUT", path: "/api/account/usage-keys", needs: "develop" },
  putWorkspaceBot: { method: "PUT", path: "/api/admin/workspaces/{workspace_id}/bot" },
  raiseAnyTurn: { method: "PATCH", path: "/api/admin/turns/{turn_id}" },
  readInvitation: { method: "POST", path: "/api/auth/invitations" },
  reauthenticate: { method: "POST", path: "/api/auth/reauthenticate" },
  reconcile: { method: "POST", path: "/api/admin/system/reconcile" },
  redeliver: { method: "POST", path: "/api/account/deliveries/{delivery_id}/redeliver", once: true, needs: "develop" },
  refreshProviderLimits: { method: "POST", path: "/api/admin/providers/{provider_id}/refresh-limits" },
  refundTurn: { method: "POST", path: "/api/admin/turns/{turn_id}/refund" },
  removeContainerMapping: { method: "DELETE", path: "/api/admin/system/containers/mappings/{space}/{container}" },
  removeMember: { method: "DELETE", path: "/api/account/members/{user_id}", needs: "own" },
  removeProvider: { method: "DELETE", path: "/api/admin/providers/{provider_id}" },
  removeProviderReport: { method: "DELETE", path: "/api/admin/providers/{provider_id}/report" },
  removeSecondFactor: { method: "DELETE", path: "/api/account/second-factor" },
  removeSpaceMember: { method: "DELETE", path: "/api/admin/spaces/by-id/{space_id}/members/{user_id}" },
  removeWorkspaceMember: { method: "DELETE", path: "/api/admin/workspaces/{workspace_id}/members/{user_id}" },
  replayEvents: { method: "POST", path: "/api/account/webhooks/{webhook_id}/replay", once: true, needs: "develop" },
  requestRefund: { method: "PUT", path: "/api/account/turns/{turn_id}/refund-request", needs: "bill" },
  resetPassword: { method: "POST", path: "/api/auth/password-reset" },
  resetSecondFactor: { method: "DELETE", path: "/api/admin/users/{user_id}/second-factor" },
  revokeInvitation: { method: "DELETE", path: "/api/account/invitations/{invitation_id}", needs: "own" },
  revokeKey: { method: "POST", path: "/api/account/keys/{key_id}/revoke", needs: "develop" },
  rotateKey: { method: "POST", path: "/api/account/keys/{key_id}/rotate", once: true, needs: "develop" },
  rotateWebhookSecret: { method: "POST", path: "/api/account/webhooks/{webhook_id}/rotate-secret", once: true, needs: "develop" },
  search: { method: "GET", path: "/api/account/search", needs: "read" },
  searchEverything: { method: "GET", path: "/api/admin/search" },
  seeProviderBook: { method: "POST", path: "/api/admin/provider-books/{provider_id}/{day}/seen" },
  setUserCredentials: { method: "PUT", path: "/api/admin/users/{user_id}/credentials" },
  setWorkspaceBotWebhook: { method: "POST", path: "/api/admin/workspaces/{workspace_id}/bot/webhook" },
  signInMessengerWebApp: { method: "POST", path: "/api/auth/messenger-webapp" },
  startDeviceLogin: { method: "POST", path: "/api/admin/providers/alt-pool/auth/start" },
  startMediaLogin: { method: "POST", path: "/api/admin/providers/media/auth/start" },
  startOauthLogin: { method: "GET", path: "/api/auth/oauth-login/start" },
  startPasswordReset: { method: "POST", path: "/api/auth/password-reset/start" },
  startProviderLogin: { method: "POST", path: "/api/admin/providers/auth/start" },
  startWebLogin: { method: "POST", path: "/api/auth/tg-login/start" },
  submitProviderCode: { method: "POST", path: "/api/admin/providers/auth/code" },
  testTool: { method: "POST", path: "/api/account/spaces/{space_id}/tools/{name}/test", once: true, needs: "develop" },
  testWebhook: { method: "POST", path: "/api/account/webhooks/{webhook_id}/test", once: true, needs: "develop" },
  testWorkspaceBot: { method: "POST", path: "/api/admin/workspaces/{workspace_id}/bot/test" },
  transferAccount: { method: "POST", path: "/api/account/transfer", needs: "own" },
  unlinkIdentity: { method: "DELETE", path: "/api/account/identities/{identity_id}" },
  unsetExternalApiKey: { method: "DELETE", path: "/api/admin/api-keys/{key_id}" },
  updateExternalApiKey: { method: "PUT", path: "/api/admin/api-keys/{key_id}" },
  updateKey: { method: "PATCH", path: "/api/account/keys/{key_id}", needs: "develop" },
  updateMember: { method: "PATCH", path: "/api/account/members/{user_id}", needs: "own" },
  updateSetting: { method: "PUT", path: "/api/admin/settings" },
  updateSpace: { method: "PATCH", path: "/api/account/spaces/{space_id}", needs: "develop" },
  updateSubscription: { method: "PUT", path: "/api/admin/subscriptions/{sub_id}" },
  updateTeam: { method: "PUT", path: "/api/admin/teams/{team_id}" },
  updateUser: { method: "PUT", path: "/api/admin/users/{user_id}" },
  updateWebhook: { method: "PATCH", path: "/api/account/webhooks/{webhook_id}", needs: "develop" },
  updateWorkspace: { method: "PATCH", path: "/api/admin/workspaces/{workspace_id}" },
  uploadFile: { method: "POST", path: "/api/account/spaces/{space_id}/files", once: true, needs: "develop" },
}
