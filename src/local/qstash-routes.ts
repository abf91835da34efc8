import * as z from "zod"
import type { Broker } from "./qstash-broker.ts"
import { readBody } from "./qstash-control.ts"
import { parseDestination, parsePublishOptions, QstashRefusal } from "./qstash-headers.ts"
import { type Answer, type Call, jsonAnswer } from "./service.ts"

/** The headers of a message are those that it would have as a request of its own. */
const batchBody = z.array(
  z.strictObject({
    destination: z.string(),
    headers: z.record(z.string(), z.string()).default({}),
    body: z.string().default(""),
  }),
)

/** Answers one authorised request of the public API. Throws QstashRefusal, also for parts of QStash that we do not use. */
export function route(call: Call, broker: Broker, now: number): Answer {
  const [, destination] = /^\/v2\/publish\/(.+)$/.exec(call.path) ?? []
  if (call.method === "POST" && destination) return publish(call, { broker, now, destination })
  if (call.method === "POST" && call.path === "/v2/batch") return publishBatch(call, broker, now)
  throw new QstashRefusal(404, `${call.method} ${call.path} is not supported by the stand-in`)
}

/** The destination is the rest of the path with the whole query string. */
function publish(
  call: Call,
  { broker, now, destination }: { broker: Broker; now: number; destination: string },
): Answer {
  const options = parsePublishOptions(call.headers)
  const url = parseDestination(destination + call.search)
  const receipt = broker.publish({ url, options, body: call.body }, now)
  return jsonAnswer(receipt.deduplicated ? 202 : 200, receipt)
}

/** Each message is taken or refused for itself. */
function publishBatch(call: Call, broker: Broker, now: number): Answer {
  const answers = readBody(call, batchBody).map(({ destination, headers, body }) => {
    const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
    try {
      const [options, url] = [parsePublishOptions(named), parseDestination(destination)]
      return broker.publish({ url, options, body: Buffer.from(body) }, now)
    } catch (error) {
      if (error instanceof QstashRefusal) return { error: error.message }
      throw error
    }
  })
  return jsonAnswer(200, answers)
}
