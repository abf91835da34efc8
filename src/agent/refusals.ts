/** A provider's words about a prompt that is too long for its model, in tokens; null: it names no number. */
export interface TooLong {
  /** The most tokens that the model takes: prompt and answer together. */
  limit: number | null
  /** The tokens of the refused prompt, as the provider counts them. */
  prompt: number | null
}

const NUMBER = "([\\d,._]+)"
const form = (text: string) => new RegExp(text.replaceAll("#", NUMBER), "i")

/**
 * The forms of this refusal, the most telling first. The groups are named by `reads`. Sources: the providers'
 * documentation and public reports of their errors.
 */
const FORMS: { pattern: RegExp; reads: ("prompt" | "limit" | "answer" | "both" | "over")[] }[] = [
  // Anthropic
  { pattern: form("prompt is too long: # tokens > # maximum"), reads: ["prompt", "limit"] },
  { pattern: form("exceed context limit: # \\+ # > #"), reads: ["prompt", "answer", "limit"] },
  // OpenAI, Azure, DeepSeek, Groq, vLLM, LiteLLM
  {
    pattern: form("maximum context length is # tokens.*?requested (?:about )?# tokens \\(# (?:in|of)"),
    reads: ["limit", "both", "prompt"],
  },
  { pattern: form("maximum context length is # tokens.*?resulted in # tokens"), reads: ["limit", "prompt"] },
  { pattern: form("maximum context length is # tokens.*?requested (?:about )?# tokens"), reads: ["limit", "both"] },
  // vLLM
  { pattern: form("prompt \\(length #\\) is longer than the maximum model length of #"), reads: ["prompt", "limit"] },
  { pattern: form("input length \\(#\\) exceeds.*?maximum context length \\(#\\)"), reads: ["prompt", "limit"] },
  // Gemini
  {
    pattern: form("input token count \\(?#\\)? exceeds the maximum number of tokens allowed \\(?#"),
    reads: ["prompt", "limit"],
  },
  // Mistral
  {
    pattern: form("prompt contains # tokens.*?too large for model with # maximum context length"),
    reads: ["prompt", "limit"],
  },
  // xAI
  { pattern: form("maximum prompt length is # but the request contains # tokens"), reads: ["limit", "prompt"] },
  // Fireworks
  { pattern: form("prompt is too long: #, model maximum context length: #"), reads: ["prompt", "limit"] },
  // Text Generation Inference, Together
  { pattern: form("must be <= #\\. Given: # `inputs` tokens"), reads: ["limit", "prompt"] },
  // Moonshot
  { pattern: form("exceeded model token limit: # \\(requested: #"), reads: ["limit", "both"] },
  // llama.cpp: "request (9000 tokens) exceeds the available context size (4096 tokens)"
  {
    pattern: form("request \\(# tokens\\) exceeds the available context size \\(# tokens"),
    reads: ["prompt", "limit"],
  },
  { pattern: form("exceeds the available context size \\(# tokens"), reads: ["limit"] },
  // Ollama
  { pattern: form("exceeded max context length by # tokens"), reads: ["over"] },
  // Cohere
  { pattern: form("total number of tokens in the prompt cannot exceed #"), reads: ["limit"] },
  // DashScope
  { pattern: form("range of input length should be \\[\\d+, #"), reads: ["limit"] },
]

/** Forms without a number, and codes of errors in a body. */
const WORDS =
  /\bcontext_length_exceeded\b|\bexceed_context_size_error\b|\bmodel_context_window_exceeded\b|\bprompt is too long\b|\bprompt too long\b|\binput is too long\b|\bexceeds the (?:model's )?context window\b|\btoo many total text bytes\b|\brequest_too_large\b|\bprompt exceeds max length\b|\breduce the length of the (?:messages|prompt|input)\b|\bgreater than the context length\b/i

/**
 * Reads a refusal whose reason is a prompt that is too long; null for every other refusal. `text`: the message and the
 * body of the response.
 */
export function tooLongOf(status: number | undefined, text: string): TooLong | null {
  if (status !== 400 && status !== 413 && status !== 422 && status !== 500) return null
  for (const { pattern, reads } of FORMS) {
    const found = pattern.exec(text)
    if (!found) continue
    const said = Object.fromEntries(reads.map((name, at) => [name, numberOf(found[at + 1] ?? "")]))
    const prompt = said.prompt ?? said.both ?? null
    return { limit: said.limit ?? null, prompt }
  }
  return WORDS.test(text) && status !== 500 ? { limit: null, prompt: null } : null
}

const numberOf = (digits: string) => Number(digits.replace(/[^\d]/g, "")) || null
