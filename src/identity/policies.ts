const DAY_MS = 24 * 3_600_000

/** How long a session goes on after its last use, and how often that use is written (design section 7). */
export const SESSION_POLICY = {
  lifeMs: 30 * DAY_MS,
  noteUseMs: 3_600_000,
} as const
