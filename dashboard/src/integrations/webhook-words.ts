import type { CreateWebhook } from "../api/operations.ts"
import { CapReachedRules, CreateWebhookRules } from "../api/rules.ts"

export type EventType = NonNullable<CreateWebhook["events"]>[number]

const sentenceOf = (words: readonly number[]) => `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`

/** When each type of event is sent. A type that the API gets and that has no words here does not compile. */
export const EVENT_WORDS: Record<EventType, string> = {
  "turn.queued": "A turn was accepted",
  "turn.running": "A turn has begun",
  "turn.done": "A turn has succeeded",
  "turn.failed": "A turn has failed",
  "turn.cancelled": "A turn was cancelled",
  "balance.low": "The balance is below its alert",
  "balance.depleted": "The balance is used up",
  "cap.reached": `${sentenceOf(CapReachedRules.percent.words)} % of a cap are spent`,
  "endpoint.disabled": "A webhook was switched off",
  "account.signed_in": "A sign-in from a new place",
  "account.locked": "Sign-in is locked after wrong passwords",
  "account.factor_changed": "A second factor was changed",
  "key.created": "An API key was created",
  "space.shared": "A space was shared",
}

export const EVENT_TYPES: readonly EventType[] = CreateWebhookRules["events[]"].words
