import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { dumpTables } from "../harness/dump.ts"
import { deliveriesOf, makeWebhook, serveReceiver } from "../harness/receiver.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

const TWINS = 20

async function read(response: Response) {
  const replayed = response.headers.get("idempotent-replayed")
  return { status: response.status, replayed, body: await response.json() }
}

describe("Repeats with an Idempotency-Key", () => {
  const attempts = {
    "rotate-secret": {},
    test: {},
    replay: { from: "2026-01-01T00:00:00Z", include_delivered: true },
    redeliver: {},
  }

  test.each(Object.entries(attempts))(
    "The effect of %s happens once for 20 concurrent requests and later repeats",
    async (what, body) => {
      const client = await world.createAccount()
      const space = await client.space()
      const receiver = serveReceiver(world, () => new Response())
      const { webhook_id } = await makeWebhook(client, { url: receiver.url })
      await client.runTurn({ space })
      const [delivery] = await deliveriesOf(client, webhook_id)
      const path =
        what === "redeliver"
          ? `/v1/deliveries/${delivery?.delivery_id}/redeliver`
          : `/v1/webhooks/${webhook_id}/${what}`
      const send = () => client.call("POST", path, what === "replay" ? body : undefined, { "idempotency-key": "same" })
      const answers = await Promise.all((await Promise.all(Array.from({ length: TWINS }, send))).map(read))
      expect(answers.filter(({ replayed }) => replayed === null)).toHaveLength(1)
      expect(new Set(answers.map(({ body: made }) => JSON.stringify(made))).size).toBe(1)
      await world.drain()
      const done = await dumpTables(world)
      const again = await read(await send())
      expect(again).toMatchObject({ status: answers[0]?.status, replayed: "true" })
      await world.drain()
      expect(await dumpTables(world), "there is no second effect").toEqual(done)
      const other = await client.call("POST", `/v1/webhooks/${webhook_id}/test?`, undefined, {
        "idempotency-key": "same",
      })
      expect(other.status).toBe(what === "test" ? 202 : 422)
    },
  )
})

test("A repeat shows no secret that was created after its own request", async () => {
  const client = await world.createAccount()
  const body = { url: serveReceiver(world).url }
  const create = () => client.call("POST", "/v1/webhooks", body, { "idempotency-key": "create" })
  const { webhook_id, secret } = (await (await create()).json()) as { webhook_id: string; secret: string }
  const rotate = (key: string) =>
    client.call("POST", `/v1/webhooks/${webhook_id}/rotate-secret`, undefined, { "idempotency-key": key })
  expect(await (await create()).json()).toMatchObject({ secret })
  const first = (await (await rotate("first")).json()) as { secret: string }
  expect(await (await rotate("first")).json()).toMatchObject({ secret: first.secret })
  const second = (await (await rotate("second")).json()) as { secret: string }
  for (const repeat of [create, () => rotate("first")]) {
    const response = await repeat()
    expect(response.status).toBe(422)
    const answer = await response.text()
    expect(answer).toContain("IDEMPOTENCY_KEY_REUSED")
    expect(answer).not.toContain(second.secret)
  }
  expect(await (await rotate("second")).json()).toMatchObject({ secret: second.secret })
})
