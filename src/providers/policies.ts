/** Numbers of accounts at the providers of models. Times are milliseconds. */
export const PROVIDER_POLICY = {
  /** An access token is refreshed when it ends within this time. */
  refreshBeforeMs: 5 * 60_000,
  /** How long one worker may take to refresh a token. */
  refreshMs: 30_000,
  /** How long a conversation stays with the account that served it last: the life of the provider's prompt cache. */
  bindMs: 60 * 60_000,
  /** How many accounts one model call may try. */
  maxAccounts: 3,
  /** How long the one call that tries an account again has it for itself. */
  probeMs: 60_000,
  /** How long an account cools again when that call has failed, and its provider does not say. */
  coolAgainMs: 60_000,
  /** How soon accounts are called again that have failed in passing, while others cool. */
  passingMs: 10_000,
  /** No date is further away. */
  longestMs: 10 * 365 * 86_400_000,
}
