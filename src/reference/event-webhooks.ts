import { type EVENT_TYPES, eventSchema } from "../webhooks/schemas.ts"
import type { Components } from "./components.ts"
import { exampleOf } from "./examples.ts"
import type { JsonValue } from "./json-value.ts"
import { wordsOf } from "./open-answers.ts"

/** When each type of event is sent. */
const SUMMARIES: Record<(typeof EVENT_TYPES)[number] | "ping", string> = {
  "turn.queued": "A turn was accepted",
  "turn.running": "A turn has begun to run",
  "turn.done": "A turn is done",
  "turn.failed": "A turn has failed",
  "turn.cancelled": "A turn was cancelled",
  "balance.low": "The balance is below its alert",
  "balance.depleted": "The balance is used up",
  "cap.reached": "A share of a cap is spent",
  "endpoint.disabled": "Another webhook was disabled",
  "account.signed_in": "Somebody has signed in from a new place",
  "account.locked": "Sign-in is locked after wrong passwords",
  "account.factor_changed": "A factor of the sign-in was changed",
  "key.created": "An API key was created or rotated",
  "space.shared": "More people see spaces of the account",
  ping: "A test of the webhook, and the first message to a new one",
}

const NONE = { model_calls: 0, tool_calls: 0, tokens_input: 0, tokens_cached: 0, tokens_output: 0 }
const OPEN = { result: null, billed_cost_usd: 0, held_usd: 0.1, usage: NONE, finished_at: null }

/** What of a turn differs from one that is done. */
const TURNS: Record<string, { seq: number; turn: JsonValue }> = {
  "turn.queued": { seq: 1, turn: { ...OPEN, state: "queued", started_at: null } },
  "turn.running": { seq: 2, turn: { ...OPEN, state: "running" } },
  "turn.done": { seq: 7, turn: {} },
  "turn.failed": {
    seq: 7,
    turn: {
      state: "failed",
      status_reason: "MODEL_UNAVAILABLE",
      result: null,
      error: { code: "MODEL_UNAVAILABLE", message: "The model did not answer, also when it was asked again." },
    },
  },
  "turn.cancelled": { seq: 4, turn: { state: "cancelled", status_reason: "client", result: null } },
}

const ULID = "01jd3k9m2x4t8r5w6y7z0a1b2c"

/** The data of events that have no schema of their own, and what differs from the example of one. */
const DATA: Record<string, JsonValue> = {
  "balance.depleted": { balance_usd: 0.25, held_usd: 0.25, available_usd: 0, threshold_usd: 0 },
  "endpoint.disabled": { webhook_id: `whk_${ULID}`, url: "https://example.com/webhooks/old", reason: "gone" },
  "account.signed_in": { session_id: `ses_${ULID}`, address: "203.0.113.7", user_agent: "Mozilla/5.0" },
  "account.locked": { address: "203.0.113.7" },
  "account.factor_changed": { factor: "second_factor", change: "set" },
  "key.created": { key_id: `key_${ULID}`, name: "Server", scope: "all", test: false, hint: "x7Qa", rotated: false },
  "space.shared": {
    spaces: [{ space: `spc_${ULID}`, title: "Support desk" }],
    space_count: 1,
    people: [{ user_id: 43, name: "Grace" }],
    people_count: 1,
  },
  ping: { webhook_id: `whk_${ULID}` },
}

const HEADERS = [
  ["webhook-id", "The event's id, the same at every attempt.", `evt_${ULID}`],
  ["webhook-timestamp", "When this attempt was made, in seconds of Unix time.", "1768469402"],
  [
    "webhook-signature",
    "One or more signatures `v1,…`, separated by spaces (Standard Webhooks).",
    "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
  ],
] as const

/** The messages that webhooks get, one for each type of event: the `webhooks` of the document. */
export function describeEvents(components: Components): JsonValue {
  components.schemaOf(eventSchema, "output")
  const { schemas } = components
  const forms = ["TurnStateEvent", "CapEvent", "BalanceEvent", "AccountEvent"]
  const formOf = (type: string) =>
    forms.find((name) => wordsOf(propertiesOf(schemas[name]).type as JsonValue)?.includes(type)) ?? "AccountEvent"
  return Object.fromEntries(
    Object.entries(SUMMARIES).map(([type, summary]) => {
      const schema = { $ref: `#/components/schemas/${formOf(type)}` }
      return [type, { post: message(type, summary, { schema, example: eventExample(type, schema, schemas) }) }]
    }),
  )
}

const propertiesOf = (schema: unknown) => ((schema as JsonValue).properties ?? {}) as JsonValue

function message(type: string, summary: string, content: JsonValue): JsonValue {
  return {
    operationId: `on${type
      .split(/[._]/)
      .map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`)
      .join("")}`,
    tags: ["Events"],
    summary,
    description: "Posted to the webhooks that have this type. Verify the signature over the body's bytes first.",
    security: [],
    parameters: HEADERS.map(([name, description, example]) => ({
      name,
      in: "header",
      required: true,
      description,
      schema: { type: "string" },
      example,
    })),
    requestBody: { required: true, content: { "application/json": content } },
    responses: {
      "2XX": { description: "The event is taken: it is not sent again." },
      "410": { description: "The webhook is disabled." },
      default: { description: "It is sent again, up to the last attempt." },
    },
  }
}

/** An event of a type as it can be: a turn has the state that its event says. */
function eventExample(type: string, schema: JsonValue, components: JsonValue): JsonValue {
  const made = exampleOf(schema, { components }) as { data: JsonValue }
  const turn = TURNS[type]
  if (!turn) return { ...made, type, data: { ...made.data, ...DATA[type] } }
  return { ...made, type, seq: turn.seq, data: { turn: { ...(made.data.turn as JsonValue), ...turn.turn } } }
}
