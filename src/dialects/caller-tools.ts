import { isFields } from "../base/fields.ts"
import { invalid } from "../base/invalid-field.ts"
import type { ToolChoice } from "../turns/caller-tools.ts"
import { type CreateTurn, createTurnSchema } from "../turns/schemas.ts"

export interface GivenTool {
  name: string
  description?: string | null | undefined
  /** The JSON Schema of its input; any input without one. */
  schema: unknown
}

interface Given {
  tools: readonly GivenTool[]
  choice: ToolChoice | undefined
  parallel: boolean | undefined
  /** Where a tool of the dialect has its fields, such as `function.`, and the name of its schema there. */
  inside: string
  schemaField: string
}

export type TurnTools = Pick<CreateTurn, "tools" | "tool_choice" | "parallel_tool_calls">

/** The fields of a turn for a request's tools; none without a tool. Throws VALIDATION_FAILED. */
export function turnToolsOf({ tools: given, choice, parallel, inside, schemaField }: Given): TurnTools {
  if (given.length === 0) return {}
  const asked = given.map(({ name, description, schema }) => ({
    name,
    ...(description && { description }),
    input_schema: schemaOf(schema),
  }))
  const { data, error } = createTurnSchema.shape.tools.safeParse(asked)
  const [issue] = error?.issues ?? []
  if (issue) {
    const [nth, field, ...rest] = issue.path.map(String)
    const place = [field === "input_schema" ? schemaField : field, ...rest]
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

/** A tool's schema. Packages name the draft of their generator, which says nothing about the schema itself. */
function schemaOf(given: unknown): Record<string, unknown> {
  if (!isFields(given)) return { type: "object", properties: {} }
  const { $schema: _draft, ...schema } = given
  return schema
}
