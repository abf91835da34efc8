import { afterAll, beforeAll, expect, test } from "vitest"
import { FILE_POLICY } from "../../src/files/policies.ts"
import { BODY_POLICY } from "../../src/http/policies.ts"
import { generateApiKey } from "../../src/keys/api-key.ts"
import { MEMORY } from "../../src/platform/memory.ts"
import { createWorld, type TestClient, turnOf, type World } from "../harness/world.ts"

const MiB = 1024 * 1024

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

/** A body that sends these bytes and then stalls until it is told to end or to send more. */
function stalling(first: Uint8Array) {
  let controller!: ReadableStreamDefaultController<Uint8Array>
  let isLeft = false
  let asked = Promise.withResolvers<void>()
  const body = new ReadableStream<Uint8Array>(
    {
      start(own) {
        controller = own
        own.enqueue(first)
      },
      pull: () => asked.resolve(),
      cancel() {
        isLeft = true
        asked.resolve()
      },
    },
    { highWaterMark: 0 },
  )
  return {
    body,
    /** Resolves once everything sent was read and the reader waits for more or has disconnected. */
    read: () => asked.promise,
    more(bytes: Uint8Array) {
      if (isLeft) return
      asked = Promise.withResolvers()
      controller.enqueue(bytes)
    },
    end: () => controller.close(),
  }
}

function send(
  client: Pick<TestClient, "key">,
  path: string,
  body: ReadableStream,
  headers: Record<string, string> = {},
) {
  const init = { method: "POST", headers: { authorization: `Bearer ${client.key}`, ...headers }, body, duplex: "half" }
  return world.invoke(new Request(`https://api.test${path}`, init as RequestInit))
}

const upload = (client: Pick<TestClient, "key">, space: string, body: ReadableStream, headers = {}) =>
  send(client, `/v1/spaces/${space}/files?name=slow.bin`, body, headers)

async function errorOf(answer: Promise<Response>) {
  const response = await answer
  const { error } = (await response.json()) as { error: { code: string; retryable: boolean; message: string } }
  return { status: response.status, retryAfter: response.headers.get("retry-after"), ...error }
}

/** Waits until only the request's body is missing and no other work is in progress. */
async function waiting() {
  for (let n = 0; n < 3; n++) await world.isCalm(1_000)
}

/** Waits until this many uploads have started and wait for their bodies. */
async function uploading(count: number) {
  const begun = async () =>
    (await world.sql<{ n: number }>("select count(*)::int as n from files where state = 'uploading'"))[0]?.n ?? 0
  while ((await begun()) < count);
  await waiting()
}

async function pass(ms: number) {
  await waiting()
  await world.advance(ms)
}

const TOO_SLOW = { status: 408, code: "REQUEST_TIMEOUT", retryable: true }

test("A JSON body that stalls is timed out after half a minute", async () => {
  const client = await world.createAccount()
  const { body } = stalling(new TextEncoder().encode('{"title": "A'))
  const answer = send(client, "/v1/spaces", body, { "content-type": "application/json" })
  await pass(BODY_POLICY.jsonMs)
  expect(await errorOf(answer)).toMatchObject(TOO_SLOW)
})

test("A body in chunks of unknown size is read, and refused as soon as it is too large", async () => {
  const client = await world.createAccount()
  const small = stalling(new TextEncoder().encode('{"title": "A'))
  const made = send(client, "/v1/spaces", small.body, { "content-type": "application/json" })
  small.more(new TextEncoder().encode(' space"}'))
  small.end()
  expect((await made).status).toBe(201)
  const large = stalling(new TextEncoder().encode(`{"title": "${"x".repeat(MiB)}`))
  const refused = send(client, "/v1/spaces", large.body, { "content-type": "application/json" })
  expect(await errorOf(refused)).toMatchObject({ status: 413, code: "PAYLOAD_TOO_LARGE" })
})

test("A callback whose body stalls is timed out too, and one without a signature is not read", async () => {
  const client = await world.createAccount()
  await client.sendTurn({ space: await client.space() })
  await world.settled()
  const [delivery] = await world.qstash.due()
  const path = new URL(delivery?.url ?? "").pathname
  const post = (to: string, headers: Record<string, string> = {}) =>
    send({ key: "none" }, to, stalling(new Uint8Array(10)).body, headers)
  const signature = { "upstash-signature": delivery?.headers["Upstash-Signature"] ?? "" }
  for (const [to, headers] of [
    [path, {}],
    [path, { "upstash-signature": "a.b.c" }],
    ["/callbacks/webhooks/whk_1", signature],
    ["/callbacks/internal/try-tool", {}],
    ["/callbacks/internal/try-tool", { "turnpike-signature": "a.b.c" }],
  ] as const) {
    expect((await post(to, headers)).status, to).toBe(401)
  }
  const answer = post(path, signature)
  await pass(BODY_POLICY.jsonMs)
  expect((await answer).status).toBe(408)
})

