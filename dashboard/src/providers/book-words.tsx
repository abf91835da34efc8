import type { ProviderBookDay, ProviderBookFinding, ProviderReport } from "../api/operations.ts"
import { counted } from "../ui/numbers.ts"
import { Status } from "../ui/status.tsx"

export const FORMATS: Record<ProviderReport["format"], string> = {
  anthropic: "Anthropic: Usage and Cost Admin API",
  openai: "OpenAI: usage and costs of an organisation",
  openrouter: "OpenRouter: activity and generations",
}

export const STATES: Record<ProviderBookDay["state"], string> = {
  waiting: "waiting",
  preliminary: "preliminary",
  settled: "settled",
}

export const KINDS_OF_FINDINGS: Record<ProviderBookFinding["kind"], string> = {
  provider_more: "Provider has more",
  provider_less: "Provider has less",
  unknown_calls: "Calls that we do not know",
}

export const UNITS: Record<ProviderBookFinding["units"][number]["unit"], string> = {
  model_calls: "Calls",
  tokens_input: "Input tokens",
  tokens_cached: "Cached input tokens",
  tokens_cache_written: "Cache write tokens",
  tokens_output: "Output tokens",
  usd: "Amount",
}

/** The number of findings of a day. Those of a day that is not settled are preliminary, and seen ones are quiet. */
export function Findings({ of: { findings_total: count, state, seen_at } }: { of: ProviderBookDay }) {
  if (state === "waiting") return <>–</>
  if (count === 0) return <Status word="no findings" tone="ok" />
  const words = counted(count, "finding")
  return <Status word={seen_at ? `${words}, seen` : words} tone={seen_at || state === "preliminary" ? "warn" : "bad"} />
}
