import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from "@modelcontextprotocol/client"
import { isFields } from "../base/fields.ts"
import { NotSent } from "../base/not-sent.ts"
import { OutboundError } from "../platform/outbound-error.ts"
import { rpcErrorIn } from "./mcp-wire.ts"

/**
 * Why a server's tools cannot be used. unreachable: no connection. protocol: the answer violates
 * MCP. tool: the tool rejected this call. unfilled: one of its headers has no value in this turn.
 */
export class McpError extends Error {
  readonly kind: "unreachable" | "protocol" | "tool" | "unfilled"

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
    const mayBeDone = failure.kind === "too_large" || failure.kind === "timeout" || error instanceof ProtocolError
    return new McpError(
      "unreachable",
      `${at} ${what} ${failure.message}${calling && mayBeDone ? ` ${MAYBE_DONE}` : ""}`,
    )
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
    const hint = calling ? hintOf(error) : ""
    const said = hint ? `${error.message.replace(/[.\s]*$/, ".")} ${hint}` : error.message
    return new McpError(kind, `${at} answered the error ${error.code}: ${said}`)
  }
  const message = error instanceof Error ? error.message : String(error)
  return new McpError("protocol", `${at} does not answer as MCP requires: ${message}`)
}

/** The code of several SDKs and servers for three errors: a lost session, a late answer, a missing right. */
const AMBIGUOUS = -32_001
/** A person must open an address first (MCP 2025-11-25, elicitation). */
const URL_ELICITATION = -32_042
/** A connection that broke, in our transport and in the SDKs. */
const CLOSED = -32_000

/** Tells a model more about an error of its call than the server's own words do. */
function hintOf({ code, message, data }: ProtocolError): string {
  if (code === URL_ELICITATION) {
    const asked = isFields(data) && Array.isArray(data.elicitations) ? data.elicitations : []
    const said = asked.flatMap((one) => (isFields(one) ? [`${one.message ?? ""} ${one.url ?? ""}`.trim()] : []))
    return `A person must do this first, so do not repeat the call now: ${said.join("; ").slice(0, 300)}`
  }
  if (code === AMBIGUOUS && /session/i.test(message)) return "The call was not carried out."
  if (code === AMBIGUOUS && /auth|permission|forbidden/i.test(message))
    return "Its headers may lack a valid credential."
  if (code === CLOSED || (code === AMBIGUOUS && /time|late|slow/i.test(message))) return MAYBE_DONE
  return ""
}

/** Follows an error of a call whose request may have arrived. */
export const MAYBE_DONE = "The call may have been carried out: check that before you repeat it."

/**
 * The refusal of a credential that is valid but lacks a scope (RFC 6750, section 3.1); null for any other response.
 * The SDK would try to sign in.
 */
export function insufficientScope(
  { status, headers }: Response,
  { server, calling }: { server: string; calling: boolean },
): McpError | null {
  const challenge = headers.get("www-authenticate") ?? ""
  if (status !== 403 || !/\berror="?insufficient_scope\b/i.test(challenge)) return null
  const scope = /\bscope="([^"]{1,200})"/i.exec(challenge)?.[1]
  const lacks = scope ? `lacks the scope "${scope}"` : "lacks a scope"
  return new McpError(
    calling ? "tool" : "unreachable",
    `The MCP server "${server}" refused the request: the credential in its headers ${lacks}. Only the owner of this agent can ` +
      "change that, so do not repeat the call.",
  )
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
 * examples answer 400 with these words, or 200 with an error of this code. The server did nothing.
 */
export function isForgotten(error: unknown): boolean {
  if (error instanceof ProtocolError) return error.code === AMBIGUOUS && /session/i.test(error.message)
  if (!(error instanceof SdkHttpError)) return false
  return error.status === 404 || (error.status === 400 && /session/i.test(String(error.data.text)))
}
