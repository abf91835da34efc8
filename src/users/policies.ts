export const BULK_POLICY = {
  /** The most users of one act. One transaction changes all of them. */
  maxUsers: 500,
} as const
