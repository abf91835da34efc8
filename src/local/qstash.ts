import { randomBytes, randomUUID } from "node:crypto"
import { Broker } from "./qstash-broker.ts"
import { Control } from "./qstash-control.ts"
import { Pusher } from "./qstash-delivery.ts"
import { QstashRefusal } from "./qstash-headers.ts"
import { route } from "./qstash-routes.ts"
import { type Answer, type Call, jsonAnswer, type Service } from "./service.ts"

export interface QstashSecrets {
  token: string
  currentSigningKey: string
  nextSigningKey: string
}

const newSigningKey = () => `sig_${randomUUID().replaceAll("-", "").slice(0, 28)}`

/**
 * Generates the secrets of one service. Other users of this machine must not know them: they can start turns with them.
 */
export function newQstashSecrets(): QstashSecrets {
  return {
    token: randomBytes(32).toString("base64url"),
    currentSigningKey: newSigningKey(),
    nextSigningKey: newSigningKey(),
  }
}

const PUSH_PARALLELISM = 500

interface QstashOptions {
  /** "push": messages are delivered when they are due. "manual": `control` moves the clock and takes the messages. */
  mode: "push" | "manual"
  /** How many messages are delivered at once. Default: 500 in push mode, so a burst does not open too many sockets. */
  parallelism?: number | undefined
  secrets: QstashSecrets
  /** The time in milliseconds. In manual mode only the first result is used. */
  now?: () => number
}

export interface Qstash {
  /** The public API, /v2 and below. */
  service: Service
  /** The control interface: /clock, /due, /answer, /pending, /reset, /keys/roll. */
  control: Service
  close(): Promise<void>
}

/** QStash in memory. All messages are lost when the process ends, as after a `reset`. */
export function createQstash({ mode, parallelism, secrets, now: realNow = Date.now }: QstashOptions): Qstash {
  let frozenMs = realNow()
  let keys = { current: secrets.currentSigningKey, next: secrets.nextSigningKey }
  const authorization = `Bearer ${secrets.token}`
  const newBroker = () => new Broker(parallelism ?? (mode === "push" ? PUSH_PARALLELISM : Number.POSITIVE_INFINITY))
  let broker = newBroker()

  const now = mode === "push" ? realNow : () => frozenMs
  const shared = { broker: () => broker, now, signingKey: () => keys.current }
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
    rollKeys: () => {
      keys = { current: keys.next, next: newSigningKey() }
      return keys
    },
  })

  return {
    service: refusing((call) => {
      if (call.headers.authorization !== authorization) throw new QstashRefusal(401, "invalid token")
      const answer = route(call, broker, now())
      if (call.method !== "GET") pusher?.wake()
      return answer
    }),
    control: refusing((call) => control.handle(call)),
    close: async () => {
      await pusher?.close()
    },
  }
}

function refusing(handle: (call: Call) => Answer): Service {
  return async (call) => {
    try {
      return handle(call)
    } catch (error) {
      if (error instanceof QstashRefusal) return jsonAnswer(error.status, { error: error.message })
      throw error
    }
  }
}
