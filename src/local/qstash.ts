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

/** Those of a service of one's own. Nobody else on this machine may know them: whoever does runs turns and signs callbacks. */
export function newQstashSecrets(): QstashSecrets {
  return {
    token: randomBytes(32).toString("base64url"),
    currentSigningKey: newSigningKey(),
    nextSigningKey: newSigningKey(),
  }
}

const PUSH_PARALLELISM = 500

interface QstashOptions {
  /** "push" delivers by itself as time passes; "manual" stands still and is moved through `control`. */
  mode: "push" | "manual"
  /** How many messages it delivers at once, as a plan allows. Default: 500 in push mode, so that a burst does not open a socket for each. */
  parallelism?: number | undefined
  secrets: QstashSecrets
  /** Milliseconds; in manual mode only its first answer counts. */
  now?: () => number
}

export interface Qstash {
  /** The public API, /v2 and below. */
  service: Service
  /** The tests' side: /clock, /due, /answer, /pending, /reset, /keys/roll. */
  control: Service
  close(): Promise<void>
}

/** QStash in memory. Everything is lost with the process, as after a `reset`. */
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
