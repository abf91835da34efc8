import { EVENT_LABELS } from "../api/event-labels.ts"
import type { Delivery } from "../api/operations.ts"
import { everyOf } from "../api/words.ts"

export type EventType = Exclude<keyof typeof EVENT_LABELS, "ping">

/** The types that a webhook can subscribe to. */
export const EVENT_TYPES = Object.keys(EVENT_LABELS).filter((type) => type !== "ping") as EventType[]

export const DELIVERY_STATES = everyOf<Delivery["state"]>()(["pending", "delivered", "failed"])
export type DeliveryStateName = (typeof DELIVERY_STATES)[number]
