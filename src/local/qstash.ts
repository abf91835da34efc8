import { createHash, createHmac, randomUUID } from "node:crypto"
import { BadRequest, dedupeKey, type Message, readMessage } from "./qstash-message.ts"
import { retryDelayMs } from "./qstash-retry.ts"
import { type Answer, type Call, json, type Service } from "./service.ts"

export const QSTASH_DEFAULTS = {
  token: "eyJVc2VySUQiOiJkZWZhdWx0VXNlciIsIlBhc3N3b3JkIjoiZGVmYXVsdFBhc3N3b3JkIn0=",
  currentSigningKey: "sig_7kYjw48mhY7kAjqNGcy6cr29RJ6r",
  nextSigningKey: "sig_5ZB6DVzB1wjE8S6rZ7eenA8Pdnhs",
}

interface QstashOptions {
  /** push: delivers by itself, in real time. manual: a test takes each delivery and moves the clock. */
  mode: "push" | "manual"
  token?: string
  currentSigningKey?: string
  nextSigningKey?: string
}

interface Attempt {
  status: number
  headers: Record<string, string>
  body: Buffer
}

const DEDUPE_MS = 10 * 60_000
const MAX_EVENTS = 1000
const MAX_PARALLEL = 64

/** QStash in memory: what a crash loses here, the sweeper has to find. */
export function createQstash(options: QstashOptions) {
  const settings = { ...QSTASH_DEFAULTS, ...options }
  const keys = { current: settings.currentSigningKey, next: settings.nextSigningKey }
  let frozenAt: number | null = options.mode === "manual" ? Date.now() : null
  const now = () => frozenAt ?? Date.now()

  const waiting = new Map<string, Message>()
  const inFlight = new Map<string, Message>()
  const deadLetters = new Map<string, { message: Message; attempt: Attempt }>()
  const published = new Map<string, { id: string; untilMs: number }>()
  const events: object[] = []
  let timer: ReturnType<typeof setTimeout> | null = null
  let closed = false

  function note(state: string, message: Message) {
    events.push({ time: now(), messageId: message.id, state, url: message.url, queueName: message.queue ?? undefined })
    if (events.length > MAX_EVENTS) events.splice(0, events.length - MAX_EVENTS)
  }

  function accept(call: Pick<Call, "headers" | "body">, url: string, queue: string | null) {
    const id = `msg_${randomUUID().replaceAll("-", "")}`
    const message = readMessage(call, { id, url, queue, now: now() })
    const key = dedupeKey(call, url)
    const known = key === null ? undefined : published.get(key)
    if (known && known.untilMs > now()) return { messageId: known.id, url, deduplicated: true }
    if (key !== null) {
      published.set(key, { id, untilMs: now() + DEDUPE_MS })
      for (const [old, { untilMs }] of published) {
        if (untilMs > now()) break
        published.delete(old)
      }
    }
    waiting.set(id, message)
    note("CREATED", message)
    wake()
    return { messageId: id, url }
  }

  /** Messages that may go out now: a queue holds back all behind its first. */
  function takeDue(limit: number): Message[] {
    const due: Message[] = []
    const busy = new Set([...inFlight.values()].map((message) => message.queue))
    for (const message of waiting.values()) {
      if (due.length >= limit) break
      if (message.queue !== null && busy.has(message.queue)) continue
      if (message.queue !== null) busy.add(message.queue)
      if (message.notBeforeMs <= now()) due.push(message)
    }
    for (const message of due) {
      waiting.delete(message.id)
      inFlight.set(message.id, message)
      note("ACTIVE", message)
    }
    return due
  }

  function deliveryHeaders(message: Message): Record<string, string> {
    return {
      ...message.headers,
      "user-agent": "Upstash-QStash",
      "upstash-message-id": message.id,
      "upstash-retried": String(message.retried),
      "upstash-caller-ip": "127.0.0.1",
      "upstash-signature": sign(keys.current, message.url, message.body, now()),
    }
  }

  function finish(message: Message, attempt: Attempt) {
    inFlight.delete(message.id)
    const ok = attempt.status >= 200 && attempt.status < 300
    const final = attempt.status === 489 && attempt.headers["upstash-nonretryable-error"] === "true"
    if (message.callback) publishReport(message, attempt, message.callback)
    if (ok) {
      note("DELIVERED", message)
    } else if (!final && message.retried < message.retries) {
      message.notBeforeMs =
        now() +
        retryDelayMs({
          retried: message.retried,
          expression: message.retryDelay ?? undefined,
          headers: Object.fromEntries(Object.entries(attempt.headers).map(([k, v]) => [k, [v]])),
          nowMs: now(),
        })
      message.retried++
      note("RETRY", message)
      requeue(message)
    } else {
      const dlqId = `dlq_${message.id.slice(4)}`
      deadLetters.set(dlqId, { message, attempt })
      note("FAILED", message)
      if (message.failureCallback) publishReport(message, attempt, message.failureCallback, dlqId)
    }
    wake()
  }

  /** A queue's message keeps its place at the head; others go by their time alone. */
  function requeue(message: Message) {
    const rest = [...waiting]
    waiting.clear()
    waiting.set(message.id, message)
    for (const [id, other] of rest) waiting.set(id, other)
  }

  function publishReport(message: Message, attempt: Attempt, url: string, dlqId?: string) {
    const report = {
      status: attempt.status,
      header: Object.fromEntries(Object.entries(attempt.headers).map(([name, value]) => [name, [value]])),
      body: attempt.body.toString("base64"),
      retried: message.retried,
      maxRetries: message.retries,
      sourceMessageId: message.id,
      url: message.url,
      method: message.method,
      sourceHeader: Object.fromEntries(Object.entries(message.headers).map(([name, value]) => [name, [value]])),
      sourceBody: message.body.toString("base64"),
      createdAt: message.createdMs,
      ...(dlqId && { dlqId }),
    }
    accept({ headers: { "content-type": "application/json" }, body: Buffer.from(JSON.stringify(report)) }, url, null)
  }

  function wake() {
    if (options.mode === "manual" || closed) return
    const room = MAX_PARALLEL - inFlight.size
    for (const message of takeDue(room)) void push(message)
    if (timer) clearTimeout(timer)
    timer = null
    let next = Number.POSITIVE_INFINITY
    for (const message of waiting.values()) if (message.notBeforeMs > now()) next = Math.min(next, message.notBeforeMs)
    if (next < Number.POSITIVE_INFINITY) timer = setTimeout(wake, Math.min(next - now(), 2 ** 31 - 1))
  }

  async function push(message: Message) {
    try {
      const response = await fetch(message.url, {
        method: message.method,
        headers: deliveryHeaders(message),
        redirect: "manual",
        signal: AbortSignal.timeout(message.timeoutMs),
        ...(message.method !== "GET" && { body: message.body as unknown as BodyInit }),
      })
      const body = Buffer.from(await response.arrayBuffer())
      finish(message, { status: response.status, headers: Object.fromEntries(response.headers), body })
    } catch (error) {
      finish(message, { status: 0, headers: {}, body: Buffer.from(String(error)) })
    }
  }

  const service: Service = async (call) => {
    const query = new URLSearchParams(call.search)
    const given = call.headers.authorization?.replace(/^Bearer /i, "") ?? query.get("qstash_token")
    if (given !== settings.token) return json(401, { error: "unauthorized" })
    try {
      return route(call)
    } catch (error) {
      if (error instanceof BadRequest) return json(error.status, { error: error.message })
      throw error
    }
  }

  function route(call: Call): Answer {
    const { method, path } = call
    const publish = /^\/v2\/publish\/(.+)$/.exec(path)
    if (publish && method === "POST")
      return json(201, accept(call, destination(publish[1] as string, call.search), null))
    const enqueue = /^\/v2\/enqueue\/([^/]+)\/(.+)$/.exec(path)
    if (enqueue && method === "POST") {
      return json(201, accept(call, destination(enqueue[2] as string, call.search), enqueue[1] as string))
    }
    if (path === "/v2/batch" && method === "POST") return json(200, acceptBatch(call))
    if (path === "/v2/keys" && method === "GET") return json(200, keys)
    if (path === "/v2/events" && method === "GET") return json(200, { events: [...events].reverse() })
    const one = /^\/v2\/messages\/([^/]+)$/.exec(path)
    if (one) return messageRoute(method, one[1] as string)
    const letter = /^\/v2\/dlq(?:\/([^/]+))?$/.exec(path)
    if (letter) return deadLetterRoute(method, letter[1])
    return json(404, { error: `not found: ${method} ${path}` })
  }

  function messageRoute(method: string, id: string): Answer {
    const message = waiting.get(id) ?? inFlight.get(id)
    if (!message) return json(404, { error: "message not found" })
    if (method === "DELETE") {
      waiting.delete(id)
      note("CANCELED", message)
      return json(200, {})
    }
    return json(200, describe(message))
  }

  function deadLetterRoute(method: string, id: string | undefined): Answer {
    const list = [...deadLetters].map(([dlqId, { message, attempt }]) => ({
      ...describe(message),
      dlqId,
      responseStatus: attempt.status,
      responseBody: attempt.body.toString(),
    }))
    if (id === undefined) return json(200, { messages: list })
    const found = list.find((entry) => entry.dlqId === id)
    if (!found) return json(404, { error: "dlq message not found" })
    if (method === "DELETE") deadLetters.delete(id)
    return json(200, method === "DELETE" ? {} : found)
  }

  function acceptBatch(call: Call): object[] {
    const entries = JSON.parse(call.body.toString()) as {
      destination: string
      headers?: Record<string, string>
      body?: string
      queue?: string
    }[]
    return entries.map(({ destination: url, headers = {}, body = "", queue }) => {
      const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
      return accept({ headers: lower, body: Buffer.from(body) }, url, queue ?? null)
    })
  }

  const control: Service = async (call) => {
    const input = call.body.length ? JSON.parse(call.body.toString()) : {}
    switch (call.path) {
      case "/clock":
        frozenAt = input.now_ms ?? now() + (input.advance_ms ?? 0)
        return json(200, { now_ms: now() })
      case "/due":
        return json(
          200,
          takeDue(Number.POSITIVE_INFINITY).map((message) => ({
            delivery_id: message.id,
            url: message.url,
            method: message.method,
            headers: deliveryHeaders(message),
            body: message.body.toString("base64"),
          })),
        )
      case "/answer": {
        const message = inFlight.get(input.delivery_id)
        if (!message) return json(404, { error: "no such delivery is under way" })
        finish(message, {
          status: input.lost ? 0 : input.status,
          headers: input.headers ?? {},
          body: Buffer.from(input.body ?? ""),
        })
        return json(200, {})
      }
      case "/pending":
        return json(
          200,
          [...waiting.values()].map((m) => ({ ...describe(m), not_before_ms: m.notBeforeMs, retried: m.retried })),
        )
      case "/reset":
        for (const map of [waiting, inFlight, deadLetters, published]) map.clear()
        return json(200, {})
      case "/keys/roll":
        keys.current = keys.next
        keys.next = `sig_${randomUUID().replaceAll("-", "")}`
        return json(200, keys)
      default:
        return json(404, { error: "no such control" })
    }
  }

  return {
    service,
    control,
    async close() {
      closed = true
      if (timer) clearTimeout(timer)
    },
  }
}

function destination(path: string, search: string): string {
  return `${path.replace(/^(https?):\/+/, "$1://")}${search}`
}

function describe(message: Message) {
  return {
    messageId: message.id,
    url: message.url,
    method: message.method,
    body: message.body.toString(),
    createdAt: message.createdMs,
    notBefore: message.notBeforeMs,
    maxRetries: message.retries,
    queueName: message.queue ?? undefined,
    label: message.label ?? undefined,
  }
}

const base64url = (value: string) => Buffer.from(value).toString("base64url")

function sign(key: string, url: string, body: Buffer, nowMs: number): string {
  const iat = Math.floor(nowMs / 1000)
  const claims = {
    iss: "Upstash",
    sub: url,
    iat,
    nbf: iat,
    exp: iat + 300,
    jti: `jwt_${randomUUID()}`,
    body: createHash("sha256").update(body).digest("base64url"),
  }
  const text = `${base64url('{"alg":"HS256","typ":"JWT"}')}.${base64url(JSON.stringify(claims))}`
  return `${text}.${createHmac("sha256", key).update(text).digest("base64url")}`
}
