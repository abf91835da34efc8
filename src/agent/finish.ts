import type { AssistantPart, ModelAnswer } from "./engine.ts"

type Finish = ModelAnswer["finish"]

/** Finish reasons of providers that the SDK does not distinguish. */
const REASONS: Record<Exclude<Finish, "stop" | "tool-calls" | "more" | "other" | "aborted">, readonly string[]> = {
  length: ["length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded"],
  refused: ["refusal", "refused"],
  filtered: [
    "content_filter",
    "content-filter",
    "content_filtered",
    "guardrail_intervened",
    "sensitive",
    "safety",
    "image_safety",
    "recitation",
    "prohibited_content",
    "blocklist",
    "spii",
  ],
  error: ["error", "network_error", "insufficient_system_resource", "malformed_function_call", "function_call_filter"],
}

/** Determines how an answer ended. `unified`: the SDK's reason. `raw`: the provider's. */
export function finishOf(unified: string, raw: string | undefined, parts: readonly AssistantPart[]): Finish {
  // Gemini adds a detail: "content_filter: RECITATION".
  const word = raw?.toLowerCase().split(":")[0]?.trim() ?? ""
  const named = Object.entries(REASONS).find(([, words]) => words.includes(word))?.[0] as Finish | undefined
  if (named && named !== "length") return named
  // The SDK also uses this reason for the text of a refusal.
  if (unified === "content-filter") return "refused"
  // Some servers report "stop" although the answer has calls. The calls decide.
  if (parts.some((part) => part.type === "tool-call")) return "tool-calls"
  if (named === "length" || unified === "length") return "length"
  return unified === "stop" ? "stop" : "other"
}

/** True if the model or its provider refused or failed. */
export const isFaulty = (finish: Finish) => finish === "refused" || finish === "filtered" || finish === "error"
