import { timeInWords } from "./in-words.ts"
import { ERROR_TIMES } from "./policies.ts"
import { PROOF_MINUTES } from "./powers.ts"
/** The codes of the table (./errors.ts) that only sign-in operations return. */
export const SIGN_IN_CODES = {
  SIGNED_IN_AS_OTHER: {
    status: 409,
    retryable: false,
    dashboard: true,
    cause: "The page was made for another user than the one who is signed in to this browser now. Nothing was done.",
    cure: "Reload the page. A request without the header `X-Turnpike-User` acts for the user who is signed in.",
  },
  NOT_A_MEMBER: {
    status: 403,
    retryable: false,
    dashboard: true,
    cause: "The signed-in user is not a member of the account that the page shows, or no longer. Nothing was done.",
    cure: "Choose another account, or ask an owner of the account for an invitation.",
  },
  MEMBER_FACTOR_REQUIRED: {
    status: 403,
    retryable: false,
    dashboard: true,
    cause: "The account requires a second factor of its members, and the person has none.",
    cure: "Set up a second factor under Account, then try again.",
  },
  INVITED_EMAIL_REQUIRED: {
    status: 403,
    retryable: false,
    dashboard: true,
    cause: "The invitation is for another email than the signed-in user's, or that email is not verified.",
    cure: "Sign in with the email that was invited. If it is yours and not verified, open the link in the email.",
  },
  MEMBER_HAS_KEYS: {
    status: 409,
    retryable: false,
    dashboard: true,
    cause:
      "The person knows the values of keys with more rights than the person has from now on. `details` lists them.",
    cure: "Rotate the ones that are in use, without an overlap, then send the request with `keys`: `revoke` or `keep`.",
  },
  INVALID_LAUNCH_DATA: {
    status: 401,
    retryable: false,
    dashboard: true,
    cause:
      "The mini-app's launch data is invalid: it was altered, is not signed for this brand's bot, is too old, or was used " +
      "before. Or its user can no longer sign in.",
    cure: "Open the mini-app again, and send its launch data at once and unchanged.",
  },
  INVALID_WEBHOOK_SECRET: {
    status: 401,
    retryable: false,
    dashboard: true,
    cause: "The update does not carry the secret of this brand's bot.",
    cure: "Only the messaging platform may call this path. Set the bot's webhook again.",
  },
  BOT_NOT_SET_UP: {
    status: 404,
    retryable: false,
    dashboard: true,
    cause: "The brand of this host has no bot on the messaging platform.",
    cure: "Sign in another way. An operator can set up a bot with `npm run admin -- brand`.",
  },
  INVALID_CREDENTIALS: {
    status: 401,
    retryable: false,
    dashboard: true,
    cause: "The email or the password is wrong, or the account cannot sign in.",
    cure: "Check both. The response does not say which of them is wrong.",
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
    cause: "Too many wrong passwords for this account, or too many sign-in requests from this IP address.",
    cure: "Try again after Retry-After seconds.",
  },
  WRONG_PASSWORD: {
    status: 403,
    retryable: false,
    dashboard: true,
    cause: "The current password is wrong.",
    cure: "Send the correct password. If you have lost it, sign in another way.",
  },
  REAUTHENTICATION_REQUIRED: {
    status: 403,
    retryable: false,
    dashboard: true,
    cause:
      "The request reads secrets, gives lasting access or spends money. " +
      `The user of this session last signed in or confirmed the password more than ${PROOF_MINUTES} minutes ago.`,
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
    cause: "No identity provider is configured. For a provider account: no login to its pool is configured.",
    cure: "Sign in another way. An operator can set OIDC_ISSUER and OIDC_CLIENT_ID, or PROVIDER_LOGINS.",
  },
  LOGIN_STATE_INVALID: {
    status: 400,
    retryable: false,
    dashboard: true,
    cause:
      "This browser did not start this login, the login was already used, or it took longer than " +
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
    cause: "The account is disabled, or it requires that this identity is linked before you sign in with it.",
    cure: "Sign in another way, and link the identity in your account's settings. An admin can enable a disabled account.",
  },
  LOGIN_PROVIDER_FAILED: {
    status: 502,
    retryable: false,
    dashboard: true,
    cause: "The identity provider sent an invalid answer, so you were not signed in.",
    cure: "Start again. If it keeps failing, tell an operator the request id.",
  },
  LOGIN_PROVIDER_UNAVAILABLE: {
    status: 503,
    retryable: true,
    dashboard: true,
    cause: "The identity provider did not answer in time.",
    cure: "Start again after Retry-After seconds.",
  },
  INVALID_INTERNAL_SECRET: {
    status: 401,
    retryable: false,
    dashboard: true,
    cause: "The header X-Internal-Secret is missing or wrong.",
    cure: "Do not call this path. Only our own identity service uses it.",
  },
  IDENTITY_TAKEN: {
    status: 409,
    retryable: false,
    dashboard: true,
    cause: "The identity belongs to another account.",
    cure: "Sign in with the identity, and unlink it from that account first.",
  },
  LAST_WAY_IN: {
    status: 409,
    retryable: false,
    dashboard: true,
    cause: "Without this identity you could no longer sign in to the account.",
    cure: "Link another identity or set a password first.",
  },
} as const
