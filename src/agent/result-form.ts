import { parseExact } from "../base/exact-json.ts"
import { type Fields, isFields } from "../base/fields.ts"
import type { ResultForm } from "../base/result-form.ts"
import {
  type AssistantPart,
  callInput,
  callsOf,
  type EngineName,
  type ModelAnswer,
  type ModelCall,
  type ToolSpec,
} from "./engine.ts"
import { byteLength } from "./estimate.ts"
import { strictSchema } from "./native-schema.ts"

/**
 * How a provider is asked for a form: by its own parameter, by a tool that the model must call, or by words. After a
 * refusal the next one is tried.
 */
export const WAYS = ["native", "tool", "told"] as const
export type Way = (typeof WAYS)[number]

type RealEngine = Exclude<EngineName, "rehearsal">

/** A form as it is sent. */
export interface AskedForm {
  way: Way
  /** Words that follow the instructions; empty: none. */
  words: string
  /** The tool whose input is the answer; null: the answer is a text. */
  tool: ToolSpec | null
  /** Adds the provider's own parameter to a request; null: it is not sent. */
  add: ((body: Fields) => Fields) | null
  /** True if the answer is in the property `value` of an object, because its own form is no object. */
  isWrapped: boolean
}

const TOOL = "final_answer"
const VALUE = "value"
const PROPERTY_NAME = /^[a-zA-Z0-9_.-]{1,64}$/

/** The form of a call as its engine sends it in this way; null without one. */
export function askedForm(call: ModelCall, engine: RealEngine, least: Way): AskedForm | null {
  const form = call.result
  if (!form) return null
  const ways = WAYS.slice(WAYS.indexOf(least))
  for (const way of ways) {
    const asked = way === "native" ? natively(form, engine) : way === "tool" ? byTool(call, form, engine) : told(form)
    if (asked) return asked
  }
  return told(form)
}

function natively(form: ResultForm, engine: RealEngine): AskedForm | null {
  const asked = { way: "native" as const, tool: null, isWrapped: false }
  if (form.type === "json_object") {
    if (engine === "anthropic") return null
    // OpenAI refuses the parameter if no message says it, too.
    return {
      ...asked,
      words: "Answer with a JSON object.",
      add: (body) => withFormat(body, engine, { type: form.type }),
    }
  }
  const { isWrapped, schema: object } = asObject(form.schema)
  const strict = fitting(form.schema, strictSchema(object, engine === "anthropic" ? "anthropic" : "openai"))
  if (engine === "anthropic") {
    if (!strict) return null
    const format = { type: "json_schema", schema: strict }
    return { ...asked, words: "", isWrapped, add: (body) => withFormat(body, engine, format) }
  }
  const { name, description } = form
  const schema = strict ?? fitting(form.schema, object)
  if (!schema) return null
  const told = { name, ...(description !== undefined && { description }), strict: strict !== null, schema }
  return { ...asked, words: "", isWrapped, add: (body) => withFormat(body, engine, { type: "json_schema", ...told }) }
}

/** The schema, unless it is longer than twice the own one: the hold would not pay for it. */
const fitting = (own: Fields, schema: Fields | null): Fields | null =>
  schema && byteLength(JSON.stringify(schema)) <= 2 * byteLength(JSON.stringify(own)) + 400 ? schema : null

function withFormat(body: Fields, engine: RealEngine, { type, ...format }: Fields): Fields {
  if (engine === "openai")
    return { ...body, text: { ...(body.text as Fields | undefined), format: { type, ...format } } }
  if (engine === "anthropic") {
    return { ...body, output_config: { ...(body.output_config as Fields | undefined), format: { type, ...format } } }
  }
  return { ...body, response_format: type === "json_schema" ? { type, json_schema: format } : { type } }
}

function byTool(call: ModelCall, form: ResultForm, engine: RealEngine): AskedForm | null {
  const { isWrapped, schema } = asObject(form.schema)
  if (engine === "anthropic" && !arePlain(schema)) return null
  const names = new Set(call.tools.map(({ name }) => name))
  let name = TOOL
  for (let nth = 2; names.has(name); nth++) name = `${TOOL}_${nth}`
  const about = form.description ?? "Gives the final answer."
  return {
    way: "tool",
    words: `Give your final answer by calling the tool ${name} once, without any text.`,
    tool: { name, description: about, inputSchema: schema },
    add: null,
    isWrapped,
  }
}

