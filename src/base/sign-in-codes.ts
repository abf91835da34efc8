import { timeInWords } from "./in-words.ts"
import { ERROR_TIMES } from "./policies.ts"
import { PROOF_MINUTES } from "./powers.ts"
/** The codes of the table in ./errors.ts that only sign-in operations use. */
export const SIGN_IN_CODES = {
  INVALID_LAUNCH_DATA: {
    status: 401,
    retryable: false,
    dashboard: true,
    cause:
      "The mini-app's launch data is not signed for this brand's bot, was altered, is too old or was used " +
      "before, or its user can no longer sign in.",
    cure: "Open the mini-app again, and send its launch data immediately and unchanged.",
  },
  INVALID_WEBHOOK_SECRET: {
    status: 401,
    retryable: false,
    dashboard: true,
    cause: "The request does not carry the webhook secret of this brand's bot.",
    cure: "Only the messaging platform can call this address. Set the bot's webhook again.",
  },
  BOT_NOT_SET_UP: {
    status: 404,
    retryable: false,
    dashboard: true,
    cause: "The brand of this host has no bot on the messaging platform.",
    cure: "Sign in another way. An operator sets up a bot with `npm run admin -- brand`.",
  },
  INVALID_CREDENTIALS: {
    status: 401,
    retryable: false,
    dashboard: true,
    cause: "The email or the password is wrong, or the account cannot sign in.",
    cure: "Check both. The response does not reveal which one is wrong.",
  },
  INVALID_TOKEN: {
    status: 401,
    retryable: false,
    dashboard: true,
    cause: "The one-time token is wrong, was used or has expired, or its user can no longer sign in.",
    cure: "Request a new token.",
  },
  LOGIN_THROTTLED: {
    status: 429,
    retryable: true,
    dashboard: true,
    cause: "Too many wrong passwords for this account, or too many requests to sign in from this address.",
    cure: "Try again after Retry-After seconds.",
  },
  WRONG_PASSWORD: {
    status: 403,
    retryable: false,
    dashboard: true,
    cause: "The current password is wrong.",
    cure: "Send the correct password. If you have forgotten it, sign in another way.",
  },
  REAUTHENTICATION_REQUIRED: {
    status: 403,
    retryable: false,
    dashboard: true,
    cause:
      `The operation reads secrets, gives lasting access or spends money, and more than ${PROOF_MINUTES} minutes have passed since ` +
      "this session's user proved their identity.",
    cure: "Send the password to `POST /api/auth/reauthenticate`, or sign in again. Then repeat the request.",
  },
  SECOND_FACTOR_REQUIRED: {
    status: 401,
    retryable: false,
    dashboard: true,
    cause: "The session waits for the code of its user's second factor.",
    cure: `Send the code to \`POST /api/auth/second-factor\` within ${timeInWords(ERROR_TIMES.factorMs)} after signing in.`,
  },
  SECOND_FACTOR_NOT_SET_UP: {
    status: 403,
    retryable: false,
    dashboard: true,
    cause: "The setting `admin_second_factor` requires a second factor for admins, and this admin has none.",
    cure: "Set it up with `POST /api/account/second-factor`.",
  },
  WRONG_CODE: {
    status: 403,
    retryable: false,
    dashboard: true,
    cause: "The code of the second factor is wrong, too old, or was used before.",
    cure: "Wait for the app's next code, or send a recovery code.",
  },
  EMAIL_NOT_CONFIGURED: {
    status: 404,
    retryable: false,
    dashboard: true,
    cause: "This service sends no emails.",
    cure: "Ask an operator for a new password. An operator can set EMAIL_HOOK_URL.",
  },
  LOGIN_NOT_CONFIGURED: {
    status: 404,
    retryable: false,
    dashboard: true,
    cause: "No identity provider is configured, or no login for this pool of provider accounts.",
    cure: "Sign in another way. An operator can set OIDC_ISSUER and OIDC_CLIENT_ID, or PROVIDER_LOGINS.",
  },
  LOGIN_STATE_INVALID: {
    status: 400,
    retryable: false,
    dashboard: true,
    cause:
      "This browser did not start this login, or the login was already used or took longer than " +
      `${timeInWords(ERROR_TIMES.oauthStateMs)}.`,
    cure: "Start again.",
  },
  LOGIN_DENIED: {
    status: 403,
    retryable: false,
    dashboard: true,
    cause: "The person declined at the identity provider, or the provider refused to sign them in.",
    cure: "Start again, or sign in another way.",
  },
  LOGIN_REFUSED: {
    status: 403,
    retryable: false,
    dashboard: true,
    cause: "The account is disabled, or this identity must be linked to it before it can sign in.",
    cure: "Sign in another way, and link the identity in your account's settings. An admin can enable a disabled account.",
  },
  LOGIN_PROVIDER_FAILED: {
    status: 502,
    retryable: false,
    dashboard: true,
    cause: "The identity provider sent an invalid response, so the sign-in failed.",
    cure: "Start again. If it keeps failing, report the request id to an operator.",
  },
  LOGIN_PROVIDER_UNAVAILABLE: {
    status: 503,
    retryable: true,
    dashboard: true,
    cause: "The identity provider does not respond in time.",
    cure: "Start again after Retry-After seconds.",
  },
  INVALID_INTERNAL_SECRET: {
    status: 401,
    retryable: false,
    dashboard: true,
    cause: "The header X-Internal-Secret is missing or wrong.",
    cure: "Only our own identity service can call this address.",
  },
  IDENTITY_TAKEN: {
    status: 409,
    retryable: false,
    dashboard: true,
    cause: "The identity belongs to another account.",
    cure: "First sign in with this identity and unlink it from that account.",
  },
  LAST_WAY_IN: {
    status: 409,
    retryable: false,
    dashboard: true,
    cause: "This identity is the only way to sign in to the account.",
    cure: "Link another identity or set a password first.",
  },
} as const
