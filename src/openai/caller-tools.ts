import * as z from "zod"
import { isFields } from "../base/fields.ts"
import { type TurnTools, turnToolsOf } from "../dialects/caller-tools.ts"
import { type PlainMessage, resultOf } from "../dialects/plain-messages.ts"
import { toolChoiceWord } from "../turns/caller-tools.ts"
import type { CreateTurn } from "../turns/schemas.ts"

const OTHER_TOOLS = "must be `function`: other tools belong to the space, where `PUT /v1/spaces/{space_id}` sets them"
const functionType = z.literal("function", { error: OTHER_TOOLS })

const functionFields = {
  name: z.string().min(1).max(128),
  description: z.string().nullish(),
  parameters: z.record(z.string(), z.unknown()).nullish(),
  strict: z.boolean().nullish(),
}

const DESCRIPTION =
  "Your own functions, as `tools` of a turn. Calls of them end the turn; send their results with the next request. Tools of the space run as always."

const sharedToolFields = {
  parallel_tool_calls: z
    .boolean()
    .optional()
    .meta({ description: "False: at most one call in each answer of the model. Has no effect without `tools`." }),
}

/** The fields of tools in a chat completion. */
export const chatToolFields = {
  tools: z
    .array(z.object({ type: functionType, function: z.object(functionFields) }).meta({ id: "ChatTool" }))
    .optional()
    .meta({ description: DESCRIPTION }),
  tool_choice: z
    .union([toolChoiceWord, z.object({ type: functionType, function: z.object({ name: z.string() }) })])
    .optional()
    .meta({ description: "As in a turn. Has no effect without `tools`." }),
  ...sharedToolFields,
}

/** The fields of tools in a response. */
export const responseToolFields = {
  tools: z
    .array(z.object({ type: functionType, ...functionFields }).meta({ id: "ResponseTool" }))
    .optional()
    .meta({ description: DESCRIPTION }),
  tool_choice: z
    .union([toolChoiceWord, z.object({ type: functionType, name: z.string() })])
    .optional()
    .meta({ description: "As in a turn. Has no effect without `tools`." }),
  ...sharedToolFields,
}

interface GivenFunction {
  name: string
  description?: string | null | undefined
  parameters?: unknown
}

/** The functions of a request as the tools of a turn. `inside`: where a tool has its fields. */
export const functionsOf = (
  given: readonly GivenFunction[],
  how: Pick<Parameters<typeof turnToolsOf>[0], "choice" | "parallel" | "inside">,
): TurnTools =>
  turnToolsOf({
    tools: given.map(({ parameters, ...one }) => ({ ...one, schema: parameters })),
    schemaField: "parameters",
    ...how,
  })

/**
 * The results with which a turn continues its conversation, and a text after them; null if the messages do not end
 * with results. Instructions are those of the turn with the calls.
 */
export function resultsIn(messages: readonly PlainMessage[]): Pick<CreateTurn, "results" | "text"> | null {
  const said = messages.filter(({ role }) => role !== "system")
  const rest = said.slice(said.findLastIndex(({ role }) => role === "assistant") + 1)
  const results = rest.flatMap((message) => (message.role === "tool" ? [resultOf(message)] : []))
  const parts = rest.flatMap((message) => (message.role === "tool" ? [] : message.parts))
  if (results.length === 0 || parts.some((part) => typeof part !== "string")) return null
  const text = parts.join("\n\n")
  return { results, ...(text.trim() !== "" && { text }) }
}

/** The input of a call. Models also write arguments that are no object. */
export function callInputOf(written: string): Record<string, unknown> {
  try {
    const input: unknown = written.trim() === "" ? {} : JSON.parse(written)
    if (isFields(input)) return input
  } catch {}
  return { arguments: written }
}
