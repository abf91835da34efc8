/** Sessions of the portal for end users. Times in seconds, and lengths in characters. */
export const PORTAL_POLICY = {
  seconds: 900,
  leastSeconds: 60,
  mostSeconds: 3_600,
  /** How long the preview of a signed-in owner lasts. */
  previewSeconds: 900,
  /** How often an account opens a session. Each needs memory of Redis until its code is used, or until it ends. */
  opened: { burst: 300, everyMs: 500 },
  mostOrigins: 5,
  originChars: 200,
  urlChars: 500,
  /** The contrast of an accent with each background that it is shown on (WCAG 2.2, 1.4.3). */
  contrast: 4.5,
  maxTokenChars: 2_000,
  maxSessionChars: 6_000,
  codeBytes: 32,
  /** The days of the chart of spend, including today. */
  days: 30,
  turns: 20,
  excerptChars: 200,
  approvals: 20,
  /** The facts of a profile that a session may change. A token must have room for their names. */
  profileKeys: 8,
  entries: 10,
} as const
