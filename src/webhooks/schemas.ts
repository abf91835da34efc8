import * as z from "zod"
import { composed } from "../base/casts.ts"
import { timeInWords } from "../base/in-words.ts"
import { instantParam } from "../base/time.ts"
import type { Turn } from "../turns/schemas.ts"
import {
  declarationOf,
  EVENT_NAMES,
  EVENT_TYPES,
  type EventType,
  formOf,
  type NamedForm,
  typesOfForm,
} from "./event-types.ts"
import { WEBHOOK_POLICY } from "./policies.ts"

export const DELIVERY_STATES = ["pending", "delivered", "failed"] as const

const eventType = z.enum(EVENT_TYPES)
const instant = z.iso.datetime()

const url = z.string().min(1).max(WEBHOOK_POLICY.urlLength).meta({
  description: "The URL to which events are posted. It must use https and a public host name.",
  example: "https://example.com/webhooks/turnpike",
})

const events = z
  .array(eventType)
  .min(1)
  .refine((types) => new Set(types).size === types.length, "must name each type once")
  .nullable()
  .meta({
    description:
      "The types of events to send. Null: all types, including those added later, but not `activity.recorded`, which must be named.",
    uniqueItems: true,
    example: ["turn.done", "turn.failed", "turn.cancelled"],
  })

const description = z.string().max(500).nullable().meta({ description: "Your own description." })

export const createWebhookSchema = z
  .strictObject({
    url,
    events: events.optional(),
    description: description.optional(),
    ping: z
      .boolean()
      .default(true)
      .meta({
        description:
          "`false`: no `ping` is sent yet. Start your server with the secret, then send the ping with `POST …/test`. Until " +
          "the server has answered it, all other events wait.",
      }),
  })
  .meta({ id: "CreateWebhook" })

export type CreateWebhook = z.infer<typeof createWebhookSchema>

export const updateWebhookSchema = z
  .strictObject({
    url: url.optional(),
    events: events.optional(),
    description: description.optional(),
    enabled: z.boolean().optional().meta({
      description: "`false` disables the webhook. `true` enables it again, also if it was disabled automatically.",
    }),
  })
  .refine((changes) => Object.keys(changes).length > 0, "must name at least one field to change")
  .meta({ id: "UpdateWebhook" })

export type UpdateWebhook = z.infer<typeof updateWebhookSchema>

const webhookShape = {
  webhook_id: z.string().meta({ example: "whk_01jd3k9m2x4t8r5w6y7z0a1b2c" }),
  key_id: z
    .string()
    .nullable()
    .meta({
      description:
        "The key that created it and whose scope it has. Null if it was created in the dashboard. It stays active " +
        "after the key is revoked.",
    }),
  url: z.string().meta({ description: "The URL to which events are posted." }),
  events: z.array(z.string()).nullable().meta({ description: "The types of events to send. Null: all types." }),
  description: z.string().nullable(),
  state: z.enum(["pending", "verified"]).meta({
    description:
      "`pending`: the URL has not answered a `ping` with 2xx yet. Events wait until it has. A failed ping is retried like any event, " +
      "and `POST …/test` sends one at once.",
  }),
  verified_at: instant.nullable().meta({ description: "When the URL answered a ping. Null: not yet." }),
  enabled: z.boolean().meta({ description: "True if events are posted to it." }),
  disabled_at: instant.nullable(),
  disabled_reason: z
    .enum(["customer", "gone", "failing", "account_disabled"])
    .nullable()
    .meta({
      description:
        "`customer`: you disabled it. `gone`: it returned 410. `failing`: every attempt failed for " +
        `${timeInWords(WEBHOOK_POLICY.disableAfterMs)}, ` +
        "or it never answered its ping. `account_disabled`: it is enabled again together with the account.",
    }),
  failing_since: instant
    .nullable()
    .meta({ description: "When the first failure since the last success occurred. Null: the last attempt succeeded." }),
  previous_secret_expires_at: instant.nullable().meta({
    description: "Until when former secrets also sign, as their rotations set. Null: none signs.",
  }),
  test: z
    .boolean()
    .meta({ description: "True if it was created with a test key. Then it receives only events of test turns." }),
  created_at: instant,
  updated_at: instant,
}

export const webhookSchema = z.object(webhookShape).meta({ id: "Webhook" })

export const webhookWithSecretSchema = z
  .object({
    ...webhookShape,
    secret: z.string().meta({
      description: "The signing secret (Standard Webhooks), shown only here.",
      example: "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD",
    }),
  })
  .meta({ id: "WebhookWithSecret" })

export type Webhook = z.infer<typeof webhookSchema>

const attemptSchema = z
  .object({
    attempt: z.int().meta({ description: "The number of the attempt, from 1." }),
    created_at: instant,
    status: z.int().nullable().meta({ description: "The HTTP status of the response. Null: no response." }),
    error: z.string().nullable().meta({ description: "Why there was no response, or what its status means." }),
    answer: z.string().nullable().meta({ description: "The first KiB of the response body." }),
    location: z
      .string()
      .nullable()
      .meta({ description: "The target of a redirect. Redirects are not followed.", example: null }),
    duration_ms: z.int(),
    request_headers: z.record(z.string(), z.string()).meta({
      description: "The headers that were sent, without `webhook-signature`, which is not stored.",
      example: {
        "content-type": "application/json",
        "user-agent": "Turnpike-Webhooks",
        "webhook-id": "evt_01jd3k9m2x4t8r5w6y7z0a1b2c",
        "webhook-timestamp": "1768467731",
      },
    }),
  })
  .meta({ id: "DeliveryAttempt" })

