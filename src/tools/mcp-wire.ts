import { impossibleSchema } from "../agent-config/impossible-schema.ts"
import { parseExact } from "../base/exact-json.ts"
import { type Fields, isFields } from "../base/fields.ts"
import { STRUCTURED_META, tidyCallResult } from "./mcp-call-result.ts"

/** A listed tool that cannot be used, and the reason. */
export interface OddTool {
  name: string
  reason: string
}

/** The field of `_meta` with the unusable tools, which the SDK would reject. */
export const ODD_TOOLS_META = "turnpike/odd-tools"

const MAX_ODD_TOOLS = 50
const MAX_NAME = 128

/**
 * Converts a server's message to the form that the SDK accepts, which rejects a whole page or result for one
 * invalid member. `request`: the request that it answers. Text that is not a JSON-RPC answer is returned unchanged.
 */
export function tidyMessage(text: string, request: McpRequest): string {
  let message: unknown
  try {
    message = parseExact(text)
  } catch {
    return text
  }
  const all = Array.isArray(message) ? message : [message]
  if (!all.some((one) => isAnswer(one, request))) return text
  const tidied = all.map((one) => (isAnswer(one, request) ? tidyAnswer(one, request) : one))
  return JSON.stringify(Array.isArray(message) ? tidied : tidied[0])
}

/** The members of a JSON-RPC request that decide how its answer is read. */
export interface McpRequest {
  id?: string | number
  method?: string
}

/** Only the result of a call may be anything but an object, because only a call must never be hidden. */
function isAnswer(message: unknown, { method }: McpRequest): message is Fields {
  if (!isFields(message) || "method" in message) return false
  const { result, error } = message
  return isFields(result) || isError(error) || (method === "tools/call" && "result" in message)
}

const isError = (error: unknown): error is Fields | string => isFields(error) || typeof error === "string"

function tidyAnswer({ id, result, error }: Fields, request: McpRequest): Fields {
  // Some servers return the numeric id of a request as a string, or leave it out.
  const isOwn = id === undefined || id === null || String(id) === String(request.id)
  const answer = { jsonrpc: "2.0", id: isOwn ? request.id : id }
  if (isError(error)) return { ...answer, error: tidyError(isFields(error) ? error : { message: error }) }
  return { ...answer, result: tidyResult(result, request.method) }
}

/**
 * The answer to a call in a text that is no JSON-RPC message, such as `text/plain`. A text without JSON-RPC is the
 * tool's output. Texts for other requests are returned unchanged, so that the SDK rejects them.
 */
export function answerInText(text: string, request: McpRequest): string {
  const message = dataOfEvents(text).find((data) => isMessage(data)) ?? text
  if (isMessage(message)) return tidyMessage(message, request)
  if (request.method !== "tools/call") return text
  return tidyMessage(JSON.stringify({ jsonrpc: "2.0", id: request.id, result: text }), request)
}

function isMessage(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return isFields(value) && value.jsonrpc === "2.0" && !("method" in value)
  } catch {
    return false
  }
}

function tidyError({ code, message, data }: Fields): Fields {
  const said = typeof message === "string" ? message : JSON.stringify(message ?? data ?? "it does not say why")
  const known = Number.isSafeInteger(code) ? code : -32_603
  return { code: known, message: said, ...(data !== undefined && data !== null && { data }) }
}

function tidyResult(result: unknown, method: string | undefined): Fields {
  const meta = isFields(result) && isFields(result._meta) ? withoutNulls(result._meta) : {}
  const { own, more } = ofMethod(result, method)
  const all = { ...(meta as Fields), ...more }
  return Object.keys(all).length > 0 ? { ...own, _meta: all } : own
}

function ofMethod(given: unknown, method: string | undefined): { own: Fields; more: Fields } {
  if (method === "tools/call") return tidyCallResult(given)
  const { _meta, ...result } = given as Fields
  if (method === "tools/list") return tidyList(result)
  if (method !== "initialize" && method !== "server/discover") return { own: result, more: {} }
  const { capabilities, serverInfo, instructions, ...rest } = withoutNulls(result) as Fields
  const able = isFields(capabilities) ? Object.entries(capabilities) : []
  // A server may announce a capability as `true`. Only tools matter here.
  const tools = able.filter(([name, value]) => name === "tools" && value !== false).map(([name]) => [name, {}])
  const { name, version } = isFields(serverInfo) ? serverInfo : {}
  return {
    own: {
      ...rest,
      capabilities: Object.fromEntries(tools),
      ...((serverInfo !== undefined || method === "initialize") && {
        serverInfo: { name: textOr(name, "unknown"), version: textOr(version, "unknown") },
      }),
      ...(typeof instructions === "string" && { instructions }),
    },
    more: {},
  }
}

const textOr = (value: unknown, other: string) => (typeof value === "string" ? value : other)

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (!isFields(value) || Object.getPrototypeOf(value) === null) return value
  const kept = Object.entries(value).filter(([, part]) => part !== null)
  return Object.fromEntries(kept.map(([name, part]) => [name, withoutNulls(part)]))
}

