import type { JsonValue } from "./json-value.ts"
import { wordsOf } from "./open-answers.ts"

const ULID = "01jd3k9m2x4t8r5w6y7z0a1b2c"

/** Example values by field name. A name has the same meaning in every schema. */
const BY_NAME: Record<string, unknown> = {
  space_id: `spc_${ULID}`,
  space: `spc_${ULID}`,
  turn_id: `turn_${ULID}`,
  turn: `turn_${ULID}`,
  file_id: `file_${ULID}`,
  response_id: `resp_${ULID}`,
  conversation: `conv_${ULID}`,
  key_id: `key_${ULID}`,
  webhook_id: `whk_${ULID}`,
  delivery_id: `dlv_${ULID}`,
  event_id: `evt_${ULID}`,
  event_type: "turn.done",
  events: ["turn.done", "turn.failed"],
  enabled: true,
  disabled_at: null,
  disabled_reason: null,
  failing_since: null,
  previous_secret_expires_at: null,
  attempt: 1,
  attempt_count: 1,
  answer: "ok",
  location: null,
  next_attempt_at: null,
  replayed: 12,
  session_id: `ses_${ULID}`,
  invitation_id: `inv_${ULID}`,
  anomaly_id: `ano_${ULID}`,
  identity_id: "idn_9f86d081884c7d659a2feaa0c55ad015",
  issuer: "https://id.example.com",
  request_id: `req_${ULID}`,
  message: "What went wrong.",
  detail: "What went wrong.",
  end_user_ref: "customer-42",
  title: "Support desk",
  description: "What it is for.",
  model: "rehearsal/standard",
  metadata: { order: "A-1" },
  media_type: "application/pdf",
  bytes: 48213,
  sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  label: "Claude Haiku",
  engine: "anthropic",
  pin: "anthropic/claude-haiku-4-5",
  max_output_tokens: 8192,
  turns: 128,
  model_calls: 214,
  tool_calls: 73,
  tokens_input: 181_204,
  tokens_cached: 96_400,
  tokens_output: 22_871,
  billed_usd: 1.8426,
  billed_this_month_usd: 0.3117,
  billed_today_usd: 0.0041,
  monthly_usd: 5,
  blocked: false,
  erasure_id: `era_${ULID}`,
  idempotency_key: "order-1001",
  conversation_name: "orders",
  content: "Order A-1, paid.",
  step: 1,
  base64: "iVBORw0KGgo=",
  url: "https://api.example.com/orders/A-1",
  method: "GET",
  status: 200,
  duration_ms: 84,
  seq: 7,
  version: 3,
  config_version: 3,
  change: "manifest",
  has_more: false,
  next_cursor: null,
  balance_usd: 20,
  held_usd: 0.25,
  available_usd: 19.75,
  user_id: 42,
  email: "you@example.com",
  role: "user",
  ledger_id: 1207,
  reason: "usage",
  amount_credit_micros: -41_000,
  amount_energy: -0.041,
  amount_usd: -0.0041,
  balance_after_credit_micros: 199_959_000,
  balance_after_energy: 199.959,
  balance_after_usd: 19.9959,
  daily_usd: 5,
  end_user_daily_usd: 0.5,
  end_user_monthly_usd: 5,
  window_usd: 1,
  window_seconds: 3600,
  low_balance_usd: 1,
  limit_usd: 5,
  spent_usd: 1.2,
  reserved_usd: 0.25,
  left_usd: 3.55,
  resets_at: "2026-01-16T00:00:00.000Z",
  hold_usd: 0.1,
  needed_usd: 0.0017,
  retry_after: 30_600,
  total: 1,
  limit: 50,
  offset: 0,
  ok: true,
  error: null,
  value: "a-value-of-your-own",
  text: "Where is my order?",
  result: "It left this morning.",
  state: "done",
  status_reason: null,
  waiting: null,
  truncated: false,
  files: [],
  outputs: [],
  billed_cost_usd: 0.0041,
  usage: {
    model_calls: 1,
    tool_calls: 0,
    tokens_input: 812,
    tokens_cached: 640,
    tokens_output: 64,
    tokens_reasoning: 0,
  },
  input_schema: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
  headers: { "content-type": "application/json" },
  started_at: "2026-01-15T09:30:00.412Z",
  finished_at: "2026-01-15T09:30:02.871Z",
  expires_at: null,
  test: false,
  archived: false,
}

