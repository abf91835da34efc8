import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { Client } from "@upstash/qstash"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { createQstash, newQstashSecrets, type Qstash } from "../../src/local/qstash.ts"
import type { Answer, Call } from "../../src/local/service.ts"

const SECRETS = newQstashSecrets()

interface Delivery {
  delivery_id: string
  message_id: string
  url: string
  headers: Record<string, string>
  body: string
}

const START = Date.UTC(2026, 0, 5, 10, 0, 30)
const MINUTE_MS = 60_000
const URL_A = "https://receiver.test/a"

let qstash: Qstash
let server: Server
let client: Client
let baseUrl: string

beforeEach(async () => {
  vi.spyOn(console, "error").mockReturnValue()
  qstash = createQstash({ secrets: SECRETS, mode: "manual", now: () => START })
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const [path = "", ...search] = (request.url ?? "").split("?")
    const call: Call = {
      method: request.method ?? "",
      path,
      search: search.length > 0 ? `?${search.join("?")}` : "",
      headers: request.headers as Call["headers"],
      body: Buffer.concat(chunks),
    }
    const answer = await qstash.service(call)
    response.writeHead(answer.status, answer.headers).end(answer.body as string)
  })
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready))
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  client = new Client({ baseUrl, token: SECRETS.token, retry: false, devMode: false, enableTelemetry: false })
})

afterEach(async () => {
  vi.restoreAllMocks()
  server.closeAllConnections()
  await new Promise((closed) => server.close(closed))
  await qstash.close()
})

async function control(route: string, body: unknown = {}): Promise<Answer & { value: unknown }> {
  const [method = "", path = ""] = route.split(" ")
  const call: Call = { method, path, search: "", headers: {}, body: Buffer.from(JSON.stringify(body)) }
  const answer = await qstash.control(call)
  return { ...answer, value: JSON.parse(String(answer.body)) }
}

const due = async () => (await control("POST /due")).value as Delivery[]
const advance = (ms: number) => control("POST /clock", { advance_ms: ms })
const settle = async (delivery: Delivery | undefined, answer: object) =>
  (await control("POST /answer", { delivery_id: delivery?.delivery_id, ...answer })).value
const pending = async () => (await control("GET /pending")).value as Array<{ not_before_ms: number; retried: number }>
const decode = (base64: string | undefined) => JSON.parse(Buffer.from(base64 ?? "", "base64").toString())

async function takeOne(): Promise<Delivery> {
  const deliveries = await due()
  expect(deliveries).toHaveLength(1)
  return deliveries[0] as Delivery
}

describe("Publishing", () => {
  test("A publish delivers the unmodified body to the destination as written", async () => {
    const url = "https://receiver.test/a?x=1&y=%2F"
    const { messageId } = await client.publishJSON({ url, body: { n: 1 } })
    const delivery = await takeOne()
    expect(delivery).toMatchObject({ url, message_id: messageId })
    expect(Buffer.from(delivery.body, "base64").toString()).toBe('{"n":1}')
    expect(delivery.headers).toMatchObject({
      "Content-Type": "application/json",
      "User-Agent": "Upstash-QStash",
      "Upstash-Message-Id": messageId,
      "Upstash-Retried": "0",
    })
    expect(await due()).toEqual([])
  })

  test("A delay holds the message until exactly that time", async () => {
    await client.publishJSON({ url: URL_A, delay: 90 })
    await advance(90_000 - 1)
    expect(await due()).toEqual([])
    await advance(1)
    expect((await takeOne()).url).toBe(URL_A)
  })

  test("A deduplication id is accepted once in 10 minutes and returns the first message's id", async () => {
    const publish = () => client.publishJSON({ url: URL_A, deduplicationId: "turn-1" })
    const { messageId } = await publish()
    expect(await publish()).toEqual({ messageId, url: URL_A, deduplicated: true })
    await advance(10 * MINUTE_MS - 1)
    expect(await publish()).toMatchObject({ messageId })
    await advance(1)
    expect(await publish()).not.toMatchObject({ messageId })
    expect(await due()).toHaveLength(2)
  })

  test("A publish with a wrong token, destination or setting, or a message over 1 MB, is refused", async () => {
    const stranger = new Client({
      baseUrl,
      token: "no",
      retry: false,
      devMode: false,
      enableTelemetry: false,
    })
    await expect(stranger.publishJSON({ url: URL_A })).rejects.toMatchObject({ status: 401 })
    await expect(client.publishJSON({ url: "localhost:3000/a" })).rejects.toMatchObject({ status: 400 })
    await expect(client.publishJSON({ urlGroup: "group" })).rejects.toMatchObject({ status: 400 })
    await expect(client.publishJSON({ url: URL_A, delay: "soon" as "1s" })).rejects.toMatchObject({ status: 400 })
    await expect(client.publish({ url: URL_A, body: "x".repeat(2 ** 20 + 1) })).rejects.toMatchObject({ status: 413 })
    expect(await pending()).toEqual([])
  })

  test("A feature that we do not use is refused, not ignored", async () => {
    const flowControl = { key: "one", rate: 2, period: 30 }
    const unknown = [
      { callback: URL_A },
      { failureCallback: URL_A },
      { timeout: 5 },
      { notBefore: START / 1000 },
      { flowControl },
      { method: "PUT" as const },
      { headers: { "x-team": "red" } },
      { headers: { "Upstash-Cron": "* * * * *" } },
    ]
    for (const part of unknown) {
      const published = client.publishJSON({ url: URL_A, ...part })
      await expect(published, JSON.stringify(part)).rejects.toMatchObject({ status: 400 })
    }
    await expect(client.schedules.list()).rejects.toMatchObject({ status: 404 })
    await expect(client.dlq.listMessages()).rejects.toMatchObject({ status: 404 })
    await expect(client.batch([{ url: URL_A }])).rejects.toMatchObject({ status: 404 })
    await expect(client.queue({ queueName: "q" }).enqueueJSON({ url: URL_A })).rejects.toMatchObject({ status: 404 })
    expect(await pending()).toEqual([])
  })

  test("Messages are delivered when they are due, and messages that are due together newest first", async () => {
    const delays = Array.from({ length: 60 }, (_, n) => (n * 7919) % 20)
    for (const [n, delay] of delays.entries()) await client.publishJSON({ url: URL_A, body: { n, delay }, delay })
    const newestFirst = delays.map((delay, n) => ({ n, delay })).sort((a, b) => b.delay - a.delay || b.n - a.n)
    expect(await pending()).toHaveLength(60)
    await advance(9_000)
    const early = (await due()).map(({ body }) => decode(body))
    await advance(MINUTE_MS)
    const late = (await due()).map(({ body }) => decode(body))
    expect([early, late]).toEqual([
      newestFirst.filter(({ delay }) => delay <= 9),
      newestFirst.filter(({ delay }) => delay > 9),
    ])
  })
})

