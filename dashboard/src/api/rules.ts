// Generated from the OpenAPI document by scripts/generate-client.ts: npm run client:types.

export const AccountFactorChangedEventRules = {
  "data.factor": { words: ["password", "email", "identity", "second_factor"] },
} as const

export const AccountMeRules = {
  account_role: { words: ["owner", "developer", "billing", "read_only"] },
  "rights[]": { words: ["read", "develop", "bill", "own", "self"] },
} as const

export const AccountSetupRules = {
  webhook: { words: ["none", "pending", "verified"] },
} as const

export const AccountSpaceRules = {
  metadata: { maxProperties: 16 },
  role: { words: ["owner", "admin", "member"] },
} as const

export const ActedTurnRules = {
  state: { words: ["queued", "running", "done", "failed", "cancelled"] },
} as const

export const ActivityEntryRules = {
  by: { words: ["owner", "key", "member", "end_user", "operator"] },
  role: { words: ["owner", "developer", "billing", "read_only"] },
} as const

export const AddProviderRequestRules = {
  name: { minLength: 1, maxLength: 100 },
  pool: { words: ["main", "alt-pool"], default: "main" },
  kind: { words: ["oauth", "api_key"], default: "oauth" },
  engine: { words: ["anthropic", "openai", "openai-compatible"] },
  base_url: { maxLength: 2048 },
} as const

export const AddSpaceMemberRules = {
  user_id: { minimum: 1 },
} as const

export const AddWorkspaceMemberRules = {
  user_id: { minimum: 1 },
  role: { words: ["owner", "admin", "member"], default: "member" },
} as const

export const AdminLedgerEntryRules = {
  reason: { words: ["admin_grant", "admin_action", "operator_topup", "signup_credit", "referral_signup_credit", "manual_topup", "credit_purchase", "usage", "space_usage", "referral_credit_commission"] },
  bucket: { words: ["free", "bonus", "paid", "refunded", "spent"] },
} as const

export const AdminRefundRequestRules = {
  state: { words: ["open", "refunded", "declined"] },
} as const

export const AdminSpaceDetailRules = {
  metadata: { maxProperties: 16 },
} as const

export const AdminTurnRules = {
  texts: { words: ["shown", "hidden"] },
} as const

export const AdminTurnSummaryRules = {
  state: { words: ["queued", "running", "done", "failed", "cancelled"] },
} as const

export const AdminUserRules = {
  role: { words: ["user", "admin"] },
} as const

export const AltPoolRules = {
  state: { words: ["empty", "usable", "cooling", "down"] },
} as const

export const AltPoolAccountRules = {
  pool: { words: ["main", "alt-pool"] },
  kind: { words: ["api_key", "oauth_code", "oauth_device"] },
  engine: { words: ["anthropic", "openai", "openai-compatible"] },
  state: { words: ["usable", "cooling", "suspended", "needs_login", "contained", "disabled"] },
  health: { words: ["healthy", "suspended", "needs_login", "contained"] },
  suspended_reason: { words: ["not_permitted", "no_credit", "account_disabled", "rejects_calls"] },
  "windows[].resource": { words: ["unified", "requests", "tokens", "input-tokens", "output-tokens"] },
} as const

export const AnomalyRules = {
  kind: { words: ["space", "key", "end_user"] },
  state: { words: ["open", "dismissed"] },
} as const

export const ApiKeyRules = {
  scope: { words: ["created", "space", "all"] },
  role: { words: ["owner", "developer"] },
} as const

export const ApiKeyWithCapsRules = {
  scope: { words: ["created", "space", "all"] },
  role: { words: ["owner", "developer"] },
} as const

export const AttentionRules = {
  "fine_since.source": { words: ["turn_failed", "cap_reached", "account_created"] },
} as const

export const AttentionItemRules = {
  kind: { words: ["no_credit", "turns_fail", "cap_reached", "turns_wait", "webhook_disabled", "webhook_fails", "server_fails", "balance_low", "budget_passed", "spend_unusual", "cap_near", "sign_in_locked", "key_expires", "refund_declined"] },
} as const

export const AuthCodeRequestRules = {
  code: { minLength: 1, maxLength: 8192 },
} as const

export const BalanceEventRules = {
  type: { words: ["balance.low", "balance.depleted"] },
} as const

export const BalanceTrendRules = {
  granularity: { words: ["day", "week", "month"] },
} as const

export const BudgetRules = {
  percents: { maxItems: 10 },
  "percents[]": { minimum: 1, maximum: 200 },
} as const

export const BudgetReachedEventRules = {
  "data.alert": { words: ["spent", "forecast"] },
} as const

export const BulkActRules = {
  reason: { words: ["admin_grant", "admin_action", "operator_topup", "signup_credit", "referral_signup_credit", "manual_topup", "credit_purchase"] },
  amount_usd: { minimum: -1000000, maximum: 1000000 },
  plan: { minLength: 1, maxLength: 32 },
} as const

export const CallDecidedEventRules = {
  "data.decision": { words: ["allow", "deny"] },
  "data.by.kind": { words: ["key", "user", "end_user"] },
} as const

export const CallerLimitRules = {
  cap: { words: ["open_waits", "portal_sessions"] },
} as const

export const CallerToolRules = {
  description: { maxLength: 4000 },
} as const

export const CallerToolInputRules = {
  description: { maxLength: 4000 },
} as const

export const CancelAnyTurnRules = {
  reason: { minLength: 3, maxLength: 500 },
} as const

export const CapReachedRules = {
  cap: { words: ["key_daily", "key_monthly", "key_window", "end_user_daily", "end_user_monthly", "account_daily", "members_daily"] },
  source: { words: ["key", "end_user", "account", "plan", "space", "default"] },
  percent: { words: [50, 80, 100] },
} as const

export const CapStateRules = {
  cap: { words: ["key_daily", "key_monthly", "key_window", "end_user_daily", "end_user_monthly", "account_daily", "members_daily"] },
  source: { words: ["key", "end_user", "account", "plan", "space", "default"] },
} as const

export const CapacityReportRules = {
  provider: { words: ["main", "alt-pool"] },
  "snapshots[].resource": { words: ["unified", "requests", "tokens", "input-tokens", "output-tokens"] },
} as const

export const CapsRules = {
  daily_usd: { minimum: 0, maximum: 1000000 },
  monthly_usd: { minimum: 0, maximum: 1000000 },
  end_user_daily_usd: { minimum: 0, maximum: 1000000 },
  end_user_monthly_usd: { minimum: 0, maximum: 1000000 },
  window_usd: { minimum: 0, maximum: 1000000 },
  window_seconds: { minimum: 60, maximum: 2678400 },
} as const

export const ChangePasswordRules = {
  current_password: { minLength: 1, maxLength: 256 },
  new_password: { minLength: 8, maxLength: 256 },
} as const

export const ChangeUsersRules = {
  user_ids: { minItems: 1, maxItems: 500 },
  "user_ids[]": { minimum: 1 },
  state: { minLength: 1, maxLength: 64 },
  note: { minLength: 1, maxLength: 500 },
} as const

export const ChatPersonRules = {
  role: { words: ["owner", "admin", "member"] },
  via: { words: ["registered", "board"] },
} as const

export const ContainerMappingRules = {
  space: { minLength: 1, maxLength: 128 },
} as const

export const CountStateRules = {
  cap: { words: ["open_test_turns", "daily_test_turns", "keys", "daily_key_changes", "members", "daily_invitations", "end_users", "spaces", "config_bytes", "files", "file_bytes", "resent_events"] },
} as const

export const CreateApiKeyRules = {
  name: { minLength: 1, maxLength: 100 },
  scope: { words: ["created", "space", "all"], default: "created" },
  space: { minLength: 1, maxLength: 64 },
  test: { default: false },
  default_end_user_ref: { minLength: 1, maxLength: 128 },
} as const

export const CreateChatTurnRules = {
  space: { minLength: 1, maxLength: 64 },
  text: { minLength: 1, maxLength: 100000 },
  tools: { maxItems: 128 },
  tool_choice: { words: ["auto", "none", "required"] },
  "tool_choice.name": { minLength: 1, maxLength: 64 },
  results: { minItems: 1, maxItems: 128 },
  "results[].id": { minLength: 1, maxLength: 256 },
  files: { maxItems: 20 },
  "files[]": { minLength: 1, maxLength: 64 },
  model: { minLength: 1, maxLength: 128 },
  max_cost_usd: { maximum: 1000000, exclusiveMinimum: 0 },
  max_output_tokens: { minimum: 1, maximum: 1000000 },
  temperature: { minimum: 0, maximum: 2 },
  end_user_ref: { minLength: 1, maxLength: 128 },
  conversation: { minLength: 1, maxLength: 128 },
} as const

export const CreateCreditRules = {
  reason: { words: ["admin_grant", "admin_action", "operator_topup", "signup_credit", "referral_signup_credit", "manual_topup", "credit_purchase"] },
  amount_usd: { minimum: -1000000, maximum: 1000000 },
  note: { minLength: 1, maxLength: 500 },
} as const

export const CreateRefundRules = {
  note: { minLength: 1, maxLength: 500 },
} as const

export const CreateRefundRequestRules = {
  reason: { minLength: 3, maxLength: 500 },
} as const

export const CreateSpaceRules = {
  title: { minLength: 1, maxLength: 200 },
  model: { minLength: 1, maxLength: 128 },
  tools: { maxItems: 64 },
  mcp_servers: { maxItems: 16 },
  metadata: { maxProperties: 16 },
} as const

export const CreateUserRules = {
  email: { maxLength: 320 },
  name: { minLength: 1, maxLength: 128 },
  role: { words: ["user", "admin"], default: "user" },
  password: { minLength: 8, maxLength: 256 },
  email_verified: { default: false },
} as const

export const CreateWebhookRules = {
  url: { minLength: 1, maxLength: 2048 },
  events: { minItems: 1 },
  "events[]": { words: ["turn.queued", "turn.running", "turn.waiting", "turn.resumed", "turn.done", "turn.failed", "turn.cancelled", "call.decided", "balance.low", "balance.depleted", "end_user.balance_low", "end_user.depleted", "cap.reached", "activity.recorded", "usage.posted", "hour.closed", "endpoint.disabled", "account.signed_in", "account.locked", "account.factor_changed", "key.created", "key.revoked", "refund.decided", "anomaly.found", "budget.reached", "mcp_server.failing", "space.shared"] },
  description: { maxLength: 500 },
  ping: { default: true },
} as const

export const CreditEndUserRules = {
  amount_usd: { minimum: -1000000, maximum: 1000000 },
  note: { minLength: 1, maxLength: 500 },
} as const

export const CustomerCapRules = {
  source: { words: ["end_user", "account"] },
} as const

