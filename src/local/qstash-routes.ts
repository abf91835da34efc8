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

/** The headers of a message are those that it would have as a request of its own. */
const batchBody = z.array(
  z.strictObject({
    destination: z.string(),
    headers: z.record(z.string(), z.string()).default({}),
    body: z.string().default(""),
  }),
)

const queueBody = z.object({
  queueName: z.string(),
  parallelism: z.int().min(1).default(1),
  paused: z.literal(false).optional(),
})

/** Method and path of every endpoint; the first match wins. */
const ROUTES: Array<[string, RegExp, (request: Request) => Answer]> = [
  ["POST", /^\/v2\/publish\/(.+)$/, (request) => publish(request, request.params[0])],
  ["POST", /^\/v2\/enqueue\/([^/]+)\/(.+)$/, (request) => publish(request, request.params[1], request.params[0])],
  ["POST", /^\/v2\/batch$/, publishBatch],
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

/** Each message is taken or refused for itself. */
function publishBatch({ broker, now, call }: Request): Answer {
  const answers = readBody(call, batchBody).map(({ destination, headers, body }) => {
    const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
    try {
      const [options, url] = [parsePublishOptions(named), parseDestination(destination)]
      return broker.publish({ url, options, body: Buffer.from(body), queueName: undefined }, now)
    } catch (error) {
      if (error instanceof QstashRefusal) return { error: error.message }
      throw error
    }
  })
  return jsonAnswer(200, answers)
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
