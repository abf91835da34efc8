/** Times in the table of errors. The policies of other rooms use them. */
export const ERROR_TIMES = {
  /** How long a login waits for the code of a second factor. */
  factorMs: 10 * 60_000,
  /** How long a login at an identity provider may take. */
  oauthStateMs: 10 * 60_000,
  /** How long a login to a provider account may take. */
  providerLoginMs: 15 * 60_000,
} as const

/**
 * Lists that return all entries by default (docs/contract.md). They are read in parts, which bounds a worker's memory.
 */
export const LIST_POLICY = {
  /** The most entries on a page, also without `limit`. */
  page: 10_000,
  /** The most days on a page of entries that have days, such as a series per space. A page has at least one entry. */
  days: 50_000,
  /** The most entries in a file. */
  file: 1_000_000,
  /** The most entries, and rows below entries, that one statement reads. */
  part: 1_000,
  partRows: 20_000,
} as const
