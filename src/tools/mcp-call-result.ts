import { cutToBytes } from "../agent/estimate.ts"
import { type Fields, isFields } from "../base/fields.ts"

/** The field of `_meta` with the structured content as JSON, whose numbers the SDK would round. */
export const STRUCTURED_META = "turnpike/structured"

const MAX_SHOWN_PART = 1000

/** MCP 2026-07-28 requires it, and earlier revisions ignore it. */
const COMPLETE = { resultType: "complete" }

/** Members of a result that say nothing about the call (MCP 2025-11-25 and 2026-07-28, base types). */
const PROTOCOL_MEMBERS = new Set(["resultType", "ttlMs", "cacheScope", "nextCursor", "_meta"])

const text = (value: string): Fields => ({ type: "text", text: value })
const textOr = (value: unknown, other: string) => (typeof value === "string" ? value : other)

/**
 * Converts any result of `tools/call` to a complete result that the SDK accepts. A model that cannot see what a tool
 * did would call it again, so every member that says something is kept, at least as JSON.
 */
export function tidyCallResult(result: unknown): { own: Fields; more: Fields } {
  if (!isFields(result))
    return { own: { ...COMPLETE, content: result === null ? [] : [shownAsText(result)] }, more: {} }
  if (result.resultType === "input_required") return { own: askedForInput(result), more: {} }
  // The first revision of MCP had the answer in `toolResult`.
  const { content, structuredContent, isError, toolResult, ...rest } = result
  const parts = content === null || content === undefined ? [] : Array.isArray(content) ? content : [content]
  const shown = parts.map(tidyPart)
  if (toolResult !== undefined && toolResult !== null) shown.push(shownAsText(toolResult))
  const others = Object.entries(rest).filter(
    ([name, value]) => value !== null && value !== undefined && !PROTOCOL_MEMBERS.has(name),
  )
  const unknown = JSON.stringify(Object.fromEntries(others))
  if (others.length > 0) shown.push(text(shown.length === 0 ? unknown : `[other members of the result: ${unknown}]`))
  const structured = structuredContent === undefined || structuredContent === null ? undefined : structuredContent
  return {
    own: { ...COMPLETE, content: shown, ...(isError === true && { isError }) },
    more: structured === undefined ? {} : { [STRUCTURED_META]: JSON.stringify(structured) },
  }
}

const shownAsText = (value: unknown) => text(typeof value === "string" ? value : JSON.stringify(value))

/** A server of MCP 2026-07-28 may ask for input instead of answering. No agent can give it. */
function askedForInput({ inputRequests }: Fields): Fields {
  const asked = isFields(inputRequests) ? Object.values(inputRequests) : []
  const messages = asked.flatMap((one) => {
    if (!isFields(one)) return []
    const { message, url } = isFields(one.params) ? one.params : {}
    const said = [message, url].filter((part) => typeof part === "string").join(" ")
    return [said || textOr(one.method, "an unknown request")]
  })
  const what = messages.length > 0 ? `: ${cutToBytes(messages.join("; "), MAX_SHOWN_PART)}` : ""
  return {
    ...COMPLETE,
    content: [
      text(
        `The tool did not finish. It asks for input that you cannot give it${what}. Ask the user for it, and call the tool ` +
          "again only if its own parameters can hold the answer.",
      ),
    ],
    isError: true,
  }
}

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