export const deliverySchema = z
  .object({
    delivery_id: z.string().meta({ example: "dlv_01jd3k9m2x4t8r5w6y7z0a1b2c" }),
    webhook_id: z.string(),
    event_id: z.string().meta({ description: "The `webhook-id` header of every attempt." }),
    event_type: z.string().meta({ description: "The event's `type`." }),
    turn_id: z.string().nullable().meta({ description: "The event's turn. Null if the event belongs to no turn." }),
    state: z.enum(DELIVERY_STATES).meta({
      description:
        "`pending`: it will be attempted again. `failed`: it will not be attempted again unless you redeliver it.",
      example: "delivered",
    }),
    status_reason: z
      .enum([
        "attempts_exhausted",
        "endpoint_gone",
        "endpoint_failing",
        "endpoint_disabled",
        "endpoint_deleted",
        "account_disabled",
      ])
      .nullable()
      .meta({ description: "Why it failed. Null: it has not failed." }),
    attempt_count: z.int().meta({ description: "The number of attempts, including attempts of redeliveries." }),
    attempts: z.array(attemptSchema).meta({
      description: `Oldest first. A list shows the newest ${WEBHOOK_POLICY.attemptsListed} of each delivery; reading one delivery shows all.`,
    }),
    next_attempt_at: instant
      .nullable()
      .meta({ description: "When the next attempt is due. Null unless it is pending." }),
    created_at: instant,
    finished_at: instant.nullable(),
  })
  .meta({ id: "Delivery" })

export type Delivery = z.output<typeof deliverySchema>

/** The filters of an endpoint's deliveries. */
export const deliveryFilters = {
  state: z.enum(DELIVERY_STATES).optional(),
  event_type: z.enum(EVENT_NAMES).optional(),
  turn: z
    .string()
    .min(1)
    .max(128)
    .optional()
    .meta({ description: "Only deliveries of this turn's events: a `turn_id`." }),
}

const eventId = z.string().meta({
  description: "The same in every delivery and replay. Store it, so that you handle each event once.",
  example: "evt_01jd3k9m2x4t8r5w6y7z0a1b2c",
})

const ofTurn = z.int().nullable().meta({ description: "The event's number in its turn's log." })
const ofNoTurn = z.int().nullable().meta({ description: "Always null: the event belongs to no turn.", example: null })

/** Forms of several types, or with an example of another type than the first. */
const NAMED_FORMS: Record<NamedForm, { description: string; example?: EventType }> = {
  TurnStateEvent: { description: "A turn has a new state.", example: "turn.done" },
  CapEvent: { description: "A share of a cap has been spent." },
  BalanceEvent: { description: "The balance is low or used up." },
  EndUserBalanceEvent: { description: "The credit of an end user is low or used up." },
}

const NOTICE = "It is a notice to the account's owner, so only keys to all spaces see it."

/** The schema of the events of one form, which `type` tells apart. */
function eventForm(id: string) {
  const [first, ...others] = typesOfForm(id) as [EventType, ...EventType[]]
  const { form, when, isNotice, seq, data, example: exampleOf } = declarationOf(first)
  const own = { description: isNotice ? `${when} ${NOTICE}` : when, example: undefined }
  const { description, example } = form ? NAMED_FORMS[form] : own
  return z
    .object({
      id: eventId,
      type: z.literal([first, ...others]).meta(example ? { example } : {}),
      created_at: instant,
      seq: seq === undefined ? ofNoTurn : ofTurn,
      data: form ? data : data.meta({ example: exampleOf({}) }),
    })
    .meta({ id, description })
}

/** The events that webhooks receive and the feed lists. `type` says which form an event has. */
export const eventSchema = composed<z.ZodType<Event, Event>>(
  z
    .union([...new Set(EVENT_NAMES.map(formOf))].map(eventForm))
    .meta({ id: "Event", description: "An event, as in the body that a webhook receives." }),
)

/** An event of any type. */
export interface Event {
  id: string
  type: EventType
  created_at: string
  seq: number | null
  data: { turn?: Turn; [name: string]: unknown }
}

export const replaySchema = z
  .strictObject({
    from: instantParam.meta({
      description:
        "The start of the period (inclusive). Events from before the time for which deliveries are kept are left out, because they might be sent twice.",
      example: "2026-11-20T00:00:00Z",
    }),
    to: instantParam.optional().meta({ description: "The end of the period (exclusive). Default: no end." }),
    events: events.optional(),
    include_delivered: z
      .boolean()
      .default(false)
      .meta({ description: "`true` also sends events that this webhook has already accepted." }),
  })
  .meta({ id: "Replay" })

export type Replay = z.output<typeof replaySchema>

export const replayedSchema = z
  .object({
    replayed: z.int().meta({ description: "The number of deliveries that this request made pending." }),
    has_more: z.boolean(),
    next_cursor: z.string().nullable(),
  })
  .meta({ id: "Replayed" })

export type Replayed = z.output<typeof replayedSchema>