export const DashboardOtherErrorBodyRules = {
  code: { words: ["INVALID_JSON", "INVALID_ENCODING", "IF_MATCH_INVALID", "TOO_MANY_UNKNOWN_KEYS", "IDEMPOTENCY_KEY_REQUIRED", "IDEMPOTENCY_KEY_INVALID", "INVALID_API_KEY", "WATCH_TOKEN_INVALID", "PORTAL_SESSION_INVALID", "API_KEY_EXPIRED", "SESSION_REQUIRED", "ADMIN_REQUIRED", "LAST_ADMIN", "EMAIL_REQUIRED", "ACTING_READ_ONLY", "ACTING_NOT_ALLOWED", "SUBSCRIPTION_ENDED", "PREVIEW_OUTDATED", "LAST_ENABLED_MODEL", "ALREADY_MEMBER", "LAST_OWNER", "WORKSPACE_EXISTS", "NO_BOT", "PLAN_IN_USE", "LOGIN_NOT_STARTED", "LOGIN_EXPIRED", "LOGIN_RUNNING", "PROVIDER_DISABLED", "LAST_HEALTHY_ACCOUNT", "PROVIDER_FAILED", "NOT_A_MEMBER", "MEMBER_FACTOR_REQUIRED", "INVITED_EMAIL_REQUIRED", "INVALID_LAUNCH_DATA", "INVALID_WEBHOOK_SECRET", "BOT_NOT_SET_UP", "INVALID_CREDENTIALS", "INVALID_TOKEN", "LOGIN_THROTTLED", "WRONG_PASSWORD", "REAUTHENTICATION_REQUIRED", "SECOND_FACTOR_REQUIRED", "SECOND_FACTOR_NOT_SET_UP", "WRONG_CODE", "EMAIL_NOT_CONFIGURED", "LOGIN_NOT_CONFIGURED", "LOGIN_STATE_INVALID", "LOGIN_DENIED", "LOGIN_REFUSED", "LOGIN_PROVIDER_FAILED", "LOGIN_PROVIDER_UNAVAILABLE", "INVALID_INTERNAL_SECRET", "IDENTITY_TAKEN", "LAST_WAY_IN", "CROSS_ORIGIN", "HTTPS_REQUIRED", "INVALID_SIGNATURE", "SCOPE_DENIED", "SPACE_ROLE_REQUIRED", "END_USER_BLOCKED", "NOT_FOUND", "METHOD_NOT_ALLOWED", "REQUEST_TIMEOUT", "CALL_ANSWERED", "CALL_NOT_WAITING", "CALLS_NOT_OPEN", "TURN_NOT_ENDED", "TURN_NOT_BILLED", "TURN_REFUNDED", "REFUND_DECIDED", "KEY_REVOKED", "SPACE_ARCHIVED", "WEBHOOK_DISABLED", "WEBHOOK_EXISTS", "CONFLICT", "PAYLOAD_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE", "RANGE_NOT_SATISFIABLE", "INTERNAL", "UNAVAILABLE"] },
} as const

export const DashboardTurnFinishedErrorBodyRules = {
  "details.state": { words: ["queued", "running", "done", "failed", "cancelled"] },
} as const

export const DecideRefundRules = {
  decision: { words: ["refund", "decline"] },
  answer: { minLength: 3, maxLength: 500 },
} as const

export const DecidedCallRules = {
  decision: { words: ["allow", "deny"] },
} as const

export const DecisionRules = {
  decision: { words: ["allow", "deny"] },
  message: { minLength: 1, maxLength: 2000 },
} as const

export const DeletedPriceRules = {
  "rounding.mode": { words: ["up", "nearest", "down"] },
} as const

export const DeliveryRules = {
  state: { words: ["pending", "delivered", "failed"] },
  status_reason: { words: ["attempts_exhausted", "endpoint_gone", "endpoint_failing", "endpoint_disabled", "endpoint_deleted", "account_disabled"] },
} as const

export const DeviceLoginStatusRules = {
  status: { words: ["idle", "polling", "authorized", "expired", "error"] },
} as const

export const DisableProviderRequestRules = {
  reason: { minLength: 1, maxLength: 500 },
} as const

export const EarlierDecisionRules = {
  decision: { words: ["allow", "deny"] },
} as const

export const EndUserBalanceRules = {
  prepaid_source: { words: ["end_user", "key", "account", "none"] },
  price_source: { words: ["end_user", "key", "account", "none"] },
} as const

export const EndUserBalanceEventRules = {
  type: { words: ["end_user.balance_low", "end_user.depleted"] },
} as const

export const EndUserChargeReceiptRules = {
  state: { words: ["done", "failed", "cancelled"] },
  "rounding.mode": { words: ["up", "nearest", "down"] },
  paid_from: { words: ["wallet", "invoice"] },
} as const

export const EndUserLedgerEntryRules = {
  reason: { words: ["credit", "correction", "usage", "refund"] },
} as const

export const EndUserProfileRules = {
  profile: { maxProperties: 32 },
} as const

export const EndUserReceiptComponentRules = {
  kind: { words: ["model_call", "image", "turn"] },
} as const

export const EndpointDisabledEventRules = {
  "data.reason": { words: ["gone", "failing"] },
} as const

export const EnergyTimelineRules = {
  granularity: { words: ["day", "week", "month"] },
} as const

export const ErasureRules = {
  state: { words: ["erasing", "erased"] },
} as const

export const ExportedTurnRules = {
  state: { words: ["queued", "running", "done", "failed", "cancelled"] },
  finish: { words: ["stop", "tool_calls"] },
  on_limit: { words: ["fail", "wait"] },
  temperature: { minimum: 0, maximum: 2 },
  metadata: { maxProperties: 16 },
  tools: { maxItems: 128 },
} as const

export const ForecastRules = {
  "pace.method": { words: ["weekdays", "average"] },
  "pace.weekdays[].weekday": { words: ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] },
} as const

export const IdpSessionRequestRules = {
  issuer: { minLength: 1, maxLength: 512 },
  subject: { minLength: 1, maxLength: 255 },
  email: { maxLength: 320 },
  email_verified: { default: false },
  name: { maxLength: 200 },
} as const

export const InvitationRules = {
  role: { words: ["owner", "developer", "billing", "read_only"] },
} as const

export const InvitationTokenRules = {
  token: { minLength: 1, maxLength: 512 },
} as const

export const InviteMemberRules = {
  email: { maxLength: 320 },
  role: { words: ["owner", "developer", "billing", "read_only"] },
} as const

export const JoinAsNewUserRules = {
  token: { minLength: 1, maxLength: 512 },
  name: { minLength: 1, maxLength: 128 },
  password: { minLength: 8, maxLength: 256 },
} as const

export const KnownKeyRules = {
  scope: { words: ["created", "space", "all"] },
  role: { words: ["owner", "developer"] },
  known_value: { words: ["current", "former"] },
} as const

export const LearnedLimitsRules = {
  max_output_tokens: { minimum: 1, maximum: 10000000 },
  context_tokens: { minimum: 1, maximum: 100000000 },
  images: { minimum: 0, maximum: 1000 },
  without: { maxItems: 5 },
  "without[]": { words: ["temperature", "reasoning", "stop", "response_format", "service_tier"] },
} as const

export const LearnedLimitsInputRules = {
  max_output_tokens: { minimum: 1, maximum: 10000000 },
  context_tokens: { minimum: 1, maximum: 100000000 },
  images: { minimum: 0, maximum: 1000 },
  without: { maxItems: 5 },
  "without[]": { words: ["temperature", "reasoning", "stop", "response_format", "service_tier"] },
} as const

export const LedgerEntryRules = {
  reason: { words: ["admin_grant", "admin_action", "operator_topup", "signup_credit", "referral_signup_credit", "manual_topup", "credit_purchase", "usage", "space_usage", "referral_credit_commission"] },
  bucket: { words: ["free", "bonus", "paid", "refunded", "spent"] },
  actor: { words: ["turn", "system", "payment", "operator"] },
} as const

export const ListedPricesRules = {
  "price_usd_per_million_tokens.input": { minimum: 0, maximum: 100000 },
  "price_usd_per_million_tokens.cached": { minimum: 0, maximum: 100000 },
  "price_usd_per_million_tokens.cache_write": { minimum: 0, maximum: 100000 },
  "price_usd_per_million_tokens.cache_write_hour": { minimum: 0, maximum: 100000 },
  "price_usd_per_million_tokens.audio_input": { minimum: 0, maximum: 100000 },
  "price_usd_per_million_tokens.output": { minimum: 0, maximum: 100000 },
  "price_usd_per_million_tokens.reasoning": { minimum: 0, maximum: 100000 },
  price_usd_per_picture: { minimum: 0, maximum: 1000 },
  price_usd_per_web_search: { minimum: 0, maximum: 1000 },
  price_usd_per_x_search: { minimum: 0, maximum: 1000 },
  price_usd_per_code_execution: { minimum: 0, maximum: 1000 },
  price_tiers: { maxItems: 8, default: [] },
  price_modifiers: { default: {} },
} as const

export const ListedStatementRules = {
  state: { words: ["open", "closed", "building", "final"] },
} as const

export const ListedUserRules = {
  role: { words: ["user", "admin"] },
} as const

export const ListedWebhookRules = {
  state: { words: ["pending", "verified"] },
  disabled_reason: { words: ["customer", "gone", "failing", "account_disabled"] },
} as const

export const LoginRequestRules = {
  email: { minLength: 1, maxLength: 320 },
  password: { minLength: 1, maxLength: 256 },
} as const

export const MagicExchangeRules = {
  token: { minLength: 1, maxLength: 512 },
} as const

export const ManifestRules = {
  instructions: { maxLength: 100000 },
  time_zone: { maxLength: 64 },
  model: { minLength: 1, maxLength: 128 },
  temperature: { minimum: 0, maximum: 2 },
  max_output_tokens: { minimum: 1, maximum: 1000000 },
  service_tier: { words: ["auto", "default", "flex", "priority", "fast", "ultrafast"] },
  max_steps: { minimum: 1, maximum: 64, default: 16 },
  timeout_seconds: { minimum: 1, maximum: 3600, default: 300 },
  "history.max_turns": { minimum: 0, maximum: 100, default: 20 },
  "history.max_tokens": { minimum: 0, maximum: 1000000 },
  "history.model": { minLength: 1, maxLength: 128 },
  builtin_tools: { maxItems: 6 },
  "builtin_tools[]": { words: ["list_files", "read_file", "write_file", "create_task", "update_task", "generate_image"] },
  "tools.mode": { words: ["auto", "all", "search"] },
  on_limit: { words: ["fail", "wait"] },
  max_wait_seconds: { minimum: 60, maximum: 2592000, default: 86400 },
  image_model: { minLength: 1, maxLength: 128 },
  subagents: { maxItems: 16 },
} as const

