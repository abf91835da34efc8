import { mergeSights, type Sight } from "./seen-by.ts"

/*
 * The fields that each credential may see. A row has a resource, and its fields that are not null in some answer. Tests
 * call every operation with each credential and compare, in a world in which nearly each field has a value.
 */
// A new field of a lesser credential fails these tests until it is here: decide first who may see it. A resource is a
// schema of the OpenAPI document, `usage{model_calls}` is a field within another, and `*` means names of a customer's.
// Keys with the scope `all` and sessions of owners may see all that the document declares.

type KeyName = "created" | "space" | "test all"
/** One text: each of these keys sees these fields. Otherwise: every key, and what only some see besides. */
type KeyRow = string | Partial<Record<"every" | KeyName, string>>

/** Keys with a lesser scope than all of the account, or without its live data. */
const KEYS: Readonly<Record<string, KeyRow>> = {
  Approval: "when",
  Balance: { created: "available_usd balance_usd held_usd" },
  CapState: "cap left_usd limit_usd reserved_usd resets_at source spent_usd",
  ConfigVersion: "change created_at manifest mcp_servers tools version",
  ConfigVersionSummary: "change created_at version",
  CostLimitDetails: { created: "max_cost_usd needed_usd", space: "max_cost_usd needed_usd" },
  CostLimitTooLowErrorBody: {
    created: "code details message param request_id retryable",
    space: "code details message param request_id retryable",
  },
  CountState: "cap limit used",
  DecidedCall: "call decided_at decision edited turn_id",
  DeleteWebhookAnswer: { created: "deleted webhook_id", "test all": "deleted webhook_id" },
  Deleted: "deleted name",
  DeletedFile: "bytes created_at deleted file_id media_type name sha256 space",
  DeletedPrice: {
    "test all":
      "created_at deleted multiplier name per_model per_turn_usd rounding{mode to_usd} used_by{account end_users keys} version versions",
  },
  Delivery: {
    created:
      "attempt_count attempts created_at delivery_id event_id event_type finished_at next_attempt_at state turn_id webhook_id",
    "test all":
      "attempt_count attempts created_at delivery_id event_id event_type finished_at next_attempt_at state turn_id webhook_id",
  },
  DeliveryAttempt: {
    created: "answer attempt created_at duration_ms request_headers{*} status",
    "test all": "answer attempt created_at duration_ms request_headers{*} status",
  },
  Conversation: "context{tokens turns} conversation_id created_at end_user_ref last_turn_at space turns",
  EndUser:
    "billed_this_month_usd billed_today_usd billed_usd caps end_user_ref first_turn_at last_turn_at limits rates refunded_usd turns",
  EndUserBalance: {
    "test all":
      "available_usd balance_usd end_user_ref held_usd low_balance_usd prepaid prepaid_source price price_source",
  },
  EndUserChargeReceipt: {
    "test all":
      "accepted_at charge_usd components currency document end_user_ref ended_at exact_usd paid_from price{name version} rounding{mode to_usd} state test turn_id version",
  },
  EndUserCreditDetails: { created: "needed_usd", space: "needed_usd" },
  EndUserCreditSpentErrorBody: {
    created: "code details message request_id retryable",
    space: "code details message request_id retryable",
  },
  EndUserDefault: { "test all": "price" },
  EndUserExport: { every: "end_user exported_at turns", "test all": "profile" },
  EndUserLedgerEntry: { "test all": "amount_usd balance_after_usd created_at end_user_ref entry_id reason" },
  EndUserLimits: { every: "blocked", "test all": "daily_usd monthly_usd" },
  EndUserProfile: { "test all": "changed_at end_user_ref profile{*}" },
  EndUserReceiptComponent: { "test all": "amount_usd kind step tokens_input tokens_output" },
  Erasure: {
    "test all":
      "conversations end_user_ref erased_at erasure_id events files kept{billed_usd turns} profile requested_at state steps tasks turns",
  },
  ExportedTurn: {
    every: [
      "billed_cost_usd calls conversation conversation_name created_at end_user_charge_usd end_user_ref error{code message} events",
      "file_details{bytes content created_at file_id media_type name sha256 space turn}",
      "files finish finished_at held_usd idempotency_key images{base64 media_type name step} metadata{*} model outputs price refunded_usd result space started_at state status_reason steps{*} store tasks{*} test text traceparent truncated turn_id",
      "usage{model_calls tokens_cached tokens_input tokens_output tokens_reasoning tool_calls} waiting warnings",
    ].join(" "),
    created: "max_cost_usd on_limit",
    space: "max_cost_usd on_limit",
  },
  File: "bytes created_at file_id media_type name sha256 space turn",
  ListModelsAnswer: "image_models",
  Manifest:
    "approvals{*} builtin_tools instructions max_output_tokens max_steps max_wait_seconds subagents temperature timeout_seconds",
  McpCheck: "changed duration_ms error left_out ok tools",
  McpServer: "allowed_tools approval approvals{*} headers{*} name url",
  Me: {
    every: "caps key{caps created_at key_id name scope test} limits rates",
    created: "balance",
    space: "key{space}",
  },
  Model:
    "engine label max_output_tokens pin price_modifiers price_tiers price_usd_per_million_tokens{audio_input cache_write cache_write_hour cached input output reasoning}",
  OtherErrorBody: "code message request_id retryable",
  Output: "bytes file_id media_type name sha256",
  PortalSession: "expires_at url",
  Price: {
    "test all":
      "created_at deleted multiplier name per_model per_turn_usd rounding{mode to_usd} used_by{account end_users keys} version versions",
  },
  PriceVersion: { "test all": "created_at multiplier per_model per_turn_usd rounding{mode to_usd} version" },
  QuotaDetails: {
    created: "cap exceeded left_usd limit_usd needed_usd reserved_usd resets_at source spent_usd",
    space: "cap exceeded left_usd limit_usd needed_usd reserved_usd resets_at source spent_usd",
  },
  QuotaExceededErrorBody: {
    created: "code details message request_id retryable",
    space: "code details message request_id retryable",
  },
  Receipt:
    "accepted_at calls currency document end_user_ref ended_at hold key_id rounding space state test total_usd turn_id version",
  ReceiptCall: {
    every: "amount_usd computed_usd lines made_at model price_version step subagent waived_usd",
    "test all": "waived_for",
  },
  ReceiptHold: "charged_usd held_usd released_usd",
  ReceiptLine: "kind per quantity unit_price_usd",
  RenewCallAnswer: "taken_until",
  Replayed: { created: "has_more replayed", "test all": "has_more replayed" },
  Response:
    "background conversation{id} created_at error{code message type} id metadata{*} model object output parallel_tool_calls reasoning safety_identifier status store text{format} tool_choice tools truncation turn usage user",
  ResponseTextFormat: "type",
  ResponseUsage:
    "input_tokens input_tokens_details{cached_tokens} output_tokens output_tokens_details{reasoning_tokens} total_tokens",
  Retention:
    "kept{attempt_days event_days step_days text_days} own{attempt_days event_days step_days text_days} service{attempt_days event_days step_days text_days}",
  Secret: "created_at name updated_at",
  SignedEndUserReceipt: { "test all": "digest document kind signature" },
  SignedReceipt: "digest document kind signature",
  Space: "archived config_version created_at manifest mcp_servers metadata{*} space_id test title tools updated_at",
  MessageModel: "created_at display_name id type",
  MessageModels: "first_id last_id",
  MessageTokenCount: "input_tokens",
  SpaceModel: "created id name object owned_by",
  SpaceModels: "data object",
  Subagent: "description instructions max_output_tokens max_steps name tools",
  TakenCall: "call conversation end_user_ref identity input{*} metadata space taken_until takes tool turn_id",
  TakenCallList: "data",
  TakenResult: "call outcome turn_id",
  Tool: "answers_later approval description input_schema{*} name request{body headers{*} method query{*} url}",
  ToolTest:
    "duration_ms identity{claims{*} valid} ok request{body headers{*} method url} response{body headers{*} status} result",
  Turn: {
    every: [
      "billed_cost_usd calls conversation created_at end_user_charge_usd end_user_ref error{code message} files finish finished_at",
      "held_usd metadata{*} model outputs price refunded_usd result space started_at state status_reason steps_deleted_at store test text",
      "texts_deleted_at traceparent truncated turn_id",
      "usage{model_calls tokens_cached tokens_input tokens_output tokens_reasoning tool_calls} waiting warnings",
    ].join(" "),
    created: "max_cost_usd on_limit",
    space: "max_cost_usd on_limit",
  },
  TurnEstimate: { every: "admitted caps hold_usd model needed_usd on_limit", created: "balance" },
  TurnEvent: "created_at id seq type",
  "TurnEvent step.ended":
    "agent delegated_by duration_ms finish step tokens_cached tokens_input tokens_output tokens_reasoning",
  "TurnEvent step.started": "agent delegated_by max_output_tokens model step temperature",
  "TurnEvent text.delta": "step text",
  "TurnEvent tool.ended": "call duration_ms error name ok step",
  "TurnEvent tool.started": "call name step",
  "TurnEvent turn.cancelled": "state status_reason",
  "TurnEvent turn.done": "state",
  "TurnEvent turn.failed": "error_code state status_reason",
  "TurnEvent turn.queued": "state",
  "TurnEvent turn.running": "config_version state",
  "TurnEvent turn.waiting": "state waiting",
  TurnFinishedErrorBody: "code details{state} message request_id retryable",
  TurnFinishedOpenAiErrorBody: "code details{state} message request_id retryable type",
  TurnMessage: "content role",
  TurnMessages: "messages turn_id",
  TurnOfAnswer:
    "billed_cost_usd calls conversation created_at end_user_charge_usd end_user_ref files finished_at held_usd model outputs price refunded_usd space started_at state status_reason store test traceparent truncated turn_id usage{model_calls tokens_cached tokens_input tokens_output tokens_reasoning tool_calls} warnings",
  TurnPrice: "name version",
  TurnReceipt: { every: "receipt", "test all": "end_user_receipt" },
  TurnStateEvent: "created_at data{turn} id seq type",
  UsageGroup:
    "billed_usd charged_turns_billed_usd end_user_charge_usd group kind margin_usd model_calls net_usd refunded_usd tokens_cached tokens_input tokens_output turns",
  UsageKeys: "keys",
  UsageReport: "from group_by to",
  ValidationFailedErrorBody: {
    every: "code message param request_id retryable",
    created: "details{message param}",
    space: "details{message param}",
  },
  Waiting: {
    every: "calls{call for input{*} tool} expires_at for since",
    created: "limit{continue_at_usd kind limit_usd needed_usd}",
    space: "limit{continue_at_usd kind limit_usd needed_usd}",
  },
  WatchToken: "expires_at token url",
  Webhook: {
    created: "created_at description enabled key_id state test updated_at url verified_at webhook_id",
    "test all": "created_at description enabled key_id state test updated_at url verified_at webhook_id",
  },
  WebhookWithSecret: {
    every: "created_at enabled key_id secret state test updated_at url webhook_id",
    created: "description previous_secret_expires_at verified_at",
    "test all": "description previous_secret_expires_at verified_at",
  },
}

