/** Limits of files (docs/architecture/files.md). */
export const FILE_POLICY = {
  /** 100 MiB. */
  maxBytes: 100 * 1024 * 1024,
  /** The bytes of an upload in memory at a time. This is the smallest part that R2 accepts. */
  partBytes: 5 * 1024 * 1024,
  /** An upload is aborted if a part takes longer. Otherwise a slow client could hold its memory without limit. */
  partMs: 180_000,
  /** A file that is loaded from a URL: its size, and the time for all of it. */
  loadBytes: 20 * 1024 * 1024,
  loadMs: 30_000,
  maxNameBytes: 255,
  maxNameCharacters: 200,
  /** After this time an upload counts as abandoned. */
  uploadLimitMs: 3_600_000,
  sweepBatch: 100,
  sweepBatches: 10,
} as const
