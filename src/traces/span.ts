import type { SpanPart } from "../base/trace-context.ts"

/** A number of SpanKind in OTLP. */
export const SPAN_KIND = { internal: 1, client: 3 } as const

/** `double` keeps a whole amount a double. Attributes without a value are left out. */
export type AttributeValue = string | number | boolean | readonly string[] | { double: number } | null | undefined
export type Attributes = Record<string, AttributeValue>

interface SpanEvent {
  name: string
  atMs: number
  attributes: Attributes
}

/** A part of a turn as a span. Its ids come from the turn (src/base/trace-context.ts). */
export interface TurnSpan {
  part: SpanPart
  /** Null: the turn itself, whose parent is the caller's span. */
  parent: SpanPart | null
  name: string
  kind: (typeof SPAN_KIND)[keyof typeof SPAN_KIND]
  startMs: number
  endMs: number
  attributes: Attributes
  /** Null: it has not failed. */
  error: { type: string; message: string | null } | null
  events: SpanEvent[]
}
