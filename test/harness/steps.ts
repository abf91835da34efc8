import type { AssistantPart, Message } from "../../src/agent/engine.ts"
import type { FinishedStep } from "../../src/turns/step-row.ts"

/** A model call of the space's own agent that returned this text or this many tool calls. */
export function finishedStep(step: number, { text = "x", cost = 10, calls = 0 } = {}): FinishedStep {
  const usage = { tokensInput: 10, tokensCached: 3, tokensOutput: 5 }
  const made = Array.from({ length: calls }, (_, index): AssistantPart => {
    return { type: "tool-call", toolCallId: `call_${step}_${index}`, toolName: "tool", input: {} }
  })
  const content: AssistantPart[] = calls > 0 ? made : [{ type: "text", text }]
  return {
    step,
    agent: null,
    subagent: null,
    answer: { text: calls > 0 ? "" : text, content, finish: calls > 0 ? "tool-calls" : "more", usage },
    cost,
    price: cost,
    providerCost: cost,
    provider: "rehearsal",
    pin: "rehearsal/standard",
    priceVersion: 1,
    modifiers: [],
    durationSec: 0.1,
    served: null,
  }
}

/** A message that contains only text. */
export const textMessage = (role: "user" | "assistant", text: string): Message => ({
  role,
  content: [{ type: "text", text }],
})
