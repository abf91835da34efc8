import { Webhook } from "standardwebhooks"
import { expect, test } from "vitest"
import { Turnpike, verifyWebhook, WebhookVerificationError } from "../../client/src/index.ts"

const SECRET = `whsec_${btoa("0123456789abcdef0123456789abcdef")}`
const OTHER = `whsec_${btoa("another secret of thirty-two byt")}`
const NOW = new Date("2026-01-15T09:30:00Z")
const BODY = JSON.stringify({
  id: "evt_1",
  type: "turn.done",
  created_at: NOW,
  seq: 3,
  data: { turn: { text: "ü €" } },
})

/** A message signed by the public package. */
function signed({ id = "evt_1", at = NOW, body = BODY, secret = SECRET } = {}) {
  return {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": new Webhook(secret).sign(id, at, body),
  }
}

const later = (seconds: number) => ({ now: new Date(NOW.getTime() + seconds * 1000) })
const refused = (promise: Promise<unknown>) => expect(promise).rejects.toBeInstanceOf(WebhookVerificationError)

test("A message signed by the public package is verified, with any kind of headers and body", async () => {
  const event = JSON.parse(BODY) as unknown
  const bytes = new TextEncoder().encode(BODY)
  const node = Object.fromEntries(Object.entries(signed()).map(([name, value]) => [name.toUpperCase(), [value]]))
  for (const headers of [signed(), new Headers(signed()), new Map(Object.entries(signed())), node]) {
    const readable = headers instanceof Map ? { get: (name: string) => headers.get(name) ?? null } : headers
    expect(await verifyWebhook(BODY, readable, SECRET, later(0))).toEqual(event)
    expect(await verifyWebhook(bytes, readable, SECRET, later(0))).toEqual(event)
  }
  const turnpike = new Turnpike({ apiKey: "turnpike_live_x", baseUrl: "https://api.test" })
  expect(await turnpike.webhooks.verify(BODY, signed(), SECRET, later(0))).toEqual(event)
})

test("During a rotation, either secret and either signature is accepted", async () => {
  const both = {
    ...signed(),
    "webhook-signature": `${signed({ secret: OTHER })["webhook-signature"]} v1a,xx v1,! ${signed()["webhook-signature"]}`,
  }
  for (const secret of [SECRET, OTHER, [SECRET, OTHER], SECRET.slice("whsec_".length)]) {
    await verifyWebhook(BODY, both, secret, later(0))
  }
  await verifyWebhook(BODY, signed(), [OTHER, SECRET], later(0))
})

test("Timestamps that differ by up to five minutes are accepted, and larger differences are refused", async () => {
  for (const seconds of [-300, 0, 300]) await verifyWebhook(BODY, signed(), SECRET, later(seconds))
  for (const seconds of [-301, 301]) await refused(verifyWebhook(BODY, signed(), SECRET, later(seconds)))
  await verifyWebhook(BODY, signed(), SECRET, { ...later(900), toleranceSeconds: 900 })
})

test("Any changed byte is refused", async () => {
  await refused(verifyWebhook(BODY.replace("3", "4"), signed(), SECRET, later(0)))
  await refused(verifyWebhook(`${BODY} `, signed(), SECRET, later(0)))
  await refused(verifyWebhook(BODY, { ...signed(), "webhook-id": "evt_2" }, SECRET, later(0)))
  await refused(
    verifyWebhook(BODY, { ...signed(), "webhook-timestamp": String(NOW.getTime() / 1000 + 1) }, SECRET, later(0)),
  )
  await refused(verifyWebhook(BODY, signed(), OTHER, later(0)))
  const signature = signed()["webhook-signature"]
  for (const wrong of [
    "",
    "v1,",
    "v1,AAAA",
    "v1",
    signature.slice(3),
    signature.replace("v1", "v2"),
    signature.toLowerCase(),
  ]) {
    await refused(verifyWebhook(BODY, { ...signed(), "webhook-signature": wrong }, SECRET, later(0)))
  }
})

test("Missing, doubled and malformed headers are refused, and no event is read from a body that is not JSON", async () => {
  for (const name of ["webhook-id", "webhook-timestamp", "webhook-signature"]) {
    await refused(verifyWebhook(BODY, { ...signed(), [name]: undefined }, SECRET, later(0)))
    await refused(verifyWebhook(BODY, { ...signed(), [name]: ["a", "b"] }, SECRET, later(0)))
  }
  for (const timestamp of ["now", "-1", "1e9", "NaN", "9".repeat(13)]) {
    await refused(verifyWebhook(BODY, { ...signed(), "webhook-timestamp": timestamp }, SECRET, later(0)))
  }
  await refused(verifyWebhook("not JSON", signed({ body: "not JSON" }), SECRET, later(0)))
})

test("A malformed secret is reported as the caller's mistake, not the message's", async () => {
  for (const secret of ["", "whsec_", "whsec_!!!", []]) {
    await expect(verifyWebhook(BODY, signed(), secret, later(0))).rejects.toBeInstanceOf(TypeError)
  }
})

test("A parsed body is reported as the caller's mistake too", async () => {
  const parsed = JSON.parse(BODY) as never
  await expect(verifyWebhook(parsed, signed(), SECRET, later(0))).rejects.toThrow(/pass the raw body/)
})
