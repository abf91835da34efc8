import { CALL_TOOL } from "../agent-config/names.ts"
import { isFields } from "../base/fields.ts"

/** A longer name belongs to no tool. */
const NAME_CHARACTERS = 128

export interface MeantCall {
  name: string
  input: unknown
  /** Why it calls no tool. */
  fault?: string
}

/** The tool that a call means, and its input: a call of `call_tool` names another tool. */
export function meantCall(toolName: string, input: unknown): MeantCall {
  if (toolName !== CALL_TOOL || !isFields(input)) return { name: toolName, input }
  const { name, input: given = {} } = input
  if (typeof name !== "string") return { name: toolName, input, fault: "`name` must be the name of a tool." }
  const meant = { name: name.slice(0, NAME_CHARACTERS).toWellFormed(), input: given }
  return isFields(given) ? meant : { ...meant, fault: "`input` must be a JSON object." }
}
