import { Buffer } from "node:buffer"
import type { CallToolResult } from "@modelcontextprotocol/client"
import { decodeText, essence, sniffed } from "../base/media-bytes.ts"
import { isText } from "../files/media-types.ts"
import { structuredOf } from "./mcp-wire.ts"

/** The answer of a tool. Images are base64. */
export interface McpResult {
  isError: boolean
  parts: ({ type: "text"; text: string } | { type: "image"; mediaType: string; data: string })[]
  /** The structured content. Its numbers keep their digits (parseExact). */
  structured?: unknown
  /** How the structured content violates the tool's outputSchema. The call was carried out all the same. */
  misfit?: string
}

/** Converts every kind of content to a form that a model can read. */
export function toResult({ content, isError, _meta }: CallToolResult): McpResult {
  const structured = structuredOf(_meta)
  return { isError: isError === true, parts: content.map(readable), ...(structured !== undefined && { structured }) }
}

function readable(part: CallToolResult["content"][number]): McpResult["parts"][number] {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text }
    case "image":
      return { type: "image", mediaType: part.mimeType, data: part.data }
    case "audio":
      return { type: "text", text: `[audio, ${part.mimeType}, not shown]` }
    case "resource_link": {
      const about = part.description ? `: ${part.description}` : ""
      return { type: "text", text: `[resource ${part.name}: ${part.uri}${about}]` }
    }
    case "resource": {
      const { resource } = part
      return "text" in resource ? { type: "text", text: String(resource.text) } : blobPart(resource)
    }
    default:
      return { type: "text", text: "[a part of an unknown kind]" }
  }
}

const MAX_TEXT_BLOB = 256 * 1024

/** Converts pictures and texts that a server sends as the bytes of a resource. */
function blobPart({ uri, mimeType = "", blob }: { uri: string; mimeType?: string | undefined; blob: string }) {
  const type = essence(mimeType) || sniffed(new Uint8Array(Buffer.from(blob.slice(0, 1024), "base64"))) || ""
  if (type.startsWith("image/")) return { type: "image" as const, mediaType: type, data: blob }
  const text = blob.length <= MAX_TEXT_BLOB && isText(type) ? textIn(blob, mimeType) : null
  return { type: "text" as const, text: text ?? `[resource ${uri}${type && `, ${type}`}, not shown]` }
}

function textIn(blob: string, mimeType: string): string | null {
  const decoded = decodeText(new Uint8Array(Buffer.from(blob, "base64")), mimeType)
  return decoded?.includes("\0") ? null : decoded
}
