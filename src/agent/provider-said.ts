import { isFields } from "../base/fields.ts"

/** A provider's words about a failed call, without anything of the operator's account. Null: not known. */
export interface ProviderDetails {
  /** The HTTP status of the response. */
  status: number | null
  /** The kind of the error, as the provider names it. */
  type: string | null
  message: string | null
  /** The name of the refused file. */
  file: string | null
  /** The name of the refused tool. */
  tool: string | null
  /** The refused parameter. */
  parameter: string | null
}

/** A provider's words about a failure, read from whatever form its response has. */
export interface ProviderSaid {
  /** The kind of the error, as the provider names it; null: it names none. */
  type: string | null
  /** The parameter that the provider blames; null: none. */
  param: string | null
  message: string
  /** Everything that the response says, with codes. Causes are read from it. */
  all: string
}

/** Nested errors are read to this depth: a router passes on the error of its provider. */
const MOST_DEPTH = 4
/** The members of an error that contain another one, or the list of its reasons. */
const INNER = ["error", "errors", "detail", "details", "metadata", "raw", "innererror", "cause"]
const MESSAGES = ["message", "Message", "msg", "error_description"]
const TYPES = ["type", "status", "__type", "error_type", "code"]
const CODES = [...TYPES, "reason", "reasons", "param", "flagged_input"]

/** Reads a provider's words. `body`: of its response. `message`: the words, if the body has none. */
export function providerSaid(body: string | undefined, message: string): ProviderSaid {
  const said: { types: string[]; params: string[]; messages: string[]; all: string[] } = {
    types: [],
    params: [],
    messages: [],
    all: [],
  }
  read(parsed(body ?? ""), said, 0)
  const messages = said.messages.length > 0 ? said.messages : [message]
  return {
    type: said.types.find((type) => type !== "error") ?? null,
    param: said.params[0] ?? null,
    message: [...new Set(messages)].join(" · "),
    all: [message, ...messages, ...said.all].join(" "),
  }
}

function read(
  value: unknown,
  said: { types: string[]; params: string[]; messages: string[]; all: string[] },
  depth: number,
) {
  if (depth > MOST_DEPTH) return
  if (typeof value === "string") {
    const inner = parsed(value)
    if (isFields(inner) || Array.isArray(inner)) read(inner, said, depth + 1)
    else if (value.trim() !== "") said.messages.push(value)
    return
  }
  if (Array.isArray(value)) {
    for (const one of value.slice(0, MOST_LISTED)) read(one, said, depth + 1)
    return
  }
  if (!isFields(value)) return
  for (const name of MESSAGES) if (typeof value[name] === "string") read(value[name], said, depth + 1)
  for (const name of TYPES) {
    const type = value[name]
    if (typeof type === "string" && /[a-z]/i.test(type)) said.types.push(type)
  }
  if (typeof value.param === "string" && value.param !== "") said.params.push(value.param)
  for (const name of CODES) {
    const code = value[name]
    if (typeof code === "string" || typeof code === "number") said.all.push(String(code))
    else if (Array.isArray(code)) said.all.push(code.filter((one) => typeof one === "string").join(" "))
  }
  // FastAPI names the place of a fault as a list.
  if (Array.isArray(value.loc)) said.all.push(value.loc.join("."))
  for (const name of INNER) if (value[name] !== undefined) read(value[name], said, depth + 1)
}

const MOST_LISTED = 8

/** JSON, or null for any other text. */
function parsed(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}
