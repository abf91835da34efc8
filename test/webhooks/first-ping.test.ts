import { afterAll, beforeAll, expect, test } from "vitest"
import { serveReceiver } from "../harness/receiver.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

test("A webhook that is created without a ping gets nothing until its owner sends one, and then its events", async () => {
  const client = await world.createAccount()
  const browser = await world.signIn(client.userId)
  const space = await client.space()
  const receiver = serveReceiver(world)
  const [status, made] = await browser.json("POST", "/api/account/webhooks", { url: receiver.url, ping: false })
  expect([status, made.state, made.failing_since]).toEqual([201, "pending", null])
  const path = `/api/account/webhooks/${made.webhook_id}`
  expect(await browser.json("GET", `${path}/deliveries`)).toMatchObject([200, { total: 0 }])

  await client.runTurn({ space, text: "hello" })
  await world.advance(86_400_000)
  await world.sweep()
  await world.drain()
  expect(receiver.received).toEqual([])
  const woken = await world.sql("select woken_at from webhook_endpoints where webhook_id = $1", [made.webhook_id])
  expect(woken, "No dispatcher is called in vain").toEqual([{ woken_at: null }])

  const owner = await world.signIn(client.userId)
  await owner.json("POST", `${path}/test`)
  await world.drain()
  expect((await owner.json("GET", path))[1]).toMatchObject({ state: "verified", enabled: true, failing_since: null })
  expect(receiver.types()[0]).toBe("ping")
  expect(receiver.types()).toContain("turn.done")
})

test("A webhook pings at once if the request does not say otherwise", async () => {
  const client = await world.createAccount()
  const receiver = serveReceiver(world)
  await client.call("POST", "/v1/webhooks", { url: receiver.url })
  await world.drain()
  expect(receiver.types()).toEqual(["ping"])
})
