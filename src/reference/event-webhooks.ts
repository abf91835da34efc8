import { declarationOf, EVENT_NAMES, type EventType, formOf, nameOfType } from "../webhooks/event-types.ts"
import { type Event, eventSchema } from "../webhooks/schemas.ts"
import { type Components, createComponents } from "./components.ts"
import { exampleOf } from "./examples.ts"
import type { JsonValue } from "./json-value.ts"

const ULID = "01jd3k9m2x4t8r5w6y7z0a1b2c"

const HEADERS = [
  ["webhook-id", "The event's id. It is the same in every attempt.", `evt_${ULID}`],
  ["webhook-timestamp", "The time of this attempt, as a Unix timestamp in seconds.", "1768469402"],
  [
    "webhook-signature",
    "One or more signatures `v1,…`, separated by spaces (Standard Webhooks).",
    "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
  ],
] as const

/** The `webhooks` of the document: one message for each event type. */
export function describeEvents(components: Components): JsonValue {
  components.schemaOf(eventSchema, "output")
  return Object.fromEntries(EVENT_NAMES.map((type) => [type, { post: message(type, components.schemas) }]))
}

function message(type: EventType, schemas: JsonValue): JsonValue {
  const { label } = declarationOf(type)
  const schema = { $ref: `#/components/schemas/${formOf(type)}` }
  return {
    operationId: `on${nameOfType(type)}`,
    tags: ["Events"],
    summary: label,
    description:
      "Sent to every webhook that is subscribed to this type. Verify the signature of the raw body before you use it.",
    security: [],
    parameters: HEADERS.map(([name, description, example]) => ({
      name,
      in: "header",
      required: true,
      description,
      schema: { type: "string" },
      example,
    })),
    requestBody: {
      required: true,
      content: { "application/json": { schema, example: eventExample(type, schema, schemas) } },
    },
    responses: {
      "2XX": { description: "The event was received. It is not sent again." },
      "410": { description: "Turnpike disables the webhook." },
      default: { description: "The attempt has failed. Turnpike sends the event again, until the last attempt." },
    },
  }
}

/** An example event. The turn in its data has the state that the event type implies. */
function eventExample(type: EventType, schema: JsonValue, components: JsonValue): JsonValue {
  const { example, seq = null } = declarationOf(type)
  const made = exampleOf(schema, { components }) as Pick<Event, "data">
  return { ...made, type, seq, data: example(made.data) }
}

/** Example data of an event type, for guides. */
export function exampleData(type: EventType): Event["data"] {
  const components = createComponents()
  components.schemaOf(eventSchema, "output")
  const { data } = eventExample(type, components.schemas[formOf(type)] as JsonValue, components.schemas)
  return data as Event["data"]
}
