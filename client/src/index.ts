export type { Calls, WorkOptions } from "./calls.ts"
export type { Conversations } from "./conversations.ts"
export type { EndUsers } from "./end-users.ts"
export {
  AuthenticationError,
  type ClientErrorCode,
  ConflictError,
  ConnectionError,
  CountExceededError,
  type ErrorCode,
  InsufficientCreditsError,
  NotFoundError,
  PermissionError,
  QuotaExceededError,
  ServerError,
  TimeoutError,
  ToolRequestError,
  TurnpikeError,
  ValidationError,
  WebhookVerificationError,
} from "./errors.ts"
export type { Events } from "./events.ts"
export type { ContentOptions, Files, Upload } from "./files.ts"
export type { List, Page } from "./list.ts"
export type { McpServers } from "./mcp-servers.ts"
export type * from "./operations.ts"
export type {
  ChangeOptions,
  CreateOptions,
  CreateTurnOptions,
  NewTurn,
  RequestOptions,
  RunOptions,
  TurnpikeOptions,
} from "./options.ts"
export type { Prices } from "./prices.ts"
export type { Manifests, Retentions, Secrets, Spaces, Versions } from "./spaces.ts"
export type { Tools } from "./tools.ts"
export { Turnpike } from "./turnpike.ts"
export type { TurnStream, Turns, TurnWith } from "./turns.ts"
export type { Models, Usage } from "./usage.ts"
export {
  type PublicKey,
  type ToolIdentity,
  type ToolRequest,
  type VerifyToolOptions,
  verifyTakenCall,
  verifyToolRequest,
} from "./verify-tool-request.ts"
export {
  type VerifyOptions,
  verifyWebhook,
  type WebhookEvent,
  type WebhookHeaders,
} from "./verify-webhook.ts"
export { VERSION } from "./version.ts"
export type { Deliveries, Webhooks } from "./webhooks.ts"