export const ManifestInputRules = {
  instructions: { maxLength: 100000 },
  time_zone: { maxLength: 64 },
  model: { minLength: 1, maxLength: 128 },
  temperature: { minimum: 0, maximum: 2 },
  max_output_tokens: { minimum: 1, maximum: 1000000 },
  service_tier: { words: ["auto", "default", "flex", "priority", "fast", "ultrafast"] },
  max_steps: { minimum: 1, maximum: 64, default: 16 },
  timeout_seconds: { minimum: 1, maximum: 3600, default: 300 },
  "history.max_turns": { minimum: 0, maximum: 100, default: 20 },
  "history.max_tokens": { minimum: 0, maximum: 1000000 },
  "history.model": { minLength: 1, maxLength: 128 },
  builtin_tools: { maxItems: 6 },
  "builtin_tools[]": { words: ["list_files", "read_file", "write_file", "create_task", "update_task", "generate_image"] },
  "tools.mode": { words: ["auto", "all", "search"] },
  on_limit: { words: ["fail", "wait"] },
  max_wait_seconds: { minimum: 60, maximum: 2592000, default: 86400 },
  image_model: { minLength: 1, maxLength: 128 },
  subagents: { maxItems: 16 },
} as const

export const MappingUpsertRules = {
  space: { minLength: 1, maxLength: 128 },
  url: { minLength: 1, maxLength: 4096 },
} as const

export const McpCheckRules = {
  "changed[].change": { words: ["added", "removed", "description", "output_schema", "input_schema"] },
} as const

export const McpServerRules = {
  url: { minLength: 1, maxLength: 4096 },
  identity: { words: ["signed", "none"] },
  allowed_tools: { maxItems: 200 },
  "allowed_tools[]": { minLength: 1, maxLength: 128 },
} as const

export const McpServerInputRules = {
  url: { minLength: 1, maxLength: 4096 },
  identity: { words: ["signed", "none"] },
  allowed_tools: { maxItems: 200 },
  "allowed_tools[]": { minLength: 1, maxLength: 128 },
} as const

export const MediaCompleteRequestRules = {
  callback_url: { minLength: 1, maxLength: 8192 },
} as const

export const MediaStatusRules = {
  status: { words: ["logged_in", "logged_out"] },
  health: { words: ["healthy", "needs_login", "contained"] },
} as const

export const MemberRules = {
  role: { words: ["owner", "developer", "billing", "read_only"] },
} as const

export const MembersRules = {
  "keys_to_decide[].scope": { words: ["created", "space", "all"] },
  "keys_to_decide[].role": { words: ["owner", "developer"] },
  "keys_to_decide[].known_value": { words: ["current", "former"] },
} as const

export const MembershipRules = {
  role: { words: ["owner", "developer", "billing", "read_only"] },
} as const

export const MessengerWebAppAuthRules = {
  init_data: { minLength: 1, maxLength: 8192 },
  ref_code: { maxLength: 64 },
} as const

export const ModelCatalogAddRules = {
  engine: { words: ["anthropic", "openai", "openai-compatible", "rehearsal"] },
  label: { minLength: 1, maxLength: 100 },
  kind: { words: ["chat", "image"], default: "chat" },
  enabled: { default: false },
  sort_order: { minimum: -1000000, maximum: 1000000, default: 0 },
  "price_usd_per_million_tokens.input": { minimum: 0, maximum: 100000 },
  "price_usd_per_million_tokens.cached": { minimum: 0, maximum: 100000 },
  "price_usd_per_million_tokens.cache_write": { minimum: 0, maximum: 100000 },
  "price_usd_per_million_tokens.cache_write_hour": { minimum: 0, maximum: 100000 },
  "price_usd_per_million_tokens.audio_input": { minimum: 0, maximum: 100000 },
  "price_usd_per_million_tokens.output": { minimum: 0, maximum: 100000 },
  "price_usd_per_million_tokens.reasoning": { minimum: 0, maximum: 100000 },
  price_usd_per_picture: { minimum: 0, maximum: 1000 },
  price_usd_per_web_search: { minimum: 0, maximum: 1000 },
  price_usd_per_x_search: { minimum: 0, maximum: 1000 },
  price_usd_per_code_execution: { minimum: 0, maximum: 1000 },
  price_tiers: { maxItems: 8, default: [] },
  price_modifiers: { default: {} },
  max_output_tokens: { minimum: 1, maximum: 10000000, default: 4096 },
  context_tokens: { minimum: 1, maximum: 100000000 },
  idle_seconds: { minimum: 1, maximum: 600 },
} as const

export const ModelCatalogPatchRules = {
  label: { minLength: 1, maxLength: 100 },
  sort_order: { minimum: -1000000, maximum: 1000000 },
} as const

export const ModelCatalogRowRules = {
  engine: { words: ["anthropic", "openai", "openai-compatible", "rehearsal"] },
  kind: { words: ["chat", "image"] },
} as const

export const ModelFindingRules = {
  kind: { words: ["price", "tier_missing", "tier_unknown", "tier_price", "announced", "retirement", "context", "unknown_model"] },
} as const

export const ModelPriceTierRules = {
  input: { minimum: 0, maximum: 100000 },
  cached: { minimum: 0, maximum: 100000 },
  cache_write: { minimum: 0, maximum: 100000 },
  cache_write_hour: { minimum: 0, maximum: 100000 },
  audio_input: { minimum: 0, maximum: 100000 },
  output: { minimum: 0, maximum: 100000 },
  reasoning: { minimum: 0, maximum: 100000 },
  above_input_tokens: { minimum: 1, maximum: 100000000 },
} as const

export const ModelPriceTierInputRules = {
  input: { minimum: 0, maximum: 100000 },
  cached: { minimum: 0, maximum: 100000 },
  cache_write: { minimum: 0, maximum: 100000 },
  cache_write_hour: { minimum: 0, maximum: 100000 },
  audio_input: { minimum: 0, maximum: 100000 },
  output: { minimum: 0, maximum: 100000 },
  reasoning: { minimum: 0, maximum: 100000 },
  above_input_tokens: { minimum: 1, maximum: 100000000 },
} as const

export const ModelPricesRules = {
  input: { minimum: 0, maximum: 100000 },
  cached: { minimum: 0, maximum: 100000 },
  cache_write: { minimum: 0, maximum: 100000 },
  cache_write_hour: { minimum: 0, maximum: 100000 },
  audio_input: { minimum: 0, maximum: 100000 },
  output: { minimum: 0, maximum: 100000 },
  reasoning: { minimum: 0, maximum: 100000 },
  web_search: { minimum: 0, maximum: 1000 },
  x_search: { minimum: 0, maximum: 1000 },
  code_execution: { minimum: 0, maximum: 1000 },
  tiers: { maxItems: 8, default: [] },
  modifiers: { default: {} },
  "provider.input": { minimum: 0, maximum: 100000 },
  "provider.cached": { minimum: 0, maximum: 100000 },
  "provider.cache_write": { minimum: 0, maximum: 100000 },
  "provider.cache_write_hour": { minimum: 0, maximum: 100000 },
  "provider.audio_input": { minimum: 0, maximum: 100000 },
  "provider.output": { minimum: 0, maximum: 100000 },
  "provider.reasoning": { minimum: 0, maximum: 100000 },
  "provider.web_search": { minimum: 0, maximum: 1000 },
  "provider.x_search": { minimum: 0, maximum: 1000 },
  "provider.code_execution": { minimum: 0, maximum: 1000 },
  "provider.tiers": { maxItems: 8, default: [] },
  "provider.modifiers": { default: {} },
  picture: { minimum: 0, maximum: 1000 },
  "provider.picture": { minimum: 0, maximum: 1000 },
} as const

export const ModelPricesInputRules = {
  input: { minimum: 0, maximum: 100000 },
  cached: { minimum: 0, maximum: 100000 },
  cache_write: { minimum: 0, maximum: 100000 },
  cache_write_hour: { minimum: 0, maximum: 100000 },
  audio_input: { minimum: 0, maximum: 100000 },
  output: { minimum: 0, maximum: 100000 },
  reasoning: { minimum: 0, maximum: 100000 },
  web_search: { minimum: 0, maximum: 1000 },
  x_search: { minimum: 0, maximum: 1000 },
  code_execution: { minimum: 0, maximum: 1000 },
  tiers: { maxItems: 8, default: [] },
  modifiers: { default: {} },
  "provider.input": { minimum: 0, maximum: 100000 },
  "provider.cached": { minimum: 0, maximum: 100000 },
  "provider.cache_write": { minimum: 0, maximum: 100000 },
  "provider.cache_write_hour": { minimum: 0, maximum: 100000 },
  "provider.audio_input": { minimum: 0, maximum: 100000 },
  "provider.output": { minimum: 0, maximum: 100000 },
  "provider.reasoning": { minimum: 0, maximum: 100000 },
  "provider.web_search": { minimum: 0, maximum: 1000 },
  "provider.x_search": { minimum: 0, maximum: 1000 },
  "provider.code_execution": { minimum: 0, maximum: 1000 },
  "provider.tiers": { maxItems: 8, default: [] },
  "provider.modifiers": { default: {} },
  picture: { minimum: 0, maximum: 1000 },
  "provider.picture": { minimum: 0, maximum: 1000 },
} as const

export const MonthStatementRules = {
  state: { words: ["open", "building", "final"] },
} as const

export const NewApiKeyRules = {
  scope: { words: ["created", "space", "all"] },
  role: { words: ["owner", "developer"] },
} as const

export const NewInvitationRules = {
  role: { words: ["owner", "developer", "billing", "read_only"] },
} as const

export const OpenedInvitationRules = {
  role: { words: ["owner", "developer", "billing", "read_only"] },
} as const

export const OverviewRules = {
  "turns.waiting[].for": { words: ["limit", "approval", "result"] },
  "pools[].windows[].resource": { words: ["unified", "requests", "tokens", "input-tokens", "output-tokens"] },
  "pools[].pool": { words: ["main", "alt-pool"] },
} as const

export const PatchSpaceRules = {
  title: { minLength: 1, maxLength: 200 },
  model: { minLength: 1, maxLength: 128 },
  metadata: { maxProperties: 16 },
} as const

export const PatchTurnRules = {
  max_cost_usd: { maximum: 1000000, exclusiveMinimum: 0 },
} as const

export const PoolCapacityRules = {
  "windows[].resource": { words: ["unified", "requests", "tokens", "input-tokens", "output-tokens"] },
} as const

export const PoolsRules = {
  "pools[].pool": { words: ["main", "alt-pool"] },
} as const

export const PortalThemeRules = {
  logo: { minLength: 1, maxLength: 500 },
  mode: { words: ["light", "dark", "auto"], default: "auto" },
} as const

export const PreviewPortalRules = {
  scopes: { minItems: 1, maxItems: 6 },
  "scopes[]": { words: ["usage", "turns", "limits", "wallet", "approvals", "profile"] },
  profile_keys: { maxItems: 8, default: [] },
  "profile_keys[]": { minLength: 1, maxLength: 64 },
  theme: { default: {} },
  lang: { words: ["en", "de", "fr", "es", "ja"] },
} as const

export const PreviewUsersChangeRules = {
  user_ids: { minItems: 1, maxItems: 500 },
  "user_ids[]": { minimum: 1 },
} as const

