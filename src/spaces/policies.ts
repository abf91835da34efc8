/** Limits of a space's configuration. */
export const SPACE_POLICY = {
  maxTools: 64,
  maxMcpServers: 16,
  maxSecrets: 100,
  /** Users with whom one space is shared directly. */
  members: 1_000,
  /** All tools together, and all MCP servers together, as JSON. */
  maxConfigBytes: 512 * 1024,
  /** The JSON size at which a page of spaces ends. The database can return at most 10 MiB. */
  answerBytes: 4 * 1024 * 1024,
} as const
