import { afterAll, beforeAll, expect, test } from "vitest"
import {
  deliveriesOf,
  makeWebhook,
  type ReceivedEvent,
  serveReceiver,
  untilNextAttempt,
  verifies,
} from "../harness/receiver.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

test("Every one of eight attempts of a delivery verifies with the old and the new secret of a rotation", async () => {
  const client = await world.createAccount()
  const receiver = serveReceiver(world, () => new Response("not now", { status: 500 }))
  const { webhook_id, secret: old } = await makeWebhook(client, { url: receiver.url, events: ["turn.done"] })
  const turn = await client.runTurn({ space: await client.space(), text: "Grüße \u{1F600}" })

  const rotated = await client.call("POST", `/v1/webhooks/${webhook_id}/rotate-secret`)
  const { secret: fresh, previous_secret_expires_at } = (await rotated.json()) as Record<string, string>
  expect(fresh).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(fresh).not.toBe(old)
  expect(previous_secret_expires_at).toBe(new Date(world.clock.ms() + 86_400_000).toISOString())

  const waits: number[] = []
  for (let attempt = 1; ; attempt++) {
    const [delivery] = await deliveriesOf(client, webhook_id)
    expect(delivery).toMatchObject({ attempt_count: attempt })
    if (!delivery?.next_attempt_at) break
    waits.push(new Date(delivery.next_attempt_at).getTime() - world.clock.ms())
    await untilNextAttempt(world, delivery.next_attempt_at)
  }
  const schedule = [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000].map((seconds) => seconds * 1000)
  expect(waits).toHaveLength(schedule.length)
  for (const [index, wait] of waits.entries()) {
    expect(wait).toBeGreaterThanOrEqual((schedule[index] as number) * 0.8)
    expect(wait).toBeLessThanOrEqual((schedule[index] as number) * 1.2)
  }

  expect(receiver.received).toHaveLength(8)
  expect(new Set(receiver.received.map(({ body }) => body)).size, "every attempt has the same bytes").toBe(1)
  expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1)
  expect(
    new Set(receiver.received.map(({ headers }) => headers["webhook-timestamp"])).size,
    "every attempt has a new timestamp",
  ).toBe(8)
  expect(receiver.received[0]?.event.data.turn).toEqual(turn)
  const during = receiver.received.filter(({ at }) => at < new Date(previous_secret_expires_at as string).getTime())
  expect(during.length, "attempts during the rotation").toBeGreaterThanOrEqual(5)
  // The first attempt was made before the rotation.
  for (const seen of receiver.received.slice(1)) expect(verifies(fresh as string, seen)).toBe(true)
  for (const seen of during) expect(verifies(old, seen)).toBe(true)
  expect(verifies(fresh as string, receiver.received[0] as ReceivedEvent)).toBe(false)
  for (const seen of receiver.received.filter(({ at }) => !during.some((early) => early.at === at))) {
    expect(verifies(old, seen), "the old secret has expired").toBe(false)
  }

  const [delivery] = await deliveriesOf(client, webhook_id)
  expect(delivery).toMatchObject({ state: "failed", status_reason: "attempts_exhausted", attempt_count: 8 })
  expect(delivery?.attempts.map(({ status, answer }) => [status, answer])).toEqual(Array(8).fill([500, "not now"]))
})

test("A second rotation within the overlap keeps every secret for its own 24 hours, and an eleventh former secret is refused", async () => {
  const client = await world.createAccount()
  const receiver = serveReceiver(world)
  const { webhook_id, secret } = await makeWebhook(client, { url: receiver.url, events: ["turn.done"] })
  const space = await client.space()
  const secrets = [secret]
  const rotate = async () => {
    const answer = await client.call("POST", `/v1/webhooks/${webhook_id}/rotate-secret`)
    const body = (await answer.json()) as { secret: string; error: unknown }
    if (answer.status === 200) secrets.push(body.secret)
    return body
  }
  const signing = async () => {
    await client.runTurn({ space })
    const last = receiver.received.at(-1) as ReceivedEvent
    expect(last.headers["webhook-signature"]?.split(" ")).toHaveLength(
      secrets.filter((each) => verifies(each, last)).length,
    )
    return secrets.map((each) => verifies(each, last))
  }
  await rotate()
  await world.advance(3_600_000)
  expect(await rotate()).toMatchObject({
    previous_secret_expires_at: new Date(world.clock.ms() + 86_400_000).toISOString(),
  })
  expect(await signing()).toEqual([true, true, true])
  await world.advance(82_800_000)
  expect(await signing()).toEqual([false, true, true])
  await world.advance(3_600_000)
  expect(await signing()).toEqual([false, false, true])

  for (let rotation = 1; rotation <= 10; rotation++) await rotate()
  expect(await rotate()).toMatchObject({ error: { code: "LIMIT_REACHED" } })
  expect(await signing()).toEqual([false, false, ...Array(11).fill(true)])
})

test("An altered message does not verify", async () => {
  const client = await world.createAccount()
  const receiver = serveReceiver(world)
  const { secret } = await makeWebhook(client, { url: receiver.url })
  await client.runTurn({ space: await client.space() })
  expect(receiver.types()).toEqual(["turn.queued", "turn.running", "turn.done"])
  for (const seen of receiver.received) {
    const { at, headers, body } = seen
    expect(verifies(secret, seen)).toBe(true)
    const altered: Pick<ReceivedEvent, "at" | "headers" | "body">[] = [
      { at, headers, body: body.replace("hello", "Hello") },
      { at, headers, body: `${body} ` },
      { at, headers: { ...headers, "webhook-id": `${headers["webhook-id"]}0` }, body },
      { at, headers: { ...headers, "webhook-timestamp": String(Number(headers["webhook-timestamp"]) + 1) }, body },
      { at: at + 301_000, headers, body },
      { at: at - 301_000, headers, body },
      {
        at,
        headers: { ...headers, "webhook-signature": (headers["webhook-signature"] as string).replace("v1,", "v2,") },
        body,
      },
    ]
    for (const [index, one] of altered.entries()) expect(verifies(secret, one), `alteration ${index}`).toBe(false)
    expect(verifies(`whsec_${btoa("another secret of thirty-two byte")}`, seen)).toBe(false)
  }
})

test("A secret that an older key of the ring has sealed is sealed again when it signs, so that the key can be removed", async () => {
  const client = await world.createAccount()
  const receiver = serveReceiver(world)
  const { webhook_id, secret } = await makeWebhook(client, { url: receiver.url, events: ["turn.done"] })
  const rotate = async () =>
    ((await (await client.call("POST", `/v1/webhooks/${webhook_id}/rotate-secret`)).json()) as { secret: string })
      .secret
  const secrets = [secret, await rotate(), await rotate()]
  const space = await client.space()
  const former = world.env.SECRETS_KEYS
  const latest = `latest:${btoa("fedcba9876543210fedcba9876543210")}`
  for (const SECRETS_KEYS of [`${latest},${former}`, latest]) {
    world.rebind({ SECRETS_KEYS })
    await client.runTurn({ space })
    const received = receiver.received.at(-1)
    for (const each of secrets) expect(received && verifies(each, received)).toBe(true)
  }
  expect(receiver.received).toHaveLength(2)
  world.rebind({ SECRETS_KEYS: former })
})
