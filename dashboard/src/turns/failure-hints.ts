/** The advice for a failed turn, and the pages to follow it. */
interface Hint {
  text: string
  /** A page of the web app. `space`: of the turn's space. */
  page?: { to: "space" | "playground" | "balance"; label: string }
  /** A guide of the reference. */
  guide?: { href: string; label: string }
}

const FAILURES = { href: "/docs/turns#why-a-turn-failed", label: "Why a turn failed" }
const space = (label: string) => ({ to: "space" as const, label })

/** The hint for each code of the service. */
export const FAILURE_HINTS: Record<string, Hint> = {
  CONTEXT_TOO_LONG: {
    text: "Shorten the instructions, the tools or the text, or choose a model with a larger window.",
    page: space("Change the instructions and tools"),
  },
  FILE_REJECTED: {
    text: "Send another file: smaller, of another type, or with fewer pages. Or choose a model that takes such files.",
    guide: { href: "/docs/files", label: "Files" },
  },
  TOOL_SCHEMA_REJECTED: {
    text: "Change the input schema of the tool as the provider says, or leave the tool out.",
    page: space("Change the tool"),
    guide: { href: "/docs/tools", label: "Tools" },
  },
  PARAMETER_REJECTED: {
    text: "Change or remove the parameter in the turn or the manifest, or choose another model.",
    page: space("Change the manifest"),
  },
  CONTENT_REJECTED: {
    text: "A filter of the provider refused the text or a file. Change it, or choose another model.",
    page: { to: "playground", label: "Try another text" },
  },
  CONTENT_FILTERED: {
    text: "A filter of the provider cut the answer off. Change the text, or choose another model.",
    page: { to: "playground", label: "Try another text" },
  },
  MODEL_REFUSED: {
    text: "The model did not want to answer. Change the instructions or the text.",
    page: space("Change the instructions"),
  },
  MODEL_REJECTED: {
    text: "The provider's words are above. Change the request, or choose another model.",
    page: space("Change the space"),
  },
  MODEL_UNAVAILABLE: {
    text: "Your request is not the cause. Send the turn again later, or choose another model.",
    page: { to: "playground", label: "Send it again" },
  },
  MODEL_ERROR: {
    text: "The provider broke off. Send the turn again.",
    page: { to: "playground", label: "Send it again" },
  },
  EMPTY_ANSWER: {
    text: "The model wrote nothing. Change the instructions, or choose another model.",
    page: space("Change the instructions"),
  },
  OUTPUT_INVALID: {
    text: "The answer does not have the form of response_format. Make the schema simpler, or choose another model.",
    page: { to: "playground", label: "Send it again" },
  },
  ENGINE_LOST: {
    text: "The service lost the turn. It is not billed. Send it again.",
    page: { to: "playground", label: "Send it again" },
  },
  TIMEOUT_REACHED: {
    text: "Raise timeout_seconds of the turn or of the manifest.",
    page: space("Change the manifest"),
  },
  STEP_LIMIT_REACHED: {
    text: "Raise max_steps of the manifest, or make the task smaller.",
    page: space("Change the manifest"),
  },
  COST_LIMIT_REACHED: {
    text: "Raise the limit that the message names, or let the turn wait at a limit.",
    page: { to: "balance", label: "Balance and limits" },
    guide: { href: "/docs/waiting", label: "Turns that wait" },
  },
  WAIT_EXPIRED: {
    text: "No decision or result came in time. Raise max_wait_seconds, or decide earlier.",
    guide: { href: "/docs/waiting", label: "Turns that wait" },
  },
  TRANSCRIPT_LIMIT_REACHED: {
    text: "Make the results of the tools shorter, or split the task.",
    page: space("Change the tools"),
  },
  MCP_SERVER_UNAVAILABLE: {
    text: "Check the MCP server, or delete it from the space.",
    page: space("Check the MCP servers"),
    guide: { href: "/docs/tools", label: "Tools" },
  },
  REHEARSAL_SYNTAX: {
    text: "The message names the line that the rehearsal model does not understand. Correct it, and send the turn again.",
    page: { to: "playground", label: "Correct the text" },
    guide: { href: "/docs/authentication#test-keys", label: "Test keys" },
  },
}

/** The hint for a code. A rehearsal script chooses codes of its own. */
export const hintFor = (code: string): Required<Pick<Hint, "text" | "guide">> & Pick<Hint, "page"> => {
  const hint = FAILURE_HINTS[code] ?? { text: "This code is not one of the service: a rehearsal script has chosen it." }
  return { ...hint, guide: hint.guide ?? FAILURES }
}