test.each(["the body itself", "a form"])(
  "An upload that stalls is timed out, as %s, and leaves no file",
  async (how) => {
    const client = await world.createAccount()
    const space = await client.space()
    const form = 'multipart/form-data; boundary="b"'
    // The first kilobyte determines the type of a form's part without a declared type.
    const head = `--b\r\nContent-Disposition: form-data; name="file"; filename="slow.bin"\r\n\r\n${"x".repeat(2048)}`
    const isForm = how === "a form"
    const { body, more, read } = stalling(new TextEncoder().encode(isForm ? head : "x"))
    const answer = upload(client, space, body, { "content-type": isForm ? form : "text/plain" })
    await uploading(1)
    // The request continues as long as data arrives.
    for (let n = 0; n < 3; n++) {
      await pass(BODY_POLICY.idleMs - 1)
      more(new Uint8Array(1024))
      await read()
    }
    await pass(BODY_POLICY.idleMs)
    expect(await errorOf(answer)).toMatchObject(TOO_SLOW)
    await world.settled()
    const { data } = (await (await client.call("GET", `/v1/spaces/${space}/files`)).json()) as { data: object[] }
    expect(data).toEqual([])
  },
)

test("An upload that sends a byte now and then is timed out after three minutes", async () => {
  const client = await world.createAccount()
  const space = await client.space()
  const { body, more, read } = stalling(new Uint8Array(1))
  const answer = upload(client, space, body, { "content-type": "text/plain" })
  await uploading(1)
  for (let ms = 0; ms <= FILE_POLICY.partMs; ms += 20_000) {
    await pass(20_000)
    more(new Uint8Array(1))
    await read()
  }
  expect(await errorOf(answer)).toMatchObject(TOO_SLOW)
})

test("An upload that stalls within the bytes that determine its type is timed out, and is read whole if they arrive in time", async () => {
  const client = await world.createAccount()
  const space = await client.space()
  const slow = stalling(new Uint8Array(1))
  const answer = upload(client, space, slow.body)
  await slow.read()
  for (let ms = 0; ms <= FILE_POLICY.partMs; ms += 20_000) {
    await pass(20_000)
    slow.more(new Uint8Array(1))
    await slow.read()
  }
  expect(await errorOf(answer)).toMatchObject(TOO_SLOW)
  const pieces = stalling(new TextEncoder().encode("%"))
  const made = upload(client, space, pieces.body)
  for (const piece of ["P", "DF-1.7 ", "x".repeat(2000)]) {
    await pieces.read()
    pieces.more(new TextEncoder().encode(piece))
  }
  pieces.end()
  expect(await (await made).json()).toMatchObject({ media_type: "application/pdf", bytes: 2009 })
})

test("The uploads of an account, and of all accounts together, can hold a limited share of an isolate's memory", async () => {
  const [first, second, third] = [await world.createAccount(), await world.createAccount(), await world.createAccount()]
  const spaces = new Map([first, second, third].map((client) => [client, ""]))
  for (const client of spaces.keys()) spaces.set(client, await client.space())
  const begin = (client: TestClient) => {
    const { body } = stalling(new Uint8Array(FILE_POLICY.partBytes))
    return upload(client, spaces.get(client) as string, body)
  }
  const refused = async (client: TestClient) => {
    expect(await errorOf(begin(client))).toMatchObject({ status: 503, code: "UNAVAILABLE", retryAfter: "5" })
  }
  const stalled = [first, first, first, first].map(begin)
  await uploading(4)
  await refused(first)
  stalled.push(...[second, second, second, second].map(begin))
  await uploading(8)
  await refused(third)
  await pass(BODY_POLICY.idleMs)
  for (const answer of stalled) expect((await answer).status).toBe(408)
  const { body, end } = stalling(new Uint8Array(FILE_POLICY.partBytes))
  end()
  expect((await upload(third, spaces.get(third) as string, body)).status).toBe(201)
})

