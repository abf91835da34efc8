/** The numbers of files (docs/architecture/files.md). */
export const FILE_POLICY = {
  /** 100 MB, counted in MiB as people do: 104,857,600 bytes. */
  maxBytes: 100 * 1024 * 1024,
  /** Bytes of an upload in memory at a time: as few as R2 takes for a part. */
  partBytes: 5 * 1024 * 1024,
  /** A part that has not come within this time is given up: so slow a client would hold its memory for as long as it likes. */
  partMs: 180_000,
  maxNameBytes: 255,
  maxNameCharacters: 200,
  /** After this time an upload counts as given up. */
  uploadLimitMs: 3_600_000,
  sweepBatch: 100,
  sweepBatches: 10,
} as const
