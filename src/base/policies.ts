/** Times that the table of errors names. The policies of the rooms that keep to them take them from here. */
export const ERROR_TIMES = {
  /** How long a login waits for the code of a second factor. */
  factorMs: 10 * 60_000,
  /** The way to an identity provider and back. */
  oauthStateMs: 10 * 60_000,
  /** A login to an account at a provider of models. */
  providerLoginMs: 15 * 60_000,
} as const

/** Lists that answer everything without parameters (docs/contract.md). Reading them in parts bounds what a worker holds of them. */
export const LIST_POLICY = {
  /** Entries of a page, also without a limit. */
  page: 10_000,
  /** Entries of a file. */
  file: 1_000_000,
  /** Entries, and rows below entries, that one statement reads. */
  part: 1_000,
  partRows: 20_000,
} as const