function tidyList({ tools, nextCursor, ...result }: Fields): { own: Fields; more: Fields } {
  const odd: OddTool[] = []
  const found = tools === null ? [] : tools
  if (!Array.isArray(found)) return { own: { ...result, tools: found }, more: {} }
  const fitting = found.flatMap((tool, index): Fields[] => {
    const reason = toolFault(tool)
    if (reason === null) return [tidyTool(tool as Fields)]
    const name = isFields(tool) && typeof tool.name === "string" ? tool.name.slice(0, MAX_NAME) : `tool ${index + 1}`
    if (odd.length < MAX_ODD_TOOLS) odd.push({ name, reason })
    return []
  })
  const next = typeof nextCursor === "number" ? String(nextCursor) : nextCursor
  return {
    own: { ...result, tools: fitting, ...(typeof next === "string" && { nextCursor: next }) },
    more: odd.length > 0 ? { [ODD_TOOLS_META]: odd } : {},
  }
}

/** The reason why a listed tool cannot be offered; null if it can. */
function toolFault(tool: unknown): string | null {
  if (!isFields(tool)) return "it is not an object"
  const { name, description, inputSchema } = tool
  if (typeof name !== "string" || name === "") return "it has no name"
  if (typeof (description ?? "") !== "string") return "its description is not a text"
  if (!isFields(inputSchema)) return "its inputSchema is not an object"
  const { type = "object" } = inputSchema
  if (type !== "object" && type !== null && !(Array.isArray(type) && type.includes("object"))) {
    return `its inputSchema has the type ${JSON.stringify(type).slice(0, 50)}, not "object"`
  }
  const fault = impossibleSchema(schemaOf(inputSchema))
  return fault && `its inputSchema is wrong at /${fault.path.join("/").slice(0, 100)}: it ${fault.message}`
}

/** Removes nulls from optional members of a schema. */
function schemaOf({ properties, required, ...schema }: Fields): Fields {
  const more = { ...(properties !== null && properties !== undefined && { properties }) }
  return { ...schema, type: "object", ...more, ...(required !== null && required !== undefined && { required }) }
}

/** Keeps the members that are used here, without annotations and icons. */
function tidyTool({ name, description, inputSchema, outputSchema }: Fields): Fields {
  return {
    name,
    ...(typeof description === "string" && { description }),
    inputSchema: schemaOf(inputSchema as Fields),
    ...(isFields(outputSchema) && { outputSchema: { ...outputSchema, type: "object" } }),
  }
}

/** The structured content of a tidied result. Its numbers keep the digits that the server wrote. */
export function structuredOf(meta: Fields | undefined): unknown {
  const json = meta?.[STRUCTURED_META]
  return typeof json === "string" ? parseExact(json) : undefined
}

/** The unusable tools of a page. */
export function oddToolsOf(meta: Fields | undefined): OddTool[] {
  const odd = meta?.[ODD_TOOLS_META]
  return Array.isArray(odd) ? (odd as OddTool[]) : []
}

/** The JSON-RPC error in the body of an HTTP error; null if the body has no such error. */
export function rpcErrorIn(body: unknown): { code: number; message: string } | null {
  if (typeof body !== "string") return null
  try {
    const { error } = JSON.parse(body) as Fields
    return isFields(error) ? (tidyError(error) as { code: number; message: string }) : null
  } catch {
    return null
  }
}

const LINE_END = /\r\n|\r|\n/
const EVENT_END = /\r\n\r\n|\n\n|\r\r/
const isData = (line: string) => line === "data" || line.startsWith("data:")

/** The data of one event; null without data. */
function dataOf(event: string): string | null {
  const data = event.split(LINE_END).filter(isData)
  return data.length === 0 ? null : data.map((line) => line.slice(5).replace(/^ /, "")).join("\n")
}

const dataOfEvents = (text: string) => text.split(EVENT_END).flatMap((event) => dataOf(event) ?? [])

/** Tidies the messages in a stream of events. An event's `data` becomes one line. */
export function tidyEvents(tidy: (data: string) => string): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder()
  const encoder = new TextEncoder()
  let pieces: string[] = []
  let tail = ""
  const flush = (controller: TransformStreamDefaultController<Uint8Array>, event: string) => {
    const data = dataOf(event)
    if (data === null) return controller.enqueue(encoder.encode(`${event}\n\n`))
    // The SDK ignores events with a name of their own, whatever they carry.
    const isNamed = (line: string) => line.startsWith("event:") && isMessage(data)
    const others = event.split(LINE_END).filter((line) => !isData(line) && !isNamed(line))
    const told = tidy(data).split("\n")
    const all = [...others, ...told.map((line) => `data: ${line}`)].join("\n")
    controller.enqueue(encoder.encode(`${all}\n\n`))
  }
  return new TransformStream({
    transform(piece, controller) {
      const more = decoder.decode(piece, { stream: true })
      pieces.push(more)
      const isEnd = EVENT_END.test(tail + more)
      tail = (tail + more).slice(-3)
      if (!isEnd) return
      const events = pieces.join("").split(EVENT_END)
      pieces = [events.pop() ?? ""]
      for (const event of events) flush(controller, event)
    },
    flush(controller) {
      const rest = pieces.join("") + decoder.decode()
      // Some servers leave out the last blank line. An answer that is a whole message is whole without it.
      if (isMessage(dataOf(rest) ?? "")) flush(controller, rest.replace(/[\r\n]+$/, ""))
      else if (rest !== "") controller.enqueue(encoder.encode(rest))
    },
  })
}
