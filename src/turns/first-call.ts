import { PROMPT_TOKENS } from "../agent/estimate.ts"
import { MAX_OBJECT_BYTES, TAKES } from "../agent/takes.ts"
import { TOOL_SEARCH } from "../agent-config/manifest.ts"
import { TEXT_TYPES } from "../files/media-types.ts"
import { TURN_POLICY } from "./policies.ts"

/**
 * The tokens of each built-in tool in a prompt (promptTokenBound). A test compares them with the tools' definitions.
 */
const BUILTIN = {
  list_files: 230,
  read_file: 479,
  write_file: 517,
  create_task: 618,
  update_task: 556,
  generate_image: 620,
}

/**
 * The counts of admission for a turn's first model call (src/turns/first-call.sql), in tokens unless stated otherwise.
 * They equal the counts of promptTokenBound, plus allowances for parts that are not known yet.
 */
export const FIRST_CALL_BOUNDS = {
  message: PROMPT_TOKENS.message,
  tool: PROMPT_TOKENS.tool,
  any_tool: PROMPT_TOKENS.tools,
  builtin: BUILTIN,
  default_tools: BUILTIN.list_files + BUILTIN.read_file + BUILTIN.write_file,
  /** The tool `delegate` without its sub-agents, and the text around each of their names. */
  delegate: 407,
  agent: 7,
  /** The tools `find_tools` and `call_tool` without the names of servers and groups, and the text around these. */
  search: 1022,
  /** When an agent searches its tools instead of seeing them all. */
  search_above: TOOL_SEARCH.tools,
  search_share: TOOL_SEARCH.window,
  /** The text around the definition of a tool that earlier turns have found. */
  found: PROMPT_TOKENS.message + 64,
  /** Allowance for an MCP server whose tools no run or check has listed yet. */
  server: 4096,
  history_within: TURN_POLICY.historyWithin,
  history_turns: TURN_POLICY.historyTurns,
  history_tokens: TURN_POLICY.historyTokens,
  bytes_per_token: TURN_POLICY.bytesPerToken,
  /** Allowance for the answer of an earlier turn of the conversation that has not ended. */
  reply: 4096,
  /** The words around a summary, and its message. */
  summary: 200,
  form: PROMPT_TOKENS.form,
} as const

/** The same for attached files. `named`: the text around a file's name, id and type. */
export const ATTACHED_BOUNDS = {
  named: PROMPT_TOKENS.message + PROMPT_TOKENS.tool + 64,
  text_bytes: TURN_POLICY.attachedTextBytes,
  text_types: TEXT_TYPES.source,
  object_bytes: TURN_POLICY.attachedObjectBytes,
  all_object_bytes: MAX_OBJECT_BYTES,
  takes: Object.fromEntries(
    Object.entries(TAKES).flatMap(([engine, kinds]) => (kinds ? [[engine, kinds.source]] : [])),
  ),
  image: PROMPT_TOKENS.image,
  document_least: PROMPT_TOKENS.document.least,
  document_most: PROMPT_TOKENS.document.most,
  document_bytes: PROMPT_TOKENS.document.bytesPerToken,
} as const
