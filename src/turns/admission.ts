import { formTokenBound, PROMPT_TOKENS, promptTokenBound } from "../agent/estimate.ts"
import { resultFormOf } from "../agent-config/response-format.ts"
import { noteBytes } from "../agent-config/variables.ts"
import { TurnpikeError } from "../base/errors.ts"
import { fromUsd } from "../base/money.ts"
import type { Records } from "../platform/procedures.ts"
import { QUOTA_POLICY } from "../quotas/policies.ts"
import { ATTACHED_BOUNDS, FIRST_CALL_BOUNDS } from "./first-call.ts"
import { filesIn, haveCalls, instructionsIn, NO_TOOLS, type TurnMessage, toModelMessages } from "./messages.ts"
import { TURN_POLICY } from "./policies.ts"
import type { CreateTurn } from "./schemas.ts"

/** The turn as an argument of `admit_turn`, with the numbers that bound its first call. */
export function askedTurn(body: CreateTurn): Records["asked_turn"] {
  const { text = "", messages, ...rest } = body
  const files = [...new Set([...(rest.files ?? []), ...filesIn(messages ?? [])])]
  const form = resultFormOf(body.response_format)
  const tokens = messages ? messageTokens(messages) : textTokens(text)
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
  }
}

const textTokens = (text: string) =>
  promptTokenBound({
    engine: "rehearsal",
    messages: [{ role: "user", content: [{ type: "text", text }] }],
    tools: [],
  })

/** Files are counted apart (file_tokens), with a message for each. */
function messageTokens(said: readonly TurnMessage[]): number {
  const messages = toModelMessages(said, () => [{ type: "text", text: "" }])
  const tools = haveCalls(messages) ? NO_TOOLS : []
  return promptTokenBound({ engine: "rehearsal", system: instructionsIn(said), messages, tools })
}

export const ADMISSION_REFUSAL_ERRORS = [
  "NOT_FOUND",
  "SPACE_ARCHIVED",
  "END_USER_BLOCKED",
  "SPACE_ROLE_REQUIRED",
] as const

/** The error for a value of `refused` that `admit_turn` returned: why the turn cannot be sent, apart from money. */
export function admissionRefusal(
  refused: string,
  body: CreateTurn,
  { mostOutput }: { mostOutput: number | null },
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
    default:
      throw new Error(`admit_turn refused a turn for an unknown reason: ${refused}`)
  }
}

function notFound(message: string, param: string): TurnpikeError {
  return new TurnpikeError("NOT_FOUND", message, { param })
}
