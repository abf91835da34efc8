import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Receiver } from "@upstash/qstash"
import { afterEach, beforeEach, expect, test } from "vitest"
import { createQstash, newQstashSecrets, type Qstash } from "../../src/local/qstash.ts"

const SECRETS = newQstashSecrets()

interface Arrival {
  headers: IncomingMessage["headers"]
  body: string
  reply: (status: number, headers?: Record<string, string>) => void
  cut: () => void
}

let qstash: Qstash
let receiver: Server
let url: string
let arrivals: Arrival[]
let waiting: Array<(arrival: Arrival) => void>

beforeEach(async () => {
  arrivals = []
  waiting = []
  qstash = createQstash({ secrets: SECRETS, mode: "push" })
  receiver = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const reply: Arrival["reply"] = (status, headers) => response.writeHead(status, headers).end()
    const body = Buffer.concat(chunks).toString()
    const arrival = { headers: request.headers, body, reply, cut: () => request.socket.destroy() }
    const next = waiting.shift()
    if (next) next(arrival)
    else arrivals.push(arrival)
  })
  await new Promise<void>((ready) => receiver.listen(0, "127.0.0.1", ready))
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
})

afterEach(async () => {
  await qstash.close()
  receiver.closeAllConnections()
  await new Promise((closed) => receiver.close(closed))
})

function nextArrival(): Promise<Arrival> {
  const arrival = arrivals.shift()
  return arrival ? Promise.resolve(arrival) : new Promise((resolve) => waiting.push(resolve))
}

async function publish(body: string, headers: Record<string, string> = {}): Promise<void> {
  const authorized = { authorization: `Bearer ${SECRETS.token}`, ...headers }
  const path = `/v2/publish/${url}`
  const answer = await qstash.service({
    method: "POST",
    path,
    search: "",
    headers: authorized,
    body: Buffer.from(body),
  })
  expect(answer.status).toBe(200)
}

test("A message is delivered automatically, with a signature that the receiver accepts", async () => {
  await publish("hello", { "content-type": "text/plain" })
  const { headers, body, reply } = await nextArrival()
  const signature = String(headers["upstash-signature"])
  const verifier = new Receiver({ ...SECRETS, devMode: false })
  expect(await verifier.verify({ signature, body, url, clockTolerance: 1 })).toBe(true)
  expect(headers).toMatchObject({ "user-agent": "Upstash-QStash", "content-type": "text/plain" })
  reply(204)
})

test("A message is retried after the delay that the reply requests, and no redirect is followed", async () => {
  await publish("x")
  const first = await nextArrival()
  first.reply(307, { location: url, "retry-after": "0" })
  const second = await nextArrival()
  expect(second.headers["upstash-retried"]).toBe("1")
  expect(second.headers["upstash-message-id"]).toBe(first.headers["upstash-message-id"])
  second.reply(200)
})

test("A delivery over a reused connection that was just closed is sent again at once", async () => {
  // The second delivery begins after the first has ended, over the same connection.
  const flow = { "upstash-flow-control-key": "one", "upstash-flow-control-value": "parallelism=1" }
  await publish("one", flow)
  await publish("two", flow)
  const first = await nextArrival()
  first.reply(200)
  const second = await nextArrival()
  second.cut()
  const again = await nextArrival()
  expect(again.body).toBe(second.body)
  expect(again.headers["upstash-retried"]).toBe("0")
  again.reply(200)
})

test("Time and deliveries cannot be controlled manually", async () => {
  const call = { method: "POST", path: "/due", search: "", headers: {}, body: Buffer.from("{}") }
  expect(await qstash.control(call)).toMatchObject({ status: 409 })
})
