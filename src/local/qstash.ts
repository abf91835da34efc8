import { createHash, timingSafeEqual } from "node:crypto"
import { Broker } from "./qstash-broker.ts"
import { Control } from "./qstash-control.ts"
import { Pusher } from "./qstash-delivery.ts"
import { QstashRefusal } from "./qstash-errors.ts"
import { route } from "./qstash-routes.ts"
import { newSigningKey } from "./qstash-signature.ts"
import { type Answer, type Call, json, type Service } from "./service.ts"

/** What the official development server uses, and what the SDK's development mode looks for. */
export const QSTASH_DEFAULTS = {
  token: "eyJVc2VySUQiOiJkZWZhdWx0VXNlciIsIlBhc3N3b3JkIjoiZGVmYXVsdFBhc3N3b3JkIn0=",
  currentSigningKey: "sig_7kYjw48mhY7kAjqNGcy6cr29RJ6r",
  nextSigningKey: "sig_5ZB6DVzB1wjE8S6rZ7eenA8Pdnhs",
} as const

/** Deliveries at once in push mode, so that a burst does not open a socket per message. */
const PUSH_PARALLELISM = 500

export interface QstashOptions {
  /** Token and keys are QSTASH_DEFAULTS unless given. */
  token?: string
  currentSigningKey?: string
  nextSigningKey?: string
  /** "push" delivers by itself as time passes; "manual" stands still and is moved through `control`. */
  mode: "push" | "manual"
  /** Milliseconds; in manual mode only its first answer counts. */
  now?: () => number
  /** Deliveries at once over all messages; without a bound in manual mode. */
  parallelism?: number
}

export interface Qstash {
  /** The public API, /v2 and below. */
  service: Service
  /** The tests' side: /clock, /due, /answer, /pending, /reset, /keys/roll. */
  control: Service
  close(): Promise<void>
}

/** QStash in memory. Everything is lost with the process, as after a `reset`. */
export function createQstash(options: QstashOptions): Qstash {
  const { mode, token, currentSigningKey, nextSigningKey } = { ...QSTASH_DEFAULTS, ...options }
  const realNow = options.now ?? Date.now
  let frozenMs = realNow()
  let keys = { current: currentSigningKey, next: nextSigningKey }
  const newBroker = () =>
    new Broker(options.parallelism ?? (mode === "push" ? PUSH_PARALLELISM : Number.POSITIVE_INFINITY))
  let broker = newBroker()

  const now = mode === "push" ? realNow : () => frozenMs
  const rollKeys = () => {
    keys = { current: keys.next, next: newSigningKey() }
    return keys
  }
  const shared = { broker: () => broker, now, signingKey: () => keys.current, keys: () => keys, rollKeys }
  const pusher = mode === "push" ? new Pusher(shared) : undefined
  const control = new Control({
    ...shared,
    mode,
    setNow: (nowMs) => {
      frozenMs = nowMs
    },
    reset: () => {
      broker = newBroker()
    },
  })

  return {
    service: (call) =>
      answer(async () => {
        const query = new URLSearchParams(call.search)
        if (!isAuthorized(call, query, token)) throw new QstashRefusal(401, "invalid token")
        const reply = route(call, query, shared)
        if (call.method !== "GET") pusher?.wake()
        return reply
      }),
    control: (call) => answer(() => control.handle(call)),
    close: async () => {
      await pusher?.close()
    },
  }
}

async function answer(handle: () => Promise<Answer>): Promise<Answer> {
  try {
    return await handle()
  } catch (error) {
    if (error instanceof QstashRefusal) return json(error.status, { error: error.message })
    throw error
  }
}

function isAuthorized(call: Call, query: URLSearchParams, token: string): boolean {
  const bearer = /^Bearer (.+)$/i.exec(call.headers.authorization ?? "")?.[1]
  const given = bearer ?? query.get("qstash_token")
  return given !== null && given !== undefined && timingSafeEqual(digest(given), digest(token))
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest()
}
