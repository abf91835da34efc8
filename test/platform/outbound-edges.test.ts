import { describe, expect, inject, test } from "vitest"
import { createOutbound } from "../../src/platform/outbound.ts"
import { OutboundError } from "../../src/platform/outbound-error.ts"
import { checkPublicUrl, type UrlPolicy } from "../../src/platform/public-url.ts"
import { failureOf } from "../harness/answers.ts"
import { createTestClock } from "../harness/clock.ts"
import { outboundRequest } from "../harness/outbound.ts"
import { HOSTILE_URLS } from "../harness/urls.ts"

const policy: UrlPolicy = { allowLoopback: false, ownHosts: ["api.turnpike.dev", "Callbacks.Turnpike.dev.:8443"] }

/** An Outbound whose network is this `fetch`, which ignores aborts unless it listens for them. */
function outboundOver(fetch: typeof globalThis.fetch) {
  const clock = createTestClock()
  return { clock, outbound: createOutbound({ fetch, clock, policy }) }
}

/** A body that reports its cancellation. */
function body(chunks: number, { onCancel = async () => {} } = {}) {
  let left = chunks
  let cancelled = false
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (left-- > 0) controller.enqueue(new Uint8Array(10))
      else await new Promise(() => {})
    },
    cancel() {
      cancelled = true
      return onCancel()
    },
  })
  return { stream, cancelled: () => cancelled }
}

test(`The list has ${HOSTILE_URLS.length} hostile URLs, each once`, () => {
  expect(new Set(HOSTILE_URLS).size).toBe(HOSTILE_URLS.length)
  expect(HOSTILE_URLS.length).toBeGreaterThanOrEqual(100)
})

test.each([
  "https://1.0.0.127.ip6.arpa/",
  "https://[::ffff:0:127.0.0.1]/",
  "https://[64:ff9b:1::7f00:1]/",
  "https://[fec0::1]/",
  "https://[fe80::1%25eth0]/",
  "https://[fe80::1%eth0]/",
  "https://[2001::7f00:1]/",
  "https://[2002:a9fe:a9fe::]/",
  "https://0x7f.0x0.0x0.0x1./",
  "https://0.0.0.0x0/",
  "https://4294967295/",
  "https://127.0.0.1%2f.customer.com/",
  "https://api.customer.com%00.internal/",
  "https://metadata.google.internal.:443/computeMetadata/v1/",
  "https://METADATA.GOOGLE.INTERNAL/",
  "https://metadata。google。internal/",
  "https://loca\u00adlhost/",
  "https://localho\u200bst/",
  "https://callbacks.turnpike.dev/",
  "https://callbacks.turnpike.dev.:8443/",
  "https://%61pi.turnpike.dev/",
  "https://api。turnpike。dev/",
  "https://api.turnpike.dev\t/",
  "  https://localhost/  ",
  "https:\\\\localhost\\",
  "https:localhost",
  "HTTP://api.customer.com/",
  "wss://api.customer.com/",
  "https://@localhost/",
  "https://%75ser@api.customer.com/",
  "https://api.customer.com:443@localhost/",
  "https://..../",
  "https://a..customer.com/",
  "https://.customer.com/",
])("The URL %s is refused", (url) => {
  expect(() => checkPublicUrl(url, policy)).toThrow(OutboundError)
})

test.each([
  ["GET with a newline in a header", { headers: { authorization: "Bearer canary\nx" } }],
  ["a header name with a space", { headers: { "canary name": "x" } }],
  ["an invalid method", { method: "GE T" }],
  ["a GET with a body", { body: "canary" }],
] as const)("The URL %s is refused with a clear message that does not contain its values", async (_what, wrong) => {
  const { outbound } = outboundOver(async (input, init) => {
    new Request(input, init)
    return new Response("sent")
  })
  const error = await failureOf(outbound.send(outboundRequest(wrong)))
  expect(error).toMatchObject({ name: "OutboundError", kind: "refused" })
  for (let at: unknown = error; at instanceof Error; at = at.cause)
    expect(`${at.message}${at.stack}`).not.toContain("canary")
})

test("An address is refused with the reason, and a name that only begins like an address is called", () => {
  for (const host of ["0x7f.1", "[::1]", "8.8.8.8", "1.1.1.1."]) {
    expect(() => checkPublicUrl(`https://${host}/`, policy)).toThrow("its host is an IP address; use a name")
  }
  expect(checkPublicUrl("https://8.8.8.8.customer.com/", policy).hostname).toBe("8.8.8.8.customer.com")
})

