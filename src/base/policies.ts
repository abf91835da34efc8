/** Lists that answer everything without parameters (contract section 4). Reading them in parts bounds what a worker holds of them. */
export const LIST_POLICY = {
  /** Entries of a page, also without a limit. */
  page: 10_000,
  /** Entries of a file. */
  file: 1_000_000,
  /** Entries, and rows below entries, that one statement reads. */
  part: 1_000,
  partRows: 20_000,
} as const
