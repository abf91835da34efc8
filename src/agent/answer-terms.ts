import { type Fields, isFields } from "../base/fields.ts"

/** Words of service tiers that have the usual prices: OpenAI, Anthropic, Groq, xAI, OpenRouter. */
const USUAL = new Set([
  "auto",
  "default",
  "standard",
  "standard_only",
  "on_demand",
  "provisioned",
  "scale",
  "none",
  "null",
])
/** Words for a region that is not chosen (Anthropic: inference_geo). */
const ANYWHERE = new Set(["global", "not_available", "none", "null"])

export const isUsualTier = (word: string) => USUAL.has(word)

/** Words of Vertex AI for how it has served a call. All others are the usual service. */
const TRAFFIC: Record<string, string> = { on_demand_flex: "flex", on_demand_priority: "priority" }

/** Objects of an answer that have its words besides the answer itself: LiteLLM's and Vertex AI's are deeper. */
const HOLDERS = ["usage", "extra_properties", "google", "provider_specific_fields"]

const PLACES = [
  { field: "service_tier", nameOf: (word: string) => (USUAL.has(word) ? null : word) },
  // Anthropic's fast mode.
  { field: "speed", nameOf: (word: string) => (word === "fast" ? "fast" : null) },
  { field: "traffic_type", nameOf: (word: string) => TRAFFIC[word] ?? null },
  { field: "inference_geo", nameOf: (word: string) => (ANYWHERE.has(word) ? null : `geo_${word}`) },
] as const

/**
 * How a provider says that it has served a call, folded as the frames of the answer pass. The last word counts: the
 * first frame of OpenAI's Responses API has the tier that was asked for, and the last one the tier that was used.
 */
export class AnswerTerms {
  private readonly said = new Map<string, string | null>()

  take(frame: Fields): void {
    this.read(frame)
    this.read(frame.response)
    this.read(frame.message)
  }

  /** The names of the modifiers that its price has: a service tier, `fast`, `geo_` and a region. */
  get modifiers(): string[] {
    return [...this.said.values()].filter((name) => name !== null)
  }

  /** Reads a part of a frame and its usage. Most frames are pieces of text, so nothing is copied. */
  private read(holder: unknown): void {
    if (!isFields(holder)) return
    for (const { field, nameOf } of PLACES) {
      const word = holder[field]
      if (typeof word === "string" && WORD.test(word)) this.said.set(field, nameOf(word.toLowerCase()))
    }
    for (const name of HOLDERS) if (holder[name] !== undefined) this.read(holder[name])
  }
}

const WORD = /^[A-Za-z][\w-]{0,34}$/
