import * as z from "zod"
import type { ToolSpec } from "../agent/engine.ts"
import { impossibleSchema } from "../agent-config/impossible-schema.ts"
import { MAX_PATTERN_COST, schemaFault } from "../agent-config/json-schema.ts"
import { callerToolName } from "../agent-config/names.ts"
import { jsonBytes } from "../agent-config/request-parts.ts"
import { MAX_TOOL_BYTES } from "../agent-config/tool.ts"
import type { TurnMessage } from "./messages.ts"
import { MESSAGE_POLICY } from "./policies.ts"

const callerTool = z
  .strictObject({
    name: callerToolName.meta({
      description: "A name that no built-in tool and no tool of the space or of its MCP servers has.",
    }),
    description: z
      .string()
      .max(4000)
      .optional()
      .meta({ description: "What the tool does. The model reads this text.", example: "Finds an order by its id." }),
    input_schema: z.record(z.string(), z.unknown()).meta({
      description:
        "The JSON Schema (2020-12) of the tool's input, with `type: object`. Patterns use RE2, which has no look-arounds and no back-references.",
      example: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
    }),
  })
  .meta({ id: "CallerTool" })

export type CallerTool = z.output<typeof callerTool>

const callerTools = z
  .array(callerTool)
  .max(MESSAGE_POLICY.tools)
  .superRefine((tools, { addIssue }) => {
    for (const { at, message } of toolFaults(tools)) addIssue({ code: "custom", path: at, message, input: tools })
  })

/** How tools may be called, if none is named. */
export const toolChoiceWord = z.enum(["auto", "none", "required"])

const toolChoice = z.union([toolChoiceWord, z.strictObject({ name: z.string().min(1).max(64) })])

export type ToolChoice = z.output<typeof toolChoice>

const callResult = z
  .strictObject({
    id: z.string().min(1).max(256).meta({ example: "call_1" }),
    output: z.string().optional(),
    error: z.string().optional(),
  })
  .refine(({ output, error }) => (output === undefined) !== (error === undefined), {
    error: "must have either `output` or `error`",
  })

type CallResult = z.output<typeof callResult>

const callResults = z
  .array(callResult)
  .min(1)
  .max(MESSAGE_POLICY.parts)
  .superRefine((results, { addIssue }) => {
    const seen = new Set<string>()
    for (const [at, { id }] of results.entries()) {
      if (seen.has(id)) addIssue({ code: "custom", path: [at, "id"], message: `the call "${id}" has a result already` })
      seen.add(id)
    }
    const bytes = jsonBytes(results)
    if (bytes > MESSAGE_POLICY.bytes) {
      const message = `must have at most ${MESSAGE_POLICY.bytes} bytes as JSON, and have ${bytes}`
      addIssue({ code: "custom", message })
    }
  })

/** The fields of a turn's request about tools that the caller carries out. */
export const callerFields = {
  tools: callerTools.optional().meta({
    description:
      "Your own tools, which your code carries out. If the model calls some, the turn ends as `done` with `finish: tool_calls` and " +
      "`calls`. Send their `results` with the next turn. Without `tools`, a turn with `results` has the tools of the turn before.",
  }),
  tool_choice: toolChoice.optional().meta({
    description:
      "How the model's first answer may call tools, yours and those of the space: `auto`, `required` (it calls at least one), or " +
      "`name` of one of your tools. `none`: it calls none in the whole turn. Default: `auto`.",
  }),
  parallel_tool_calls: z.boolean().optional().meta({
    description:
      "False: at most one call of a tool in each answer of the model. Default: true, or with `results` and without `tools` as in the turn before.",
  }),
  results: callResults.optional().meta({
    description:
      "The results of all `calls` of the conversation's last turn, in any order. The model continues exactly there. `text` can be added.",
  }),
}

/** The fields of a turn about calls of its caller's tools. */
export const calledFields = {
  finish: z.enum(["stop", "tool_calls"]).nullable().meta({
    description: "How a turn is done: with a reply, or with `calls` of your tools. Null in all other states.",
    example: "stop",
  }),
  calls: z
    .array(
      z.object({
        id: z.string().meta({ example: "call_01jd3k9m2x4t8r5w6y7z0a1b2c_0_0" }),
        name: z.string().meta({ example: "lookup_order" }),
        input: z.record(z.string(), z.unknown()).meta({ example: { id: "A-1001" } }),
      }),
    )
    .meta({
      description:
        "Calls of your tools with which the turn is done. Carry them out and send their `results` with the next turn of the " +
        "conversation. Empty without calls, and after the texts are deleted.",
    }),
}

