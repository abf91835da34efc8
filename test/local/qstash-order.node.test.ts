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
  enableTelemetry: false,
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
const settle = (delivery: Delivery | undefined, answer: object) =>
  control("/answer", { delivery_id: delivery?.delivery_id, ...answer })
const decode = (base64: string | undefined) => JSON.parse(Buffer.from(base64 ?? "", "base64").toString())

async function takeOne(): Promise<Delivery> {
  const deliveries = await due()
  expect(deliveries).toHaveLength(1)
  return deliveries[0] as Delivery
}

describe("Flow control", () => {
  test("A key's parallelism holds its other messages until one is answered", async () => {
    const flowControl = { key: "account-1", parallelism: 2 }
    for (const body of [1, 2, 3]) await client.publishJSON({ url: URL_A, body, flowControl })
    await client.publishJSON({ url: URL_A, body: 4, flowControl: { key: "account-2", parallelism: 1 } })
    const [one, ...others] = await due()
    expect([one, ...others].map((delivery) => decode(delivery?.body))).toEqual([3, 2, 4])
    expect(await due()).toEqual([])
    await settle(one, { status: 500 })
    expect(decode((await takeOne()).body)).toBe(1)
  })

  test("The newest message of a key is delivered first, and so is the key that was served last", () => {
    const broker = new Broker(2)
    const publish = (key: string, ...numbers: number[]) => {
      const flowControl = { key, parallelism: 2 }
      const options = { contentType: undefined, retries: 0, delayMs: 0, flowControl, deduplicationId: undefined }
      for (const n of numbers) {
        broker.publish({ url: `${URL_A}/${key}${n}`, options, body: Buffer.alloc(0) }, 0)
      }
    }
    const nameOf = ({ url }: { url: string }) => url.slice(URL_A.length + 1)
    publish("a", 1, 2, 3)
    publish("b", 1, 2)
    const order: string[] = []
    let active = broker.takeDue(0)
    for (let step = 0; active.length > 0; step++) {
      order.push(active.map(nameOf).join())
      if (step === 0) publish("a", 4)
      const [oldest, ...rest] = active
      if (oldest) broker.settle(oldest, { status: 200, headers: {} }, 0)
      active = [...rest, ...broker.takeDue(0)]
    }
    expect(order).toEqual(["a3,a2", "a2,a4", "a4,a1", "a1,b2", "b2,b1", "b1"])
  })
})

describe("Signatures", () => {
  const receiver = new Receiver({ ...SECRETS, devMode: false })
  // The receiver uses the machine's clock.
  beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: START }))
  afterEach(() => void vi.useRealTimers())

  const sign = async (nowMs = START) => {
    await control("/clock", { now_ms: nowMs })
    await client.publishJSON({ url: URL_A, body: { text: "größe" } })
    const { headers, body } = await takeOne()
    return { signature: headers["Upstash-Signature"] ?? "", body: Buffer.from(body, "base64").toString(), url: URL_A }
  }

  test("The SDK's receiver accepts a delivery", async () => {
    expect(await receiver.verify(await sign())).toBe(true)
  })

  test("The SDK's receiver refuses another body, another URL and a delivery from five minutes ago", async () => {
    const request = await sign()
    await expect(receiver.verify({ ...request, body: `${request.body} ` })).rejects.toThrow("body hash")
    await expect(receiver.verify({ ...request, url: `${URL_A}/b` })).rejects.toThrow("invalid subject")
    expect(await receiver.verify(await sign(START - 299_000))).toBe(true)
    await expect(receiver.verify(await sign(START - 301_000))).rejects.toThrow()
  })

  test("After one roll the receiver's next key still works, and after two it does not", async () => {
    await control("/keys/roll")
    expect(await receiver.verify(await sign())).toBe(true)
    await control("/keys/roll")
    await expect(receiver.verify(await sign())).rejects.toThrow("signature")
  })
})
