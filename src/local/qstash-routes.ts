import * as z from "zod"
import type { Broker, Receipt } from "./qstash-broker.ts"
import { QstashRefusal } from "./qstash-errors.ts"
import {
  LIMITS,
  type PublishOptions,
  parseDestination,
  parsePeriod,
  parsePublishOptions,
  parseQueueName,
  parseWhole,
  type RequestHeaders,
} from "./qstash-headers.ts"
import { serializeDeadLetter, serializeMessage } from "./qstash-message.ts"
import { type Answer, type Call, json } from "./service.ts"

interface RouteParts {
  broker: () => Broker
  now: () => number
  keys: () => { current: string; next: string }
  rollKeys: () => { current: string; next: string }
}

interface Request extends RouteParts {
  call: Call
  query: URLSearchParams
  /** What the pattern's groups caught, still percent-encoded. */
  params: string[]
}

type Handler = (request: Request) => Answer

const DONE: Answer = { status: 200 }
const MAX_BATCH_BYTES = 16 * LIMITS.messageBytes

const batchBody = z.array(
  z.object({
    destination: z.string(),
    headers: z.record(z.string(), z.string()).default({}),
    body: z.string().nullish(),
    queue: z.string().nullish(),
  }),
)

const queueBody = z.object({
  queueName: z.string(),
  parallelism: z.int().min(1).optional(),
  paused: z.boolean().optional(),
})

/** Method and path of every endpoint; the first match wins. */
const ROUTES: Array<[string, RegExp, Handler]> = [
  ["POST", /^\/v2\/publish\/(.+)$/, publish],
  ["POST", /^\/v2\/enqueue\/([^/]+)\/(.+)$/, enqueue],
  ["POST", /^\/v2\/batch$/, publishBatch],
  ["GET", /^\/v2\/messages\/([^/]+)$/, (r) => json(200, serializeMessage(r.broker().get(first(r))))],
  ["DELETE", /^\/v2\/messages\/([^/]+)$/, cancelMessage],
  ["DELETE", /^\/v2\/messages$/, (r) => json(200, { cancelled: r.broker().cancelMany(r.query, r.now()) })],
  ["POST", /^\/v2\/queues$/, upsertQueue],
  ["GET", /^\/v2\/queues$/, (r) => json(200, r.broker().queues.list())],
  ["GET", /^\/v2\/queues\/([^/]+)$/, (r) => json(200, r.broker().queues.get(queueName(r)))],
  ["DELETE", /^\/v2\/queues\/([^/]+)$/, (r) => done(() => r.broker().deleteQueue(queueName(r), r.now()))],
  ["POST", /^\/v2\/queues\/([^/]+)\/(pause|resume)$/, pauseQueue],
  ["GET", /^\/v2\/schedules$/, (r) => json(200, r.broker().schedules.list())],
  ["PATCH", /^\/v2\/schedules\/([^/]+)\/(pause|resume)$/, pauseSchedule],
  ["POST", /^\/v2\/schedules\/(?!https?:)([^/]+)\/(pause|resume)$/, pauseSchedule],
  ["POST", /^\/v2\/schedules\/(.+)$/, createSchedule],
  ["GET", /^\/v2\/schedules\/([^/]+)$/, (r) => json(200, r.broker().schedules.get(first(r)))],
  ["DELETE", /^\/v2\/schedules\/([^/]+)$/, (r) => done(() => r.broker().schedules.delete(first(r)))],
  ["GET", /^\/v2\/dlq$/, (r) => json(200, r.broker().deadLetters.list(r.query))],
  ["DELETE", /^\/v2\/dlq$/, (r) => json(200, r.broker().deadLetters.deleteMany(r.query))],
  ["POST", /^\/v2\/dlq\/retry$/, retryMany],
  ["POST", /^\/v2\/dlq\/retry\/([^/]+)$/, (r) => json(201, republish(r, first(r)))],
  ["GET", /^\/v2\/dlq\/([^/]+)$/, (r) => json(200, serializeDeadLetter(r.broker().deadLetters.get(first(r))))],
  ["DELETE", /^\/v2\/dlq\/([^/]+)$/, (r) => done(() => r.broker().deadLetters.delete(first(r)))],
  ["GET", /^\/v2\/flowControl$/, (r) => json(200, r.broker().flow.list())],
  ["GET", /^\/v2\/flowControl\/([^/]+)$/, (r) => json(200, r.broker().flow.get(first(r)))],
  ["POST", /^\/v2\/flowControl\/([^/]+)\/(pause|resume)$/, pauseFlow],
  ["POST", /^\/v2\/flowControl\/([^/]+)\/pin$/, pinFlow],
  ["POST", /^\/v2\/flowControl\/([^/]+)\/unpin$/, unpinFlow],
  ["POST", /^\/v2\/flowControl\/([^/]+)\/resetRate$/, (r) => done(() => r.broker().flow.resetRate(first(r)))],
  ["GET", /^\/v2\/globalParallelism$/, globalParallelism],
  ["GET", /^\/v2\/events$/, (r) => json(200, r.broker().events.page(r.query))],
  ["GET", /^\/v2\/logs$/, logs],
  ["GET", /^\/v2\/keys$/, (r) => json(200, r.keys())],
  ["POST", /^\/v2\/keys\/rotate$/, (r) => json(200, r.rollKeys())],
]

/** Answers one authorised request of the public API. Throws QstashRefusal. */
export function route(call: Call, query: URLSearchParams, parts: RouteParts): Answer {
  for (const [method, pattern, handler] of ROUTES) {
    const match = method === call.method ? pattern.exec(call.path) : null
    if (match) return handler({ ...parts, call, query, params: match.slice(1) })
  }
  throw new QstashRefusal(404, `${call.method} ${call.path} is not supported`)
}

