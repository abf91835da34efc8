import { spanIdOf, type TracedRow, traceOf } from "../base/trace-context.ts"
import type { Attributes, AttributeValue, TurnSpan } from "./span.ts"

/** Spans in the JSON of OTLP 1.x (ExportTraceServiceRequest): ids in hexadecimal, 64-bit numbers as texts. */

const SCHEMA = "https://opentelemetry.io/schemas/1.41.0"
const ERROR = 2
/** Bits of a span's flags: the parent's place is known, and it is another service. */
const FLAGS = { sampled: 0x1, knowsRemote: 0x100, isRemote: 0x200 }

type OtlpValue =
  | { stringValue: string }
  | { boolValue: boolean }
  | { intValue: string }
  | { doubleValue: number }
  | { arrayValue: { values: OtlpValue[] } }

export interface TurnSpans {
  turn: TracedRow
  spans: TurnSpan[]
}

export function exportRequest(service: string, turns: readonly TurnSpans[]) {
  const spans = turns.flatMap(({ turn, spans }) => spans.map((span) => otlpSpan(turn, span)))
  const scope = { name: "turnpike" }
  return {
    resourceSpans: [
      {
        resource: { attributes: otlpAttributes({ "service.name": service }) },
        scopeSpans: [{ scope, spans, schemaUrl: SCHEMA }],
      },
    ],
  }
}

function otlpSpan(turn: TracedRow, { part, parent, name, kind, error, events, ...span }: TurnSpan) {
  const { traceId, parentSpanId, tracestate, isSampled } = traceOf(turn)
  const parentId = parent === null ? parentSpanId : spanIdOf(turn.turn_id, parent)
  const isRemote = parent === null && parentSpanId !== null
  return {
    traceId,
    spanId: spanIdOf(turn.turn_id, part),
    ...(tracestate !== null && { traceState: tracestate }),
    ...(parentId !== null && { parentSpanId: parentId }),
    flags: (isSampled ? FLAGS.sampled : 0) | FLAGS.knowsRemote | (isRemote ? FLAGS.isRemote : 0),
    name,
    kind,
    startTimeUnixNano: nanos(span.startMs),
    endTimeUnixNano: nanos(span.endMs),
    attributes: otlpAttributes({ ...span.attributes, ...(error && { "error.type": error.type }) }),
    ...(events.length > 0 && {
      events: events.map(({ name, atMs, attributes }) => ({
        timeUnixNano: nanos(atMs),
        name,
        attributes: otlpAttributes(attributes),
      })),
    }),
    ...(error && { status: { code: ERROR, ...(error.message !== null && { message: error.message }) } }),
  }
}

const nanos = (ms: number) => `${Math.round(ms)}000000`

function otlpAttributes(attributes: Attributes) {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === null || value === undefined ? [] : [{ key, value: otlpValue(value) }],
  )
}

function otlpValue(value: NonNullable<AttributeValue>): OtlpValue {
  if (typeof value === "string") return { stringValue: value }
  if (typeof value === "boolean") return { boolValue: value }
  if (typeof value === "number") return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
  if ("double" in value) return { doubleValue: value.double }
  return { arrayValue: { values: value.map((one) => ({ stringValue: one })) } }
}
