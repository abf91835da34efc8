# Generated from the OpenAPI document by scripts/generate-client.ts: npm run client:types.
"""How each operation is called."""

from __future__ import annotations

from ._request import ListOperation, Operation
from .models import (
    Balance,
    ConfigVersion,
    ConfigVersionSummary,
    Conversation,
    DecidedCall,
    DeleteWebhookAnswer,
    Deleted,
    DeletedFile,
    DeletedPrice,
    Delivery,
    EndUser,
    EndUserBalance,
    EndUserDefault,
    EndUserDefaultList,
    EndUserExport,
    EndUserLedgerEntry,
    EndUserProfile,
    Erasure,
    FeedEvent,
    FileInfo,
    ListedStatement,
    Manifest,
    McpCheck,
    McpServer,
    McpServerFailure,
    Me,
    Model,
    MonthStatement,
    PortalSession,
    Price,
    RenewCallAnswer,
    Replayed,
    Retention,
    Secret,
    Space,
    StatementDocument,
    TakenCallList,
    TakenResult,
    Tool,
    ToolTest,
    Turn,
    TurnEstimate,
    TurnEvent,
    TurnMessages,
    TurnReceipt,
    UsageExport,
    UsageGroup,
    UsageKeys,
    UsageReport,
    WatchToken,
    Webhook,
    WebhookWithSecret,
)

