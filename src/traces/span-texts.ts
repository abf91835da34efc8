import { meantCall } from "../turns/meant-call.ts"
import { isToolCall } from "./ended-trace.ts"
import { TRACE_POLICY } from "./policies.ts"

/** Texts of spans, in the JSON that OpenTelemetry's conventions give to messages. Long ones are cut. */

const cut = (text: string) => text.slice(0, TRACE_POLICY.text).toWellFormed()

export const textOfOutput = (value: unknown) => cut(typeof value === "string" ? value : (JSON.stringify(value) ?? ""))

export const inputMessages = (text: string) =>
  JSON.stringify([{ role: "user", parts: [{ type: "text", content: cut(text) }] }])

export function outputMessages(
  text: string,
  content: readonly { type: string }[] = [],
  finish: string | null = "stop",
) {
  const calls = content.filter(isToolCall).map(({ toolCallId, toolName, input }) => {
    const meant = meantCall(toolName, input)
    return { type: "tool_call", id: toolCallId, name: meant.name, arguments: textOfOutput(meant.input) }
  })
  const parts = [...(text === "" ? [] : [{ type: "text", content: cut(text) }]), ...calls]
  return JSON.stringify([{ role: "assistant", parts, finish_reason: finish ?? "error" }])
}