export const PriceRules = {
  "rounding.mode": { words: ["up", "nearest", "down"] },
} as const

export const PriceMarkupRules = {
  percent: { minimum: 0, maximum: 1000, default: 0 },
  usd_per_million_tokens: { minimum: 0, maximum: 100000, default: 0 },
} as const

export const PriceMarkupInputRules = {
  percent: { minimum: 0, maximum: 1000, default: 0 },
  usd_per_million_tokens: { minimum: 0, maximum: 100000, default: 0 },
} as const

export const PriceVersionRules = {
  "rounding.mode": { words: ["up", "nearest", "down"] },
} as const

export const ProviderRules = {
  pool: { words: ["main", "alt-pool"] },
  kind: { words: ["api_key", "oauth_code", "oauth_device"] },
  engine: { words: ["anthropic", "openai", "openai-compatible"] },
  state: { words: ["usable", "cooling", "suspended", "needs_login", "contained", "disabled"] },
  health: { words: ["healthy", "suspended", "needs_login", "contained"] },
  suspended_reason: { words: ["not_permitted", "no_credit", "account_disabled", "rejects_calls"] },
  "windows[].resource": { words: ["unified", "requests", "tokens", "input-tokens", "output-tokens"] },
} as const

export const ProviderBookRules = {
  state: { words: ["waiting", "preliminary", "settled"] },
  "lines[].unit": { words: ["model_calls", "tokens_input", "tokens_cached", "tokens_cache_written", "tokens_output", "usd"] },
} as const

export const ProviderBookDayRules = {
  state: { words: ["waiting", "preliminary", "settled"] },
} as const

export const ProviderBookFindingRules = {
  kind: { words: ["provider_more", "provider_less", "unknown_calls"] },
  "units[].unit": { words: ["model_calls", "tokens_input", "tokens_cached", "tokens_cache_written", "tokens_output", "usd"] },
} as const

export const ProviderReportRules = {
  format: { words: ["anthropic", "openai", "openrouter"] },
  scope_id: { minLength: 1, maxLength: 128 },
} as const

export const PutAccountLimitsRules = {
  end_user_daily_usd: { minimum: 0, maximum: 1000000 },
  end_user_monthly_usd: { minimum: 0, maximum: 1000000 },
  low_balance_usd: { minimum: 0, maximum: 1000000, default: 1 },
} as const

export const PutAnomalyRules = {
  state: { words: ["open", "dismissed"] },
} as const

export const PutBillingDetailsRules = {
  company: { default: "" },
  address: { default: "" },
  tax_number: { default: "" },
} as const

export const PutBudgetRules = {
  amount_usd: { minimum: 0, maximum: 1000000 },
  percents: { maxItems: 10, default: [50, 80, 100] },
  "percents[]": { minimum: 1, maximum: 200 },
  forecast: { default: true },
} as const

export const PutEndUserBillingRules = {
  low_balance_usd: { minimum: 0, maximum: 1000000 },
} as const

export const PutEndUserDefaultsRules = {
  key_id: { minLength: 1, maxLength: 128 },
} as const

export const PutEndUserLimitsRules = {
  daily_usd: { minimum: 0, maximum: 1000000 },
  monthly_usd: { minimum: 0, maximum: 1000000 },
} as const

export const PutEndUserProfileRules = {
  profile: { maxProperties: 32 },
} as const

export const PutMcpServerRules = {
  url: { minLength: 1, maxLength: 4096 },
  identity: { words: ["signed", "none"] },
  allowed_tools: { maxItems: 200 },
  "allowed_tools[]": { minLength: 1, maxLength: 128 },
} as const

export const PutMembersLimitRules = {
  daily_usd: { minimum: 0, maximum: 1000000 },
} as const

export const PutPriceRules = {
  multiplier: { minimum: 0, maximum: 1000, default: 1 },
  per_model: { default: {} },
  per_turn_usd: { minimum: 0, maximum: 1000, default: 0 },
  rounding: { default: {"to_usd":1e-7,"mode":"nearest"} },
} as const

export const PutPriceRoundingRules = {
  to_usd: { minimum: 0, maximum: 1, default: 1e-7 },
  mode: { words: ["up", "nearest", "down"], default: "nearest" },
} as const

export const PutProviderReportRequestRules = {
  format: { words: ["anthropic", "openai", "openrouter"] },
  scope_id: { minLength: 1, maxLength: 128 },
  base_url: { maxLength: 2048 },
  shared: { default: false },
} as const

export const PutRetentionRules = {
  text_days: { minimum: 1, maximum: 36500 },
  step_days: { minimum: 1, maximum: 36500 },
  event_days: { minimum: 1, maximum: 36500 },
  attempt_days: { minimum: 1, maximum: 36500 },
} as const

export const PutSecretRules = {
  value: { minLength: 4, maxLength: 8192 },
} as const

export const PutToolRules = {
  description: { minLength: 1, maxLength: 4000 },
  "request.method": { words: ["GET", "POST", "PUT", "PATCH", "DELETE"] },
  "request.url": { minLength: 1, maxLength: 4096 },
  identity: { words: ["signed", "none"] },
  timeout_seconds: { minimum: 1, maximum: 120, default: 30 },
} as const

export const PutTraceEndpointRules = {
  url: { minLength: 1, maxLength: 2048 },
  with_text: { default: false },
} as const

export const PutUsageKeysRules = {
  keys: { maxItems: 10 },
  "keys[]": { minLength: 1, maxLength: 64 },
} as const

export const QuotaDetailsRules = {
  cap: { words: ["key_daily", "key_monthly", "key_window", "end_user_daily", "end_user_monthly", "account_daily", "members_daily"] },
  source: { words: ["key", "end_user", "account", "plan", "space", "default"] },
} as const

export const RaiseAnyTurnRules = {
  max_cost_usd: { maximum: 1000000, exclusiveMinimum: 0 },
  reason: { minLength: 3, maxLength: 500 },
} as const

export const RateRules = {
  fail: { words: ["open", "closed"] },
} as const

export const RateStateRules = {
  limit: { words: ["key_requests", "key_input_tokens", "key_turns", "end_user_requests", "end_user_input_tokens", "end_user_turns"] },
} as const

export const ReasoningRules = {
  effort: { words: ["none", "low", "medium", "high"] },
} as const

export const ReasoningInputRules = {
  effort: { words: ["none", "low", "medium", "high"] },
} as const

export const ReauthenticateRules = {
  password: { minLength: 1, maxLength: 256 },
  code: { minLength: 6, maxLength: 64 },
} as const

export const ReceiptRules = {
  state: { words: ["done", "failed", "cancelled"] },
} as const

export const ReceiptCallRules = {
  waived_for: { words: ["test", "lost", "over_hold"] },
} as const

export const ReceiptLineRules = {
  kind: { words: ["input", "cached", "cache_written", "cache_written_hour", "audio_input", "output", "reasoning", "web_search", "x_search", "code_execution", "image"] },
} as const

export const ReconciliationRules = {
  scope: { words: ["all", "recent"] },
} as const

export const ReconciliationFindingRules = {
  kind: { words: ["balance", "held", "running_total", "charge_without_turn", "infra_bill", "infra_due", "subscriptions", "charged_twice", "charge_missing", "charge_amount", "charge_unexpected", "charge_of_other_account", "charge_of_other_kind", "failure_charged", "usage_bills", "chat_calls", "refunded_twice", "refund_amount", "refund_untold", "refund_of_other_account", "hold_on_ended_turn", "hold_differs", "orphaned_turn", "unposted", "counter_spent", "counter_reserved", "counter_missing", "end_user_balance", "end_user_held", "end_user_ledger", "end_user_charges", "rollup"] },
  "counter.kind": { words: ["key", "end_user", "account", "members", "wallet", "rollup"] },
  "counter.period": { words: ["day", "month", "window", "hour"] },
} as const

export const RefundDecidedEventRules = {
  "data.decision": { words: ["refunded", "declined"] },
} as const

export const RefundRequestRules = {
  state: { words: ["open", "refunded", "declined"] },
} as const

export const RemovedWorkspaceMemberRules = {
  "members[].user_id": { minimum: 1 },
  "members[].role": { words: ["owner", "admin", "member"] },
  "team_members[].user_id": { minimum: 1 },
} as const

export const ReplayRules = {
  events: { minItems: 1 },
  "events[]": { words: ["turn.queued", "turn.running", "turn.waiting", "turn.resumed", "turn.done", "turn.failed", "turn.cancelled", "call.decided", "balance.low", "balance.depleted", "end_user.balance_low", "end_user.depleted", "cap.reached", "activity.recorded", "usage.posted", "hour.closed", "endpoint.disabled", "account.signed_in", "account.locked", "account.factor_changed", "key.created", "key.revoked", "refund.decided", "anomaly.found", "budget.reached", "mcp_server.failing", "space.shared"] },
  include_delivered: { default: false },
} as const

export const ReportFileRules = {
  report: { words: ["usage-by-slug", "context-size", "subscription-usage"] },
  state: { words: ["making", "ready", "failed"] },
  progress: { minimum: 0, maximum: 1 },
} as const

export const ResetPasswordRules = {
  token: { minLength: 1, maxLength: 512 },
  new_password: { minLength: 8, maxLength: 256 },
} as const

export const ResponseFormatRules = {
  description: { maxLength: 2000 },
} as const

export const ResponseFormatInputRules = {
  description: { maxLength: 2000 },
} as const

export const RetentionRules = {
  "own.text_days": { minimum: 1, maximum: 36500 },
  "own.step_days": { minimum: 1, maximum: 36500 },
  "own.event_days": { minimum: 1, maximum: 36500 },
  "own.attempt_days": { minimum: 1, maximum: 36500 },
  "service.text_days": { minimum: 1, maximum: 36500 },
  "service.step_days": { minimum: 1, maximum: 36500 },
  "service.event_days": { minimum: 1, maximum: 36500 },
  "service.attempt_days": { minimum: 1, maximum: 36500 },
  "kept.text_days": { minimum: 1, maximum: 36500 },
  "kept.step_days": { minimum: 1, maximum: 36500 },
  "kept.event_days": { minimum: 1, maximum: 36500 },
  "kept.attempt_days": { minimum: 1, maximum: 36500 },
} as const

export const RoleRequiredRules = {
  role: { words: ["owner", "developer", "billing", "read_only", "none"] },
  "roles[]": { words: ["owner", "developer", "billing", "read_only"] },
} as const

export const RotateApiKeyRules = {
  overlap_seconds: { minimum: 0, maximum: 604800, default: 86400 },
} as const

export const SavedProviderRules = {
  pool: { words: ["main", "alt-pool", "media"] },
  kind: { words: ["api_key", "oauth_code", "oauth_device"] },
  engine: { words: ["anthropic", "openai", "openai-compatible"] },
  health: { words: ["healthy", "needs_login", "contained"] },
} as const

