import root from "@opentelemetry/otlp-transformer/build/src/generated/root.js"
import { expect } from "vitest"
import type { World } from "./world.ts"

interface MessageType {
  fromObject(value: object): object
  verify(message: object): string | null
  toObject(message: object, options: { longs: StringConstructor }): object
}

/** The published protocol: OpenTelemetry's own code, generated from its .proto files. */
const { ExportTraceServiceRequest } = (
  root as unknown as {
    opentelemetry: { proto: { collector: { trace: { v1: { ExportTraceServiceRequest: MessageType } } } } }
  }
).opentelemetry.proto.collector.trace.v1

interface OtlpAttribute {
  key: string
  value: Record<string, unknown>
}

export interface OtlpSpan {
  traceId: string
  spanId: string
  parentSpanId?: string
  traceState?: string
  flags: number
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: OtlpAttribute[]
  status?: { code: number; message?: string }
}

interface ExportedSpans {
  resourceSpans: { resource: { attributes: OtlpAttribute[] }; scopeSpans: { spans: OtlpSpan[] }[] }[]
}

const IDS = ["traceId", "spanId", "parentSpanId"]
const fromHex = (text: string) => Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
const toHex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")

/** A copy in which `change` replaces ids, which OTLP's JSON has in hexadecimal. */
function withIds(value: unknown, change: (id: never) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => withIds(item, change))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [
      name,
      IDS.includes(name) ? change(part as never) : withIds(part, change),
    ]),
  )
}

/**
 * The request, if it is one of the published protocol: as a message of it, it is the same. So it has no field that the
 * protocol does not know, and each value has its type.
 */
function decodeOtlp(body: string): ExportedSpans {
  const json = JSON.parse(body) as ExportedSpans
  const message = ExportTraceServiceRequest.fromObject(withIds(json, fromHex) as object)
  expect(ExportTraceServiceRequest.verify(message)).toBeNull()
  expect(withIds(ExportTraceServiceRequest.toObject(message, { longs: String }), toHex)).toEqual(json)
  for (const span of spansIn(json)) {
    expect(span.traceId).toMatch(/^(?!0+$)[0-9a-f]{32}$/)
    expect(span.spanId).toMatch(/^(?!0+$)[0-9a-f]{16}$/)
    expect(BigInt(span.endTimeUnixNano) >= BigInt(span.startTimeUnixNano)).toBe(true)
  }
  return json
}

const spansIn = ({ resourceSpans }: ExportedSpans) =>
  resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))

export const attributesOf = ({ attributes }: Pick<OtlpSpan, "attributes">) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))

let collectors = 0

/** A collector of spans. It takes all of them by default. `spans` checks them against the protocol. */
export function serveCollector(
  world: Pick<World, "serve">,
  { host = `collector${++collectors}.customer.com` }: { host?: string } = {},
) {
  const collector = {
    url: `https://${host}/v1/traces`,
    answer: (_request: Request): Response | Promise<Response> => Response.json({}),
    requests: [] as { url: string; headers: Record<string, string>; body: string }[],
    /** The spans of all requests, or of one. */
    spans: (request?: number): OtlpSpan[] =>
      collector.requests
        .filter((_, index) => request === undefined || index === request)
        .flatMap(({ body }) => spansIn(decodeOtlp(body))),
  }
  world.serve(host, async (request) => {
    const body = await request.text()
    collector.requests.push({ url: request.url, headers: Object.fromEntries(request.headers), body })
    return collector.answer(request)
  })
  return collector
}

/** The path at which a user reads and changes the account's endpoint. */
export const TRACE_ENDPOINT_PATH = "/api/account/trace-endpoint"

/** Lets a minute pass, so that ended turns have settled, and exports them. */
export async function exportTraces(world: Pick<World, "advance" | "sweep">, ms = 61_000): Promise<void> {
  await world.advance(ms)
  await world.sweep()
}