const told = (form: ResultForm): AskedForm => ({
  way: "told",
  words:
    form.type === "json_object"
      ? "Answer only with a JSON object, without any other text."
      : `Answer only with JSON, without any other text. It must fit this JSON Schema:\n${JSON.stringify(form.schema)}`,
  tool: null,
  add: null,
  isWrapped: false,
})

/** Keywords that providers do not take at the root. */
const NOT_AT_ROOT = ["anyOf", "oneOf", "allOf", "not", "enum", "const", "$ref", "if", "then", "else"]

/** A schema of objects: the own one, or one of an object with the value as its property. */
function asObject(schema: Fields): { schema: Fields; isWrapped: boolean } {
  if (schema.type === "object" && !NOT_AT_ROOT.some((key) => key in schema)) return { schema, isWrapped: false }
  const { $defs, definitions, $id: _id, ...value } = schema
  const wrapped = {
    type: "object",
    properties: { [VALUE]: moved(value) },
    required: [VALUE],
    additionalProperties: false,
    ...($defs !== undefined && { $defs: moved($defs) }),
    ...(definitions !== undefined && { definitions: moved(definitions) }),
  }
  return { schema: wrapped as Fields, isWrapped: true }
}

const DATA = new Set(["const", "enum", "default", "examples"])

/** A part of a wrapped schema, with references to the places where the others are now. */
function moved(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(moved)
  if (!isFields(part)) return part
  return Object.fromEntries(
    Object.entries(part).map(([key, value]) => {
      if (DATA.has(key)) return [key, value]
      if (key !== "$ref" || typeof value !== "string") return [key, moved(value)]
      const isStill = !/^#(?:\/|$)/.test(value) || /^#\/(?:\$defs|definitions)\//.test(value)
      return [key, isStill ? value : `#/properties/${VALUE}${value.slice(1)}`]
    }),
  )
}

/** True if Anthropic takes the names of all properties. */
function arePlain(part: unknown): boolean {
  if (typeof part !== "object" || part === null) return true
  return Object.entries(part).every(([key, value]) => {
    if (DATA.has(key)) return true
    if (key === "properties" && isFields(value) && !Object.keys(value).every((name) => PROPERTY_NAME.test(name))) {
      return false
    }
    return arePlain(value)
  })
}

/** A whole answer, in which the input of that tool is its text. */
export function inOwnForm(answer: ModelAnswer, asked: AskedForm | null): ModelAnswer {
  if (!asked) return answer
  const { tool, isWrapped } = asked
  const calls = callsOf(answer.content)
  const last = calls.findLast(({ toolName }) => toolName === tool?.name)
  if (!last) {
    if (calls.length > 0 || !isWrapped) return answer
    const text = unwrapped(answer.text)
    return text === answer.text ? answer : asText(answer, text)
  }
  const others = answer.content.filter((part) => part.type !== "tool-call" || part.toolName !== tool?.name)
  // The results of the other calls come first.
  if (callsOf(others).length > 0) return { ...answer, content: others }
  const written =
    last.invalid === undefined || isFields(last.input) ? JSON.stringify(callInput(last)) : String(last.input)
  const { finish } = answer
  return asText(
    { ...answer, finish: finish === "tool-calls" ? "stop" : finish },
    isWrapped ? unwrapped(written) : written,
  )
}

function asText(answer: ModelAnswer, text: string): ModelAnswer {
  const content: AssistantPart[] = text === "" ? [] : [{ type: "text", text }]
  return { ...answer, text, content }
}

/** The JSON of the value in a wrapped answer; any other text as it is. */
function unwrapped(text: string): string {
  try {
    const given = parseExact(text)
    return isFields(given) && Object.hasOwn(given, VALUE) ? JSON.stringify(given[VALUE]) : text
  } catch {
    return text
  }
}
