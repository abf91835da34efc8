import type { CallToolResult } from "@modelcontextprotocol/client"

/** What a tool answered; images in base64. */
export interface McpResult {
  isError: boolean
  parts: ({ type: "text"; text: string } | { type: "image"; mediaType: string; data: string })[]
  structured?: unknown
}

/** Every kind of content as something that a model can read. */
export function toResult({ content, structuredContent, isError }: CallToolResult): McpResult {
  const parts = content.map((part): McpResult["parts"][number] => {
    switch (part.type) {
      case "text":
        return { type: "text", text: part.text }
      case "image":
        return { type: "image", mediaType: part.mimeType, data: part.data }
      case "audio":
        return { type: "text", text: `[audio, ${part.mimeType}, not shown]` }
      case "resource_link":
        return { type: "text", text: `[resource ${part.name}: ${part.uri}]` }
      case "resource":
        return {
          type: "text",
          text: "text" in part.resource ? String(part.resource.text) : `[resource ${part.resource.uri}, not shown]`,
        }
      default:
        return { type: "text", text: "[a part of an unknown kind]" }
    }
  })
  return { isError: isError === true, parts, ...(structuredContent !== undefined && { structured: structuredContent }) }
}