export const SearchHitRules = {
  kind: { words: ["turn", "conversation", "space", "end_user", "key", "webhook", "delivery", "event", "file", "user", "audit"] },
} as const

export const SecondFactorCodeRules = {
  code: { minLength: 6, maxLength: 64 },
} as const

export const ServiceHealthRules = {
  status: { words: ["ok", "failing"] },
  "checks[].name": { words: ["database", "queue", "redis", "cron", "sweeps", "turns", "webhooks", "reconciliation", "providers", "provider_books", "settings"] },
} as const

export const ServiceLevelRules = {
  status: { words: ["ok", "failing"] },
  "failing[].name": { words: ["database", "queue", "redis", "cron", "sweeps", "turns", "webhooks", "reconciliation", "providers", "provider_books", "settings"] },
} as const

export const SetCapsRules = {
  daily_usd: { minimum: 0, maximum: 1000000 },
  monthly_usd: { minimum: 0, maximum: 1000000 },
  end_user_daily_usd: { minimum: 0, maximum: 1000000 },
  end_user_monthly_usd: { minimum: 0, maximum: 1000000 },
  window_usd: { minimum: 0, maximum: 1000000 },
  window_seconds: { minimum: 60, maximum: 2678400 },
} as const

export const SetCredentialsRules = {
  email: { maxLength: 320 },
  password: { minLength: 8, maxLength: 256 },
} as const

export const SetRateRules = {
  requests_per_minute: { minimum: 1, maximum: 1000000 },
  input_tokens_per_minute: { minimum: 1, maximum: 1000000000 },
  concurrent_turns: { minimum: 1, maximum: 100000 },
  fail: { words: ["open", "closed"], default: "open" },
} as const

export const SettingRules = {
  key: { words: ["plans", "trial_plan", "trial_days", "signup_credit_micros", "referred_credit_micros", "referrer_credit_micros", "referrer_most_credited", "admin_second_factor", "turn_texts_for_operators", "members_daily_credit_micros", "top_up_url", "container_second_usd", "stored_gib_hour_usd", "max_open_test_turns", "max_daily_test_turns", "test_data_days", "text_days", "step_days", "event_days", "delivery_days", "attempt_days", "session_days", "audit_days", "snapshot_days", "max_keys", "max_daily_key_changes", "max_members", "max_daily_invitations", "max_end_users", "max_spaces", "kept_versions", "max_config_bytes", "max_files", "max_file_bytes", "provider_limit_requests"] },
} as const

export const SettingUpdateRules = {
  key: { words: ["plans", "trial_plan", "trial_days", "signup_credit_micros", "referred_credit_micros", "referrer_credit_micros", "referrer_most_credited", "admin_second_factor", "turn_texts_for_operators", "members_daily_credit_micros", "top_up_url", "container_second_usd", "stored_gib_hour_usd", "max_open_test_turns", "max_daily_test_turns", "test_data_days", "text_days", "step_days", "event_days", "delivery_days", "attempt_days", "session_days", "audit_days", "snapshot_days", "max_keys", "max_daily_key_changes", "max_members", "max_daily_invitations", "max_end_users", "max_spaces", "kept_versions", "max_config_bytes", "max_files", "max_file_bytes", "provider_limit_requests"] },
} as const

export const SignInWaysRules = {
  session: { words: ["none", "ended", "second_factor", "open"] },
} as const

export const SpaceRules = {
  metadata: { maxProperties: 16 },
} as const

export const SpaceSharedEventRules = {
  "data.spaces": { maxItems: 20 },
  "data.people": { maxItems: 20 },
} as const

export const SpaceSharingRules = {
  "people[].role": { words: ["admin", "member"] },
} as const

export const SpaceSummaryRules = {
  metadata: { maxProperties: 16 },
  role: { words: ["owner", "admin", "member"] },
} as const

export const StartPasswordResetRules = {
  email: { minLength: 1, maxLength: 320 },
} as const

export const SubagentRules = {
  description: { minLength: 1, maxLength: 2000 },
  instructions: { maxLength: 100000 },
  model: { minLength: 1, maxLength: 128 },
  tools: { maxItems: 100 },
  "tools[]": { minLength: 1, maxLength: 96 },
  max_steps: { minimum: 1, maximum: 64, default: 16 },
  max_output_tokens: { minimum: 1, maximum: 1000000 },
} as const

export const SubagentInputRules = {
  description: { minLength: 1, maxLength: 2000 },
  instructions: { maxLength: 100000 },
  model: { minLength: 1, maxLength: 128 },
  tools: { maxItems: 100 },
  "tools[]": { minLength: 1, maxLength: 96 },
  max_steps: { minimum: 1, maximum: 64, default: 16 },
  max_output_tokens: { minimum: 1, maximum: 1000000 },
} as const

export const SubscriptionCreateRules = {
  user_id: { minimum: 1 },
  plan: { minLength: 1, maxLength: 32 },
  note: { minLength: 1, maxLength: 500 },
  replaces: { minimum: 1, maximum: 2147483647 },
  alongside: { default: false },
} as const

export const SubscriptionUpdateRules = {
  plan: { minLength: 1, maxLength: 32 },
  note: { minLength: 1, maxLength: 500 },
} as const

export const SystemRules = {
  "turns.waiting[].for": { words: ["limit", "approval", "result"] },
  "webhooks.waiting[].for": { words: ["verification", "retry", "attempt"] },
  "errors[].kind": { words: ["container_start", "container_exec", "subagent_dispatch", "model_call"] },
  "outside[].name": { words: ["database", "queue", "redis", "cron", "sweeps", "turns", "webhooks", "reconciliation", "providers", "provider_books", "settings"] },
} as const

export const TaskRules = {
  state: { words: ["open", "closed", "done", "cancelled"] },
} as const

export const TeamRules = {
  name: { minLength: 1, maxLength: 200 },
  description: { maxLength: 2000 },
  "members[].user_id": { minimum: 1 },
  "members[].role": { words: ["lead", "member"] },
} as const

export const TeamCreateRules = {
  name: { minLength: 1, maxLength: 200 },
  description: { maxLength: 2000 },
  members: { maxItems: 1000 },
  "members[].user_id": { minimum: 1 },
  "members[].role": { words: ["lead", "member"], default: "member" },
} as const

export const TeamUpdateRules = {
  name: { minLength: 1, maxLength: 200 },
  description: { maxLength: 2000 },
  members: { maxItems: 1000 },
  "members[].user_id": { minimum: 1 },
  "members[].role": { words: ["lead", "member"], default: "member" },
} as const

export const TestToolRules = {
  end_user_ref: { minLength: 1, maxLength: 128 },
  metadata: { maxProperties: 16 },
  profile: { maxProperties: 32 },
  input: { default: {} },
} as const

export const ToolRules = {
  description: { minLength: 1, maxLength: 4000 },
  "request.method": { words: ["GET", "POST", "PUT", "PATCH", "DELETE"] },
  "request.url": { minLength: 1, maxLength: 4096 },
  identity: { words: ["signed", "none"] },
  timeout_seconds: { minimum: 1, maximum: 120, default: 30 },
} as const

export const ToolInputRules = {
  description: { minLength: 1, maxLength: 4000 },
  "request.method": { words: ["GET", "POST", "PUT", "PATCH", "DELETE"] },
  "request.url": { minLength: 1, maxLength: 4096 },
  identity: { words: ["signed", "none"] },
  timeout_seconds: { minimum: 1, maximum: 120, default: 30 },
} as const

export const TraceEndpointRules = {
  url: { minLength: 1, maxLength: 2048 },
} as const

export const TraceSpanRules = {
  kind: { words: ["queue", "model", "tool", "attempt", "wait"] },
  state: { words: ["ok", "failed", "open"] },
  "settings.reasoning": { words: ["none", "low", "medium", "high"] },
  "settings.service_tier": { words: ["auto", "default", "flex", "priority", "fast", "ultrafast"] },
} as const

export const TransferAccountRules = {
  user_id: { minimum: 1 },
  role: { words: ["developer", "billing", "read_only"] },
} as const

export const TurnRules = {
  state: { words: ["queued", "running", "done", "failed", "cancelled"] },
  finish: { words: ["stop", "tool_calls"] },
  on_limit: { words: ["fail", "wait"] },
  temperature: { minimum: 0, maximum: 2 },
  metadata: { maxProperties: 16 },
} as const

export const TurnBillRules = {
  state: { words: ["queued", "running", "done", "failed", "cancelled"] },
  "items[].role": { words: ["orchestrator", "subagent", "summary"] },
} as const

export const TurnEstimateRules = {
  on_limit: { words: ["fail", "wait"] },
} as const

export const TurnMessageRules = {
  role: { words: ["system", "developer"] },
  content: { maxItems: 128 },
  "content[].file_id": { minLength: 1, maxLength: 64 },
  calls: { maxItems: 128 },
  "calls[].id": { minLength: 1, maxLength: 256 },
  results: { minItems: 1, maxItems: 128 },
  "results[].id": { minLength: 1, maxLength: 256 },
} as const

export const TurnStateEventRules = {
  type: { words: ["turn.queued", "turn.running", "turn.waiting", "turn.resumed", "turn.done", "turn.failed", "turn.cancelled"] },
} as const

export const TurnSummaryRules = {
  state: { words: ["queued", "running", "done", "failed", "cancelled"] },
} as const

export const UpdateApiKeyRules = {
  name: { minLength: 1, maxLength: 100 },
  default_end_user_ref: { minLength: 1, maxLength: 128 },
} as const

export const UpdateApiKeyRequestRules = {
  value: { minLength: 8, maxLength: 8192 },
} as const

export const UpdateMemberRules = {
  role: { words: ["owner", "developer", "billing", "read_only"] },
  keys: { words: ["revoke", "keep"] },
} as const

export const UpdateUserRules = {
  name: { minLength: 1, maxLength: 128 },
  email: { maxLength: 320 },
  role: { words: ["user", "admin"] },
  reason: { minLength: 3, maxLength: 500 },
  low_balance_usd: { minimum: 0, maximum: 1000000 },
  end_user_daily_usd: { minimum: 0, maximum: 1000000 },
  end_user_monthly_usd: { minimum: 0, maximum: 1000000 },
} as const

export const UpdateWebhookRules = {
  url: { minLength: 1, maxLength: 2048 },
  events: { minItems: 1 },
  "events[]": { words: ["turn.queued", "turn.running", "turn.waiting", "turn.resumed", "turn.done", "turn.failed", "turn.cancelled", "call.decided", "balance.low", "balance.depleted", "end_user.balance_low", "end_user.depleted", "cap.reached", "activity.recorded", "usage.posted", "hour.closed", "endpoint.disabled", "account.signed_in", "account.locked", "account.factor_changed", "key.created", "key.revoked", "refund.decided", "anomaly.found", "budget.reached", "mcp_server.failing", "space.shared"] },
  description: { maxLength: 500 },
} as const

export const UsageBreakdownRules = {
  dimension: { words: ["space", "user", "model", "provider"] },
} as const

