import { Client, Receiver } from "@upstash/qstash"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { createQstash, newQstashSecrets, type Qstash } from "../../src/local/qstash.ts"
import { Broker } from "../../src/local/qstash-broker.ts"
import type { Service } from "../../src/local/service.ts"

const SECRETS = newQstashSecrets()

interface Delivery {
  delivery_id: string
  message_id: string
  url: string
  headers: Record<string, string>
  body: string
}

const START = Date.UTC(2026, 0, 5, 10, 0, 30)
const URL_A = "https://receiver.test/a"
const client = new Client({
  baseUrl: "https://qstash.test",
  token: SECRETS.token,
  retry: false,
  devMode: false,
})

let qstash: Qstash

beforeEach(() => {
  qstash = createQstash({ secrets: SECRETS, mode: "manual", now: () => START })
  vi.spyOn(console, "error").mockReturnValue()
  vi.stubGlobal("fetch", (url: string, init: RequestInit) => call(qstash.service, new Request(url, init)))
})

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

async function call(service: Service, request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url)
  const headers = Object.fromEntries(request.headers)
  const body = Buffer.from(await request.arrayBuffer())
  const answer = await service({ method: request.method, path: pathname, search, headers, body })
  return new Response(answer.body as string, { status: answer.status })
}

async function control<T>(path: string, body: unknown = {}): Promise<T> {
  const request = new Request(`https://control.test${path}`, { method: "POST", body: JSON.stringify(body) })
  return (await (await call(qstash.control, request)).json()) as T
}

const due = () => control<Delivery[]>("/due")
const advance = (ms: number) => control("/clock", { advance_ms: ms })
const settle = (delivery: Delivery | undefined, answer: object) =>
  control("/answer", { delivery_id: delivery?.delivery_id, ...answer })
const decode = (base64: string | undefined) => JSON.parse(Buffer.from(base64 ?? "", "base64").toString())

async function takeOne(): Promise<Delivery> {
  const deliveries = await due()
  expect(deliveries).toHaveLength(1)
  return deliveries[0] as Delivery
}

describe("queues", () => {
  test("deliver in order and stand still behind a message's retries and callbacks", async () => {
    const queue = client.queue({ queueName: "q" })
    await queue.enqueueJSON({ url: URL_A, body: 1, callback: "https://receiver.test/callback" })
    await queue.enqueueJSON({ url: URL_A, body: 2 })
    const first = await takeOne()
    await settle(first, { status: 500 })
    await settle(await takeOne(), { status: 200 })
    expect(await due()).toEqual([])
    await advance(12_000)
    const again = await takeOne()
    expect(again.message_id).toBe(first.message_id)
    await settle(again, { status: 200 })
    const callback = await takeOne()
    expect(await queue.get()).toMatchObject({ name: "q", parallelism: 1, lag: 2, paused: false })
    await settle(callback, { status: 200 })
    expect(decode((await takeOne()).body)).toBe(2)
  })

  test("a wider queue delivers more at once", async () => {
    const queue = client.queue({ queueName: "q" })
    await queue.upsert({ parallelism: 2 })
    for (const body of [1, 2, 3]) await queue.enqueueJSON({ url: URL_A, body })
    const two = await due()
    expect(two.map(({ body }) => decode(body))).toEqual([1, 2])
    await settle(two[1], { status: 200 })
    expect(decode((await takeOne()).body)).toBe(3)
    await expect(client.queue({ queueName: "other" }).get()).rejects.toMatchObject({ status: 404 })
  })
})

describe("the dead-letter queue", () => {
  test("keeps the last reply, and a retry is a new message", async () => {
    await client.publishJSON({ url: URL_A, body: { n: 1 }, retries: 0 })
    const failed = await takeOne()
    await settle(failed, { status: 500, body: "broken" })
    const [letter] = (await client.dlq.listMessages()).messages
    expect(letter).toMatchObject({ messageId: failed.message_id, responseStatus: 500, responseBody: "broken" })
    const { responses } = await client.dlq.retry(letter?.dlqId ?? "")
    const retried = await takeOne()
    expect(responses).toMatchObject([{ messageId: retried.message_id }])
    expect(retried).toMatchObject({ url: URL_A, body: failed.body })
    expect(retried.message_id).not.toBe(failed.message_id)
    expect((await client.dlq.listMessages()).messages).toEqual([])
    await settle(retried, { lost: true })
    const [last] = (await client.dlq.listMessages()).messages
    await client.dlq.delete(last?.dlqId ?? "")
    await expect(client.dlq.delete(last?.dlqId ?? "")).rejects.toMatchObject({ status: 404 })
  })
})

