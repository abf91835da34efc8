import { describe, expect, test } from "vitest"
import { createOutbound } from "../../src/platform/outbound.ts"
import { OutboundError } from "../../src/platform/outbound-error.ts"
import { checkPublicUrl, type UrlPolicy } from "../../src/platform/public-url.ts"
import { failureOf } from "../harness/answers.ts"
import { createTestClock } from "../harness/clock.ts"
import { outboundRequest } from "../harness/outbound.ts"
import { HOSTILE_URLS, ORDINARY_URLS, OWN_HOSTS } from "../harness/urls.ts"

const policy: UrlPolicy = { allowLoopback: false, ownHosts: OWN_HOSTS }

/** An Outbound with this network, and a list of its requests. */
function outboundTo(answer: (outboundRequest: Request) => Response | Promise<Response>, rules: UrlPolicy = policy) {
  const clock = createTestClock()
  const requests: Request[] = []
  const fetch = async (input: RequestInfo | URL, init?: RequestInit) => {
    const seen = new Request(input, init)
    requests.push(seen)
    return answer(seen)
  }
  return { clock, requests, outbound: createOutbound({ fetch, clock, policy: rules }) }
}

describe("Allowed targets of a customer's URL", () => {
  test(`The list has ${HOSTILE_URLS.length} hostile URLs, at least 80`, () =>
    expect(HOSTILE_URLS.length).toBeGreaterThanOrEqual(80))

  test.each(HOSTILE_URLS)("The URL %s is refused before any request is sent", async (url) => {
    const { outbound, requests } = outboundTo(() => new Response("leaked"))
    const error = await failureOf(outbound.send(outboundRequest({ url })))
    expect(error).toBeInstanceOf(OutboundError)
    expect(error).toMatchObject({ kind: "refused" })
    expect(requests).toEqual([])
  })

  test.each(ORDINARY_URLS)("The URL %s is called", async (url) => {
    const { outbound, requests } = outboundTo(() => new Response("hello"))
    expect(await (await outbound.send(outboundRequest({ url }))).text()).toBe("hello")
    expect(requests).toHaveLength(1)
  })

  test("Local addresses are allowed only with npm start, and our own port never is", () => {
    const local: UrlPolicy = { allowLoopback: true, ownHosts: ["127.0.0.1:8787"] }
    for (const url of [
      "http://127.0.0.1:3000/",
      "http://localhost:3000/",
      "http://[::1]:3000/",
      "https://127.1:3000/",
    ]) {
      expect(checkPublicUrl(url, local).port).toBe("3000")
      expect(() => checkPublicUrl(url, policy)).toThrow(OutboundError)
    }
    for (const url of [
      "http://127.0.0.1:8787/",
      "http://localhost:8787/",
      "http://[::1]:8787/",
      "http://2130706433:8787/",
    ]) {
      expect(() => checkPublicUrl(url, local)).toThrow("this service itself")
    }
    for (const url of [
      "http://10.0.0.1:3000/",
      "http://169.254.169.254/",
      "http://[::ffff:10.0.0.1]/",
      "http://192.168.0.1/",
      "http://api.customer.com/",
    ]) {
      expect(() => checkPublicUrl(url, local)).toThrow(OutboundError)
    }
  })
})

describe("Redirects", () => {
  const CODES = [301, 302, 303, 307, 308]
  const to = (location: string, status: number) => new Response(null, { status, headers: { location } })
  const PRIVATE = [
    "http://10.0.0.1/",
    "https://169.254.169.254/latest/meta-data",
    "https://localhost/",
    "https://[::1]/",
    "https://api.turnpike.dev/v1/me",
    "http://api.customer.com/",
    "ftp://x.customer.com/",
  ]

  test.each(CODES.flatMap((code) => PRIVATE.map((location) => [code, location] as const)))(
    "A redirect %i to %s is refused",
    async (code, location) => {
      const { outbound, requests } = outboundTo(() => to(location, code))
      expect(await failureOf(outbound.send(outboundRequest()))).toMatchObject({ kind: "refused" })
      expect(requests).toHaveLength(1)
    },
  )

  test.each(CODES)(
    "A redirect %i within the origin keeps headers, and 307 and 308 keep method and body",
    async (code) => {
      const { outbound, requests } = outboundTo(({ url }) => (url.endsWith("/a") ? to("/b", code) : new Response("ok")))
      const headers = { authorization: "Bearer s", "content-type": "application/json" }
      const response = await outbound.send(outboundRequest({ method: "POST", headers, body: "{}" }))
      expect(await response.text()).toBe("ok")
      const second = requests[1] as Request
      expect([second.url, second.headers.get("authorization")]).toEqual(["https://api.customer.com/b", "Bearer s"])
      const kept = code >= 307
      expect([second.method, await second.text()]).toEqual(kept ? ["POST", "{}"] : ["GET", ""])
    },
  )

  test.each(CODES)("A redirect %i to another origin drops every credential and carries no body", async (code) => {
    const { outbound, requests } = outboundTo(({ url }) =>
      url.includes("customer") ? to("https://other.example.org/b", code) : new Response("ok"),
    )
    const headers = {
      authorization: "Bearer s",
      cookie: "s",
      "x-api-key": "s",
      accept: "text/plain",
      "idempotency-key": "k",
    }
    await outbound.send(outboundRequest({ headers }))
    expect(Object.fromEntries((requests[1] as Request).headers)).toEqual({
      accept: "text/plain",
      "idempotency-key": "k",
      "user-agent": "Turnpike",
    })
    const posted = await failureOf(outbound.send(outboundRequest({ method: "POST", headers, body: "secret" })))
    if (code >= 307) expect(posted).toMatchObject({ kind: "redirect" })
    else expect(posted).toBeNull()
  })

  test("A redirect loop, too many or forbidden redirects, and a bad Location are refused", async () => {
    const loop = outboundTo(() => to("/a", 302))
    expect(await failureOf(loop.outbound.send(outboundRequest()))).toMatchObject({ kind: "redirect" })
    expect(loop.requests).toHaveLength(4)
    const none = outboundTo(() => to("/a", 302))
    expect((await none.outbound.send(outboundRequest({ maxRedirects: 0 }))).status).toBe(302)
    for (const location of ["https://", "http://[::", ""]) {
      const wrong = outboundTo(() => to(location, 302))
      expect(await failureOf(wrong.outbound.send(outboundRequest()))).toBeInstanceOf(OutboundError)
    }
  })
})

