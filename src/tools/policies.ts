/** Limits of tool calls (docs/architecture/tools.md). Times in milliseconds. */
export const TOOL_POLICY = {
  /** The largest result that the model sees, as UTF-8. */
  maxResultBytes: 64 * 1024,
  /** The same as JSON in a transcript, where some characters take many bytes. */
  maxWireBytes: 192 * 1024,
  timeoutMs: 30_000,
  /** An MCP answer may carry images beside its text: one of the largest, in base64. */
  maxMcpBytes: 6 * 1024 * 1024,
  mcpTimeoutMs: 60_000,
  mcpConnectMs: 10_000,
  /** Connecting all servers of a turn, twice: together with a model call it must fit into a lease. */
  mcpOpenMs: 20_000,
  mcpMaxTools: 200,
  maxImagesPerResult: 4,
  maxImageBytes: 4 * 1024 * 1024,
  /** Calls that run at the same time; the other calls of a step wait until one has ended. */
  parallelCalls: 4,
  /** More calls in one answer of the model are refused, each with an error. */
  callsPerStep: 16,
  maxFileBytes: 1024 * 1024,
  /** With storing the picture it must fit into a lease. */
  pictureTimeoutMs: 100_000,
  maxPictureBytes: 8 * 1024 * 1024,
  /** The same in base64, with what is around it. */
  maxPictureAnswerBytes: 11 * 1024 * 1024,
  /** Answers with pictures that an isolate reads at a time, and those that wait for that. */
  picturesAtOnce: 1,
  picturesWaiting: 64,
  picturePromptCharacters: 4_000,
  /** How much of a file the model sees at once. */
  fileWindowBytes: 48 * 1024,
  maxErrorBytes: 4 * 1024,
} as const
