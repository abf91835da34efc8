import type { TurnBill } from "../api/operations.ts"

type Terms = { [Name in "above_input_tokens" | "modifiers"]?: TurnBill["items"][number][Name] | undefined }

const REGION = "geo_"

/** The tier and the service whose prices a call has, in words. Null: the model's own prices. */
export function wordsOfTerms({ above_input_tokens: above, modifiers = [] }: Terms): string | null {
  const words = [
    ...(typeof above === "number" ? [`tier above ${above.toLocaleString()} input tokens`] : []),
    ...modifiers.map((name) =>
      name.startsWith(REGION) ? `region ${name.slice(REGION.length)}` : `served as ${name.replaceAll("_", " ")}`,
    ),
  ]
  return words.length > 0 ? words.join(", ") : null
}
