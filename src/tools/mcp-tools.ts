import { Buffer } from "node:buffer"
import { createHash } from "node:crypto"
import { isDeepStrictEqual } from "node:util"
import type { ObjectPart, TextPart } from "../agent/engine.ts"
import { cutToBytes } from "../agent/estimate.ts"
import type { Approval } from "../agent-config/approval.ts"
import type { McpServer } from "../agent-config/mcp-server.ts"
import { fillText, type Resolve, TemplateError, type TurnValues, turnValue } from "../agent-config/template.ts"
import { changedNumber } from "../base/exact-json.ts"
import { essence, sniffed } from "../base/media-bytes.ts"
import type { TraceHeaders } from "../base/trace-context.ts"
import type { Clock } from "../platform/clock.ts"
import type { Outbound } from "../platform/outbound.ts"
import { errorRun, type ToolCallContext, type ToolRun } from "./bound-tool.ts"
import type { Identity } from "./identity.ts"
import { type McpConnection, type McpTool, openMcpServer } from "./mcp-client.ts"
import { McpError } from "./mcp-error.ts"
import { type ListedTool, pinOf } from "./mcp-pins.ts"
import type { McpResult } from "./mcp-result.ts"
import type { OddTool } from "./mcp-wire.ts"
import { TOOL_POLICY } from "./policies.ts"
import type { Secrets } from "./secrets.ts"

interface McpDeps {
  outbound: Outbound
  clock: Clock
  secrets: Secrets
  signal: AbortSignal
  trace?: TraceHeaders | undefined
  /** Left out in a test of a server without a turn. */
  identity?: Identity | undefined
  /** Left out for a server of the operator. */
  values?: TurnValues
}

/**
 * Connects to a configured server with its secrets filled in. `speaks`: its revision at the last
 * listing. Throws McpError with a masked message.
 */
export async function connectMcp(deps: McpDeps, server: McpServer, speaks?: string): Promise<McpConnection> {
  const { outbound, clock, secrets, signal, trace } = deps
  const identity = server.identity === "none" ? undefined : deps.identity
  const resolve: Resolve = (reference) => {
    if (reference.kind === "secret") return secrets.get(reference.name)
    return reference.kind === "turn" && deps.values ? turnValue(reference, deps.values) : undefined
  }
  try {
    const headers = Object.entries(server.headers ?? {}).map(([name, value]) => [name, fillText(value, resolve)])
    const url = fillText(server.url, resolve, encodeURIComponent)
    const named = { name: server.name, url, headers: Object.fromEntries(headers) }
    const limits = {
      connectMs: TOOL_POLICY.mcpConnectMs,
      maxBytes: TOOL_POLICY.maxMcpBytes,
      maxTools: TOOL_POLICY.mcpMaxTools,
    }
    return await openMcpServer({
      outbound,
      clock,
      server: named,
      limits,
      signal,
      trace,
      identity,
      ...(speaks !== undefined && { speaks }),
    })
  } catch (error) {
    if (error instanceof TemplateError) throw new McpError("unfilled", error.message)
    throw masked(error, secrets)
  }
}

/** Makes a new error, because the stack of the old one has the unmasked message. */
function masked(error: unknown, secrets: Secrets): unknown {
  return error instanceof McpError ? new McpError(error.kind, cleanMessage(secrets, error.message)) : error
}

/** Stores the bytes of an image for the transcript, and returns the object key. */
export type StoreImage = (context: ToolCallContext, index: number, bytes: Uint8Array<ArrayBuffer>) => Promise<string>

/** Lists a server's allowed tools as `server__tool`. */
export async function mcpTools(
  { secrets }: Pick<McpDeps, "secrets">,
  {
    server,
    connection,
    storeImage,
    explain = (error) => error.message,
  }: {
    server: McpServer
    connection: McpConnection
    storeImage: StoreImage
    /** Makes the model's message for a failed call, before it is masked. */
    explain?: (error: McpError) => string
  },
): Promise<ListedTool[]> {
  const allowed = server.allowed_tools && new Set(server.allowed_tools)
  const listed = await connection.listTools().catch((error: unknown) => {
    throw masked(error, secrets)
  })
  const wanted = ({ name }: { name: string }) => !allowed || allowed.has(name)
  return listed.filter(wanted).map(({ name, ...definition }) => ({
    ...shown(definition, { name: mcpToolName(server.name, name), secrets }),
    ...approvalOf(server, name),
    async run(input: unknown, context: ToolCallContext) {
      if (typeof input !== "object" || input === null || Array.isArray(input)) return errorRun(NO_OBJECT)
      try {
        const options = {
          idempotencyKey: context.key,
          agent: context.agent,
          trace: context.trace,
          timeoutMs: TOOL_POLICY.mcpTimeoutMs,
          signal: context.signal,
          mayStart: context.mayStart,
        }
        return await toRun(await connection.callTool(name, input as Record<string, unknown>, options), {
          secrets,
          context,
          storeImage,
        })
      } catch (error) {
        if (context.signal.aborted) throw context.signal.reason
        if (!(error instanceof McpError)) throw error
        return errorRun(cleanMessage(secrets, explain(error)))
      }
    },
  }))
}

function approvalOf({ approval, approvals }: McpServer, tool: string): { approval?: Approval } {
  const own = approvals && Object.hasOwn(approvals, tool) ? approvals[tool] : approval
  return own ? { approval: own } : {}
}

