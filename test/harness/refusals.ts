import { guardOf } from "../../src/base/operation-powers.ts"
import { MAX_JSON_BYTES, MAX_OPEN_BYTES, MAX_SERVERS_BYTES } from "../../src/http/json-bodies.ts"
import type { Operation } from "../../src/http/operation.ts"
import type { Session } from "./shared-space.ts"
import type { TestClient } from "./world.ts"

/** A request as an operation's harness makes it. */
export interface SentCall {
  method: string
  path: string
  body?: unknown
  headers: Record<string, string>
}

/** A request that must be refused, with the statuses that it may get. */
export interface Refused {
  why: string
  /** Sends it. */
  call: SentCall
  statuses: readonly number[]
}

const NUL = "\u0000"

/** A body with NUL in each text: PostgreSQL cannot store it. */
function withNul(value: unknown): unknown {
  if (typeof value === "string") return value + NUL
  if (Array.isArray(value)) return value.map(withNul)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withNul(item)]))
}

const limitOf = ({ maxBytes, byServer, open }: Operation) =>
  maxBytes ?? (byServer ? MAX_SERVERS_BYTES : open ? MAX_OPEN_BYTES : MAX_JSON_BYTES)

/** Requests with a fault in their content or preconditions, made from one that succeeds. */
export function faultyCalls(operation: Operation, call: SentCall): Refused[] {
  const refused: Refused[] = []
  const add = (why: string, statuses: number[], change: Partial<SentCall>) =>
    refused.push({ why, statuses, call: { ...call, ...change, headers: { ...call.headers, ...change.headers } } })
  if (operation.body) {
    const type = (value: string) => ({ "content-type": value })
    add("no JSON", [400], { body: "{", headers: type("application/json") })
    add("damaged UTF-8", [400], {
      body: new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]),
      headers: type("application/json"),
    })
    add("another type of body", [415], { body: "text", headers: type("text/plain") })
    add("another shape", [400, 422], { body: { nonsense: [1] } })
    add("a body that is too large", [413], { body: `"${"x".repeat(limitOf(operation))}"` })
    if (call.body && /":"[^"]/.test(JSON.stringify(call.body)))
      add("a text with NUL", [400, 422], { body: withNul(call.body) })
  }
  if (operation.query && !operation.path.startsWith("/v1/")) {
    add("a parameter that is not there", [422], {
      path: `${call.path}${call.path.includes("?") ? "&" : "?"}nonsense=1`,
    })
  }
  if (operation.versioned === "checked" || operation.tagged) {
    add("another version", [412], { headers: { "if-match": '"999999"' } })
    add("a malformed version", [400], { headers: { "if-match": "1" } })
  }
  if (operation.idempotent)
    add("a malformed Idempotency-Key", [400], { headers: { "idempotency-key": "k".repeat(256) } })
  return refused
}

/** True if each call of the operation needs a fresh proof of identity. */
export const needsProof = (operation: Operation) => {
  const guard = guardOf(operation)
  return guard !== null && guard.when === undefined
}

/** Sends a call with a credential. */
export type Send = (call: SentCall) => Promise<Response>

/** A request that must be refused, of an operation. */
export interface RefusedTry extends Refused {
  id: string
  send: Send
}

export const writes = (operations: readonly Operation[]) => operations.filter(({ method }) => method !== "get")

export const byKey =
  ({ call }: TestClient, more: Record<string, string> = {}): Send =>
  ({ method, path, body, headers }) =>
    call(method, path, body instanceof Uint8Array ? new TextDecoder("latin1").decode(body) : body, {
      ...headers,
      ...more,
    })

export const bySession =
  ({ call }: Session, more: Record<string, string | null> = {}): Send =>
  ({ method, path, body, headers }) =>
    call(method, path, body, { ...headers, ...more })