export const UsageGroupRules = {
  kind: { words: ["value", "none", "other"] },
} as const

export const UsagePostedEventRules = {
  "data.kind": { words: ["usage", "space_usage", "refund"] },
} as const

export const UserRules = {
  role: { words: ["user", "admin"] },
} as const

export const UserDetailRules = {
  role: { words: ["user", "admin"] },
} as const

export const UserSpaceRules = {
  role: { words: ["owner", "admin", "member"] },
  via: { words: ["registered", "board"] },
} as const

export const UsersChangeRules = {
  "items[].outcome": { words: ["changed", "unchanged", "refused"] },
  "items[].code": { words: ["NOT_FOUND", "BALANCE_TOO_LOW", "SUBSCRIPTION_ACTIVE", "LAST_ADMIN"] },
} as const

export const WaitSummaryRules = {
  for: { words: ["limit", "approval", "result"] },
} as const

export const WaitingRules = {
  for: { words: ["limit", "approval", "result"] },
  "calls[].for": { words: ["approval", "result"] },
} as const

export const WaitingTurnRules = {
  role: { words: ["owner", "admin", "member"] },
} as const

export const WebLoginStatusRules = {
  status: { words: ["pending", "confirmed", "denied"] },
} as const

export const WebhookRules = {
  state: { words: ["pending", "verified"] },
  disabled_reason: { words: ["customer", "gone", "failing", "account_disabled"] },
} as const

export const WebhookWithSecretRules = {
  state: { words: ["pending", "verified"] },
  disabled_reason: { words: ["customer", "gone", "failing", "account_disabled"] },
} as const

export const WorkspaceRules = {
  "members[].user_id": { minimum: 1 },
  "members[].role": { words: ["owner", "admin", "member"] },
  "team_members[].user_id": { minimum: 1 },
} as const

export const WorkspaceBotRules = {
  token: { maxLength: 256 },
} as const

export const WorkspaceCreateRules = {
  name: { minLength: 1, maxLength: 200 },
  team_id: { minimum: 1, maximum: 2147483647 },
  members: { maxItems: 1000 },
  "members[].user_id": { minimum: 1 },
  "members[].role": { words: ["owner", "admin", "member"], default: "member" },
} as const

export const WorkspaceUpdateRules = {
  name: { minLength: 1, maxLength: 200 },
  team_id: { minimum: 1, maximum: 2147483647 },
  spaces: { maxItems: 1000 },
  "spaces[]": { minLength: 1, maxLength: 64 },
} as const

export const actAsUserQuery = {
  reason: { minLength: 3, maxLength: 500 },
} as const

export const answerBotUpdateQuery = {
  workspace: { minLength: 1, maxLength: 128 },
} as const

export const billInfraQuery = {
  dry_run: { default: false },
} as const

export const checkMcpServerQuery = {
  end_user_ref: { minLength: 1, maxLength: 128 },
} as const

export const endSessionsQuery = {
  which: { words: ["others", "all"], default: "others" },
} as const

export const exploreTurnsQuery = {
  q: { maxLength: 200 },
  space: { minLength: 1, maxLength: 128 },
  key: { minLength: 1, maxLength: 128 },
  end_user_ref: { minLength: 1, maxLength: 128 },
  conversation: { minLength: 1, maxLength: 128 },
  state: { words: ["queued", "running", "done", "failed", "cancelled"] },
  waiting: { words: ["limit", "approval", "result", "any"] },
  reason: { minLength: 1, maxLength: 128 },
  model: { minLength: 1, maxLength: 128 },
  min_cost_usd: { minimum: 0, maximum: 1000000 },
  min_seconds: { minimum: 0, maximum: 1000000 },
  sort: { words: ["newest", "cost", "duration"], default: "newest" },
  direction: { words: ["asc", "desc"], default: "desc" },
  limit: { minimum: 1, maximum: 200, default: 50 },
  offset: { minimum: 0, maximum: 1000000000, default: 0 },
  format: { words: ["json", "csv"], default: "json" },
  bom: { words: ["true", "false"], default: "false" },
} as const

export const finishOauthLoginQuery = {
  state: { maxLength: 512, default: "" },
  code: { maxLength: 8192, default: "" },
  error: { maxLength: 512 },
  iss: { maxLength: 2048 },
} as const

export const getAllTurnStatsQuery = {
  q: { maxLength: 200 },
  space: { minLength: 1, maxLength: 128 },
  key: { minLength: 1, maxLength: 128 },
  end_user_ref: { minLength: 1, maxLength: 128 },
  conversation: { minLength: 1, maxLength: 128 },
  state: { words: ["queued", "running", "done", "failed", "cancelled"] },
  waiting: { words: ["limit", "approval", "result", "any"] },
  reason: { minLength: 1, maxLength: 128 },
  model: { minLength: 1, maxLength: 128 },
  min_cost_usd: { minimum: 0, maximum: 1000000 },
  min_seconds: { minimum: 0, maximum: 1000000 },
  failure: { words: ["container_start", "container_exec", "subagent_dispatch", "model_call"] },
  provider: { minLength: 1, maxLength: 128 },
  user_id: { minimum: 1 },
} as const

export const getAnyTurnQuery = {
  reason: { minLength: 3, maxLength: 500 },
} as const

export const getBalanceTrendQuery = {
  days: { minimum: 1, maximum: 3650, default: 30 },
  period: { words: ["today", "yesterday", "this_week", "last_week", "this_month", "last_month", "this_year", "last_year"] },
  format: { words: ["json", "csv"], default: "json" },
  bom: { words: ["true", "false"], default: "false" },
  brand: { default: "all" },
  all_time: { default: false },
  active_window_days: { minimum: 1, maximum: 90, default: 30 },
} as const

export const getCapacityQuery = {
  hours: { minimum: 1, maximum: 2160, default: 72 },
  provider: { words: ["main", "alt-pool"] },
  format: { words: ["json", "csv"], default: "json" },
  bom: { words: ["true", "false"], default: "false" },
} as const

export const getChatTurnQuery = {
  wait: { minimum: 0, maximum: 30, default: 0 },
} as const

export const getContextComparisonQuery = {
  days: { minimum: 1, maximum: 120, default: 30 },
  period: { words: ["today", "yesterday", "this_week", "last_week", "this_month", "last_month", "this_year", "last_year"] },
  format: { words: ["json", "csv"], default: "json" },
  bom: { words: ["true", "false"], default: "false" },
  brand: { default: "all" },
} as const

export const getContextSizeQuery = {
  days: { minimum: 1, maximum: 90, default: 30 },
  period: { words: ["today", "yesterday", "this_week", "last_week", "this_month", "last_month", "this_year", "last_year"] },
  format: { words: ["json", "csv"], default: "json" },
  bom: { words: ["true", "false"], default: "false" },
  brand: { default: "all" },
  space: { minLength: 1, maxLength: 128 },
  empty_days: { default: true },
  limit: { minimum: 1, maximum: 10000, default: 10000 },
  offset: { minimum: 0, maximum: 1000000000, default: 0 },
} as const

export const getCostRatesReportQuery = {
  days: { minimum: 1, maximum: 365, default: 30 },
  period: { words: ["today", "yesterday", "this_week", "last_week", "this_month", "last_month", "this_year", "last_year"] },
  format: { words: ["json", "csv"], default: "json" },
  bom: { words: ["true", "false"], default: "false" },
  brand: { default: "all" },
  user_id: { minimum: 1 },
  chat_key: { minLength: 1, maxLength: 300 },
} as const

export const getCostsReportQuery = {
  days: { minimum: 1, maximum: 365, default: 30 },
  period: { words: ["today", "yesterday", "this_week", "last_week", "this_month", "last_month", "this_year", "last_year"] },
  format: { words: ["json", "csv"], default: "json" },
  bom: { words: ["true", "false"], default: "false" },
  brand: { default: "all" },
} as const

export const getDailyUsageQuery = {
  days: { minimum: 1, maximum: 365, default: 30 },
  period: { words: ["today", "yesterday", "this_week", "last_week", "this_month", "last_month", "this_year", "last_year"] },
  format: { words: ["json", "csv"], default: "json" },
  bom: { words: ["true", "false"], default: "false" },
  brand: { default: "all" },
  user_id: { minimum: 1 },
  chat_key: { minLength: 1, maxLength: 300 },
  empty_days: { default: true },
  limit: { minimum: 1, maximum: 10000, default: 10000 },
  offset: { minimum: 0, maximum: 1000000000, default: 0 },
} as const

export const getEndUsersReportQuery = {
  user_id: { minimum: 1 },
  days: { minimum: 1, maximum: 365, default: 30 },
  period: { words: ["today", "yesterday", "this_week", "last_week", "this_month", "last_month", "this_year", "last_year"] },
  format: { words: ["json", "csv"], default: "json" },
  bom: { words: ["true", "false"], default: "false" },
  sort: { words: ["spend", "tokens", "turns"], default: "spend" },
  direction: { words: ["asc", "desc"], default: "desc" },
  limit: { minimum: 1, maximum: 200, default: 50 },
  offset: { minimum: 0, maximum: 1000000000, default: 0 },
} as const

export const getEnergyQuery = {
  days: { minimum: 1, maximum: 365, default: 30 },
  format: { words: ["json", "csv"], default: "json" },
  bom: { words: ["true", "false"], default: "false" },
} as const

export const getEnergyTimelineQuery = {
  days: { minimum: 1, maximum: 3650, default: 30 },
  period: { words: ["today", "yesterday", "this_week", "last_week", "this_month", "last_month", "this_year", "last_year"] },
  format: { words: ["json", "csv"], default: "json" },
  bom: { words: ["true", "false"], default: "false" },
  brand: { default: "all" },
  all_time: { default: false },
} as const

export const getErrorsReportQuery = {
  days: { minimum: 1, maximum: 365, default: 30 },
  period: { words: ["today", "yesterday", "this_week", "last_week", "this_month", "last_month", "this_year", "last_year"] },
  format: { words: ["json", "csv"], default: "json" },
  bom: { words: ["true", "false"], default: "false" },
  brand: { default: "all" },
} as const

export const getHourlySpacesQuery = {
  top: { minimum: 1, maximum: 20, default: 8 },
  brand: { default: "all" },
  format: { words: ["json", "csv"], default: "json" },
  bom: { words: ["true", "false"], default: "false" },
} as const

export const getHourlyUsageQuery = {
  days: { minimum: 1, maximum: 30, default: 7 },
  period: { words: ["today", "yesterday", "this_week", "last_week", "this_month", "last_month", "this_year", "last_year"] },
  format: { words: ["json", "csv"], default: "json" },
  bom: { words: ["true", "false"], default: "false" },
  brand: { default: "all" },
} as const

export const getPriceQuery = {
  version: { minimum: 1, maximum: 1000000 },
} as const

export const getServiceHealthQuery = {
  format: { words: ["json", "prometheus"], default: "json" },
} as const