describe("flow control", () => {
  test("parallelism holds the next message until one is answered", async () => {
    const flowControl = { key: "account-1", parallelism: 2 }
    for (const body of [1, 2, 3]) await client.publishJSON({ url: URL_A, body, flowControl })
    await client.publishJSON({ url: URL_A, body: 4, flowControl: { key: "account-2", parallelism: 1 } })
    const [one] = await due()
    expect(await due()).toEqual([])
    expect(await client.flowControl.get("account-1")).toMatchObject({ waitListSize: 1, parallelismCount: 2 })
    await settle(one, { status: 500 })
    expect(decode((await takeOne()).body)).toBe(3)
  })

  test("at the limit of all keys together, the keys take turns", () => {
    const broker = new Broker(2)
    const publish = (key: string, count: number) => {
      const flowControl = { key, parallelism: 2, rate: undefined, periodMs: 1000 }
      const times = { timeoutMs: 1000, delayMs: 0, notBeforeMs: undefined }
      const options = { method: "POST", headers: {}, retries: 0, ...times, flowControl }
      for (let n = 0; n < count; n++) {
        broker.publish({ url: `${URL_A}/${key}`, options, body: Buffer.alloc(0) }, 0)
      }
    }
    const keyOf = ({ url }: { url: string }) => url.slice(URL_A.length + 1)
    publish("a", 5)
    publish("b", 5)
    const order: string[] = []
    let active = broker.takeDue(0)
    for (let step = 0; step < 8; step++) {
      if (step === 2) publish("new", 1)
      order.push(active.map(keyOf).join())
      const [oldest, ...rest] = active
      if (oldest) broker.settle(oldest, { status: 200, headers: {}, body: Buffer.alloc(0) }, 0)
      active = [...rest, ...broker.takeDue(0)]
    }
    expect(order).toEqual(["a,b", "b,a", "a,b", "b,a", "a,b", "b,new", "new,a", "a,b"])
  })

  test("a rate opens again with the next period", async () => {
    const flowControl = { key: "k", rate: 2, period: "30s" as const }
    for (const body of [1, 2, 3]) await client.publishJSON({ url: URL_A, body, flowControl })
    for (const delivery of await due()) await settle(delivery, { status: 200 })
    await advance(30_000 - 1)
    expect(await due()).toEqual([])
    await advance(1)
    expect(decode((await takeOne()).body)).toBe(3)
  })
})

describe("signatures", () => {
  const receiver = new Receiver({ ...SECRETS, devMode: false })
  // The receiver goes by the machine's clock.
  beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: START }))
  afterEach(() => void vi.useRealTimers())

  const sign = async (nowMs = START) => {
    await control("/clock", { now_ms: nowMs })
    await client.publishJSON({ url: URL_A, body: { text: "größe" } })
    const { headers, body } = await takeOne()
    return { signature: headers["Upstash-Signature"] ?? "", body: Buffer.from(body, "base64").toString(), url: URL_A }
  }

  test("the SDK's receiver accepts a delivery", async () => {
    expect(await receiver.verify(await sign())).toBe(true)
  })

  test("and refuses another body, another url and one of five minutes ago", async () => {
    const request = await sign()
    await expect(receiver.verify({ ...request, body: `${request.body} ` })).rejects.toThrow("body hash")
    await expect(receiver.verify({ ...request, url: `${URL_A}/b` })).rejects.toThrow("invalid subject")
    expect(await receiver.verify(await sign(START - 299_000))).toBe(true)
    await expect(receiver.verify(await sign(START - 301_000))).rejects.toThrow()
  })

  test("one roll later the receiver's next key still holds, two rolls later none", async () => {
    await control("/keys/roll")
    expect(await receiver.verify(await sign())).toBe(true)
    await control("/keys/roll")
    await expect(receiver.verify(await sign())).rejects.toThrow("signature")
  })
})