CREATE_SPACE: Operation[Space] = Operation("POST", "/v1/spaces", Space, once=True)
GET_SPACE: Operation[Space] = Operation("GET", "/v1/spaces/{space_id}", Space)
LIST_SPACES: ListOperation[Space] = ListOperation("GET", "/v1/spaces", Space)
UPDATE_SPACE: Operation[Space] = Operation("PATCH", "/v1/spaces/{space_id}", Space)
ARCHIVE_SPACE: Operation[Space] = Operation("DELETE", "/v1/spaces/{space_id}", Space)
GET_MANIFEST: Operation[Manifest] = Operation("GET", "/v1/spaces/{space_id}/manifest", Manifest)
PUT_MANIFEST: Operation[Manifest] = Operation("PUT", "/v1/spaces/{space_id}/manifest", Manifest)
GET_RETENTION: Operation[Retention] = Operation("GET", "/v1/spaces/{space_id}/retention", Retention)
PUT_RETENTION: Operation[Retention] = Operation("PUT", "/v1/spaces/{space_id}/retention", Retention)
LIST_SECRETS: ListOperation[Secret] = ListOperation("GET", "/v1/spaces/{space_id}/secrets", Secret)
PUT_SECRET: Operation[Secret] = Operation("PUT", "/v1/spaces/{space_id}/secrets/{name}", Secret)
DELETE_SECRET: Operation[Deleted] = Operation("DELETE", "/v1/spaces/{space_id}/secrets/{name}", Deleted)
LIST_CONFIG_VERSIONS: ListOperation[ConfigVersionSummary] = ListOperation("GET", "/v1/spaces/{space_id}/versions", ConfigVersionSummary)
GET_CONFIG_VERSION: Operation[ConfigVersion] = Operation("GET", "/v1/spaces/{space_id}/versions/{version}", ConfigVersion)
LIST_TOOLS: ListOperation[Tool] = ListOperation("GET", "/v1/spaces/{space_id}/tools", Tool)
GET_TOOL: Operation[Tool] = Operation("GET", "/v1/spaces/{space_id}/tools/{name}", Tool)
PUT_TOOL: Operation[Tool] = Operation("PUT", "/v1/spaces/{space_id}/tools/{name}", Tool)
DELETE_TOOL: Operation[Deleted] = Operation("DELETE", "/v1/spaces/{space_id}/tools/{name}", Deleted)
TEST_TOOL: Operation[ToolTest] = Operation("POST", "/v1/spaces/{space_id}/tools/{name}/test", ToolTest, once=True)
LIST_MCP_SERVERS: ListOperation[McpServer] = ListOperation("GET", "/v1/spaces/{space_id}/mcp-servers", McpServer)
GET_MCP_SERVER: Operation[McpServer] = Operation("GET", "/v1/spaces/{space_id}/mcp-servers/{name}", McpServer)
PUT_MCP_SERVER: Operation[McpServer] = Operation("PUT", "/v1/spaces/{space_id}/mcp-servers/{name}", McpServer)
DELETE_MCP_SERVER: Operation[Deleted] = Operation("DELETE", "/v1/spaces/{space_id}/mcp-servers/{name}", Deleted)
CHECK_MCP_SERVER: Operation[McpCheck] = Operation("POST", "/v1/spaces/{space_id}/mcp-servers/{name}/check", McpCheck, once=True)
LIST_MCP_SERVER_FAILURES: ListOperation[McpServerFailure] = ListOperation("GET", "/v1/spaces/{space_id}/mcp-server-failures", McpServerFailure)
UPLOAD_FILE: Operation[FileInfo] = Operation("POST", "/v1/spaces/{space_id}/files", FileInfo, once=True)
LIST_FILES: ListOperation[FileInfo] = ListOperation("GET", "/v1/spaces/{space_id}/files", FileInfo)
GET_FILE: Operation[FileInfo] = Operation("GET", "/v1/files/{file_id}", FileInfo)
GET_FILE_CONTENT: Operation[None] = Operation("GET", "/v1/files/{file_id}/content", None)
DELETE_FILE: Operation[DeletedFile] = Operation("DELETE", "/v1/files/{file_id}", DeletedFile)
CREATE_TURN: Operation[Turn] = Operation("POST", "/v1/turns", Turn, once=True)
ESTIMATE_TURN: Operation[TurnEstimate] = Operation("POST", "/v1/turns/estimate", TurnEstimate, once=True)
LIST_TURNS: ListOperation[Turn] = ListOperation("GET", "/v1/turns", Turn)
GET_TURN: Operation[Turn] = Operation("GET", "/v1/turns/{turn_id}", Turn)
GET_CONVERSATION: Operation[Conversation] = Operation("GET", "/v1/conversations/{conversation_id}", Conversation)
GET_TURN_MESSAGES: Operation[TurnMessages] = Operation("GET", "/v1/turns/{turn_id}/messages", TurnMessages)
PATCH_TURN: Operation[Turn] = Operation("PATCH", "/v1/turns/{turn_id}", Turn, once=True)
CANCEL_TURN: Operation[Turn] = Operation("POST", "/v1/turns/{turn_id}/cancel", Turn, once=True)
DECIDE_CALL: Operation[DecidedCall] = Operation("POST", "/v1/turns/{turn_id}/calls/{call}/decision", DecidedCall, once=True)
SEND_CALL_RESULT: Operation[TakenResult] = Operation("POST", "/v1/turns/{turn_id}/calls/{call}/result", TakenResult, once=True)
TAKE_CALLS: Operation[TakenCallList] = Operation("GET", "/v1/calls", TakenCallList)
RENEW_CALL: Operation[RenewCallAnswer] = Operation("POST", "/v1/turns/{turn_id}/calls/{call}/renew", RenewCallAnswer, once=True)
LIST_TURN_EVENTS: ListOperation[TurnEvent] = ListOperation("GET", "/v1/turns/{turn_id}/events", TurnEvent)
CREATE_WATCH_TOKEN: Operation[WatchToken] = Operation("POST", "/v1/turns/{turn_id}/watch-tokens", WatchToken, once=True)
CREATE_WEBHOOK: Operation[WebhookWithSecret] = Operation("POST", "/v1/webhooks", WebhookWithSecret, once=True)
LIST_WEBHOOKS: ListOperation[Webhook] = ListOperation("GET", "/v1/webhooks", Webhook)
GET_WEBHOOK: Operation[Webhook] = Operation("GET", "/v1/webhooks/{webhook_id}", Webhook)
UPDATE_WEBHOOK: Operation[Webhook] = Operation("PATCH", "/v1/webhooks/{webhook_id}", Webhook)
DELETE_WEBHOOK: Operation[DeleteWebhookAnswer] = Operation("DELETE", "/v1/webhooks/{webhook_id}", DeleteWebhookAnswer)
ROTATE_WEBHOOK_SECRET: Operation[WebhookWithSecret] = Operation("POST", "/v1/webhooks/{webhook_id}/rotate-secret", WebhookWithSecret, once=True)
TEST_WEBHOOK: Operation[Delivery] = Operation("POST", "/v1/webhooks/{webhook_id}/test", Delivery, once=True)
LIST_DELIVERIES: ListOperation[Delivery] = ListOperation("GET", "/v1/webhooks/{webhook_id}/deliveries", Delivery)
REPLAY_EVENTS: Operation[Replayed] = Operation("POST", "/v1/webhooks/{webhook_id}/replay", Replayed, once=True)
GET_DELIVERY: Operation[Delivery] = Operation("GET", "/v1/deliveries/{delivery_id}", Delivery)
REDELIVER: Operation[Delivery] = Operation("POST", "/v1/deliveries/{delivery_id}/redeliver", Delivery, once=True)
LIST_EVENTS: ListOperation[FeedEvent] = ListOperation("GET", "/v1/events", FeedEvent)
GET_EVENT: Operation[FeedEvent] = Operation("GET", "/v1/events/{event_id}", FeedEvent)
LIST_END_USERS: ListOperation[EndUser] = ListOperation("GET", "/v1/end-users", EndUser)
GET_END_USER: Operation[EndUser] = Operation("GET", "/v1/end-users/{end_user_ref}", EndUser)
PUT_END_USER_LIMITS: Operation[EndUser] = Operation("PUT", "/v1/end-users/{end_user_ref}/limits", EndUser)
GET_END_USER_PROFILE: Operation[EndUserProfile] = Operation("GET", "/v1/end-users/{end_user_ref}/profile", EndUserProfile)
PUT_END_USER_PROFILE: Operation[EndUserProfile] = Operation("PUT", "/v1/end-users/{end_user_ref}/profile", EndUserProfile)
DELETE_END_USER_PROFILE: Operation[EndUserProfile] = Operation("DELETE", "/v1/end-users/{end_user_ref}/profile", EndUserProfile)
EXPORT_END_USER: Operation[EndUserExport] = Operation("GET", "/v1/end-users/{end_user_ref}/export", EndUserExport)
ERASE_END_USER: Operation[Erasure] = Operation("DELETE", "/v1/end-users/{end_user_ref}", Erasure)
GET_ERASURE: Operation[Erasure] = Operation("GET", "/v1/erasures/{erasure_id}", Erasure)
GET_TURN_RECEIPT: Operation[TurnReceipt] = Operation("GET", "/v1/turns/{turn_id}/receipt", TurnReceipt)
LIST_STATEMENTS: ListOperation[ListedStatement] = ListOperation("GET", "/v1/usage/statements", ListedStatement)
GET_STATEMENT: Operation[MonthStatement] = Operation("GET", "/v1/usage/statements/{month}", MonthStatement)
LIST_STATEMENT_DOCUMENTS: ListOperation[StatementDocument] = ListOperation("GET", "/v1/usage/statements/{month}/documents", StatementDocument)
GET_USAGE_EXPORT: Operation[UsageExport] = Operation("GET", "/v1/usage/export", UsageExport)
PUT_USAGE_EXPORT: Operation[UsageExport] = Operation("PUT", "/v1/usage/export", UsageExport, once=True)
GET_END_USER_BALANCE: Operation[EndUserBalance] = Operation("GET", "/v1/end-users/{end_user_ref}/balance", EndUserBalance)
PUT_END_USER_BILLING: Operation[EndUserBalance] = Operation("PUT", "/v1/end-users/{end_user_ref}/billing", EndUserBalance)
CREDIT_END_USER: Operation[EndUserLedgerEntry] = Operation("POST", "/v1/end-users/{end_user_ref}/credits", EndUserLedgerEntry, once=True)
LIST_END_USER_LEDGER: ListOperation[EndUserLedgerEntry] = ListOperation("GET", "/v1/end-users/{end_user_ref}/ledger", EndUserLedgerEntry)
LIST_PRICES: ListOperation[Price] = ListOperation("GET", "/v1/prices", Price)
GET_PRICE: Operation[Price] = Operation("GET", "/v1/prices/{name}", Price)
PUT_PRICE: Operation[Price] = Operation("PUT", "/v1/prices/{name}", Price)
DELETE_PRICE: Operation[DeletedPrice] = Operation("DELETE", "/v1/prices/{name}", DeletedPrice)
LIST_END_USER_DEFAULTS: ListOperation[EndUserDefault] = ListOperation("GET", "/v1/end-user-defaults", EndUserDefault)
PUT_END_USER_DEFAULTS: Operation[EndUserDefaultList] = Operation("PUT", "/v1/end-user-defaults", EndUserDefaultList)
CREATE_PORTAL_SESSION: Operation[PortalSession] = Operation("POST", "/v1/end-users/{end_user_ref}/portal-sessions", PortalSession, once=True)
GET_USAGE: Operation[UsageReport] = Operation("GET", "/v1/usage", UsageReport)
GET_USAGE_KEYS: Operation[UsageKeys] = Operation("GET", "/v1/usage-keys", UsageKeys)
PUT_USAGE_KEYS: Operation[UsageKeys] = Operation("PUT", "/v1/usage-keys", UsageKeys)
LIST_MODELS: ListOperation[Model] = ListOperation("GET", "/v1/models", Model)
GET_ME: Operation[Me] = Operation("GET", "/v1/me", Me)
GET_BALANCE: Operation[Balance] = Operation("GET", "/v1/balance", Balance)
GET_USAGE_GROUPS: ListOperation[UsageGroup] = ListOperation("GET", "/v1/usage", UsageGroup)
