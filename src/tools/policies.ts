/** Limits of tool calls (docs/architecture/tools.md). Times are in milliseconds. */
export const TOOL_POLICY = {
  /** The largest result that the model sees, as UTF-8. */
  maxResultBytes: 64 * 1024,
  /** The largest result as JSON in a transcript, where some characters take several bytes. */
  maxWireBytes: 192 * 1024,
  timeoutMs: 30_000,
  /** The largest MCP answer: its text and one of the largest images, in base64. */
  maxMcpBytes: 6 * 1024 * 1024,
  mcpTimeoutMs: 60_000,
  /** How much longer a token of `Turnpike-Identity` is valid than its request may take. */
  identityLeewaySeconds: 60,
  mcpConnectMs: 10_000,
  /**
   * The time for connecting all servers of a turn, with one retry. Together with a model
   * call it must fit into a lease.
   */
  /**
   * How long turns leave out an optional server after it did not answer once, twice, …, in seconds. The owner is
   * notified after the last one.
   */
  mcpPauseSeconds: [30, 60, 120, 240, 600],
  mcpOpenMs: 20_000,
  mcpMaxTools: 200,
  /** The tools that one search answers, that an agent can find in one turn, and that its conversation keeps. */
  toolsPerSearch: 5,
  /** The further tools that a search names. */
  namesPerSearch: 60,
  foundPerTurn: 20,
  foundPerConversation: 100,
  maxImagesPerResult: 4,
  maxImageBytes: 4 * 1024 * 1024,
  /** The most calls that run at the same time. Other calls of the step wait. */
  parallelCalls: 4,
  /** The most calls in one answer of the model. Each further call gets an error. */
  callsPerStep: 16,
  maxFileBytes: 1024 * 1024,
  /** Together with storing the picture, this must fit into a lease. */
  pictureTimeoutMs: 100_000,
  maxPictureBytes: 8 * 1024 * 1024,
  /** The largest answer: such a picture in base64 and the JSON around it. */
  maxPictureAnswerBytes: 11 * 1024 * 1024,
  /** The most answers with pictures that an isolate decodes at the same time, and the most that wait. */
  picturesAtOnce: 1,
  picturesWaiting: 64,
  picturePromptCharacters: 4_000,
  /** The largest part of a file that the model sees at once. */
  fileWindowBytes: 48 * 1024,
  maxErrorBytes: 4 * 1024,
} as const
