/** Limits of a space's configuration. */
export const SPACE_POLICY = {
  maxTools: 64,
  maxMcpServers: 16,
  maxSecrets: 100,
  /** Users that a space itself is shared with. */
  members: 1_000,
  /** All tools together, and all MCP servers together, as JSON. */
  maxConfigBytes: 512 * 1024,
  /** A page of spaces ends at this size, counted as JSON: an answer of the database has at most 10 MiB. */
  answerBytes: 4 * 1024 * 1024,
} as const