export function keySight(name: KeyName): Sight {
  const rows = Object.entries(KEYS).map(
    ([resource, row]) => [resource, typeof row === "string" ? { every: row } : row] as const,
  )
  const of = (column: "every" | KeyName): Sight =>
    Object.fromEntries(rows.flatMap(([resource, row]) => (row[column] === undefined ? [] : [[resource, row[column]]])))
  return mergeSights(of("every"), of(name))
}

/** A session of a person with whom a space is shared, in that space. */
export const MEMBER_SIGHT: Sight = {
  AccountSpace:
    "archived config_version created_at manifest mcp_servers metadata{*} role space_id test title tools updated_at workspace_id",
  Approval: "when",
  ConfigVersion: "change created_at manifest mcp_servers tools version",
  ConfigVersionSummary: "change created_at version",
  DashboardOtherErrorBody: "code detail param",
  File: "bytes created_at file_id media_type name sha256 space turn",
  Manifest:
    "approvals{*} builtin_tools instructions max_output_tokens max_steps max_wait_seconds subagents temperature timeout_seconds",
  McpServer: "allowed_tools approval approvals{*} headers{*} name url",
  Retention:
    "kept{attempt_days event_days step_days text_days} own{attempt_days event_days step_days text_days} service{attempt_days event_days step_days text_days}",
  Secret: "created_at name updated_at",
  SpaceSpend:
    "billed_usd days keys{billed_usd turns} people{billed_usd turns user_id} series{billed_usd date turns} space_id turns",
  SpaceSummary: "archived config_version created_at metadata{*} role space_id test title updated_at workspace_id",
  Subagent: "description instructions max_output_tokens max_steps name tools",
  Tool: "answers_later approval description input_schema{*} name request{body headers{*} method query{*} url}",
  Turn: "billed_cost_usd calls conversation created_at end_user_ref files held_usd metadata model outputs refunded_usd space state store test text traceparent truncated turn_id usage{model_calls tokens_cached tokens_input tokens_output tokens_reasoning tool_calls} warnings",
}

/** The same for an admin of the space's workspace, who may change the space. */
export const WORKSPACE_ADMIN_SIGHT = mergeSights(MEMBER_SIGHT, {
  Deleted: "deleted name",
  DeletedFile: "bytes created_at deleted file_id media_type name sha256 space",
  McpCheck: "changed duration_ms error left_out ok tools",
  Space: "archived config_version created_at manifest mcp_servers metadata{*} space_id test title tools updated_at",
  ToolTest:
    "duration_ms identity{claims{*} valid} ok request{body headers{*} method url} response{body headers{*} status} result",
})

/** By operation: what an admin who acts as a user sees besides what the user sees, or instead of it. */
export const ACTING_SIGHT: Readonly<Record<string, { more?: Sight; instead?: Sight }>> = {
  getMe: { more: { AccountMe: "acting_admin{name user_id}" } },
  // It needs a proof of the owner.
  exportEndUser: { instead: { DashboardOtherErrorBody: "code detail" } },
}