export type Called = z.output<(typeof calledFields)["calls"]>[number]

interface Fault {
  at: (string | number)[]
  message: string
}

function* toolFaults(tools: readonly CallerTool[]): Generator<Fault> {
  const bytes = jsonBytes(tools)
  if (bytes > MESSAGE_POLICY.toolBytes) {
    yield { at: [], message: `must have at most ${MESSAGE_POLICY.toolBytes} bytes as JSON, and have ${bytes}` }
    return
  }
  const names = new Set<string>()
  // The patterns of all schemas share one limit, so a request takes no longer than one tool of a space.
  const budget = { cost: MAX_PATTERN_COST }
  for (const [at, { name, input_schema: schema }] of tools.entries()) {
    if (names.has(name)) yield { at: [at, "name"], message: "is the name of another tool" }
    names.add(name)
    const fault = objectFault(schema) ?? schemaFault(schema, { budget })
    const impossible = fault === null ? impossibleSchema(schema) : null
    if (fault !== null) yield { at: [at, "input_schema"], message: fault }
    if (impossible) yield { at: [at, "input_schema", ...(impossible.path ?? [])], message: impossible.message }
    if (budget.cost < 0) return
  }
}

function objectFault(schema: Record<string, unknown>): string | null {
  if (schema.type !== "object") return 'must be a JSON Schema with "type": "object"'
  return jsonBytes(schema) > MAX_TOOL_BYTES ? `is larger than ${MAX_TOOL_BYTES} bytes of JSON` : null
}

/** The fields that callerFaults() compares. */
export interface CallerAsked {
  text?: string | undefined
  messages?: unknown
  files?: readonly string[] | undefined
  tools?: readonly CallerTool[] | undefined
  tool_choice?: ToolChoice | undefined
  parallel_tool_calls?: boolean | undefined
  results?: unknown
}

/** Faults between these fields and others of a request. */
export function* callerFaults(asked: CallerAsked): Generator<Fault> {
  const { text, messages, files = [], tools, tool_choice: choice, parallel_tool_calls, results } = asked
  if (results !== undefined && messages !== undefined) {
    yield { at: ["results"], message: "cannot be sent together with `messages`: put them into a message of `tool`" }
  }
  if (results !== undefined && text === undefined && files.length > 0) {
    yield { at: ["files"], message: "need a `text` next to `results`" }
  }
  const hasTools = (tools?.length ?? 0) > 0 || (results !== undefined && tools === undefined)
  if (typeof choice === "object" && !tools?.some(({ name }) => name === choice.name)) {
    yield { at: ["tool_choice", "name"], message: "must be the name of one of `tools`" }
  } else if (choice !== undefined && !hasTools) yield { at: ["tool_choice"], message: "needs `tools`" }
  if (parallel_tool_calls !== undefined && !hasTools) yield { at: ["parallel_tool_calls"], message: "needs `tools`" }
}

/** The messages of a request; null if it is one text. Results are a message of `tool`, before the text. */
export function messagesIn({
  text,
  messages,
  results,
}: {
  text?: string | undefined
  messages?: TurnMessage[] | undefined
  results?: CallResult[] | undefined
}): TurnMessage[] | null {
  if (results === undefined) return messages ?? null
  return [{ role: "tool", results }, ...(text === undefined ? [] : [{ role: "user" as const, content: text }])]
}

/** A caller's tools as a model reads them. */
export const specsOfCaller = (tools: readonly CallerTool[]): ToolSpec[] =>
  tools.map(({ name, description = "", input_schema: inputSchema }) => ({ name, description, inputSchema }))

/** The id of a call of a caller's tool: no other call has it. */
export const callerCallId = (turnId: string, step: number, call: number): string =>
  `call_${turnId.slice(turnId.indexOf("_") + 1)}_${step}_${call}`
