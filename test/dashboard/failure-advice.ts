/** The advice that the page of a failed turn gives for each code, and the link to follow it. */
export const FAILURE_ADVICE: [code: string, text: RegExp, link: string][] = [
  ["CONTEXT_TOO_LONG", /Shorten the instructions/, "Change the instructions and tools"],
  ["FILE_REJECTED", /Send another file/, "Files"],
  ["TOOL_SCHEMA_REJECTED", /Change the input schema/, "Change the tool"],
  ["PARAMETER_REJECTED", /remove the parameter/, "Change the manifest"],
  ["CONTENT_REJECTED", /A filter of the provider refused/, "Try another text"],
  ["CONTENT_FILTERED", /cut the answer off\. Change the text/, "Try another text"],
  ["MODEL_REFUSED", /did not want to answer/, "Change the instructions"],
  ["MODEL_REJECTED", /The provider's words are above/, "Change the space"],
  ["MODEL_UNAVAILABLE", /Your request is not the cause/, "Send it again"],
  ["MODEL_ERROR", /The provider broke off/, "Send it again"],
  ["EMPTY_ANSWER", /wrote nothing/, "Change the instructions"],
  ["OUTPUT_INVALID", /Make the schema simpler/, "Send it again"],
  ["ENGINE_LOST", /The service lost the turn/, "Send it again"],
  ["TIMEOUT_REACHED", /Raise timeout_seconds/, "Change the manifest"],
  ["STEP_LIMIT_REACHED", /Raise max_steps/, "Change the manifest"],
  ["COST_LIMIT_REACHED", /Raise the limit that the message names/, "Balance and limits"],
  ["WAIT_EXPIRED", /Raise max_wait_seconds/, "Turns that wait"],
  ["TRANSCRIPT_LIMIT_REACHED", /Make the results of the tools shorter/, "Change the tools"],
  ["MCP_SERVER_UNAVAILABLE", /delete it from the space/, "Check the MCP servers"],
  ["REHEARSAL_SYNTAX", /The message names the line/, "Correct the text"],
]

/** A code that a rehearsal script has made up. */
export const FOREIGN_ADVICE: (typeof FAILURE_ADVICE)[number] = [
  "OUT_OF_STOCK",
  /a rehearsal script has chosen it/,
  "Why a turn failed",
]
