import type { LanguageModelV4FilePart, LanguageModelV4Prompt, LanguageModelV4ToolResultPart } from "@ai-sdk/provider"
import type { SentMessage } from "@turnpike-turns/client"

type Message = LanguageModelV4Prompt[number]
type UserPart = Exclude<Extract<SentMessage, { role: "user" }>["content"], string>[number]
export type SentResult = Extract<SentMessage, { role: "tool" }>["results"][number]

/** A prompt of the AI SDK as the messages of a turn. Reasoning and calls that a provider made itself are left out. */
export const messagesOf = (prompt: LanguageModelV4Prompt): SentMessage[] => prompt.flatMap(messageOf)

function messageOf(message: Message): SentMessage[] {
  if (message.role === "system") return [{ role: "system", content: message.content }]
  if (message.role === "user") return [{ role: "user", content: contentOf(message.content.map(userPart)) }]
  if (message.role === "tool") {
    const results = message.content.flatMap((part) => (part.type === "tool-result" ? [resultOf(part)] : []))
    return results.length > 0 ? [{ role: "tool", results }] : []
  }
  const text = message.content.map((part) => (part.type === "text" ? part.text : "")).join("")
  const calls = message.content.flatMap((part) =>
    part.type === "tool-call" && !part.providerExecuted
      ? [{ id: part.toolCallId, name: part.toolName, input: part.input as Record<string, unknown> }]
      : [],
  )
  if (text === "" && calls.length === 0) return []
  return [{ role: "assistant", ...(text !== "" && { content: text }), ...(calls.length > 0 && { calls }) }]
}

/** A message with only a text is sent as one. */
function contentOf(parts: UserPart[]): string | UserPart[] {
  const [first, ...others] = parts
  return first?.type === "text" && others.length === 0 ? first.text : parts
}

function userPart(part: Extract<Message, { role: "user" }>["content"][number]): UserPart {
  return part.type === "text" ? { type: "text", text: part.text } : { type: "file", ...fileOf(part) }
}

function fileOf({ data, mediaType, filename }: LanguageModelV4FilePart) {
  if (data.type === "reference") return { file_id: data.reference.turnpike }
  const name = filename === undefined ? {} : { name: filename }
  if (data.type === "url") return { url: data.url.href, ...name }
  // A type such as `image` is left to the service, which knows it by the first bytes.
  const type = /^[^/]+\/[^*/]+$/.test(mediaType) ? { media_type: mediaType } : {}
  const bytes = data.type === "text" ? new TextEncoder().encode(data.text) : data.data
  return { data: typeof bytes === "string" ? bytes : base64Of(bytes), ...type, ...name }
}

function base64Of(bytes: Uint8Array): string {
  let binary = ""
  // More arguments at once would overflow the stack.
  for (let at = 0; at < bytes.length; at += 32_768) {
    binary += String.fromCharCode(...bytes.subarray(at, at + 32_768))
  }
  return btoa(binary)
}

function resultOf({ toolCallId: id, output }: LanguageModelV4ToolResultPart): SentResult {
  switch (output.type) {
    case "text":
      return { id, output: output.value }
    case "json":
      return { id, output: JSON.stringify(output.value) }
    case "error-text":
      return { id, error: output.value }
    case "error-json":
      return { id, error: JSON.stringify(output.value) }
    case "execution-denied":
      return { id, error: output.reason ?? "The call was denied." }
    case "content":
      // Results are texts, so the model reads that there was a file.
      return {
        id,
        output: output.value
          .map((part) => (part.type === "text" ? part.text : part.type === "file" ? `[${part.mediaType}]` : ""))
          .join("\n"),
      }
  }
}