/** The allowed tools of the last list that cannot be used, with the names that they would have. */
export function oddTools({ name, allowed_tools }: McpServer, connection: McpConnection, secrets: Secrets): OddTool[] {
  const odd = connection.odd().filter((tool) => !allowed_tools || allowed_tools.includes(tool.name))
  return odd.map((tool) => ({
    name: mcpToolName(name, secrets.mask(tool.name)),
    reason: cleanMessage(secrets, tool.reason),
  }))
}

const NO_OBJECT = "The input must be a JSON object."

/** The definition of a tool as a model sees it, and its pin. Neither contains a secret. */
function shown(
  { description = "", inputSchema, outputSchema = {} }: Omit<McpTool, "name">,
  { name, secrets }: { name: string; secrets: Secrets },
): Pick<ListedTool, "spec" | "pin"> {
  const spec = {
    name,
    description: secrets.mask(description),
    inputSchema: { ...(maskJson(secrets, inputSchema) as object), type: "object" },
  }
  return { spec, pin: pinOf({ ...spec, outputSchema: maskJson(secrets, outputSchema) }) }
}

/** Makes a name of at most 64 characters that every provider allows. A hash keeps long names different. */
export function mcpToolName(server: string, tool: string): string {
  const whole = `${server}__${tool}`
  const clean = whole.replace(/[^A-Za-z0-9_-]/g, "_")
  if (clean === whole && clean.length <= 64) return clean
  return `${clean.slice(0, 57)}_${createHash("sha256").update(whole).digest("hex").slice(0, 6)}`
}

async function toRun(
  result: McpResult,
  { secrets, context, storeImage }: { secrets: Secrets; context: ToolCallContext; storeImage: StoreImage },
): Promise<ToolRun> {
  const texts = result.parts.flatMap((part) => (part.type === "text" ? [part.text] : []))
  // Servers should send structured content as text too (MCP 2025-06-18, tools), but
  // some send only a summary as text.
  if (result.structured !== undefined) {
    const json = JSON.stringify(result.structured)
    if (!texts.some((text) => isSameJson(text, json))) texts.push(json)
  }
  const notes = result.misfit === undefined ? [] : [secrets.mask(result.misfit)].map(misfitNote)
  const text = [shownText(secrets, texts.join("\n")), ...notes].filter(Boolean).join("\n")
  if (result.isError) return errorRun(text || "The tool failed without saying why.")
  const images: (ObjectPart | TextPart)[] = []
  for (const [index, part] of result.parts.entries()) {
    if (part.type !== "image") continue
    const size = Math.floor((part.data.length * 3) / 4)
    if (images.length >= TOOL_POLICY.maxImagesPerResult || size > TOOL_POLICY.maxImageBytes + 2) {
      images.push({ type: "text", text: `[An image of ${size} bytes is left out.]` })
      continue
    }
    const bytes = new Uint8Array(Buffer.from(part.data, "base64"))
    const objectKey = await storeImage(context, index, bytes)
    images.push({
      type: "object",
      objectKey,
      name: `image-${index}`,
      mediaType: sniffed(bytes) ?? imageType(essence(part.mediaType)),
      bytes: bytes.length,
    })
  }
  if (images.length === 0) return { output: { type: "text", value: text || "(an empty answer)" } }
  return { output: { type: "parts", value: [...(text ? [{ type: "text" as const, text }] : []), ...images] } }
}

/** Compares JSON texts without regard to spaces, but with digits that a double would lose. */
function isSameJson(text: string, json: string): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(text), JSON.parse(json)) && (text === json || changedNumber(json) === null)
  } catch {
    return false
  }
}

/** MCP 2025-06-18 says that clients should validate. A failure would make the model repeat what was done. */
const misfitNote = (fault: string) =>
  `[The call succeeded, but its data does not fit the tool's output schema: ${cutToBytes(fault, MAX_MESSAGE_LENGTH)}]`

/** The room for the note after a text that was cut. */
const NOTES_BYTES = 128

/**
 * The masked text, cut to what a model sees. A text that is too large is no failure, because the call was carried
 * out. Only a part is masked then, since masking takes long. Its end is dropped, because it may have half a secret.
 */
function shownText(secrets: Secrets, text: string): string {
  const most = TOOL_POLICY.maxResultBytes
  const masked = text.length <= 2 * most ? secrets.mask(text) : secrets.mask(text.slice(0, 2 * most)).slice(0, -most)
  // A text has at least as many bytes as characters.
  const fits = text.length <= most && new TextEncoder().encode(masked).length <= most
  if (fits) return masked
  return `${cutToBytes(masked, most - NOTES_BYTES)}\n[The rest is left out: a tool's text may have ${most} bytes.]`
}

const imageType = (given: string) => (/^image\/[a-z0-9.+-]{1,60}$/.test(given) ? given : "application/octet-stream")

const MAX_MESSAGE_LENGTH = 500

/**
 * Puts a server's message on one line and cuts it. Masking comes first, because a cut or
 * joined secret is not recognized.
 */
function cleanMessage(secrets: Secrets, message: string): string {
  return secrets.mask(message).replace(/\s+/g, " ").slice(0, MAX_MESSAGE_LENGTH).toWellFormed()
}

function maskJson(secrets: Secrets, value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_key, item) => (typeof item === "string" ? secrets.mask(item) : item))
}