export const getServiceLevelQuery = {
  days: { minimum: 1, maximum: 7, default: 1 },
} as const

export const getSpaceByKeyQuery = {
  limit: { minimum: 1, maximum: 10000, default: 10000 },
  offset: { minimum: 0, maximum: 1000000000, default: 0 },
  format: { words: ["json", "csv"], default: "json" },
  bom: { words: ["true", "false"], default: "false" },
} as const

export const getSpaceSpendQuery = {
  days: { minimum: 1, maximum: 365, default: 30 },
} as const

export const getSubscriptionSpacesQuery = {
  days: { minimum: 1, maximum: 365, default: 30 },
  period: { words: ["today", "yesterday", "this_week", "last_week", "this_month", "last_month", "this_year", "last_year"] },
  format: { words: ["json", "csv"], default: "json" },
  bom: { words: ["true", "false"], default: "false" },
  brand: { default: "all" },
  subscription_id: { minLength: 1, maxLength: 128 },
  chat_key: { minLength: 1, maxLength: 300 },
  limit: { minimum: 1, maximum: 10000, default: 10000 },
  offset: { minimum: 0, maximum: 1000000000, default: 0 },
} as const

export const getSubscriptionUsageQuery = {
  days: { minimum: 1, maximum: 365, default: 30 },
  period: { words: ["today", "yesterday", "this_week", "last_week", "this_month", "last_month", "this_year", "last_year"] },
  format: { words: ["json", "csv"], default: "json" },
  bom: { words: ["true", "false"], default: "false" },
  brand: { default: "all" },
  limit: { minimum: 1, maximum: 10000, default: 10000 },
  offset: { minimum: 0, maximum: 1000000000, default: 0 },
} as const

export const getTopSpacesQuery = {
  days: { minimum: 1, maximum: 365, default: 30 },
  period: { words: ["today", "yesterday", "this_week", "last_week", "this_month", "last_month", "this_year", "last_year"] },
  format: { words: ["json", "csv"], default: "json" },
  bom: { words: ["true", "false"], default: "false" },
  brand: { default: "all" },
  limit: { minimum: 1, maximum: 100, default: 20 },
} as const

export const getTopUsersQuery = {
  days: { minimum: 1, maximum: 365, default: 30 },
  period: { words: ["today", "yesterday", "this_week", "last_week", "this_month", "last_month", "this_year", "last_year"] },
  format: { words: ["json", "csv"], default: "json" },
  bom: { words: ["true", "false"], default: "false" },
  brand: { default: "all" },
  limit: { minimum: 1, maximum: 100, default: 20 },
} as const

export const getTurnStatsQuery = {
  q: { maxLength: 200 },
  space: { minLength: 1, maxLength: 128 },
  key: { minLength: 1, maxLength: 128 },
  end_user_ref: { minLength: 1, maxLength: 128 },
  conversation: { minLength: 1, maxLength: 128 },
  state: { words: ["queued", "running", "done", "failed", "cancelled"] },
  waiting: { words: ["limit", "approval", "result", "any"] },
  reason: { minLength: 1, maxLength: 128 },
  model: { minLength: 1, maxLength: 128 },
  min_cost_usd: { minimum: 0, maximum: 1000000 },
  min_seconds: { minimum: 0, maximum: 1000000 },
} as const

export const getUsageQuery = {
  group_by: { words: ["end_user_ref", "space", "model", "key", "day", "hour", "config_version"], default: "day" },
  space: { minItems: 1, maxItems: 100 },
  "space[]": { minLength: 1, maxLength: 128 },
  end_user_ref: { minItems: 1, maxItems: 100 },
  "end_user_ref[]": { minLength: 1, maxLength: 128 },
  model: { minItems: 1, maxItems: 100 },
  "model[]": { minLength: 1, maxLength: 128 },
  key: { minItems: 1, maxItems: 100 },
  "key[]": { minLength: 1, maxLength: 128 },
  sort: { words: ["group", "billed", "turns", "model_calls", "tokens_input", "tokens_output"] },
  direction: { words: ["asc", "desc"] },
  format: { words: ["json", "csv"] },
  bom: { words: ["true", "false"], default: "false" },
  limit: { minimum: 1, maximum: 100, default: 20 },
  cursor: { minLength: 1, maxLength: 1024 },
} as const

export const getUsageBreakdownQuery = {
  dimension: { words: ["space", "user", "model", "provider"], default: "space" },
  days: { minimum: 1, maximum: 365, default: 30 },
  period: { words: ["today", "yesterday", "this_week", "last_week", "this_month", "last_month", "this_year", "last_year"] },
  format: { words: ["json", "csv"], default: "json" },
  bom: { words: ["true", "false"], default: "false" },
  brand: { default: "all" },
  limit: { minimum: 1, maximum: 1000, default: 100 },
} as const

export const getUserCostsReportQuery = {
  days: { minimum: 1, maximum: 365, default: 30 },
  period: { words: ["today", "yesterday", "this_week", "last_week", "this_month", "last_month", "this_year", "last_year"] },
  format: { words: ["json", "csv"], default: "json" },
  bom: { words: ["true", "false"], default: "false" },
  brand: { default: "all" },
  limit: { minimum: 1, maximum: 100, default: 20 },
} as const

export const getUserEnergyQuery = {
  days: { minimum: 1, maximum: 365, default: 30 },
  reason: { words: ["admin_grant", "admin_action", "operator_topup", "signup_credit", "referral_signup_credit", "manual_topup", "credit_purchase", "usage", "space_usage", "referral_credit_commission"] },
  bucket: { words: ["free", "bonus", "paid", "refunded", "spent"] },
  limit: { minimum: 1, maximum: 200, default: 50 },
  offset: { minimum: 0, maximum: 1000000000, default: 0 },
  format: { words: ["json", "csv"], default: "json" },
  bom: { words: ["true", "false"], default: "false" },
} as const

export const getWebLoginQuery = {
  token: { minLength: 1, maxLength: 512 },
} as const

export const keepKeyQuery = {
  user_id: { minimum: 1 },
} as const

export const linkIdentityQuery = {
  next: { maxLength: 4096, default: "" },
} as const

export const listActivityQuery = {
  action: { minLength: 1, maxLength: 256 },
  subject_type: { minLength: 1, maxLength: 256 },
  subject_id: { minLength: 1, maxLength: 256 },
  key_id: { minLength: 1, maxLength: 256 },
  by: { words: ["owner", "key", "member", "end_user", "operator"] },
  member: { minimum: 1 },
  limit: { minimum: 1, maximum: 200, default: 50 },
  offset: { minimum: 0, maximum: 1000000000, default: 0 },
  format: { words: ["json", "csv"], default: "json" },
  bom: { words: ["true", "false"], default: "false" },
} as const

export const listAllRefundRequestsQuery = {
  state: { words: ["open", "refunded", "declined"] },
  turn: { minLength: 1, maxLength: 128 },
  user_id: { minimum: 1 },
  limit: { minimum: 1, maximum: 200, default: 50 },
  offset: { minimum: 0, maximum: 1000000000, default: 0 },
} as const

export const listAllTurnsQuery = {
  q: { maxLength: 200 },
  space: { minLength: 1, maxLength: 128 },
  key: { minLength: 1, maxLength: 128 },
  end_user_ref: { minLength: 1, maxLength: 128 },
  conversation: { minLength: 1, maxLength: 128 },
  state: { words: ["queued", "running", "done", "failed", "cancelled"] },
  waiting: { words: ["limit", "approval", "result", "any"] },
  reason: { minLength: 1, maxLength: 128 },
  model: { minLength: 1, maxLength: 128 },
  min_cost_usd: { minimum: 0, maximum: 1000000 },
  min_seconds: { minimum: 0, maximum: 1000000 },
  failure: { words: ["container_start", "container_exec", "subagent_dispatch", "model_call"] },
  provider: { minLength: 1, maxLength: 128 },
  user_id: { minimum: 1 },
  sort: { words: ["newest", "cost", "duration"], default: "newest" },
  direction: { words: ["asc", "desc"], default: "desc" },
  limit: { minimum: 1, maximum: 200, default: 50 },
  offset: { minimum: 0, maximum: 1000000000, default: 0 },
  format: { words: ["json", "csv"], default: "json" },
  bom: { words: ["true", "false"], default: "false" },
} as const

export const listAnomaliesQuery = {
  state: { words: ["open", "dismissed"] },
  end_user_ref: { maxLength: 256 },
  key_id: { minLength: 1, maxLength: 128 },
  space: { minLength: 1, maxLength: 128 },
  limit: { minimum: 1, maximum: 200, default: 50 },
  offset: { minimum: 0, maximum: 1000000000, default: 0 },
} as const

export const listAuditQuery = {
  actor_user_id: { minimum: 1 },
  changed_user_id: { minimum: 1 },
  subject_type: { minLength: 1, maxLength: 128 },
  subject_id: { minLength: 1, maxLength: 128 },
  action: { minLength: 1, maxLength: 128 },
  own: { default: false },
  limit: { minimum: 1, maximum: 200, default: 50 },
  offset: { minimum: 0, maximum: 1000000000, default: 0 },
  format: { words: ["json", "csv"], default: "json" },
  bom: { words: ["true", "false"], default: "false" },
} as const

export const listBoardsQuery = {
  limit: { minimum: 1, maximum: 200, default: 50 },
  offset: { minimum: 0, maximum: 1000000000, default: 0 },
} as const

export const listChatTurnsQuery = {
  space: { minLength: 1, maxLength: 128 },
  conversation: { minLength: 1, maxLength: 128 },
  state: { words: ["queued", "running", "done", "failed", "cancelled"] },
  limit: { minimum: 1, maximum: 200, default: 50 },
  offset: { minimum: 0, maximum: 1000000000, default: 0 },
} as const

export const listConfigVersionsQuery = {
  limit: { minimum: 1, maximum: 100, default: 20 },
  cursor: { minLength: 1, maxLength: 1024 },
} as const

export const listContainerMappingsQuery = {
  space: { minLength: 1, maxLength: 128 },
  container: { minLength: 1, maxLength: 128 },
  limit: { minimum: 1, maximum: 200, default: 50 },
  offset: { minimum: 0, maximum: 1000000000, default: 0 },
} as const

export const listCustomersQuery = {
  q: { maxLength: 200 },
  sort: { words: ["today", "month", "all_time", "share", "turns", "last_turn", "latency", "failed", "name"], default: "month" },
  direction: { words: ["asc", "desc"], default: "desc" },
  limit: { minimum: 1, maximum: 200, default: 50 },
  offset: { minimum: 0, maximum: 1000000000, default: 0 },
  format: { words: ["json", "csv"], default: "json" },
  bom: { words: ["true", "false"], default: "false" },
} as const

