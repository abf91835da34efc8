import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from "@modelcontextprotocol/client"
import { NotSent } from "../base/not-sent.ts"
import { OutboundError } from "../platform/outbound-error.ts"
import { rpcErrorIn } from "./mcp-wire.ts"

/**
 * Why a server's tools cannot be used. unreachable: no connection. protocol: the answer violates
 * MCP. tool: the tool rejected this call.
 */
export class McpError extends Error {
  readonly kind: "unreachable" | "protocol" | "tool"

  constructor(kind: McpError["kind"], message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = "McpError"
    this.kind = kind
  }
}

/**
 * Describes an error of the server `name` for its owner. A JSON-RPC error is a tool error only if a
 * tool was called. The server's text is not cut here, because a cut secret could not be masked.
 */
export function toMcpError(name: string, error: unknown, calling: boolean): McpError {
  if (error instanceof McpError) return error
  const at = `The MCP server "${name}"`
  const failure = outboundErrorIn(error)
  if (failure) {
    const what = failure.kind === "too_large" ? "sent an answer that is too large." : "cannot be reached."
    return new McpError("unreachable", `${at} ${what} ${failure.message}`)
  }
  if (error instanceof SdkHttpError) {
    const said = rpcErrorIn(error.data.text)
    if (said && calling && error.status !== 401 && error.status !== 403) {
      return new McpError("tool", `${at} answered the error ${said.code}: ${said.message}`)
    }
    const hint = error.status === 401 || error.status === 403 ? " Its headers may lack a valid credential." : ""
    return new McpError("unreachable", `${at} answered HTTP ${error.status}${said ? `: ${said.message}` : "."}${hint}`)
  }
  if (error instanceof ProtocolError) {
    const kind = calling ? "tool" : "protocol"
    return new McpError(kind, `${at} answered the error ${error.code}: ${error.message}`)
  }
  const message = error instanceof Error ? error.message : String(error)
  return new McpError("protocol", `${at} does not answer as MCP requires: ${message}`)
}

/** The request that was given up before it was sent, if that is why a call failed. */
export const notSentIn = (error: unknown): NotSent | null => causeIn(error, NotSent)

/** The first error of a class among an error and its causes. */
function causeIn<T extends Error>(error: unknown, kind: new (...args: never[]) => T): T | null {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof kind) return at
  return null
}

/**
 * The transport reports a broken stream as a JSON-RPC error with the OutboundError as its
 * data. No server can send that.
 */
function outboundErrorIn(error: unknown): OutboundError | null {
  if (error instanceof ProtocolError && error.data instanceof OutboundError) return error.data
  return causeIn(error, OutboundError)
}

/**
 * True if an error of the first request may mean that the server speaks another revision. In
 * that case the server did nothing.
 */
export function mayBeOtherRevision(error: unknown): boolean {
  if (error instanceof SdkHttpError)
    return error.status >= 400 && error.status < 500 && ![401, 403, 429].includes(error.status)
  if (error instanceof ProtocolError) return !(error.data instanceof OutboundError)
  return error instanceof SdkError && error.code === SdkErrorCode.EraNegotiationFailed
}

/**
 * True if the server has lost the session: it answers 404. Servers that follow the SDK's first
 * examples answer 400 with these words. In both cases the server did nothing.
 */
export function isForgotten(error: unknown): boolean {
  if (!(error instanceof SdkHttpError)) return false
  return error.status === 404 || (error.status === 400 && /session/i.test(String(error.data.text)))
}