describe("Retries of a message", () => {
  test("Retries wait 12 s, 2 m 28 s, 30 m 8 s, 6 h 7 m 6 s and a day", async () => {
    await client.publishJSON({ url: URL_A, retries: 5 })
    const waits: number[] = []
    for (let retried = 0; retried < 5; retried++) {
      const delivery = await takeOne()
      expect(delivery.headers["Upstash-Retried"]).toBe(String(retried))
      const [status, lost] = [{ status: 500 }, { lost: true }]
      const { not_before_ms } = (await settle(delivery, retried % 2 ? lost : status)) as { not_before_ms: number }
      const { now_ms } = (await advance(0)).value as { now_ms: number }
      waits.push((not_before_ms - now_ms) / 1000)
      await control("POST /clock", { now_ms: not_before_ms - 1 })
      expect(await due()).toEqual([])
      await advance(1)
    }
    expect(waits).toEqual([12, 148, 1808, 22_026, 86_400])
    expect(await settle(await takeOne(), { status: 302 })).toEqual({ state: "failed", not_before_ms: null })
  })

  test.each([
    ["Retry-After", "10", 10],
    ["Retry-After", new Date(START + 90_000).toUTCString(), 90],
    ["X-RateLimit-Reset", "7", 7],
    ["Retry-After", "86401", 12],
    ["Retry-After", "later", 12],
  ])("A reply with %s: %s is retried in %i s", async (header, value, seconds) => {
    await client.publishJSON({ url: URL_A })
    const state = await settle(await takeOne(), { status: 429, headers: { [header]: value } })
    expect(state).toEqual({ state: "retry", not_before_ms: START + seconds * 1000 })
  })

  test("Only 489 with Upstash-NonRetryable-Error ends the message", async () => {
    await client.publishJSON({ url: URL_A })
    expect(await settle(await takeOne(), { status: 489 })).toMatchObject({ state: "retry" })
    await advance(12_000)
    const headers = { "Upstash-NonRetryable-Error": "true" }
    expect(await settle(await takeOne(), { status: 489, headers })).toMatchObject({ state: "failed" })
    await advance(86_400_000)
    expect(await due()).toEqual([])
  })
})

test("A reset deletes everything, including deliveries in progress", async () => {
  await client.publishJSON({ url: URL_A })
  const delivery = await takeOne()
  await client.publishJSON({ url: URL_A, delay: 60 })
  await control("POST /reset")
  expect(await pending()).toEqual([])
  expect(await control("POST /answer", { delivery_id: delivery.delivery_id, status: 200 })).toMatchObject({
    status: 404,
  })
})
