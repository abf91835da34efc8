/** Numbers of accounts at the providers of models. Times are milliseconds. */
export const PROVIDER_POLICY = {
  /** An access token is refreshed when it ends within this time. */
  refreshBeforeMs: 5 * 60_000,
  /** How long one worker may take to refresh a token. */
  refreshMs: 30_000,
}
