# Generated from the OpenAPI document by scripts/generate-client.ts: npm run client:types.
"""Codes of errors."""

from __future__ import annotations

from typing import Literal

ErrorCode = Literal[
    "INVALID_JSON",
    "IDEMPOTENCY_KEY_REQUIRED",
    "IDEMPOTENCY_KEY_INVALID",
    "INVALID_API_KEY",
    "WATCH_TOKEN_INVALID",
    "PORTAL_SESSION_INVALID",
    "API_KEY_EXPIRED",
    "HTTPS_REQUIRED",
    "INVALID_SIGNATURE",
    "SCOPE_DENIED",
    "END_USER_BLOCKED",
    "NOT_FOUND",
    "METHOD_NOT_ALLOWED",
    "REQUEST_TIMEOUT",
    "CALL_DECIDED",
    "CALL_ANSWERED",
    "CALL_NOT_WAITING",
    "SPACE_ARCHIVED",
    "WEBHOOK_DISABLED",
    "WEBHOOK_EXISTS",
    "CONFLICT",
    "PAYLOAD_TOO_LARGE",
    "UNSUPPORTED_MEDIA_TYPE",
    "RANGE_NOT_SATISFIABLE",
    "IDEMPOTENCY_KEY_REUSED",
    "INTERNAL",
    "UNAVAILABLE",
    "INSUFFICIENT_CREDITS",
    "TURN_FINISHED",
    "LIMIT_REACHED",
    "VALIDATION_FAILED",
    "COST_LIMIT_TOO_LOW",
    "TURN_FAILED",
    "QUOTA_EXCEEDED",
]
"""Every error code of the service. ``/docs/errors`` lists cause and cure of each."""

ClientErrorCode = Literal[
    "CONNECTION_FAILED",
    "TIMEOUT",
    "UNEXPECTED_ANSWER",
    "WEBHOOK_VERIFICATION_FAILED",
]
"""Codes of errors without a valid response of the service."""

HINTS = {
    "INVALID_JSON": "Send a JSON object.",
    "IDEMPOTENCY_KEY_REQUIRED": "Send a unique key per logical request. Send the same key when you retry.",
    "IDEMPOTENCY_KEY_INVALID": "Use a UUID, or your own id for the request.",
    "INVALID_API_KEY": "Send `Authorization: Bearer <API_KEY>` with a live key of this account.",
    "WATCH_TOKEN_INVALID": "Let your server create a new token with POST /v1/turns/{turn_id}/watch-tokens.",
    "PORTAL_SESSION_INVALID": "Let your server create a new session with POST /v1/end-users/{end_user_ref}/portal-sessions.",
    "API_KEY_EXPIRED": "Create a new key in the dashboard.",
    "HTTPS_REQUIRED": "Use https. If the request had an API key, revoke the key, because it travelled in clear text.",
    "INVALID_SIGNATURE": "Do not call this path. Only the queue uses it.",
    "SCOPE_DENIED": "Use a key with a wider scope.",
    "END_USER_BLOCKED": "Unblock it with `PUT /v1/end-users/{end_user_ref}/limits`.",
    "NOT_FOUND": "Check the id, the key's scope, and whether the key is a test key.",
    "METHOD_NOT_ALLOWED": "Use one of the methods in the Allow header.",
    "REQUEST_TIMEOUT": "Send the same request again over a faster connection.",
    "CALL_DECIDED": "Read the turn's event `call.decided`, which says who decided what.",
    "CALL_ANSWERED": "Send each result once. The same result again gets the response of the first one.",
    "CALL_NOT_WAITING": "Read the turn. `waiting.calls` names the calls that wait.",
    "SPACE_ARCHIVED": "Use another space. Archiving cannot be undone.",
    "WEBHOOK_DISABLED": "Fix the receiver, then `PATCH` the webhook with `{\"enabled\": true}`.",
    "WEBHOOK_EXISTS": "Change that webhook (`PATCH`), or delete it first. A retry with the same Idempotency-Key returns the webhook that the first request created.",
    "CONFLICT": "Read the data again and retry.",
    "PAYLOAD_TOO_LARGE": "Send a smaller body. Put large data into files.",
    "UNSUPPORTED_MEDIA_TYPE": "Send `Content-Type: application/json`. Send a file as multipart/form-data, or as the raw body.",
    "RANGE_NOT_SATISFIABLE": "Read the file's size from the header Content-Range, and request bytes within it.",
    "IDEMPOTENCY_KEY_REUSED": "Use a new key for a new request. To repeat the earlier request, send exactly the same body.",
    "INTERNAL": "Retry with the same Idempotency-Key. If it keeps failing, contact support with the request id.",
    "UNAVAILABLE": "Retry with the same Idempotency-Key after Retry-After seconds.",
    "INSUFFICIENT_CREDITS": "Top up, or wait for running turns to release their holds.",
    "TURN_FINISHED": "Read its result. It cannot be cancelled or changed any more.",
    "LIMIT_REACHED": "Delete objects that you no longer need. If `details` names a cap, `GET /v1/me` shows the limit and its usage.",
    "VALIDATION_FAILED": "Correct the fields that `param` and `details` name, and send the request again.",
    "COST_LIMIT_TOO_LOW": "Raise `max_cost_usd` to at least `details.needed_usd`, or leave it out.",
    "TURN_FAILED": "Read `details`: it has the turn, its state and the reason. A new request is a new turn.",
    "QUOTA_EXCEEDED": "Wait `Retry-After` seconds until the cap resets, or raise the cap. `details` names the cap and its spent and reserved amounts. If `retryable` is false, there is no `Retry-After`: the cap is too small for this turn at any time.",
    "CONNECTION_FAILED": "Check base_url, and that this machine can reach the service.",
    "TIMEOUT": "Send the request again with the same idempotency_key, or raise the time limit.",
    "UNEXPECTED_ANSWER": "Check base_url, since something other than this service may have responded. Or update the client.",
    "WEBHOOK_VERIFICATION_FAILED": "Respond with 400. Check the signing secret, and that the raw body is verified.",
}
"""What to do about each error."""