test("A slow upload holds its memory until its end", async () => {
  const client = await world.createAccount()
  const space = await client.space()
  const { all, each } = MEMORY.shares.upload
  expect(all).toBeGreaterThan(each)
  const bodies = Array.from({ length: each / FILE_POLICY.partBytes }, () =>
    stalling(new Uint8Array(FILE_POLICY.partBytes)),
  )
  const slow = bodies.map(({ body }) => upload(client, space, body))
  await uploading(bodies.length)
  for (let ms = 0; ms <= MEMORY.lostMs; ms += 25_000) {
    for (const { more } of bodies) more(new Uint8Array(FILE_POLICY.partBytes / 4))
    await Promise.all(bodies.map(({ read }) => read()))
    await pass(25_000)
  }
  const refused = upload(client, space, stalling(new Uint8Array(FILE_POLICY.partBytes)).body)
  expect(await errorOf(refused)).toMatchObject({ status: 503, code: "UNAVAILABLE" })
  for (const { end } of bodies) end()
  for (const answer of slow) expect((await answer).status).toBe(201)
})

test("A stalled reader of events is disconnected after half a minute, and its polling stops", async () => {
  const client = await world.createAccount()
  const { turn_id } = await turnOf(await client.sendTurn({ space: await client.space() }))
  await world.settled()
  const headers = { authorization: `Bearer ${client.key}`, accept: "text/event-stream" }
  const { body } = await world.invoke(new Request(`https://api.test/v1/turns/${turn_id}/events`, { headers }))
  expect(body).not.toBeNull()
  for (let n = 0; n < 40; n++) await pass(1_000)
  await world.plan([])
  for (let n = 0; n < 20; n++) await pass(1_000)
  expect((await world.calls()).filter(({ label }) => /turn/.test(label))).toEqual([])
})

test("Large JSON bodies that do not arrive hold no more than their share, and other requests continue", async () => {
  const [client, other] = [await world.createAccount(), await world.createAccount()]
  const { all, each, copies } = MEMORY.shares.body
  const whole = { "content-type": "application/json", "content-length": String(MiB) }
  const bodies = Array.from({ length: Math.floor(each / copies / MiB) }, () => stalling(new Uint8Array([123])))
  const stalled = bodies.map(({ body }) => send(client, "/v1/spaces", body, whole))
  const large = JSON.stringify({ title: "x".repeat(MiB - 100) })
  const post = ({ key }: { key: string }, text: string) => {
    const headers = {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "content-length": `${text.length}`,
    }
    return world.invoke(new Request("https://api.test/v1/spaces", { method: "POST", headers, body: text }))
  }
  await expect.poll(async () => (await post(client, large)).status).toBe(503)
  expect(all).toBeGreaterThan(each)
  expect((await post(other, large)).status).toBe(422)
  expect((await post(client, JSON.stringify({ title: "Small" }))).status).toBe(201)
  for (const { end } of bodies) end()
  await Promise.allSettled(stalled)
  expect((await post(client, large)).status).toBe(422)
})

const MOST_BODIES = Math.floor(MEMORY.shares.body.all / MEMORY.shares.body.copies / MiB)

test("Requests with invalid keys reserve no memory for bodies that do not arrive", async () => {
  const client = await world.createAccount()
  const whole = { "content-type": "application/json", "content-length": String(MiB) }
  const strangers = Array.from({ length: MOST_BODIES }, () => ({ key: generateApiKey("turnpike", false).value }))
  const made = strangers.map((stranger) => send(stranger, "/v1/spaces", stalling(new Uint8Array([123])).body, whole))
  const large = JSON.stringify({ title: "x".repeat(MiB - 100) })
  await waiting()
  expect((await client.call("POST", "/v1/spaces", large)).status).toBe(422)
  for (const answer of made) expect((await answer).status).toBe(401)
})

test("A body that arrives after its timeout holds no memory", async () => {
  const [client, other] = [await world.createAccount(), await world.createAccount()]
  const large = JSON.stringify({ title: "x".repeat(MiB - 100) })
  const bodies = Array.from({ length: MOST_BODIES }, () => stalling(new Uint8Array(1024).fill(32)))
  const type = { "content-type": "application/json" }
  const late = bodies.map(({ body }, n) => send(n % 2 ? client : other, "/v1/spaces", body, type))
  await pass(BODY_POLICY.jsonMs)
  for (const answer of late) expect((await answer).status).toBe(408)
  for (const { more } of bodies) more(new Uint8Array(MEMORY.smallBytes).fill(32))
  await waiting()
  expect((await client.call("POST", "/v1/spaces", large)).status).toBe(422)
})
