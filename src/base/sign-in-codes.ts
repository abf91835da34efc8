import type { ErrorEntry } from "./errors.ts"

/** The part of the code table that only ways to sign in have. */
export const SIGN_IN_CODES = {
  INVALID_LAUNCH_DATA: {
    status: 401,
    retryable: false,
    dashboard: true,
    cause:
      "The mini-app's launch data is not signed for this brand's bot, was altered, is too old, was used before, or its user " +
      "cannot sign in any more.",
    cure: "Open the mini-app again, and send what it is launched with at once, unchanged.",
  },
  INVALID_WEBHOOK_SECRET: {
    status: 401,
    retryable: false,
    dashboard: true,
    cause: "An update did not bring the secret of this brand's bot.",
    cure: "Only the messaging platform calls this address: set the bot's webhook again.",
  },
  BOT_NOT_SET_UP: {
    status: 404,
    retryable: false,
    dashboard: true,
    cause: "The brand of this host has no bot on the messaging platform.",
    cure: "Sign in another way; an operator sets a bot up with `npm run admin -- brand`.",
  },
  INVALID_CREDENTIALS: {
    status: 401,
    retryable: false,
    dashboard: true,
    cause: "The email and the password do not belong together, or the account cannot sign in.",
    cure: "Check both; which of them is wrong is not said.",
  },
  INVALID_TOKEN: {
    status: 401,
    retryable: false,
    dashboard: true,
    cause: "The one-time token is wrong, was used, has expired, or its user cannot sign in any more.",
    cure: "Ask for a new one.",
  },
  LOGIN_THROTTLED: {
    status: 429,
    retryable: true,
    dashboard: true,
    cause: "Too many wrong passwords for this account, or from this address.",
    cure: "Try again after Retry-After seconds.",
  },
  WRONG_PASSWORD: {
    status: 403,
    retryable: false,
    dashboard: true,
    cause: "The current password is not the one that was given.",
    cure: "Give the right one; if it is lost, sign in another way.",
  },
  LOGIN_NOT_CONFIGURED: {
    status: 404,
    retryable: false,
    dashboard: true,
    cause: "No identity provider is set up.",
    cure: "Sign in another way; an operator sets OIDC_ISSUER and OIDC_CLIENT_ID.",
  },
  LOGIN_STATE_INVALID: {
    status: 400,
    retryable: false,
    dashboard: true,
    cause:
      "The way back from the identity provider is not one that this browser began, was used, or took over 10 minutes.",
    cure: "Start again.",
  },
  LOGIN_DENIED: {
    status: 403,
    retryable: false,
    dashboard: true,
    cause: "The identity provider was refused, or refuses to sign this person in.",
    cure: "Start again, or sign in another way.",
  },
  LOGIN_REFUSED: {
    status: 403,
    retryable: false,
    dashboard: true,
    cause: "The account is disabled, or may not be signed in to in this way.",
    cure: "Sign in another way; an admin can enable an account again.",
  },
  LOGIN_PROVIDER_FAILED: {
    status: 502,
    retryable: false,
    dashboard: true,
    cause: "What the identity provider says is not valid: nobody is signed in by it.",
    cure: "Start again; if it stays, tell an operator the request id.",
  },
  LOGIN_PROVIDER_UNAVAILABLE: {
    status: 503,
    retryable: true,
    dashboard: true,
    cause: "The identity provider does not answer, or not in time.",
    cure: "Start again after Retry-After seconds.",
  },
  INVALID_INTERNAL_SECRET: {
    status: 401,
    retryable: false,
    dashboard: true,
    cause: "The header X-Internal-Secret is missing or wrong.",
    cure: "Only our own identity service calls this address.",
  },
  IDENTITY_TAKEN: {
    status: 409,
    retryable: false,
    dashboard: true,
    cause: "The identity belongs to another account.",
    cure: "Sign in with it, and unlink it there first.",
  },
  LAST_WAY_IN: {
    status: 409,
    retryable: false,
    dashboard: true,
    cause: "Without this identity nobody could sign in to the account any more.",
    cure: "Link another identity or set a password first.",
  },
} as const satisfies Record<string, ErrorEntry>
