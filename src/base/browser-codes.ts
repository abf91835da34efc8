/** Codes of tokens that a server passes to a browser. */
export const BROWSER_CODES = {
  WATCH_TOKEN_INVALID: {
    status: 401,
    retryable: false,
    cause: "The watch token has expired or was never valid, its key was revoked, or its turn's end user was erased.",
    cure: "Let your server create a new token with POST /v1/turns/{turn_id}/watch-tokens.",
  },
  PORTAL_SESSION_INVALID: {
    status: 401,
    retryable: false,
    cause:
      "The session has expired or was never valid, its code was used, its key was revoked, or its end user was erased.",
    cure: "Let your server create a new session with POST /v1/end-users/{end_user_ref}/portal-sessions.",
  },
} as const
