import { decodeJwt, type JWTPayload, SignJWT } from "jose"
import { afterAll, beforeAll, expect, test } from "vitest"
import { bodyDigest } from "../../src/platform/signed-body.ts"
import { contextOf } from "../harness/context.ts"
import type { QueuedMessage } from "../harness/namespace.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

let world: World
let client: TestClient
beforeAll(async () => {
  world = await createWorld()
  client = await world.createAccount()
})
afterAll(() => world.close())

async function nextDelivery(): Promise<QueuedMessage> {
  await client.sendTurn({ space: await client.space() })
  await world.settled()
  const [delivery] = await world.qstash.due()
  if (!delivery) throw new Error("nothing was published")
  return delivery
}

const states = () => world.sql("select turn_id, state from turns order by 1")

/** Asserts that a delivery is refused with 401 and changes no turn. */
async function expectRefused(delivery: QueuedMessage) {
  const before = await states()
  const response = await world.deliver(delivery)
  expect(response.status).toBe(401)
  expect(await response.json()).toMatchObject({ error: { code: "INVALID_SIGNATURE" } })
  expect(await states()).toEqual(before)
}

const signature = (delivery: QueuedMessage) => delivery.headers["Upstash-Signature"] ?? ""
const signed = (delivery: QueuedMessage, value: string) => ({
  ...delivery,
  headers: { ...delivery.headers, "Upstash-Signature": value },
})

test("A signature that is missing, forged or altered is refused", async () => {
  const delivery = await nextDelivery()
  const { "Upstash-Signature": _none, ...unsigned } = delivery.headers
  await expectRefused({ ...delivery, headers: unsigned })
  const token = signature(delivery)
  const [head, claims, mac] = token.split(".")
  const none = btoa('{"alg":"none","typ":"JWT"}').replace(/=+$/, "")
  for (const forged of [
    "",
    "x",
    "a.b.c",
    `${none}.${claims}.`,
    `${head}.${claims}.`,
    `${head}.${claims}.${mac?.slice(1)}A`,
  ]) {
    await expectRefused(signed(delivery, forged))
  }
  const stranger = new TextEncoder().encode("sig_somebody_elses_key_of_some_length")
  const body = JSON.parse(atob((claims ?? "").replaceAll("-", "+").replaceAll("_", "/")))
  const wrongKey = await new SignJWT(body).setProtectedHeader({ alg: "HS256" }).sign(stranger)
  await expectRefused(signed(delivery, wrongKey))
  const ours = new TextEncoder().encode(String(world.env.QSTASH_CURRENT_SIGNING_KEY))
  const issuer = await new SignJWT({ ...body, iss: "Someone" }).setProtectedHeader({ alg: "HS256" }).sign(ours)
  await expectRefused(signed(delivery, issuer))
})

test("A token of ours with another algorithm, or without times, URL or body, is refused", async () => {
  const delivery = await nextDelivery()
  const ours = new TextEncoder().encode(String(world.env.QSTASH_CURRENT_SIGNING_KEY))
  const claims = decodeJwt(signature(delivery))
  const sign = (alg: string, body: JWTPayload) => new SignJWT(body).setProtectedHeader({ alg }).sign(ours)
  await expectRefused(signed(delivery, await sign("HS512", claims)))
  for (const missing of ["nbf", "exp", "sub", "body", "iss"] as const) {
    const { [missing]: _gone, ...rest } = claims
    await expectRefused(signed(delivery, await sign("HS256", rest)))
  }
  expect((await world.deliver(signed(delivery, await sign("HS256", claims)))).status).toBe(200)
})

test("Bytes that decode to the signed text are refused", async () => {
  const delivery = await nextDelivery()
  const bytesOf = (text: string) => new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>
  const ours = bytesOf(String(world.env.QSTASH_CURRENT_SIGNING_KEY))
  const body = await bodyDigest(bytesOf("\ufffd"))
  const token = await new SignJWT({ ...decodeJwt(signature(delivery)), body })
    .setProtectedHeader({ alg: "HS256" })
    .sign(ours)
  await expectRefused({ ...signed(delivery, token), body: btoa("\xff") })
  await expectRefused({ ...delivery, body: btoa("\xef\xbb\xbf{}") })
})

test("No variable of the SDK makes the worker trust the keys in its documentation", async () => {
  const delivery = await nextDelivery()
  const known = new TextEncoder().encode("sig_7kYjw48mhY7kAjqNGcy6cr29RJ6r")
  const token = await new SignJWT(decodeJwt(signature(delivery))).setProtectedHeader({ alg: "HS256" }).sign(known)
  const { QSTASH_CURRENT_SIGNING_KEY, QSTASH_NEXT_SIGNING_KEY } = world.env
  world.rebind({ QSTASH_CURRENT_SIGNING_KEY: "sig_of_our_own_1", QSTASH_NEXT_SIGNING_KEY: "sig_of_our_own_2" })
  process.env.QSTASH_DEV = "1"
  try {
    await expectRefused(signed(delivery, token))
  } finally {
    delete process.env.QSTASH_DEV
    world.rebind({ QSTASH_CURRENT_SIGNING_KEY, QSTASH_NEXT_SIGNING_KEY })
  }
})

test("Another body, another URL and an expired or future token are refused", async () => {
  const delivery = await nextDelivery()
  await expectRefused({ ...delivery, body: btoa('{"x":1}') })
  await contextOf(world).queue.publish({ path: "/callbacks/webhooks/webhook_1", flow: null })
  const [other] = await world.qstash.due()
  await expectRefused(signed(delivery, signature(other as QueuedMessage)))
  await expectRefused({ ...delivery, url: other?.url ?? "" })
  await world.clock.advance(306_000)
  await expectRefused(delivery)
  await world.clock.advance(-400_000)
  await expectRefused(delivery)
  await world.clock.advance(94_000)
  expect((await world.deliver(delivery)).status).toBe(200)
})

test("The next key is accepted during a rotation, and a retired key is refused", async () => {
  const stale = await nextDelivery()
  const rolled = await world.qstash.rollKeys()
  const fresh = await nextDelivery()
  expect((await world.deliver(fresh)).status, "signed with the key that the worker knows as its next key").toBe(200)
  world.rebind({ QSTASH_CURRENT_SIGNING_KEY: rolled.current, QSTASH_NEXT_SIGNING_KEY: rolled.next })
  await expectRefused(stale)
})