describe("Leftover bodies", () => {
  test("An unread body is cancelled at its time limit", async () => {
    const slow = body(5)
    const { outbound, clock } = outboundOver(async () => new Response(slow.stream))
    const response = await outbound.send(outboundRequest())
    clock.advance(10_000)
    await expect.poll(slow.cancelled).toBe(true)
    expect(await failureOf(response.text())).toMatchObject({ kind: "timeout" })
  })

  test("An unread body is cancelled when the caller aborts", async () => {
    const slow = body(5)
    const controller = new AbortController()
    const { outbound } = outboundOver(async () => new Response(slow.stream))
    const response = await outbound.send(outboundRequest({ signal: controller.signal }))
    controller.abort(new Error("enough"))
    await expect.poll(slow.cancelled).toBe(true)
    expect(await failureOf(response.text())).toMatchObject({ message: "enough" })
  })

  test("An answer that arrives after the time limit is cancelled", async () => {
    const slow = body(5)
    let answer: (response: Response) => void = () => {}
    const { outbound, clock } = outboundOver(() => new Promise((resolve) => (answer = resolve)))
    const failed = failureOf(outbound.send(outboundRequest()))
    await clock.sleeping(1)
    clock.advance(10_000)
    expect(await failed).toMatchObject({ kind: "timeout" })
    answer(new Response(slow.stream))
    await expect.poll(slow.cancelled).toBe(true)
  })

  test("A redirect whose body cannot be cancelled does not delay the next request", async () => {
    const stuck = body(1, { onCancel: () => new Promise(() => {}) })
    const { outbound } = outboundOver(async (input) =>
      String(input).endsWith("/a")
        ? new Response(stuck.stream, { status: 302, headers: { location: "/b" } })
        : new Response("there"),
    )
    expect(await (await outbound.send(outboundRequest())).text()).toBe("there")
  })

  test.each([
    ["waits for more", 1],
    ["has read enough", 5],
  ])("A caller that %s and cancels the body cancels it at the server, with its timer", async (_what, chunks) => {
    const slow = body(chunks)
    const { outbound, clock } = outboundOver(async () => new Response(slow.stream))
    const reader = (await outbound.send(outboundRequest())).body?.getReader()
    expect((await reader?.read())?.value).toHaveLength(10)
    for (let turns = 0; turns < 20; turns++) await Promise.resolve()
    await reader?.cancel()
    expect(slow.cancelled()).toBe(true)
    let sleeping = false
    void clock.sleeping(1).then(() => {
      sleeping = true
    })
    await Promise.resolve()
    expect(sleeping).toBe(false)
  })
})

test("The error names an unreachable server, also after a redirect, and a HEAD stays a HEAD", async () => {
  const methods: (string | undefined)[] = []
  const { outbound } = outboundOver(async (input, init) => {
    methods.push(init?.method)
    if (String(input).includes("other")) throw new TypeError("connect failed: canary")
    return new Response(null, { status: 301, headers: { location: "https://other.example.org/canary?canary" } })
  })
  const error = await failureOf(outbound.send(outboundRequest({ method: "HEAD" })))
  expect(error).toMatchObject({ kind: "network", message: "There is no connection to https://other.example.org." })
  expect(methods).toEqual(["HEAD", "HEAD"])
})

describe("The reason for a failed connection", () => {
  const local: UrlPolicy = { allowLoopback: true, ownHosts: [] }
  const failing = (error: unknown) => outboundOver(async () => Promise.reject(error)).outbound
  const caused = (code: string, message = code) =>
    new TypeError("fetch failed", { cause: Object.assign(new Error(message), { code }) })

  test.each([
    ["dns", caused("ENOTFOUND", "getaddrinfo ENOTFOUND api.customer.com"), "no address in DNS"],
    ["dns", caused("EAI_AGAIN"), "no address in DNS"],
    ["refused", caused("ECONNREFUSED"), "connection was refused"],
    ["refused", new TypeError("x", { cause: new AggregateError([caused("ECONNREFUSED")]) }), "connection was refused"],
    ["tls", caused("CERT_HAS_EXPIRED"), "TLS handshake failed"],
    ["tls", caused("DEPTH_ZERO_SELF_SIGNED_CERT"), "TLS handshake failed"],
    ["tls", caused("UNABLE_TO_VERIFY_LEAF_SIGNATURE"), "TLS handshake failed"],
    ["tls", caused("ERR_TLS_CERT_ALTNAME_INVALID"), "TLS handshake failed"],
    ["tls", caused("ERR_SSL_WRONG_VERSION_NUMBER"), "TLS handshake failed"],
    ["tls", caused("ECONNRESET", "Client network socket disconnected before secure TLS connection"), "TLS handshake"],
    ["reset", caused("ECONNRESET", "read ECONNRESET"), "connection was reset"],
    ["reset", caused("UND_ERR_SOCKET", "other side closed"), "connection was reset"],
    ["timeout", caused("UND_ERR_CONNECT_TIMEOUT"), "not made in time"],
    ["unreachable", caused("EHOSTUNREACH"), "no route"],
  ])("The reason %s is derived from the runtime's: %s", async (fault, cause, words) => {
    const error = await failureOf(failing(cause).send(outboundRequest()))
    expect(error).toMatchObject({ kind: "network", fault, message: expect.stringContaining(words) })
    expect((error as Error).message).toContain("There is no connection to https://api.customer.com: ")
  })

  test("If the runtime gives no reason, a separate connection finds it", async () => {
    const outbound = createOutbound({ fetch: globalThis.fetch, clock: createTestClock(), policy: local })
    const of = async (url: string) => failureOf(outbound.send(outboundRequest({ url })))
    const plain = inject("customerUrl")
    expect(await of("http://127.0.0.1:9/")).toMatchObject({ kind: "network", fault: "refused" })
    expect(await of("https://127.0.0.1:9/")).toMatchObject({ kind: "network", fault: "refused" })
    expect(await of(plain.replace("http:", "https:"))).toMatchObject({ kind: "network", fault: "tls" })
    expect(await of(inject("garbageUrl"))).toMatchObject({ kind: "network", fault: "reset" })
    const { outbound: open } = outboundOver(() => Promise.reject(new Error("internal error; reference = 1")))
    const nowhere = await failureOf(open.send(outboundRequest({ url: "https://no-such-host.example.com/" })))
    expect(nowhere).toMatchObject({ kind: "network", fault: "dns" })
  })
})