/** Example values for names that are a number in some schemas and a list or object in others. */
const COUNTS: Record<string, number> = { events: 96, steps: 41, files: 3, conversations: 2, tasks: 5 }

/** Called with the path of each field that has no example of its own and whose name is not in the tables above. */
type OnMissing = (path: string) => void

interface ExampleContext {
  components: JsonValue
  onMissing: OnMissing
  path: string
}

/**
 * An example of a schema: its own (`example`, `examples`, `default`, `const`), the one for its name, or one made from
 * its parts. An object contains required fields, fields with an example, and named objects.
 */
export function exampleOf(
  schema: JsonValue,
  { components, onMissing = () => {}, path = "" }: { components: JsonValue; onMissing?: OnMissing; path?: string },
): unknown {
  return example(schema, { components, onMissing, path })
}

function example(schema: JsonValue, context: ExampleContext): unknown {
  const words = schema.enum === undefined && schema.const === undefined ? wordsOf(schema) : null
  if (words) return example({ ...schema, anyOf: undefined, type: "string", enum: words }, context)
  const own = ownExample(schema)
  if (own !== undefined) return own
  if (typeof schema.$ref === "string") {
    return example(context.components[schema.$ref.split("/").at(-1) ?? ""] as JsonValue, context)
  }
  const name = context.path.split(".").at(-1) ?? ""
  const values = schema.enum as unknown[] | undefined
  const known = [BY_NAME, COUNTS].find((table) => Object.hasOwn(table, name) && fits(table[name], schema))
  if (known) return known[name]
  if (values) return values[0]
  if (schema.format === "date-time") return "2026-01-15T09:30:00.000Z"
  const parts = (schema.anyOf ?? schema.oneOf) as JsonValue[] | undefined
  if (parts) return example(parts.find((part) => part.type !== "null") ?? {}, context)
  const type = Array.isArray(schema.type) ? schema.type.find((one) => one !== "null") : schema.type
  if (type === "array") return [example((schema.items ?? {}) as JsonValue, { ...context, path: `${context.path}[]` })]
  if (type === "object") return exampleObject(schema, context)
  if (type === "boolean") return true
  context.onMissing(context.path)
  return type === "integer" || type === "number" ? 0 : type === "string" ? "string" : null
}

/** Whether a value has the schema's type. Some names are an object in one schema and its id in another. */
function fits(value: unknown, schema: JsonValue): boolean {
  const { $ref, anyOf, oneOf, type, items, enum: values = wordsOf(schema) } = schema
  if (values) return (values as unknown[]).includes(value)
  const parts = (anyOf ?? oneOf) as JsonValue[] | undefined
  if (parts) return parts.some((part) => fits(value, part))
  if (Array.isArray(value) && !value.every((item) => fits(item, (items ?? {}) as JsonValue))) return false
  const kind = value === null ? "null" : Array.isArray(value) ? "array" : typeof value
  if ($ref) return kind === "object"
  const kinds = [type].flat()
  return type === undefined || kinds.includes(kind) || (kinds.includes("integer") && Number.isInteger(value))
}

function ownExample(schema: JsonValue): unknown {
  if (schema.example !== undefined) return schema.example
  if (Array.isArray(schema.examples)) return schema.examples[0]
  return schema.default ?? schema.const
}

function exampleObject(schema: JsonValue, context: ExampleContext): JsonValue {
  const { properties = {}, required = [] } = schema as { properties?: Record<string, JsonValue>; required?: string[] }
  const shown = Object.entries(properties).filter(
    ([name, field]) => required.includes(name) || field.example !== undefined || field.$ref !== undefined,
  )
  return Object.fromEntries(
    shown.map(([name, field]) => [
      name,
      example(field, { ...context, path: context.path ? `${context.path}.${name}` : name }),
    ]),
  )
}