export const listDeliveriesQuery = {
  state: { words: ["pending", "delivered", "failed"] },
  event_type: { words: ["turn.queued", "turn.running", "turn.waiting", "turn.resumed", "turn.done", "turn.failed", "turn.cancelled", "call.decided", "balance.low", "balance.depleted", "end_user.balance_low", "end_user.depleted", "cap.reached", "activity.recorded", "usage.posted", "hour.closed", "endpoint.disabled", "account.signed_in", "account.locked", "account.factor_changed", "key.created", "key.revoked", "refund.decided", "anomaly.found", "budget.reached", "mcp_server.failing", "space.shared", "ping"] },
  turn: { minLength: 1, maxLength: 128 },
  limit: { minimum: 1, maximum: 200, default: 50 },
  offset: { minimum: 0, maximum: 1000000000, default: 0 },
} as const

export const listEndUserLedgerQuery = {
  reason: { words: ["credit", "correction", "usage", "refund"] },
  turn: { minLength: 1, maxLength: 128 },
  limit: { minimum: 1, maximum: 100, default: 20 },
  cursor: { minLength: 1, maxLength: 1024 },
} as const

export const listEndUsersQuery = {
  limit: { minimum: 1, maximum: 100, default: 20 },
  cursor: { minLength: 1, maxLength: 1024 },
  q: { minLength: 1, maxLength: 128 },
} as const

export const listEventsQuery = {
  limit: { minimum: 1, maximum: 100, default: 20 },
  cursor: { minLength: 1, maxLength: 1024 },
  order: { words: ["asc", "desc"], default: "desc" },
  type: { words: ["turn.queued", "turn.running", "turn.waiting", "turn.resumed", "turn.done", "turn.failed", "turn.cancelled", "call.decided", "balance.low", "balance.depleted", "end_user.balance_low", "end_user.depleted", "cap.reached", "activity.recorded", "usage.posted", "hour.closed", "endpoint.disabled", "account.signed_in", "account.locked", "account.factor_changed", "key.created", "key.revoked", "refund.decided", "anomaly.found", "budget.reached", "mcp_server.failing", "space.shared", "ping"] },
  turn: { minLength: 1, maxLength: 128 },
} as const

export const listFilesQuery = {
  turn: { minLength: 1, maxLength: 128 },
  limit: { minimum: 1, maximum: 200, default: 50 },
  offset: { minimum: 0, maximum: 1000000000, default: 0 },
} as const

export const listIdentitiesQuery = {
  limit: { minimum: 1, maximum: 200, default: 50 },
  offset: { minimum: 0, maximum: 1000000000, default: 0 },
} as const

export const listKeysQuery = {
  q: { maxLength: 200 },
  key: { minItems: 1, maxItems: 100 },
  "key[]": { minLength: 1, maxLength: 128 },
  limit: { minimum: 1, maximum: 200, default: 50 },
  offset: { minimum: 0, maximum: 1000000000, default: 0 },
} as const

export const listLedgerQuery = {
  reason: { words: ["admin_grant", "admin_action", "operator_topup", "signup_credit", "referral_signup_credit", "manual_topup", "credit_purchase", "usage", "space_usage", "referral_credit_commission"] },
  bucket: { words: ["free", "bonus", "paid", "refunded", "spent"] },
  turn: { minLength: 1, maxLength: 128 },
  limit: { minimum: 1, maximum: 200, default: 50 },
  offset: { minimum: 0, maximum: 1000000000, default: 0 },
  format: { words: ["json", "csv"], default: "json" },
  bom: { words: ["true", "false"], default: "false" },
} as const

export const listProviderBooksQuery = {
  days: { minimum: 1, maximum: 400, default: 30 },
  provider_id: { minLength: 1, maxLength: 128 },
  format: { words: ["json", "csv"], default: "json" },
  bom: { words: ["true", "false"], default: "false" },
} as const

export const listRecentSpacesQuery = {
  limit: { minimum: 1, maximum: 10000, default: 10000 },
  offset: { minimum: 0, maximum: 1000000000, default: 0 },
} as const

export const listRefundRequestsQuery = {
  state: { words: ["open", "refunded", "declined"] },
  turn: { minLength: 1, maxLength: 128 },
  limit: { minimum: 1, maximum: 200, default: 50 },
  offset: { minimum: 0, maximum: 1000000000, default: 0 },
} as const

export const listSessionsQuery = {
  limit: { minimum: 1, maximum: 200, default: 50 },
  offset: { minimum: 0, maximum: 1000000000, default: 0 },
} as const

export const listSharesQuery = {
  limit: { minimum: 1, maximum: 200, default: 50 },
  offset: { minimum: 0, maximum: 1000000000, default: 0 },
} as const

export const listSpaceInventoryQuery = {
  q: { maxLength: 200 },
  origin: { minLength: 1, maxLength: 64 },
  brand: { default: "all" },
  archived: { words: ["active", "archived", "all"], default: "active" },
  owner_id: { minimum: 1 },
  workspace_id: { minLength: 1, maxLength: 128 },
  sort: { words: ["title", "created_at", "last_activity", "messages", "cost"], default: "title" },
  direction: { words: ["asc", "desc"], default: "asc" },
  limit: { minimum: 1, maximum: 200, default: 50 },
  offset: { minimum: 0, maximum: 1000000000, default: 0 },
  format: { words: ["json", "csv"], default: "json" },
  bom: { words: ["true", "false"], default: "false" },
} as const

export const listSpaceSessionsQuery = {
  limit: { minimum: 1, maximum: 10000, default: 10000 },
  offset: { minimum: 0, maximum: 1000000000, default: 0 },
  format: { words: ["json", "csv"], default: "json" },
  bom: { words: ["true", "false"], default: "false" },
} as const

export const listSpacesQuery = {
  q: { minLength: 1, maxLength: 200 },
  space: { minItems: 1, maxItems: 100 },
  "space[]": { minLength: 1, maxLength: 128 },
  archived: { words: ["active", "archived", "all"], default: "active" },
  limit: { minimum: 1, maximum: 200, default: 50 },
  offset: { minimum: 0, maximum: 1000000000, default: 0 },
} as const

export const listStatementDocumentsQuery = {
  limit: { minimum: 1, maximum: 100, default: 20 },
  cursor: { minLength: 1, maxLength: 1024 },
} as const

export const listSubscriptionsQuery = {
  user_id: { minimum: 1 },
  plan: { minLength: 1, maxLength: 32 },
  state: { words: ["active", "scheduled", "ended", "all"], default: "all" },
  limit: { minimum: 1, maximum: 200, default: 50 },
  offset: { minimum: 0, maximum: 1000000000, default: 0 },
  format: { words: ["json", "csv"], default: "json" },
  bom: { words: ["true", "false"], default: "false" },
} as const

export const listTasksQuery = {
  space: { minLength: 1, maxLength: 128 },
  brand: { default: "all" },
  state: { words: ["open", "closed", "done", "cancelled", "all"], default: "all" },
  assignee_user_id: { minimum: 1 },
  creator_user_id: { minimum: 1 },
  q: { maxLength: 200 },
  limit: { minimum: 1, maximum: 500, default: 100 },
  offset: { minimum: 0, maximum: 1000000000, default: 0 },
  format: { words: ["json", "csv"], default: "json" },
  bom: { words: ["true", "false"], default: "false" },
} as const

export const listTeamsQuery = {
  q: { maxLength: 200 },
  archived: { words: ["active", "archived", "all"], default: "all" },
  limit: { minimum: 1, maximum: 10000, default: 10000 },
  offset: { minimum: 0, maximum: 1000000000, default: 0 },
  format: { words: ["json", "csv"], default: "json" },
  bom: { words: ["true", "false"], default: "false" },
} as const

export const listTurnDeliveriesQuery = {
  limit: { minimum: 1, maximum: 200, default: 50 },
  offset: { minimum: 0, maximum: 1000000000, default: 0 },
} as const

export const listTurnEventsQuery = {
  limit: { minimum: 1, maximum: 200, default: 100 },
  offset: { minimum: 0, maximum: 1000000000, default: 0 },
} as const

export const listTurnStepsQuery = {
  limit: { minimum: 1, maximum: 200, default: 50 },
  offset: { minimum: 0, maximum: 1000000000, default: 0 },
} as const

export const listTurnsQuery = {
  space: { minLength: 1, maxLength: 128 },
  conversation: { minLength: 1, maxLength: 128 },
  state: { words: ["queued", "running", "done", "failed", "cancelled"] },
  waiting: { words: ["limit", "approval", "result"] },
  end_user_ref: { minLength: 1, maxLength: 128 },
  key: { minLength: 1, maxLength: 128 },
  limit: { minimum: 1, maximum: 200, default: 50 },
  offset: { minimum: 0, maximum: 1000000000, default: 0 },
} as const

export const listUserSpacesQuery = {
  limit: { minimum: 1, maximum: 2000, default: 2000 },
  offset: { minimum: 0, maximum: 1000000000, default: 0 },
} as const

export const listUsersQuery = {
  q: { maxLength: 200 },
  role: { maxLength: 64 },
  brand: { default: "all" },
  plan: { minLength: 1, maxLength: 32 },
  sort: { words: ["created", "balance", "last_seen", "spend"], default: "created" },
  direction: { words: ["asc", "desc"], default: "desc" },
  limit: { minimum: 1, maximum: 2000, default: 50 },
  offset: { minimum: 0, maximum: 1000000000, default: 0 },
  format: { words: ["json", "csv"], default: "json" },
  bom: { words: ["true", "false"], default: "false" },
} as const

export const listWaitingTurnsQuery = {
  waiting: { words: ["limit", "approval", "result"] },
  space: { minLength: 1, maxLength: 128 },
  turn: { minLength: 1, maxLength: 128 },
  limit: { minimum: 1, maximum: 200, default: 50 },
  offset: { minimum: 0, maximum: 1000000000, default: 0 },
} as const

export const listWebhooksQuery = {
  limit: { minimum: 1, maximum: 200, default: 50 },
  offset: { minimum: 0, maximum: 1000000000, default: 0 },
} as const

export const listWorkspacesQuery = {
  q: { maxLength: 200 },
  archived: { words: ["active", "archived", "all"], default: "all" },
  limit: { minimum: 1, maximum: 10000, default: 10000 },
  offset: { minimum: 0, maximum: 1000000000, default: 0 },
  format: { words: ["json", "csv"], default: "json" },
  bom: { words: ["true", "false"], default: "false" },
} as const

export const removeMemberQuery = {
  keys: { words: ["revoke", "keep"] },
} as const

export const replayEventsQuery = {
  cursor: { minLength: 1, maxLength: 1024 },
} as const

export const rotateWebhookSecretQuery = {
  overlap_seconds: { minimum: 0, maximum: 86400, default: 86400 },
} as const

export const searchQuery = {
  q: { minLength: 1, maxLength: 200 },
} as const

export const searchEverythingQuery = {
  q: { minLength: 1, maxLength: 200 },
} as const

export const startOauthLoginQuery = {
  next: { maxLength: 4096, default: "" },
} as const

export const uploadFileQuery = {
  name: { minLength: 1, maxLength: 1024 },
} as const
