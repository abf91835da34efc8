import type { Message, ToolSpec } from "../agent/engine.ts"
import { formTokenBound, PROMPT_TOKENS, promptTokenBound } from "../agent/estimate.ts"
import { resultFormOf } from "../agent-config/response-format.ts"
import { noteBytes } from "../agent-config/variables.ts"
import { TurnpikeError } from "../base/errors.ts"
import { fromUsd } from "../base/money.ts"
import type { Records } from "../platform/procedures.ts"
import { QUOTA_POLICY } from "../quotas/policies.ts"
import { type Called, messagesIn, specsOfCaller } from "./caller-tools.ts"
import { ATTACHED_BOUNDS, FIRST_CALL_BOUNDS } from "./first-call.ts"
import { filesIn, haveCalls, instructionsIn, NO_TOOLS, type TurnMessage, toModelMessages } from "./messages.ts"
import { MESSAGE_POLICY, TURN_POLICY } from "./policies.ts"
import type { CreateTurn } from "./schemas.ts"

/** The turn as an argument of `admit_turn`, with the numbers that bound its first call. */
export function askedTurn(body: CreateTurn): Records["asked_turn"] {
  const { text = "", messages, results, tools = [] } = body
  const files = [...new Set([...(body.files ?? []), ...filesIn(messages ?? [])])]
  const form = resultFormOf(body.response_format)
  const specs = specsOfCaller(tools)
  const said = messagesIn(body)
  const tokens = said ? messageTokens(said, specs) : textTokens(text, specs)
  return {
    space: body.space,
    end_user: body.end_user_ref,
    model: body.model ?? null,
    // Messages without a conversation get one of their own. No request can send this name.
    conversation: body.conversation ?? (messages ? "" : null),
    files,
    max_cost: body.max_cost_usd === undefined ? null : fromUsd(body.max_cost_usd),
    max_output: body.max_output_tokens ?? null,
    default_hold: TURN_POLICY.defaultHold,
    tokens,
    short_tokens: Math.min(tokens, textTokens("") + QUOTA_POLICY.shortTextBytes),
    bounds: {
      ...FIRST_CALL_BOUNDS,
      note: PROMPT_TOKENS.message + noteBytes(body.end_user_ref, body.metadata ?? {}),
      ...(files.length > 0 && { files: ATTACHED_BOUNDS }),
      ...(body.response_format && { asked_form: form ? formTokenBound(form) : 0 }),
    },
    min_output: TURN_POLICY.minOutputTokens,
    tool_names: tools.map(({ name }) => name),
    answers: results?.map(({ id }) => id) ?? null,
    most_exchange: MESSAGE_POLICY.exchangeTokens,
  }
}

const textTokens = (text: string, tools: ToolSpec[] = []) =>
  promptTokenBound({
    engine: "rehearsal",
    messages: [{ role: "user", content: [{ type: "text", text }] }],
    tools,
  })

/** Files are counted apart (file_tokens), with a message for each. */
function messageTokens(said: readonly TurnMessage[], specs: ToolSpec[]): number {
  const [first] = said
  const answers = first?.role === "tool" ? answerMessages(first.results) : []
  const messages = [...answers, ...toModelMessages(said, () => [{ type: "text", text: "" }])]
  const tools = specs.length === 0 && haveCalls(messages) ? NO_TOOLS : specs
  return promptTokenBound({ engine: "rehearsal", system: instructionsIn(said), messages, tools })
}

/** Results of the turn before, whose calls count there. The bound counts the longest names. */
const answerMessages = (
  results: { id: string; output?: string | undefined; error?: string | undefined }[],
): Message[] => [
  {
    role: "tool",
    content: results.map(({ id, output, error = "" }) => ({
      toolCallId: id,
      toolName: "-".repeat(64),
      output: { type: "text", value: output ?? error },
    })),
  },
]

export const ADMISSION_REFUSAL_ERRORS = [
  "NOT_FOUND",
  "SPACE_ARCHIVED",
  "END_USER_BLOCKED",
  "SPACE_ROLE_REQUIRED",
  "CALLS_NOT_OPEN",
] as const

/** The error for a value of `refused` that `admit_turn` returned: why the turn cannot be sent, apart from money. */
export function admissionRefusal(
  refused: string,
  body: CreateTurn,
  { mostOutput, openCalls }: { mostOutput: number | null; openCalls: readonly Called[] | null },
): TurnpikeError {
  switch (refused) {
    case "space":
      return notFound(`There is no space "${body.space}" that you can see.`, "space")
    case "archived":
      return new TurnpikeError("SPACE_ARCHIVED", `The space "${body.space}" is archived and takes no turns.`, {
        param: "space",
      })
    case "end_user":
      return new TurnpikeError("END_USER_BLOCKED", "The account has blocked this end user: it may send no new turns.", {
        param: "end_user_ref",
      })
    case "end_user_of_owner":
      return new TurnpikeError("SPACE_ROLE_REQUIRED", "Only the owner of the space can send a turn as an end user.", {
        param: "end_user_ref",
      })
    case "model":
      return new TurnpikeError(
        "VALIDATION_FAILED",
        body.model
          ? `There is no enabled model with the pin "${body.model}".`
          : "The space's model is no longer enabled. Name another one.",
        { param: "model" },
      )
    case "max_output":
      return new TurnpikeError(
        "VALIDATION_FAILED",
        `max_output_tokens: The model writes at most ${mostOutput} tokens.`,
        {
          param: "max_output_tokens",
        },
      )
    case "conversation":
      return notFound(`There is no conversation "${body.conversation}" of this end user in this space.`, "conversation")
    case "files":
      return notFound("At least one of the files is not in this space, or was deleted.", "files")
    case "tool_names":
      return new TurnpikeError(
        "VALIDATION_FAILED",
        "tools: One of them has the name of a tool of the space or of its MCP servers. Choose another name, or leave it out.",
        { param: "tools" },
      )
    case "calls":
      return new TurnpikeError(
        "CALLS_NOT_OPEN",
        "The last turn of the conversation has no open calls: they were answered, another turn came after them, or they were deleted.",
        { param: "results" },
      )
    case "results":
      return resultsRefused(body.results ?? [], openCalls ?? [])
    case "exchange":
      return new TurnpikeError(
        "VALIDATION_FAILED",
        "results: The exchange since the last text of the user would be too long. Send a new turn instead.",
        { param: "results" },
      )
    default:
      throw new Error(`admit_turn refused a turn for an unknown reason: ${refused}`)
  }
}

/** The error for results that are not exactly those of the open calls, with the place of each fault. */
function resultsRefused(results: readonly { id: string }[], open: readonly Called[]): TurnpikeError {
  const unknown = results.flatMap(({ id }, at) =>
    open.some((call) => call.id === id)
      ? []
      : [{ param: `results.${at}.id`, message: `the last turn of the conversation has no call "${id}"` }],
  )
  const missing = open
    .filter(({ id }) => !results.some((result) => result.id === id))
    .map(({ id, name }) => ({ param: "results", message: `the result of the call "${id}" of ${name} is missing` }))
  const details = [...unknown, ...missing].slice(0, 20)
  const [first] = details
  return new TurnpikeError("VALIDATION_FAILED", `${first?.param ?? "results"}: ${first?.message ?? "are wrong"}`, {
    param: first?.param ?? "results",
    details,
  })
}

function notFound(message: string, param: string): TurnpikeError {
  return new TurnpikeError("NOT_FOUND", message, { param })
}
