// Generated from the OpenAPI document by scripts/generate-client.ts: npm run client:types.

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

export interface BalanceTooLowErrorBody {
  code: "BALANCE_TOO_LOW"
  message: string
  /** The field or parameter that is wrong. */
  param?: string | undefined
  /** True if the same request can succeed later. */
  retryable: boolean
  request_id: string
  /** The amount that a correction can take from the end user's wallet. */
  details?: {
    available_usd: number
  } | undefined
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

export interface CallDecidedErrorBody {
  code: "CALL_DECIDED"
  message: string
  /** The field or parameter that is wrong. */
  param?: string | undefined
  /** True if the same request can succeed later. */
  retryable: boolean
  request_id: string
  details: {
    earlier?: EarlierDecision | undefined
  }
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

export type CallResult = {
  /** The result: a text, or any JSON value, whose numbers keep their digits. At most 65536 bytes as text. */
  output: unknown
} | {
  /** Why the call failed. The agent reads this text. */
  error: string
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

export interface CostLimitTooLowErrorBody {
  code: "COST_LIMIT_TOO_LOW"
  message: string
  /** The field or parameter that is wrong. */
  param?: string | undefined
  /** True if the same request can succeed later. */
  retryable: boolean
  request_id: string
  details: CostLimitDetails
}

export interface CountState {
  /** `open_test_turns`: test turns that have not ended. `daily_test_turns`: test turns sent within a day. `keys`: API keys, revoked and expired ones included. `daily_key_changes`: API keys created, changed or rotated within a day. `members`: members, open invitations included. `daily_invitations`: invitations of members within a day. `end_users`: end users with limits or a profile of their own. `spaces`: spaces, archived ones included. `config_bytes`: bytes of configuration, including kept versions and secrets. `files`: files. `file_bytes`: bytes of files. `resent_events`: events sent again to one webhook within an hour. */
  cap: "open_test_turns" | "daily_test_turns" | "keys" | "daily_key_changes" | "members" | "daily_invitations" | "end_users" | "spaces" | "config_bytes" | "files" | "file_bytes" | "resent_events"
  limit: number
  /** Can exceed `limit` after the limit was lowered, since nothing is removed then. */
  used: number
}

export interface CreatePortalSession {
  /** What the end user sees. `usage`: the amounts charged, by day. `turns`: the turns with their texts. `limits`: what is left of the daily and the monthly limit. `wallet`: the prepaid balance and its last entries. `approvals`: calls that wait for a decision, with their inputs. The end user may allow or deny them. `profile`: the facts of `profile_keys`, which the end user may change. */
  scopes: ("usage" | "turns" | "limits" | "wallet" | "approvals" | "profile")[]
  /** The facts of their profile that the end user sees and may change, with the scope `profile`. */
  profile_keys?: string[] | undefined
  /** The session's life in seconds. */
  expires_in?: number | undefined
  /** The origins of the pages that may show the portal in a frame, and that get its messages. Default: none, so the portal opens only as a page of its own. With a test key, `http://localhost` is also possible. */
  allowed_origins?: string[] | undefined
  /** Where the portal's link back leads. Default: no link. */
  return_url?: string | undefined
  theme?: PortalTheme | undefined
  /** The language of the page. Default: the language of the browser if the page has it, otherwise English. */
  lang?: "en" | "de" | "fr" | "es" | "ja" | undefined
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

export interface CreateTurn {
  /** The `space_id` of the space that runs the turn. */
  space: string
  /** Your own id for your end user. */
  end_user_ref: string
  /** The end user's message. Required without `messages` and `results`. */
  text?: string | undefined
  /** Instead of `text`: messages, which reach the model as such. Without `conversation` the turn knows no other turn, so send the whole chat each time; with one, only the new messages. Messages of `system` and `developer` are added to the instructions of the space, for this turn. The last message is the user's, or has results of calls. */
  messages?: SentMessage[] | undefined
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
  /** A conversation's id (`conv_…`), or a name of your choice, such as a ticket number. A new name starts a conversation for this space and end user. Default: one conversation for the space and the end user. The turn always shows the id. */
  conversation?: string | undefined
  /** Ids of files of the space that the agent sees. */
  files?: string[] | undefined
  /** The model as a pin, `engine/model`. Default: the space's model. */
  model?: string | undefined
  /** The most that the turn can cost, in USD. This amount is held for it, as far as the balance and the caps allow. Default: 0.25 USD is held at first, and the hold grows while the turn runs. */
  max_cost_usd?: number | string | undefined
  /** Timeout of the turn in seconds. Default: the manifest's timeout, or 300. */
  timeout_seconds?: number | undefined
  /** The maximum number of output tokens of each call of the space's own agent, with reasoning, up to the limit of the model. Default: as the manifest says. */
  max_output_tokens?: number | undefined
  /** Default: as the manifest says. */
  temperature?: number | undefined
  /** Default: as the manifest says. */
  reasoning?: ReasoningInput | undefined
  /** The form of the result. Default: as the manifest says, or any text. */
  response_format?: ResponseFormatInput | undefined
  /** Up to four sequences. The reply of the space's own agent ends before the first of them. Providers without such a setting write on, and the rest is cut off. */
  stop?: string[] | undefined
  /** False: the texts, messages, steps and events of the turn are deleted ten minutes after its end, when its webhooks are delivered. Its bill stays, and so do its files. Default: true, and retention decides. */
  store?: boolean | undefined
  /** A turn that cannot pay for its next model call does this. `fail` (the default) ends it with its partial result. With `wait` it continues once the limit allows it. */
  on_limit?: "fail" | "wait" | undefined
  /** How long a turn waits for a limit, a decision or a result before it fails. Default 86400. */
  max_wait_seconds?: number | undefined
  /** Your own key-value pairs: at most 16 pairs, keys of 64 and values of 512 characters. */
  metadata?: Record<string, string> | undefined
}

export interface CreateWatchToken {
  /** The token's life in seconds. */
  expires_in?: number | undefined
  /** `tool_inputs`: the browser also gets the inputs of tool calls. Otherwise only the tools' names. */
  include?: "tool_inputs"[] | undefined
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
  data: Delivery[]
  has_more: boolean
  next_cursor: string | null
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

export interface EndUserCreditSpentErrorBody {
  code: "END_USER_CREDIT_SPENT"
  message: string
  /** The field or parameter that is wrong. */
  param?: string | undefined
  /** True if the same request can succeed later. */
  retryable: boolean
  request_id: string
  details: EndUserCreditDetails
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
  data: EndUserDefault[]
  has_more: boolean
  next_cursor: string | null
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

export interface ErrorAnswer {
  error: OtherErrorBody | VersionMismatchErrorBody | RateLimitedErrorBody | EndUserCreditSpentErrorBody | PriceInUseErrorBody | InsufficientCreditsErrorBody | RoleRequiredErrorBody | TurnFinishedErrorBody | CallDecidedErrorBody | TurnWaitingErrorBody | BalanceTooLowErrorBody | LimitReachedErrorBody | ValidationFailedErrorBody | CostLimitTooLowErrorBody | TurnFailedErrorBody | QuotaExceededErrorBody
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
  data: FileInfo[]
  has_more: boolean
  next_cursor: string | null
}

export interface Health {
  status: "ok"
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

export interface InsufficientCreditsErrorBody {
  code: "INSUFFICIENT_CREDITS"
  message: string
  /** The field or parameter that is wrong. */
  param?: string | undefined
  /** True if the same request can succeed later. */
  retryable: boolean
  request_id: string
  details: CreditsDetails
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

export interface LimitReachedErrorBody {
  code: "LIMIT_REACHED"
  message: string
  /** The field or parameter that is wrong. */
  param?: string | undefined
  /** True if the same request can succeed later. */
  retryable: boolean
  request_id: string
  details?: CountState | undefined
}

export interface ListModelsAnswer {
  data: Model[]
  has_more: boolean
  next_cursor: string | null
  image_models: ImageModel[]
}

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
  data: ListedStatement[]
  has_more: boolean
  next_cursor: string | null
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
  data: McpServerFailure[]
  has_more: boolean
  next_cursor: string | null
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
  data: McpServer[]
  has_more: boolean
  next_cursor: string | null
}

export interface Me {
  key: {
    key_id: string
    name: string
    /** `created`: only spaces that this key creates. `space`: one space. `all`: all spaces of the account. */
    scope: "created" | "space" | "all"
    /** The space of a key with the scope `space`; otherwise null. */
    space: string | null
    test: boolean
    caps: Caps
    /** The end user of requests of `/v1/openai` and `/v1/anthropic` that name none, such as those of chat interfaces. Null: the `key_id`, as the `end_user_ref` of its own end user. */
    default_end_user_ref: string | null
    /** How much the key may send in a minute, and at the same time. Null: no limit. */
    rate: Rate | null
    /** The default rate of each of your customers without a rate of their own, when this key sends their turns. Null: the account's default. */
    end_user_rate: Rate | null
    created_at: string
    expires_at: string | null
  }
  /** The caps of the key itself, `key_daily`, `key_monthly` and `key_window`, and `account_daily` of the account's plan, with the amounts spent, reserved and left. For the caps of one customer, read the end user. Empty for a test key, whose turns have no caps. */
  caps: CapState[]
  /** The limits of the key's rate, with their use. For the rate of one customer, read the end user. */
  rates: RateState[]
  /** The account's limits on counts and sizes, and their usage, for live and test data together. */
  limits: CountState[]
  /** The account's balance. Null for a test key, and for a key to one space. */
  balance: Balance | null
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

export interface MonthStatement {
  month: string
  /** `open`: the month is not over. `building`: the receipts of a large month are still being read. Read it again after a minute. Never `closed`, as in the list: reading a closed month builds its statement. */
  state: "open" | "building" | "final"
  /** The number of receipts that were read so far. */
  receipts_read: number
  /** The signed statement, which never changes. Null unless `state` is `final`. */
  statement: SignedStatement | null
}

export interface OtherErrorBody {
  code: "INVALID_JSON" | "INVALID_ENCODING" | "IF_MATCH_INVALID" | "TOO_MANY_UNKNOWN_KEYS" | "IDEMPOTENCY_KEY_REQUIRED" | "IDEMPOTENCY_KEY_INVALID" | "INVALID_API_KEY" | "WATCH_TOKEN_INVALID" | "PORTAL_SESSION_INVALID" | "API_KEY_EXPIRED" | "HTTPS_REQUIRED" | "INVALID_SIGNATURE" | "SCOPE_DENIED" | "END_USER_BLOCKED" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "REQUEST_TIMEOUT" | "CALL_ANSWERED" | "CALL_NOT_WAITING" | "CALLS_NOT_OPEN" | "TURN_NOT_ENDED" | "SPACE_ARCHIVED" | "WEBHOOK_DISABLED" | "WEBHOOK_EXISTS" | "CONFLICT" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "RANGE_NOT_SATISFIABLE" | "IDEMPOTENCY_KEY_REUSED" | "INTERNAL" | "UNAVAILABLE"
  message: string
  /** The field or parameter that is wrong. */
  param?: string | undefined
  /** True if the same request can succeed later. */
  retryable: boolean
  request_id: string
}

export interface Output {
  file_id: string
  name: string
  media_type: string
  bytes: number
  sha256: string
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

export interface PriceInUseErrorBody {
  code: "PRICE_IN_USE"
  message: string
  /** The field or parameter that is wrong. */
  param?: string | undefined
  /** True if the same request can succeed later. */
  retryable: boolean
  request_id: string
  /** How many end users and keys name the price, and whether the account's default does. */
  details: {
    end_users: number
    keys: number
    account: boolean
  }
}

export interface PriceList {
  data: Price[]
  has_more: boolean
  next_cursor: string | null
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

export interface QuotaExceededErrorBody {
  code: "QUOTA_EXCEEDED"
  message: string
  /** The field or parameter that is wrong. */
  param?: string | undefined
  /** True if the same request can succeed later. */
  retryable: boolean
  request_id: string
  details?: QuotaDetails | CountState | CallerLimit | undefined
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

export interface RateLimitedErrorBody {
  code: "RATE_LIMITED"
  message: string
  /** The field or parameter that is wrong. */
  param?: string | undefined
  /** True if the same request can succeed later. */
  retryable: boolean
  request_id: string
  details: RateState
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

export interface Readiness {
  status: "ready"
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

export interface RenewCall {
  /** The `takes` of the call. */
  takes: number
}

export interface RenewCallAnswer {
  /** Then another worker may get the call, unless you renew it. */
  taken_until: string
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

export interface RoleRequired {
  /** The caller's role in the account. `none`: no longer any. */
  role: "owner" | "developer" | "billing" | "read_only" | "none"
  /** The roles that allow the operation. */
  roles: ("owner" | "developer" | "billing" | "read_only")[]
}

export interface RoleRequiredErrorBody {
  code: "ROLE_REQUIRED"
  message: string
  /** The field or parameter that is wrong. */
  param?: string | undefined
  /** True if the same request can succeed later. */
  retryable: boolean
  request_id: string
  details: RoleRequired
}

/** The name and dates of a secret. Its value is never shown. */
export interface Secret {
  name: string
  created_at: string
  updated_at: string
}

export interface SecretList {
  data: Secret[]
  has_more: boolean
  next_cursor: string | null
}

/** A file of the space, or a new one, which becomes a file of the space. */
export interface SentFile {
  type: "file"
  /** A file of the space. */
  file_id?: string | undefined
  /** The public URL of a file of at most 20 MiB, which is loaded before the turn is accepted. */
  url?: string | undefined
  /** The file itself, in base64. */
  data?: string | undefined
  /** Of `data`. Default: by the name, or by the first bytes. */
  media_type?: string | undefined
  /** The name of a file by `url` or `data`. */
  name?: string | undefined
}

export type SentMessage = {
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
  } | SentFile)[]
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

export interface SpaceList {
  data: Space[]
  has_more: boolean
  next_cursor: string | null
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

export interface TakenCall {
  turn_id: string
  /** The call within its turn. */
  call: string
  conversation: string
  space: string
  /** Your own id of the end user. Null: a web chat without an end user. */
  end_user_ref: string | null
  /** The metadata of the turn. */
  metadata: Record<string, string>
  tool: string
  input: Record<string, unknown>
  /** How often the call was given to a worker. Above 1, an earlier worker did not send its result in time. */
  takes: number
  /** Then another worker may get the call, unless you renew it. */
  taken_until: string
  /** A signed token that says for whom the call is made, so that other services of yours need not trust this worker. See [Whom a tool acts for](/docs/tools#whom-a-tool-acts-for). Null: the tool has `identity: none`. */
  identity: string | null
}

export interface TakenCallList {
  data: TakenCall[]
}

export interface TakenResult {
  turn_id: string
  /** The `call` of `waiting.calls`. */
  call: string
  /** The result counts. */
  outcome: "taken"
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
  data: Tool[]
  has_more: boolean
  next_cursor: string | null
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
  data: TurnEvent[]
  has_more: boolean
  next_cursor: string | null
}

export interface TurnFailedErrorBody {
  code: "TURN_FAILED"
  message: string
  /** The field or parameter that is wrong. */
  param?: string | undefined
  /** True if the same request can succeed later. */
  retryable: boolean
  request_id: string
  details: {
    turn_id: string
    state: "queued" | "running" | "done" | "failed" | "cancelled"
    /** The `code` of the turn's error, or `cancelled`. */
    reason: string
  }
}

export interface TurnFinishedErrorBody {
  code: "TURN_FINISHED"
  message: string
  /** The field or parameter that is wrong. */
  param?: string | undefined
  /** True if the same request can succeed later. */
  retryable: boolean
  request_id: string
  details?: {
    state: "queued" | "running" | "done" | "failed" | "cancelled"
    earlier?: EarlierDecision | undefined
  } | undefined
}

export interface TurnList {
  data: Turn[]
  has_more: boolean
  next_cursor: string | null
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

export interface TurnWaitingErrorBody {
  code: "TURN_WAITING"
  message: string
  /** The field or parameter that is wrong. */
  param?: string | undefined
  /** True if the same request can succeed later. */
  retryable: boolean
  request_id: string
  /** The turn that has no reply yet, and what it waits for: `waiting`, or an earlier turn. */
  details: {
    turn_id: string
    waiting: Waiting | null
    waits_behind: string | null
  }
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

export interface ValidationFailedErrorBody {
  code: "VALIDATION_FAILED"
  message: string
  /** The field or parameter that is wrong. */
  param?: string | undefined
  /** True if the same request can succeed later. */
  retryable: boolean
  request_id: string
  /** The first 100 validation errors of the request, each with its field. */
  details?: ({
    param: string
    message: string
  })[] | undefined
}

export interface VersionMismatchErrorBody {
  code: "VERSION_MISMATCH"
  message: string
  /** The field or parameter that is wrong. */
  param?: string | undefined
  /** True if the same request can succeed later. */
  retryable: boolean
  request_id: string
  details: {
    /** The current state of the resource, if it exists. */
    current?: Record<string, unknown> | undefined
  }
}

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

export interface WatchToken {
  /** The token. It is shown once, and not stored. */
  token: string
  /** The stream's address with the token, for `new EventSource(url)`. */
  url: string
  expires_at: string
}

export interface WatchedEvent {
  /** The event's number in its turn. Numbers of events that are not shown are missing. A piece of text that is not in the log yet has the number of the last event before it. */
  seq: number
  type: string
  data: Record<string, unknown>
  created_at: string
}

export interface WatchedEventList {
  data: WatchedEvent[]
  has_more: boolean
  next_cursor: string | null
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

export interface WebhookList {
  data: Webhook[]
  has_more: boolean
  next_cursor: string | null
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

/** What each operation takes and answers. */
export interface Operations {
  /** Archive a space */
  archiveSpace: {
    params: {
      /** The space, `spc_…`. */
      space_id: string
    }
    answer: Space
  }

  /** Cancel a turn */
  cancelTurn: {
    params: {
      /** The turn, `turn_…`. */
      turn_id: string
    }
    answer: Turn
  }

  /** Connect to an MCP server */
  checkMcpServer: {
    params: {
      /** The space, `spc_…`. */
      space_id: string
      /** The name, which is unique in the space. */
      name: string
    }
    query?: {
      /** The end user for whom the request is made: `{{end_user.ref}}` and the subject of `Turnpike-Identity`. Default: none, as in a web chat. Only keys and the owner of the space can choose one. */
      end_user_ref?: string | undefined
    }
    answer: McpCheck
  }

  /** Open the portal for an end user */
  createPortalSession: {
    params: {
      /** The `end_user_ref` of the turns, percent-encoded: `a/b` is `a%2Fb`. */
      end_user_ref: string
    }
    body: CreatePortalSession
    answer: PortalSession
  }

  /** Create a space */
  createSpace: {
    body: CreateSpace
    answer: Space
  }

  /** Send a turn */
  createTurn: {
    query?: {
      /** Maximum time in seconds to wait before the response is sent. It is sent when the turn ends or begins to wait. If the turn can start at once, the request itself runs it, which is the fastest way to a result. */
      wait?: number | undefined
    }
    body: CreateTurn
    answer: Turn
  }

  /** Let a browser watch a turn */
  createWatchToken: {
    params: {
      /** The turn, `turn_…`. */
      turn_id: string
    }
    body: CreateWatchToken
    answer: WatchToken
  }

  /** Register a webhook */
  createWebhook: {
    body: CreateWebhook
    answer: WebhookWithSecret
  }

  /** Add credit to an end user's wallet */
  creditEndUser: {
    params: {
      /** The `end_user_ref` of the turns, percent-encoded: `a/b` is `a%2Fb`. */
      end_user_ref: string
    }
    body: CreditEndUser
    answer: EndUserLedgerEntry
  }

  /** Decide about a call */
  decideCall: {
    params: {
      /** The turn, `turn_…`. */
      turn_id: string
      /** The `call` of `waiting.calls`. */
      call: string
    }
    body: Decision
    answer: DecidedCall
  }

  /** Delete an end user's profile */
  deleteEndUserProfile: {
    params: {
      /** The `end_user_ref` of the turns, percent-encoded: `a/b` is `a%2Fb`. */
      end_user_ref: string
    }
    answer: EndUserProfile
  }

  /** Delete a file */
  deleteFile: {
    params: {
      /** The file, `file_…`. */
      file_id: string
    }
    answer: DeletedFile
  }

  /** Delete an MCP server */
  deleteMcpServer: {
    params: {
      /** The space, `spc_…`. */
      space_id: string
      /** The name, which is unique in the space. */
      name: string
    }
    answer: Deleted
  }

  /** Delete a price */
  deletePrice: {
    params: {
      /** The name of the price. */
      name: string
    }
    answer: DeletedPrice
  }

  /** Delete a secret */
  deleteSecret: {
    params: {
      /** The space, `spc_…`. */
      space_id: string
      /** The name, which is unique in the space. */
      name: string
    }
    answer: Deleted
  }

  /** Delete a tool */
  deleteTool: {
    params: {
      /** The space, `spc_…`. */
      space_id: string
      /** The name, which is unique in the space. */
      name: string
    }
    answer: Deleted
  }

  /** Delete a webhook */
  deleteWebhook: {
    params: {
      /** The webhook, `whk_…`. */
      webhook_id: string
    }
    answer: DeleteWebhookAnswer
  }

  /** Erase an end user */
  eraseEndUser: {
    params: {
      /** The `end_user_ref` of the turns, percent-encoded: `a/b` is `a%2Fb`. */
      end_user_ref: string
    }
    answer: Erasure
  }

  /** Estimate a turn */
  estimateTurn: {
    body: CreateTurn
    answer: TurnEstimate
  }

  /** Export all data of an end user */
  exportEndUser: {
    params: {
      /** The `end_user_ref` of the turns, percent-encoded: `a/b` is `a%2Fb`. */
      end_user_ref: string
    }
    answer: EndUserExport
  }

  /** Read the balance */
  getBalance: {
    answer: Balance
  }

  /** Read one version of a space's configuration */
  getConfigVersion: {
    params: {
      /** The space, `spc_…`. */
      space_id: string
      /** The version number. */
      version: number
    }
    answer: ConfigVersion
  }

  /** Read a conversation */
  getConversation: {
    params: {
      conversation_id: string
    }
    answer: Conversation
  }

  /** Read a delivery */
  getDelivery: {
    params: {
      /** The delivery, `dlv_…`. */
      delivery_id: string
    }
    answer: Delivery
  }

  /** Read an end user */
  getEndUser: {
    params: {
      /** The `end_user_ref` of the turns, percent-encoded: `a/b` is `a%2Fb`. */
      end_user_ref: string
    }
    answer: EndUser
  }

  /** Read an end user's wallet */
  getEndUserBalance: {
    params: {
      /** The `end_user_ref` of the turns, percent-encoded: `a/b` is `a%2Fb`. */
      end_user_ref: string
    }
    answer: EndUserBalance
  }

  /** Read an end user's profile */
  getEndUserProfile: {
    params: {
      /** The `end_user_ref` of the turns, percent-encoded: `a/b` is `a%2Fb`. */
      end_user_ref: string
    }
    answer: EndUserProfile
  }

  /** Read the receipt of an erasure */
  getErasure: {
    params: {
      /** The erasure, `era_…`. */
      erasure_id: string
    }
    answer: Erasure
  }

  /** Read an event */
  getEvent: {
    params: {
      /** The event, `evt_…`. */
      event_id: string
    }
    answer: FeedEvent
  }

  /** Read a file's metadata */
  getFile: {
    params: {
      /** The file, `file_…`. */
      file_id: string
    }
    answer: FileInfo
  }

  /** Download a file */
  getFileContent: {
    params: {
      /** The file, `file_…`. */
      file_id: string
    }
    answer: Blob
  }

  /** Check that the API is alive */
  getHealth: {
    answer: Health
  }

  /** Read a space's manifest */
  getManifest: {
    params: {
      /** The space, `spc_…`. */
      space_id: string
    }
    answer: Manifest
  }

  /** Read an MCP server */
  getMcpServer: {
    params: {
      /** The space, `spc_…`. */
      space_id: string
      /** The name, which is unique in the space. */
      name: string
    }
    answer: McpServer
  }

  /** Read this API key */
  getMe: {
    answer: Me
  }

  /** Read a price */
  getPrice: {
    params: {
      /** The name of the price. */
      name: string
    }
    query?: {
      /** Shows this version only. Default: the newest ones. */
      version?: number | undefined
    }
    answer: Price
  }

  /** Check that the API is ready */
  getReadiness: {
    answer: Readiness
  }

  /** Read how long a space's data is kept */
  getRetention: {
    params: {
      /** The space, `spc_…`. */
      space_id: string
    }
    answer: Retention
  }

  /** Read a space */
  getSpace: {
    params: {
      /** The space, `spc_…`. */
      space_id: string
    }
    answer: Space
  }

  /** Read a monthly statement */
  getStatement: {
    params: {
      /** A month (UTC). */
      month: string
    }
    answer: MonthStatement
  }

  /** Read a tool */
  getTool: {
    params: {
      /** The space, `spc_…`. */
      space_id: string
      /** The name, which is unique in the space. */
      name: string
    }
    answer: Tool
  }

  /** Read a turn */
  getTurn: {
    params: {
      /** The turn, `turn_…`. */
      turn_id: string
    }
    query?: {
      /** Maximum time in seconds to wait before the response is sent. It is sent when the turn ends or begins to wait. */
      wait?: number | undefined
    }
    answer: Turn
  }

  /** Read the messages of a turn */
  getTurnMessages: {
    params: {
      /** The turn, `turn_…`. */
      turn_id: string
    }
    answer: TurnMessages
  }

  /** Read a turn's receipt */
  getTurnReceipt: {
    params: {
      /** The turn, `turn_…`. */
      turn_id: string
    }
    answer: TurnReceipt
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
    }
    answer: UsageReport
  }

  /** Read the state of the usage export */
  getUsageExport: {
    answer: UsageExport
  }

  /** Read the registered keys of metadata */
  getUsageKeys: {
    answer: UsageKeys
  }

  /** Read a webhook */
  getWebhook: {
    params: {
      /** The webhook, `whk_…`. */
      webhook_id: string
    }
    answer: Webhook
  }

  /** List the versions of a space's configuration */
  listConfigVersions: {
    params: {
      /** The space, `spc_…`. */
      space_id: string
    }
    query?: {
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

  /** List a webhook's deliveries */
  listDeliveries: {
    params: {
      /** The webhook, `whk_…`. */
      webhook_id: string
    }
    query?: {
      /** The most entries on a page. */
      limit?: number | undefined
      /** The `next_cursor` of the previous page. Send it with the same filters. */
      cursor?: string | undefined
      state?: "pending" | "delivered" | "failed" | undefined
      event_type?: "turn.queued" | "turn.running" | "turn.waiting" | "turn.resumed" | "turn.done" | "turn.failed" | "turn.cancelled" | "call.decided" | "balance.low" | "balance.depleted" | "end_user.balance_low" | "end_user.depleted" | "cap.reached" | "activity.recorded" | "usage.posted" | "hour.closed" | "endpoint.disabled" | "account.signed_in" | "account.locked" | "account.factor_changed" | "key.created" | "key.revoked" | "refund.decided" | "anomaly.found" | "budget.reached" | "mcp_server.failing" | "space.shared" | "ping" | undefined
      /** Only deliveries of this turn's events: a `turn_id`. */
      turn?: string | undefined
      /** Only entries created at or after this time. */
      created_after?: string | undefined
      /** Only entries created before this time. */
      created_before?: string | undefined
    }
    answer: DeliveryList
  }

  /** List the default prices */
  listEndUserDefaults: {
    answer: EndUserDefaultList
  }

  /** List an end user's ledger */
  listEndUserLedger: {
    params: {
      /** The `end_user_ref` of the turns, percent-encoded: `a/b` is `a%2Fb`. */
      end_user_ref: string
    }
    query?: {
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

  /** List a space's files */
  listFiles: {
    params: {
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
      /** The most entries on a page. */
      limit?: number | undefined
      /** The `next_cursor` of the previous page. Send it with the same filters. */
      cursor?: string | undefined
    }
    answer: FileList
  }

  /** List MCP servers that do not answer */
  listMcpServerFailures: {
    params: {
      /** The space, `spc_…`. */
      space_id: string
    }
    answer: McpServerFailureList
  }

  /** List a space's MCP servers */
  listMcpServers: {
    params: {
      /** The space, `spc_…`. */
      space_id: string
    }
    answer: McpServerList
  }

  /** List the models */
  listModels: {
    answer: ListModelsAnswer
  }

  /** List prices */
  listPrices: {
    answer: PriceList
  }

  /** List a space's secrets */
  listSecrets: {
    params: {
      /** The space, `spc_…`. */
      space_id: string
    }
    answer: SecretList
  }

  /** List spaces */
  listSpaces: {
    query?: {
      /** The most entries on a page. */
      limit?: number | undefined
      /** The `next_cursor` of the previous page. Send it with the same filters. */
      cursor?: string | undefined
      /** `false`: only active spaces. `true`: only archived spaces. `all`: both. Default: `false`. */
      archived?: "true" | "false" | "all" | undefined
      /** A part of the title. Case does not matter. */
      q?: string | undefined
      /** Only entries created at or after this time. */
      created_after?: string | undefined
      /** Only entries created before this time. */
      created_before?: string | undefined
    }
    answer: SpaceList
  }

  /** List the documents of a month */
  listStatementDocuments: {
    params: {
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

  /** List a space's tools */
  listTools: {
    params: {
      /** The space, `spc_…`. */
      space_id: string
    }
    answer: ToolList
  }

  /** Read a turn's events */
  listTurnEvents: {
    params: {
      /** The turn, `turn_…`. */
      turn_id: string
    }
    query?: {
      /** The most entries on a page. */
      limit?: number | undefined
      /** The `next_cursor` of the previous page. Send it with the same filters. */
      cursor?: string | undefined
    }
    answer: TurnEventList
  }

  /** List turns */
  listTurns: {
    query?: {
      /** The most entries on a page. */
      limit?: number | undefined
      /** The `next_cursor` of the previous page. Send it with the same filters. */
      cursor?: string | undefined
      /** A `space_id`. */
      space?: string | undefined
      end_user_ref?: string | undefined
      /** A conversation's id, `conv_…`; not a name. */
      conversation?: string | undefined
      state?: "queued" | "running" | "done" | "failed" | "cancelled" | undefined
      /** Only turns that wait for this. */
      waiting?: "limit" | "approval" | "result" | undefined
      /** A `key_id`. */
      key?: string | undefined
      /** Only entries created at or after this time. */
      created_after?: string | undefined
      /** Only entries created before this time. */
      created_before?: string | undefined
    }
    answer: TurnList
  }

  /** List webhooks */
  listWebhooks: {
    query?: {
      /** The most entries on a page. */
      limit?: number | undefined
      /** The `next_cursor` of the previous page. Send it with the same filters. */
      cursor?: string | undefined
      /** Only entries created at or after this time. */
      created_after?: string | undefined
      /** Only entries created before this time. */
      created_before?: string | undefined
    }
    answer: WebhookList
  }

  /** Raise a turn's cost limit */
  patchTurn: {
    params: {
      /** The turn, `turn_…`. */
      turn_id: string
    }
    body: PatchTurn
    answer: Turn
  }

  /** Set how an end user is charged */
  putEndUserBilling: {
    params: {
      /** The `end_user_ref` of the turns, percent-encoded: `a/b` is `a%2Fb`. */
      end_user_ref: string
    }
    body: PutEndUserBilling
    answer: EndUserBalance
  }

  /** Set the default price */
  putEndUserDefaults: {
    body: PutEndUserDefaults
    answer: EndUserDefaultList
  }

  /** Set an end user's limits */
  putEndUserLimits: {
    params: {
      /** The `end_user_ref` of the turns, percent-encoded: `a/b` is `a%2Fb`. */
      end_user_ref: string
    }
    body: PutEndUserLimits
    answer: EndUser
  }

  /** Set an end user's profile */
  putEndUserProfile: {
    params: {
      /** The `end_user_ref` of the turns, percent-encoded: `a/b` is `a%2Fb`. */
      end_user_ref: string
    }
    body: PutEndUserProfile
    answer: EndUserProfile
  }

  /** Replace a space's manifest */
  putManifest: {
    params: {
      /** The space, `spc_…`. */
      space_id: string
    }
    body: ManifestInput
    answer: Manifest
  }

  /** Add or replace an MCP server */
  putMcpServer: {
    params: {
      /** The space, `spc_…`. */
      space_id: string
      /** The name, which is unique in the space. */
      name: string
    }
    body: PutMcpServer
    answer: McpServer
  }

  /** Set a price */
  putPrice: {
    params: {
      /** The name of the price. */
      name: string
    }
    body: PutPrice
    answer: Price
  }

  /** Set how long a space's data is kept */
  putRetention: {
    params: {
      /** The space, `spc_…`. */
      space_id: string
    }
    body: PutRetention
    answer: Retention
  }

  /** Set a secret */
  putSecret: {
    params: {
      /** The space, `spc_…`. */
      space_id: string
      /** The name, which is unique in the space. */
      name: string
    }
    body: PutSecret
    answer: Secret
  }

  /** Add or replace a tool */
  putTool: {
    params: {
      /** The space, `spc_…`. */
      space_id: string
      /** The name, which is unique in the space. */
      name: string
    }
    body: PutTool
    answer: Tool
  }

  /** Start or stop the usage export */
  putUsageExport: {
    body: PutUsageExport
    answer: UsageExport
  }

  /** Register keys of metadata */
  putUsageKeys: {
    body: PutUsageKeys
    answer: UsageKeys
  }

  /** Send a delivery again */
  redeliver: {
    params: {
      /** The delivery, `dlv_…`. */
      delivery_id: string
    }
    answer: Delivery
  }

  /** Keep a taken call */
  renewCall: {
    params: {
      /** The turn, `turn_…`. */
      turn_id: string
      /** The `call` of `waiting.calls`. */
      call: string
    }
    body: RenewCall
    answer: RenewCallAnswer
  }

  /** Replay the events of a period */
  replayEvents: {
    params: {
      /** The webhook, `whk_…`. */
      webhook_id: string
    }
    query?: {
      /** The `cursor` of the previous response, to continue. */
      cursor?: string | undefined
    }
    body: Replay
    answer: Replayed
  }

  /** Rotate a webhook's signing secret */
  rotateWebhookSecret: {
    params: {
      /** The webhook, `whk_…`. */
      webhook_id: string
    }
    query?: {
      /** The time in seconds for which the old secret also signs. 0: only the new secret signs from now on. */
      overlap_seconds?: number | undefined
    }
    answer: WebhookWithSecret
  }

  /** Send the result of a call */
  sendCallResult: {
    params: {
      /** The turn, `turn_…`. */
      turn_id: string
      /** The `call` of `waiting.calls`. */
      call: string
    }
    body: CallResult
    answer: TakenResult
  }

  /** Take calls */
  takeCalls: {
    query?: {
      /** Maximum time in seconds to wait for a call. */
      wait?: number | undefined
      limit?: number | undefined
      /** Only calls of this space. */
      space?: string | undefined
      /** Only calls of these tools. Can be repeated. */
      tool?: string[] | undefined
    }
    answer: TakenCallList
  }

  /** Call a tool once */
  testTool: {
    params: {
      /** The space, `spc_…`. */
      space_id: string
      /** The name, which is unique in the space. */
      name: string
    }
    body: TestTool
    answer: ToolTest
  }

  /** Send a test event */
  testWebhook: {
    params: {
      /** The webhook, `whk_…`. */
      webhook_id: string
    }
    answer: Delivery
  }

  /** Change a space's title, model or metadata */
  updateSpace: {
    params: {
      /** The space, `spc_…`. */
      space_id: string
    }
    body: PatchSpace
    answer: Space
  }

  /** Change a webhook */
  updateWebhook: {
    params: {
      /** The webhook, `whk_…`. */
      webhook_id: string
    }
    body: UpdateWebhook
    answer: Webhook
  }

  /** Upload a file */
  uploadFile: {
    params: {
      /** The space, `spc_…`. */
      space_id: string
    }
    query?: {
      /** The file's name. Default: the `filename` of the multipart part. */
      name?: string | undefined
    }
    answer: FileInfo
  }

  /** Watch a turn from a browser */
  watchTurn: {
    query: {
      /** The watch token. */
      token: string
      /** The most entries on a page. */
      limit?: number | undefined
      /** The `next_cursor` of the previous page. Send it with the same filters. */
      cursor?: string | undefined
    }
    answer: WatchedEventList
  }
}

/** How each operation is called; `once`: the service has its effect at most once for an Idempotency-Key. */
export const OPERATIONS: {
  readonly [Id in keyof Operations]: { readonly method: string; readonly path: string; readonly once?: true }
} = {
  archiveSpace: { method: "DELETE", path: "/v1/spaces/{space_id}" },
  cancelTurn: { method: "POST", path: "/v1/turns/{turn_id}/cancel", once: true },
  checkMcpServer: { method: "POST", path: "/v1/spaces/{space_id}/mcp-servers/{name}/check", once: true },
  createPortalSession: { method: "POST", path: "/v1/end-users/{end_user_ref}/portal-sessions", once: true },
  createSpace: { method: "POST", path: "/v1/spaces", once: true },
  createTurn: { method: "POST", path: "/v1/turns", once: true },
  createWatchToken: { method: "POST", path: "/v1/turns/{turn_id}/watch-tokens", once: true },
  createWebhook: { method: "POST", path: "/v1/webhooks", once: true },
  creditEndUser: { method: "POST", path: "/v1/end-users/{end_user_ref}/credits", once: true },
  decideCall: { method: "POST", path: "/v1/turns/{turn_id}/calls/{call}/decision", once: true },
  deleteEndUserProfile: { method: "DELETE", path: "/v1/end-users/{end_user_ref}/profile" },
  deleteFile: { method: "DELETE", path: "/v1/files/{file_id}" },
  deleteMcpServer: { method: "DELETE", path: "/v1/spaces/{space_id}/mcp-servers/{name}" },
  deletePrice: { method: "DELETE", path: "/v1/prices/{name}" },
  deleteSecret: { method: "DELETE", path: "/v1/spaces/{space_id}/secrets/{name}" },
  deleteTool: { method: "DELETE", path: "/v1/spaces/{space_id}/tools/{name}" },
  deleteWebhook: { method: "DELETE", path: "/v1/webhooks/{webhook_id}" },
  eraseEndUser: { method: "DELETE", path: "/v1/end-users/{end_user_ref}" },
  estimateTurn: { method: "POST", path: "/v1/turns/estimate", once: true },
  exportEndUser: { method: "GET", path: "/v1/end-users/{end_user_ref}/export" },
  getBalance: { method: "GET", path: "/v1/balance" },
  getConfigVersion: { method: "GET", path: "/v1/spaces/{space_id}/versions/{version}" },
  getConversation: { method: "GET", path: "/v1/conversations/{conversation_id}" },
  getDelivery: { method: "GET", path: "/v1/deliveries/{delivery_id}" },
  getEndUser: { method: "GET", path: "/v1/end-users/{end_user_ref}" },
  getEndUserBalance: { method: "GET", path: "/v1/end-users/{end_user_ref}/balance" },
  getEndUserProfile: { method: "GET", path: "/v1/end-users/{end_user_ref}/profile" },
  getErasure: { method: "GET", path: "/v1/erasures/{erasure_id}" },
  getEvent: { method: "GET", path: "/v1/events/{event_id}" },
  getFile: { method: "GET", path: "/v1/files/{file_id}" },
  getFileContent: { method: "GET", path: "/v1/files/{file_id}/content" },
  getHealth: { method: "GET", path: "/v1/health" },
  getManifest: { method: "GET", path: "/v1/spaces/{space_id}/manifest" },
  getMcpServer: { method: "GET", path: "/v1/spaces/{space_id}/mcp-servers/{name}" },
  getMe: { method: "GET", path: "/v1/me" },
  getPrice: { method: "GET", path: "/v1/prices/{name}" },
  getReadiness: { method: "GET", path: "/v1/health/ready" },
  getRetention: { method: "GET", path: "/v1/spaces/{space_id}/retention" },
  getSpace: { method: "GET", path: "/v1/spaces/{space_id}" },
  getStatement: { method: "GET", path: "/v1/usage/statements/{month}" },
  getTool: { method: "GET", path: "/v1/spaces/{space_id}/tools/{name}" },
  getTurn: { method: "GET", path: "/v1/turns/{turn_id}" },
  getTurnMessages: { method: "GET", path: "/v1/turns/{turn_id}/messages" },
  getTurnReceipt: { method: "GET", path: "/v1/turns/{turn_id}/receipt" },
  getUsage: { method: "GET", path: "/v1/usage" },
  getUsageExport: { method: "GET", path: "/v1/usage/export" },
  getUsageKeys: { method: "GET", path: "/v1/usage-keys" },
  getWebhook: { method: "GET", path: "/v1/webhooks/{webhook_id}" },
  listConfigVersions: { method: "GET", path: "/v1/spaces/{space_id}/versions" },
  listDeliveries: { method: "GET", path: "/v1/webhooks/{webhook_id}/deliveries" },
  listEndUserDefaults: { method: "GET", path: "/v1/end-user-defaults" },
  listEndUserLedger: { method: "GET", path: "/v1/end-users/{end_user_ref}/ledger" },
  listEndUsers: { method: "GET", path: "/v1/end-users" },
  listEvents: { method: "GET", path: "/v1/events" },
  listFiles: { method: "GET", path: "/v1/spaces/{space_id}/files" },
  listMcpServerFailures: { method: "GET", path: "/v1/spaces/{space_id}/mcp-server-failures" },
  listMcpServers: { method: "GET", path: "/v1/spaces/{space_id}/mcp-servers" },
  listModels: { method: "GET", path: "/v1/models" },
  listPrices: { method: "GET", path: "/v1/prices" },
  listSecrets: { method: "GET", path: "/v1/spaces/{space_id}/secrets" },
  listSpaces: { method: "GET", path: "/v1/spaces" },
  listStatementDocuments: { method: "GET", path: "/v1/usage/statements/{month}/documents" },
  listStatements: { method: "GET", path: "/v1/usage/statements" },
  listTools: { method: "GET", path: "/v1/spaces/{space_id}/tools" },
  listTurnEvents: { method: "GET", path: "/v1/turns/{turn_id}/events" },
  listTurns: { method: "GET", path: "/v1/turns" },
  listWebhooks: { method: "GET", path: "/v1/webhooks" },
  patchTurn: { method: "PATCH", path: "/v1/turns/{turn_id}", once: true },
  putEndUserBilling: { method: "PUT", path: "/v1/end-users/{end_user_ref}/billing" },
  putEndUserDefaults: { method: "PUT", path: "/v1/end-user-defaults" },
  putEndUserLimits: { method: "PUT", path: "/v1/end-users/{end_user_ref}/limits" },
  putEndUserProfile: { method: "PUT", path: "/v1/end-users/{end_user_ref}/profile" },
  putManifest: { method: "PUT", path: "/v1/spaces/{space_id}/manifest" },
  putMcpServer: { method: "PUT", path: "/v1/spaces/{space_id}/mcp-servers/{name}" },
  putPrice: { method: "PUT", path: "/v1/prices/{name}" },
  putRetention: { method: "PUT", path: "/v1/spaces/{space_id}/retention" },
  putSecret: { method: "PUT", path: "/v1/spaces/{space_id}/secrets/{name}" },
  putTool: { method: "PUT", path: "/v1/spaces/{space_id}/tools/{name}" },
  putUsageExport: { method: "PUT", path: "/v1/usage/export", once: true },
  putUsageKeys: { method: "PUT", path: "/v1/usage-keys" },
  redeliver: { method: "POST", path: "/v1/deliveries/{delivery_id}/redeliver", once: true },
  renewCall: { method: "POST", path: "/v1/turns/{turn_id}/calls/{call}/renew", once: true },
  replayEvents: { method: "POST", path: "/v1/webhooks/{webhook_id}/replay", once: true },
  rotateWebhookSecret: { method: "POST", path: "/v1/webhooks/{webhook_id}/rotate-secret", once: true },
  sendCallResult: { method: "POST", path: "/v1/turns/{turn_id}/calls/{call}/result", once: true },
  takeCalls: { method: "GET", path: "/v1/calls" },
  testTool: { method: "POST", path: "/v1/spaces/{space_id}/tools/{name}/test", once: true },
  testWebhook: { method: "POST", path: "/v1/webhooks/{webhook_id}/test", once: true },
  updateSpace: { method: "PATCH", path: "/v1/spaces/{space_id}" },
  updateWebhook: { method: "PATCH", path: "/v1/webhooks/{webhook_id}" },
  uploadFile: { method: "POST", path: "/v1/spaces/{space_id}/files", once: true },
  watchTurn: { method: "GET", path: "/v1/watch" },
}
