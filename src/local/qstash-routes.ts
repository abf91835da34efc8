import type { Broker } from "./qstash-broker.ts"
import { parseDestination, parsePublishOptions, QstashRefusal } from "./qstash-headers.ts"
import { type Answer, type Call, jsonAnswer } from "./service.ts"

/**
 * Answers an authorised request of the public API. Throws QstashRefusal also for parts of QStash that we do not use.
 */
export function route(call: Call, broker: Broker, now: number): Answer {
  if (call.method === "GET" && call.path === "/v2/globalParallelism") return jsonAnswer(200, broker.load)
  const [, destination] = /^\/v2\/publish\/(.+)$/.exec(call.path) ?? []
  if (call.method !== "POST" || !destination) {
    throw new QstashRefusal(404, `${call.method} ${call.path} is not supported by the stand-in`)
  }
  const options = parsePublishOptions(call.headers)
  // The destination is the rest of the path with the whole query string.
  const url = parseDestination(destination + call.search)
  const receipt = broker.publish({ url, options, body: call.body }, now)
  return jsonAnswer(receipt.deduplicated ? 202 : 200, receipt)
}
