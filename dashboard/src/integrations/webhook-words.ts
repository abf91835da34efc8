export const EVENT_TYPES = [
  "turn.queued",
  "turn.running",
  "turn.done",
  "turn.failed",
  "turn.cancelled",
  "balance.low",
  "balance.depleted",
  "cap.reached",
  "endpoint.disabled",
] as const
export type EventType = (typeof EVENT_TYPES)[number]

export const DELIVERY_STATES = ["pending", "delivered", "failed"] as const
export type DeliveryStateName = (typeof DELIVERY_STATES)[number]
