import { declarationOf, EVENT_NAMES, type EventType } from "../webhooks/event-types.ts"
import { type Event, eventSchema } from "../webhooks/schemas.ts"
import { type Components, createComponents } from "./components.ts"
import { exampleOf } from "./examples.ts"
import type { JsonValue } from "./json-value.ts"

const ULID = "01jd3k9m2x4t8r5w6y7z0a1b2c"

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
  return Object.fromEntries(EVENT_NAMES.map((type) => [type, { post: message(type, components.schemas) }]))
}

function message(type: EventType, schemas: JsonValue): JsonValue {
  const { form, label } = declarationOf(type)
  const schema = { $ref: `#/components/schemas/${form}` }
  return {
    operationId: `on${type
      .split(/[._]/)
      .map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`)
      .join("")}`,
    tags: ["Events"],
    summary: label,
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
    requestBody: {
      required: true,
      content: { "application/json": { schema, example: eventExample(type, schema, schemas) } },
    },
    responses: {
      "2XX": { description: "The event is taken: it is not sent again." },
      "410": { description: "The webhook is disabled." },
      default: { description: "It is sent again, up to the last attempt." },
    },
  }
}

/** An event of a type as it can be: a turn has the state that its event says. */
function eventExample(type: EventType, schema: JsonValue, components: JsonValue): JsonValue {
  const { example, seq = null } = declarationOf(type)
  const made = exampleOf(schema, { components }) as Pick<Event, "data">
  return { ...made, type, seq, data: example(made.data) }
}

/** The data of an event of a type, for guides. */
export function exampleData(type: EventType): Event["data"] {
  const components = createComponents()
  components.schemaOf(eventSchema, "output")
  const { form } = declarationOf(type)
  const { data } = eventExample(type, components.schemas[form] as JsonValue, components.schemas)
  return data as Event["data"]
}
