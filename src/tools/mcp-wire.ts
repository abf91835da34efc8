import { cutToBytes } from "../agent/estimate.ts"
import { impossibleSchema } from "../agent-config/impossible-schema.ts"
import { parseExact } from "../base/exact-json.ts"
import { type Fields, isFields } from "../base/fields.ts"

/** A listed tool that cannot be used, and the reason. */
export interface OddTool {
  name: string
  reason: string
}

/**
 * Fields of `_meta` for data that the SDK would reject or round: the unusable tools, and
 * the structured content as JSON.
 */
export const ODD_TOOLS_META = "turnpike/odd-tools"
export const STRUCTURED_META = "turnpike/structured"

const MAX_SHOWN_PART = 1000
const MAX_ODD_TOOLS = 50
const MAX_NAME = 128

/**
 * Converts a server's message to the form that the SDK accepts, which rejects a whole page or result for one
 * invalid member. `request`: the request that it answers. Text that is not a JSON-RPC answer is returned unchanged.
 */
export function tidyMessage(text: string, request: { id?: string | number; method?: string }): string {
  let message: unknown
  try {
    message = parseExact(text)
  } catch {
    return text
  }
  const all = Array.isArray(message) ? message : [message]
  if (!all.some(isAnswer)) return text
  const tidied = all.map((one) => (isAnswer(one) ? tidyAnswer(one, request) : one))
  return JSON.stringify(Array.isArray(message) ? tidied : tidied[0])
}

const isAnswer = (message: unknown): message is Fields =>
  isFields(message) && !("method" in message) && (isFields(message.result) || isFields(message.error))

function tidyAnswer({ id, result, error }: Fields, request: { id?: string | number; method?: string }): Fields {
  // Some servers return the numeric id of a request as a string.
  const own = String(id) === String(request.id) ? request.id : id
  if (isFields(error)) return { jsonrpc: "2.0", id: own, error: tidyError(error) }
  return { jsonrpc: "2.0", id: own, result: tidyResult(result as Fields, request.method) }
}

function tidyError({ code, message, data }: Fields): Fields {
  const said = typeof message === "string" ? message : JSON.stringify(message ?? data ?? "it does not say why")
  const known = Number.isSafeInteger(code) ? code : -32_603
  return { code: known, message: said, ...(data !== undefined && data !== null && { data }) }
}

function tidyResult({ _meta, ...result }: Fields, method: string | undefined): Fields {
  const meta = isFields(_meta) ? withoutNulls(_meta) : {}
  const { own, more } = ofMethod(result, method)
  const all = { ...(meta as Fields), ...more }
  return Object.keys(all).length > 0 ? { ...own, _meta: all } : own
}

function ofMethod(result: Fields, method: string | undefined): { own: Fields; more: Fields } {
  if (method === "tools/list") return tidyList(result)
  if (method === "tools/call") return tidyCall(result)
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

function tidyCall({ content, structuredContent, isError, ...result }: Fields): { own: Fields; more: Fields } {
  const parts = content === null || content === undefined ? [] : Array.isArray(content) ? content : [content]
  const structured = structuredContent === undefined || structuredContent === null ? undefined : structuredContent
  return {
    own: { ...result, content: parts.map(tidyPart), ...(isError === true && { isError }) },
    more: structured === undefined ? {} : { [STRUCTURED_META]: JSON.stringify(structured) },
  }
}

const text = (value: string): Fields => ({ type: "text", text: value })

/** Converts a part to a form that the SDK knows. Any other part becomes text. */
function tidyPart(part: unknown): Fields {
  if (typeof part === "string") return text(part)
  if (!isFields(part)) return unknownPart(part)
  const { type, text: said, data, mimeType, uri, name, description, resource } = part
  if (type === "text" && said !== undefined) return text(typeof said === "string" ? said : JSON.stringify(said ?? ""))
  if ((type === "image" || type === "audio") && typeof data === "string") {
    return { type, data, mimeType: textOr(mimeType, type === "image" ? "image/png" : "audio/unknown") }
  }
  if (type === "resource_link" && typeof uri === "string") {
    const about = typeof description === "string" ? { description } : {}
    return { type, uri, name: textOr(name, uri), ...about }
  }
  if (type === "resource" && isFields(resource)) {
    const { uri: of, mimeType: media, text: inner, blob } = resource
    const known = { uri: textOr(of, "unknown"), ...(typeof media === "string" && { mimeType: media }) }
    if (typeof inner === "string") return { type, resource: { ...known, text: inner } }
    if (typeof blob === "string") return { type, resource: { ...known, blob } }
  }
  return unknownPart(part)
}

/** Shows the part's JSON, which may tell the model what the server did. */
function unknownPart(part: unknown): Fields {
  const kind = isFields(part) && typeof part.type === "string" ? ` ${JSON.stringify(part.type.slice(0, 60))}` : ""
  const shown = cutToBytes(JSON.stringify(part) ?? "null", MAX_SHOWN_PART)
  return text(`[a part of the unknown kind${kind}: ${shown}]`)
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

/** Tidies the messages in a stream of events. An event's `data` becomes one line. */
export function tidyEvents(tidy: (data: string) => string): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder()
  const encoder = new TextEncoder()
  let pieces: string[] = []
  let tail = ""
  const flush = (controller: TransformStreamDefaultController<Uint8Array>, event: string) => {
    const lines = event.split(LINE_END)
    const data = lines.filter((line) => line === "data" || line.startsWith("data:"))
    if (data.length === 0) return controller.enqueue(encoder.encode(`${event}\n\n`))
    const others = lines.filter((line) => !(line === "data" || line.startsWith("data:")))
    const joined = data.map((line) => line.slice(5).replace(/^ /, "")).join("\n")
    const told = tidy(joined).split("\n")
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
      if (rest !== "") controller.enqueue(encoder.encode(rest))
    },
  })
}
