import * as z from "zod"
import type { Broker, Receipt } from "./qstash-broker.ts"
import { readBody } from "./qstash-control.ts"
import { parseDestination, parsePublishOptions, parseQueueName, QstashRefusal } from "./qstash-headers.ts"
import { serializeDeadLetter } from "./qstash-message.ts"
import { type Answer, type Call, jsonAnswer } from "./service.ts"

interface Request {
  broker: Broker
  now: number
  call: Call
  /** What the pattern's groups caught. */
  params: string[]
}

const DONE: Answer = { status: 200 }

const queueBody = z.object({
  queueName: z.string(),
  parallelism: z.int().min(1).default(1),
  paused: z.literal(false).optional(),
})

/** Method and path of every endpoint; the first match wins. */
const ROUTES: Array<[string, RegExp, (request: Request) => Answer]> = [
  ["POST", /^\/v2\/publish\/(.+)$/, (request) => publish(request, request.params[0])],
  ["POST", /^\/v2\/enqueue\/([^/]+)\/(.+)$/, (request) => publish(request, request.params[1], request.params[0])],
  ["POST", /^\/v2\/queues$/, upsertQueue],
  ["GET", /^\/v2\/queues\/([^/]+)$/, ({ broker, params }) => jsonAnswer(200, broker.queues.get(first(params)))],
  ["GET", /^\/v2\/flowControl\/([^/]+)$/, ({ broker, params }) => jsonAnswer(200, broker.flow.get(first(params)))],
  ["GET", /^\/v2\/dlq$/, listDeadLetters],
  ["POST", /^\/v2\/dlq\/retry$/, retryDeadLetters],
  ["DELETE", /^\/v2\/dlq\/([^/]+)$/, deleteDeadLetter],
]

/** Answers one authorised request of the public API. Throws QstashRefusal, also for parts of QStash that we do not use. */
export function route(call: Call, broker: Broker, now: number): Answer {
  for (const [method, pattern, handler] of ROUTES) {
    const match = method === call.method ? pattern.exec(call.path) : null
    if (match) return handler({ broker, now, call, params: match.slice(1) })
  }
  throw new QstashRefusal(404, `${call.method} ${call.path} is not supported by the stand-in`)
}

/** The destination is the rest of the path with the whole query string. */
function publish({ broker, now, call }: Request, path = "", queue?: string): Answer {
  const options = parsePublishOptions(call.headers)
  const url = parseDestination(path + call.search)
  const queueName = queue === undefined ? undefined : parseQueueName(queue)
  const receipt = broker.publish({ url, options, body: call.body, queueName }, now)
  return jsonAnswer(receipt.deduplicated ? 202 : 200, receipt)
}

function upsertQueue({ broker, call }: Request): Answer {
  const { queueName, parallelism } = readBody(call, queueBody)
  broker.queues.upsert(parseQueueName(queueName), parallelism)
  return DONE
}

function listDeadLetters({ broker, call }: Request): Answer {
  if (call.search) throw new QstashRefusal(400, "filters are not supported by the stand-in")
  return jsonAnswer(200, { messages: broker.listDeadLetters().map(serializeDeadLetter) })
}

function retryDeadLetters({ broker, now, call }: Request): Answer {
  const ids = new URLSearchParams(call.search).getAll("dlqIds")
  const responses: Receipt[] = ids.map((dlqId) => broker.republish(dlqId, now))
  return jsonAnswer(201, { responses })
}

function deleteDeadLetter({ broker, params }: Request): Answer {
  broker.takeDeadLetter(first(params))
  return DONE
}

const first = ([param = ""]: string[]) => decodeURIComponent(param)
