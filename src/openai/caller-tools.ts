import * as z from "zod"
import { isFields } from "../base/fields.ts"
import { invalid } from "../base/invalid-field.ts"
import { toolChoiceWord } from "../turns/caller-tools.ts"
import { type CreateTurn, createTurnSchema } from "../turns/schemas.ts"
import type { PlainMessage } from "./plain-messages.ts"

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

type GivenTool = { name: string } & Partial<
  Record<"description" | "parameters", string | Record<string, unknown> | null | undefined>
>

interface Given {
  tools: readonly GivenTool[]
  choice: z.output<typeof toolChoiceWord> | { name: string } | undefined
  parallel: boolean | undefined
  /** Where a tool has its name and parameters, such as `function.`. */
  inside: string
}

export type TurnTools = Pick<CreateTurn, "tools" | "tool_choice" | "parallel_tool_calls">

/** The fields of a turn for a request's functions; none without a function. Throws VALIDATION_FAILED. */
export function turnToolsOf({ tools: given, choice, parallel, inside }: Given): TurnTools {
  if (given.length === 0) return {}
  const asked = given.map(({ name, description, parameters }) => ({
    name,
    ...(description && { description }),
    input_schema: schemaOf(parameters),
  }))
  const { data, error } = createTurnSchema.shape.tools.safeParse(asked)
  const [issue] = error?.issues ?? []
  if (issue) {
    const [nth, field, ...rest] = issue.path.map(String)
    const place = field === "input_schema" ? ["parameters", ...rest] : [field, ...rest]
    const within = field === undefined ? [] : [`${inside}${place.join(".")}`]
    throw invalid(issue.message, ["tools", ...(nth === undefined ? [] : [nth]), ...within].join("."))
  }
  if (typeof choice === "object" && !given.some(({ name }) => name === choice.name)) {
    throw invalid("must be the name of one of `tools`", `tool_choice.${inside}name`)
  }
  return {
    ...(data && { tools: data }),
    ...(choice !== undefined && { tool_choice: choice }),
    ...(parallel === false && { parallel_tool_calls: false }),
  }
}

/** A function's parameters. Packages name the draft of their generator, which says nothing about the schema itself. */
function schemaOf(parameters: unknown): Record<string, unknown> {
  if (!isFields(parameters)) return { type: "object", properties: {} }
  const { $schema: _draft, ...schema } = parameters
  return schema
}

/**
 * The results with which a turn continues its conversation, and a text after them; null if the messages do not end
 * with results. Instructions are those of the turn with the calls.
 */
export function resultsIn(messages: readonly PlainMessage[]): Pick<CreateTurn, "results" | "text"> | null {
  const said = messages.filter(({ role }) => role !== "system")
  const rest = said.slice(said.findLastIndex(({ role }) => role === "assistant") + 1)
  const results = rest.flatMap((message) =>
    message.role === "tool" ? [{ id: message.id, output: message.output }] : [],
  )
  const parts = rest.flatMap((message) => (message.role === "tool" ? [] : message.parts))
  if (results.length === 0 || parts.some((part) => typeof part !== "string")) return null
  const text = parts.join("\n\n")
  return { results, ...(text.trim() !== "" && { text }) }
}
