/** How much a space's configuration may hold. */
export const SPACE_POLICY = {
  maxTools: 64,
  maxMcpServers: 16,
  maxSecrets: 100,
  /** Of all tools together, and of all MCP servers together, as JSON. */
  maxConfigBytes: 512 * 1024,
  /** An answer of the database has at most 10 MiB: a page of spaces ends here, counted as JSON. */
  answerBytes: 4 * 1024 * 1024,
} as const