describe("Limits", () => {
  const endless = (piece: Uint8Array) =>
    new ReadableStream<Uint8Array>({ pull: (controller) => controller.enqueue(piece) })

  test("A body of 10 MB and an endless body are cut off at the limit", async () => {
    for (const body of [endless(new Uint8Array(64)), new Blob([new Uint8Array(10 * 1024 * 1024)]).stream()]) {
      let cancelled = false
      const cancel = () => {
        cancelled = true
      }
      const watched = body.pipeThrough(new TransformStream({ cancel }))
      const { outbound } = outboundTo(() => new Response(watched))
      const response = await outbound.send(outboundRequest())
      expect(await failureOf(response.text())).toMatchObject({
        kind: "too_large",
        message: "The answer is larger than 1000 bytes.",
      })
      expect(cancelled, "the server learns that it must stop").toBe(true)
    }
  })

  test("A body of exactly the limit is accepted", async () => {
    const { outbound } = outboundTo(() => new Response(new Uint8Array(1000)))
    expect((await (await outbound.send(outboundRequest())).arrayBuffer()).byteLength).toBe(1000)
  })

  test("Slow headers and slow bodies end at the time limit", async () => {
    const headers = outboundTo(() => new Promise<Response>(() => {}))
    const failed = failureOf(headers.outbound.send(outboundRequest()))
    await headers.clock.sleeping(1)
    headers.clock.advance(9_999)
    expect(headers.requests[0]?.signal.aborted).toBe(false)
    headers.clock.advance(1)
    expect(await failed).toMatchObject({ kind: "timeout", message: "The server did not answer within 10 s." })
    expect(headers.requests[0]?.signal.aborted).toBe(true)

    const drip = new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(new Uint8Array(1)) })
    const slow = outboundTo(() => new Response(drip))
    const response = await slow.outbound.send(outboundRequest())
    const reading = failureOf(response.text())
    slow.clock.advance(10_000)
    expect(await reading).toMatchObject({ kind: "timeout" })
  })

  test("The caller's own signal ends the request with its reason, and no timer remains", async () => {
    const controller = new AbortController()
    const { outbound, clock } = outboundTo(() => new Promise<Response>(() => {}))
    const failed = failureOf(outbound.send(outboundRequest({ signal: controller.signal })))
    await clock.sleeping(1)
    controller.abort(new Error("enough"))
    expect(await failed).toMatchObject({ message: "enough" })
    let sleeping = false
    void clock.sleeping(1).then(() => {
      sleeping = true
    })
    await Promise.resolve()
    expect(sleeping).toBe(false)
  })

  test("No message reveals more of a URL than its origin", async () => {
    const secret = "https://api.customer.com/canary?key=canary"
    const broken = outboundTo(() => Promise.reject(new TypeError("connect canary")))
    const big = outboundTo(() => new Response(new Uint8Array(2000)))
    const errors = [
      await failureOf(broken.outbound.send(outboundRequest({ url: secret }))),
      await failureOf(big.outbound.send(outboundRequest({ url: secret })).then((response) => response.text())),
      await failureOf(broken.outbound.send(outboundRequest({ url: "https://canary:canary@localhost/canary" }))),
    ]
    for (const error of errors) expect((error as Error).message).not.toContain("canary")
    expect(errors[0]).toMatchObject({ kind: "network", message: "There is no connection to https://api.customer.com." })
  })
})
