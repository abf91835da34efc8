import { EVENT_LABELS } from "../api/event-labels.ts"

export type EventType = Exclude<keyof typeof EVENT_LABELS, "ping">

/** The types that a webhook can subscribe to. */
export const EVENT_TYPES = Object.keys(EVENT_LABELS).filter((type) => type !== "ping") as EventType[]
