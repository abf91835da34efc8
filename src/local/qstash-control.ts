import { randomUUID } from "node:crypto"
import * as z from "zod"
import type { Broker } from "./qstash-broker.ts"
import { deliveryHeaders } from "./qstash-delivery.ts"
import { QstashRefusal } from "./qstash-headers.ts"
import { type DeliveryOutcome, LOST_ATTEMPT, type QstashMessage } from "./qstash-message.ts"
import { type Answer, type Call, jsonAnswer } from "./service.ts"

const clockMove = z.union([
  z.strictObject({ now_ms: z.int().nonnegative() }),
  z.strictObject({ advance_ms: z.int().nonnegative() }),
])

const deliveryAnswer = z.union([
  z.strictObject({ delivery_id: z.string(), lost: z.literal(true) }),
  z.strictObject({
    delivery_id: z.string(),
    status: z.int().min(200).max(599),
    headers: z.record(z.string(), z.string()).default({}),
  }),
])

interface ControlParts {
  mode: "push" | "manual"
  broker: () => Broker
  signingKey: () => string
  now: () => number
  setNow: (nowMs: number) => void
  reset: () => void
  rollKeys: () => { current: string; next: string }
}

interface Delivery {
  message: QstashMessage
  broker: Broker
}

/** A message to deliver, as `POST /due` returns it. The body is base64. */
export interface DueDelivery {
  delivery_id: string
  message_id: string
  url: string
  headers: Record<string, string>
  body: string
}

/**
 * The control interface of the stand-in: it moves the clock, returns due messages and takes the results of deliveries.
 */
export class Control {
  private readonly parts: ControlParts
  private deliveries = new Map<string, Delivery>()

  constructor(parts: ControlParts) {
    this.parts = parts
  }

  handle(call: Call): Answer {
    const route = `${call.method} ${call.path}`
    if (route === "GET /pending") return jsonAnswer(200, this.parts.broker().pending().map(serializePending))
    if (route === "POST /keys/roll") return jsonAnswer(200, this.parts.rollKeys())
    if (route === "POST /reset") return this.reset()
    if (!["POST /clock", "POST /due", "POST /answer"].includes(route)) throw new QstashRefusal(404, "no such control")
    if (this.parts.mode === "push")
      throw new QstashRefusal(
        409,
        "only manual mode allows this: in push mode the clock runs and messages are delivered automatically",
      )
    if (route === "POST /clock") return this.moveClock(readBody(call, clockMove))
    if (route === "POST /due") return jsonAnswer(200, this.takeDue())
    return this.settle(readBody(call, deliveryAnswer))
  }

  private reset(): Answer {
    this.parts.reset()
    this.deliveries = new Map()
    return jsonAnswer(200, { now_ms: this.parts.now() })
  }

  private moveClock(move: z.infer<typeof clockMove>): Answer {
    this.parts.setNow("now_ms" in move ? move.now_ms : this.parts.now() + move.advance_ms)
    return jsonAnswer(200, { now_ms: this.parts.now() })
  }

  private takeDue(): DueDelivery[] {
    const broker = this.parts.broker()
    const now = this.parts.now()
    return broker.takeDue(now).map((message) => {
      const deliveryId = `dlv_${randomUUID()}`
      this.deliveries.set(deliveryId, { message, broker })
      const { url, messageId, body } = message
      const headers = deliveryHeaders(message, this.parts.signingKey(), now)
      return { delivery_id: deliveryId, message_id: messageId, url, headers, body: body.toString("base64") }
    })
  }

  private settle(answer: z.infer<typeof deliveryAnswer>): Answer {
    const delivery = this.deliveries.get(answer.delivery_id)
    if (!delivery) throw new QstashRefusal(404, `delivery ${answer.delivery_id} is not in progress`)
    this.deliveries.delete(answer.delivery_id)
    const { broker, message } = delivery
    const outcome = "lost" in answer ? LOST_ATTEMPT : readOutcome(answer)
    const state = broker.settle(message, outcome, this.parts.now())
    return jsonAnswer(200, { state, not_before_ms: state === "retry" ? message.notBefore : null })
  }
}

function readOutcome(answer: { status: number; headers: Record<string, string> }): DeliveryOutcome {
  const headers = Object.entries(answer.headers).map(([name, value]) => [name.toLowerCase(), [value]])
  return { status: answer.status, headers: Object.fromEntries(headers) }
}

function serializePending(message: QstashMessage): Record<string, unknown> {
  return {
    message_id: message.messageId,
    url: message.url,
    not_before_ms: message.notBefore,
    retried: message.retried,
    flow_control_key: message.options.flowControl?.key ?? null,
  }
}

function readBody<S extends z.ZodType>(call: Call, schema: S): z.infer<S> {
  let value: unknown
  try {
    value = JSON.parse(call.body.toString())
  } catch {
    throw new QstashRefusal(400, "the body is not JSON")
  }
  const parsed = schema.safeParse(value)
  if (!parsed.success) throw new QstashRefusal(400, z.prettifyError(parsed.error))
  return parsed.data
}
