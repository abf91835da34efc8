/** How much a space's configuration may hold. */
export const SPACE_POLICY = {
  maxTools: 64,
  maxMcpServers: 16,
  maxSecrets: 100,
  /** Of all tools together, and of all MCP servers together, as JSON. */
  maxConfigBytes: 512 * 1024,
} as const
