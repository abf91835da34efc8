import type { Sight } from "./seen-by.ts"

/** What a watch token shows of its turn. */
const WATCHED = {
  "watchTurn event": "created_at seq type",
  "watchTurn refused": "error{code message request_id retryable}",
  "watchTurn step.ended": "step",
  "watchTurn step.started": "step",
  "watchTurn text.delta": "step text",
  "watchTurn tool.ended": "call name ok step",
  "watchTurn tool.started": "call name step",
  "watchTurn turn.cancelled": "state",
  "watchTurn turn.done": "result state",
  "watchTurn turn.failed": "error_code state",
  "watchTurn turn.queued": "state",
  "watchTurn turn.running": "state",
  "watchTurn turn.waiting": "state waiting{calls{call for tool} expires_at for}",
}

/**
 * As in sights.ts, for tokens and secrets that are for one purpose, and for callers without any. A resource is an
 * operation here, because no document has most of these answers.
 */
export const TOKEN_SIGHTS = {
  "a watch token": WATCHED,
  "a watch token with the inputs of tools": { ...WATCHED, "watchTurn tool.started": "call input name step" },
  "a portal session without turns, money and decisions": {
    decideInPortal: "error{code message request_id retryable}",
    exchangePortalCode: "expires_in_seconds preview scopes token",
    getPortalOverview: "limits{blocked limits{left_share period resets_at} rates}",
    getPortalTurn: "error{code message request_id retryable}",
    listPortalTurns: "error{code message request_id retryable}",
    "the page's frame": "accents{dark light} logo mode origins return_url",
  },
  "a portal session of all scopes": {
    decideInPortal: "decision",
    exchangePortalCode: "expires_in_seconds preview scopes token",
    getPortalOverview:
      "approvals{call excerpt expires_at input since tool turn_id} limits{blocked limits{left_share period resets_at} rates} usage{days{charged_usd day turns} month_usd today_usd} wallet{available_usd balance_usd entries{amount_usd at id reason} held_usd}",
    getPortalTurn: "charged_usd created_at excerpt finished_at result state text turn_id",
    listPortalTurns: "charged_usd created_at excerpt finished_at state turn_id waits_for",
    "the page's frame": "accents{dark light} logo mode origins return_url",
  },
  "a result token": {
    getTurn: "error{code message request_id retryable}",
    sendCallResult: "call outcome turn_id",
    "sendCallResult differs": "error{code message request_id retryable}",
    "sendCallResult invalid": "error{code details{message param} message param request_id retryable}",
    "sendCallResult late": "call outcome turn_id",
    "sendCallResult late and other": "error{code message request_id retryable}",
    "sendCallResult of another call": "error{code message request_id retryable}",
    "the request of a call":
      "headers{accept content-type idempotency-key traceparent turnpike-identity turnpike-result-token turnpike-result-url user-agent}",
  },
  "the monitor's token": {
    getServiceHealth: "checked_at checks{limit message name ok value} status",
  },
  "the identity service's secret": {
    createIdpSession: "brand created_at email email_verified name role user_id",
  },
  "a bot's secret": {
    "answerBotUpdate /login": "chat_id link_preview_options{is_disabled} method protect_content text",
  },
  "the queue's signature": {
    turns: "turns{settled}",
    webhooks: "delivered failed webhook_id",
  },
  "no credential": {
    "/api": "code detail",
    "/v1": "error{code message request_id retryable}",
    exchangeToken: "code detail",
    getHealth: "status",
    getReadiness: "status",
    jwks: "keys{alg crv kid kty purpose use x}",
    listSignInWays: "identity_provider messaging_app password_reset session",
    login: "code detail",
    startPasswordReset: "code detail",
  },
} satisfies Record<string, Sight>