function publish(request: Request): Answer {
  const options = parsePublishOptions(request.call.headers)
  const url = destination(request, request.params[0])
  if (options.cron !== undefined) return schedule(request, url, options)
  return receipt(request.broker().publish({ url, options, body: request.call.body }, request.now()))
}

function enqueue(request: Request): Answer {
  const options = parsePublishOptions(request.call.headers)
  const url = destination(request, request.params[1])
  const publication = { url, options, body: request.call.body, queueName: queueName(request) }
  return receipt(request.broker().publish(publication, request.now()))
}

/** Each message stands for itself: one that is refused has its error in its place. */
function publishBatch(request: Request): Answer {
  const messages = readJson(request.call, batchBody, MAX_BATCH_BYTES)
  const answers = messages.map(({ destination, headers, body, queue }) => {
    try {
      const options = parsePublishOptions(lowerCase(headers))
      const name = queue ? parseQueueName(queue) : undefined
      const publication = {
        url: parseDestination(destination),
        options,
        body: Buffer.from(body ?? ""),
        queueName: name,
      }
      return request.broker().publish(publication, request.now())
    } catch (error) {
      if (error instanceof QstashRefusal) return { error: error.message }
      throw error
    }
  })
  return json(200, answers)
}

function cancelMessage(request: Request): Answer {
  request.broker().cancel(request.broker().get(first(request)), request.now())
  return json(200, { cancelled: 1 })
}

function upsertQueue(request: Request): Answer {
  const { queueName, parallelism, paused } = readJson(request.call, queueBody)
  const settings = {
    ...(parallelism !== undefined && { parallelism }),
    ...(paused !== undefined && { isPaused: paused }),
  }
  request.broker().queues.upsert(parseQueueName(queueName), settings, request.now())
  return DONE
}

function pauseQueue(request: Request): Answer {
  const isPaused = request.params[1] === "pause"
  return done(() => request.broker().queues.upsert(queueName(request), { isPaused }, request.now()))
}

function createSchedule(request: Request): Answer {
  const options = parsePublishOptions(request.call.headers)
  return schedule(request, destination(request, request.params[0]), options)
}

function schedule(request: Request, url: string, options: PublishOptions): Answer {
  if (options.queueName !== undefined) parseQueueName(options.queueName)
  return json(200, { scheduleId: request.broker().schedules.put(url, options, request.call.body, request.now()) })
}

function pauseSchedule(request: Request): Answer {
  return done(() => request.broker().schedules.setPaused(first(request), request.params[1] === "pause"))
}

function retryMany(request: Request): Answer {
  const { cursor, letters } = request.broker().deadLetters.chosen(request.query)
  return json(201, { cursor, responses: letters.map(({ dlqId }) => republish(request, dlqId)) })
}

/** The request's own headers change the message's settings; what it does not say stays. */
function republish(request: Request, dlqId: string): Receipt {
  const { headers, ...said } = parsePublishOptions(request.call.headers)
  const { "Content-Type": _, ...forwarded } = headers
  const changes = Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined))
  const original = request.broker().deadLetters.get(dlqId).message.options.headers
  return request.broker().republish(dlqId, { ...changes, headers: { ...original, ...forwarded } }, request.now())
}

function pauseFlow(request: Request): Answer {
  return done(() => request.broker().flow.setPaused(first(request), request.params[1] === "pause"))
}

function pinFlow(request: Request): Answer {
  const said = (name: string) => request.query.get(name) ?? undefined
  const parallelism = parseWhole("parallelism", said("parallelism"))
  const rate = parseWhole("rate", said("rate"))
  return done(() =>
    request.broker().flow.pin(first(request), { parallelism, rate, periodMs: parsePeriod(said("period")) }),
  )
}

function unpinFlow(request: Request): Answer {
  const isSaid = (name: string) => request.query.get(name) === "true"
  const which = { parallelism: isSaid("parallelism"), rate: isSaid("rate") }
  return done(() => request.broker().flow.unpin(first(request), which))
}

function globalParallelism(request: Request): Answer {
  const { parallelism, activeCount } = request.broker()
  return json(200, { parallelismMax: Number.isFinite(parallelism) ? parallelism : 0, parallelismCount: activeCount })
}

function logs(request: Request): Answer {
  const { cursor, events } = request.broker().events.page(request.query)
  return json(200, { cursor, logs: events })
}

function receipt(receipt: Receipt): Answer {
  return json(receipt.deduplicated ? 202 : 200, receipt)
}

function done(act: () => void): Answer {
  act()
  return DONE
}

function first({ params }: Request): string {
  try {
    return decodeURIComponent(params[0] ?? "")
  } catch {
    throw new QstashRefusal(400, "malformed path")
  }
}

function queueName(request: Request): string {
  return parseQueueName(first(request))
}

/** The rest of the path and the whole query string, but for a token that authorised the request. */
function destination({ call }: Request, path = ""): string {
  const search = call.search
    .replace(/^\?/, "")
    .split("&")
    .filter((pair) => pair && !pair.startsWith("qstash_token="))
    .join("&")
  return parseDestination(search ? `${path}?${search}` : path)
}

function lowerCase(headers: Record<string, string>): RequestHeaders {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

function readJson<S extends z.ZodType>(call: Call, schema: S, limit = LIMITS.messageBytes): z.infer<S> {
  if (call.body.length > limit) throw new QstashRefusal(413, "request body is too large")
  let value: unknown
  try {
    value = JSON.parse(call.body.toString())
  } catch {
    throw new QstashRefusal(400, "request body is not valid JSON")
  }
  const parsed = schema.safeParse(value)
  if (!parsed.success) throw new QstashRefusal(400, z.prettifyError(parsed.error))
  return parsed.data
}
