import { beforeEach, expect, test } from "vitest"
import { readJson } from "../harness/answers.ts"
import { reconcileAsAdmin, signInAdmin } from "../harness/books.ts"
import { cronOf, isAsleep, MINUTE_MS } from "../harness/cron.ts"
import { giveShards } from "../harness/shards.ts"
import { laterTool, sendUntilItWaits, serveTools, waiter } from "../harness/waiting.ts"
import { refundText, refundTool } from "../harness/waiting-tools.ts"
import { WATCHED, watch } from "../harness/watch.ts"
import { createWorld, type TestClient, turnOf, type World } from "../harness/world.ts"

let world: World
let client: TestClient
let space: string
let service: ReturnType<typeof watch>
beforeEach(async () => {
  world = await createWorld({ env: WATCHED })
  service = watch(world)
  serveTools(world)
  client = await world.createAccount({ usd: 50 })
  space = await client.space({ tools: [refundTool({ approval: "always" }), laterTool()] })
  return () => world.close()
})

const waitingFor = async (path: "system" | "overview") =>
  Object.fromEntries((await service.viewOf(path)).turns.waiting.map((one) => [one.for, one.turns]))

/** 100 waiting turns of each kind, and a turn after each of some. */
async function waitOften(): Promise<string[]> {
  const texts = [...Array(60).fill(refundText(90)), ...Array(30).fill("[call print {}]")]
  const sent = await Promise.all(
    texts.map((text, nth) => client.sendTurn({ space, text, conversation: `of ${nth}` }).then(turnOf)),
  )
  const limited = "[steps 4]\n[use input=10 output=200]"
  for (let nth = 0; nth < 10; nth++)
    await client.sendTurn({
      space,
      text: limited,
      conversation: `limit ${nth}`,
      on_limit: "wait",
      max_cost_usd: 0.0026,
    })
  await world.drain()
  for (let nth = 0; nth < 5; nth++) await client.sendTurn({ space, conversation: `of ${nth}` })
  await world.drain()
  return sent.map(({ turn_id }) => turn_id)
}

test("An hour with 100 of them: every check passes, no alert is sent, and the service sleeps and wakes", async () => {
  const [first] = await waitOften()
  const since = world.clock.now().toISOString()
  expect(await service.passInOrder(60)).toBeGreaterThan(30)
  for (const path of ["system", "overview"] as const) {
    const { turns } = await service.viewOf(path)
    expect(turns).toMatchObject({ queued: 5, running: 100, blocked: 5 })
    expect(turns.waiting).toEqual([
      { for: "limit", turns: 10, oldest_at: since },
      { for: "approval", turns: 60, oldest_at: since },
      { for: "result", turns: 30, oldest_at: since },
    ])
  }
  expect((await service.viewOf("system")).turns.overdue).toBe(0)
  await cronOf(world).untilAsleep()
  expect(await waiter(client).decide(first ?? "", { decision: "allow" })).toMatchObject({ status: 200 })
  expect(isAsleep(await cronOf(world).minute())).toBe(false)
  await world.drain()
  expect(await client.getTurn(first ?? "")).toMatchObject({ state: "done" })
  expect((await waitingFor("overview")).approval).toBe(59)
  expect(await service.passInOrder(10)).toBeGreaterThan(0)
})

test("A turn that no runner takes is found within two minutes, although others wait", async () => {
  await waitOften()
  await service.passInOrder(5)
  await world.sweep()
  await client.sendTurn({ space, conversation: "stalled" })
  expect(await service.untilFound("turns")).toBeLessThanOrEqual(120)
  expect((await service.viewOf("system")).turns.overdue).toBe(1)
  await cronOf(world).minute()
  await cronOf(world).minute()
  expect(service.alerts).toEqual(["turns"])
})

test("A turn whose worker has died is found within two minutes after its lease", async () => {
  const { turn_id } = await sendUntilItWaits(world, client, { space, text: refundText(90) })
  await world.sql("update open_turns set state = 'running' where turn_id = $1", [turn_id])
  expect(await service.untilFound("turns")).toBeLessThanOrEqual(120)
})

test("The queue of an account whose turns end one after the other fails no check", async () => {
  await client.sendTurn({ space, conversation: "another" })
  await world.advance(5 * MINUTE_MS)
  await world.sweep()
  expect((await service.health())[1]).toEqual(["turns"])
  const { turn_id } = await turnOf(await client.sendTurn({ space, conversation: "short" }))
  await client.call("POST", `/v1/turns/${turn_id}/cancel`)
  expect(await service.health()).toEqual([200, []])
  await world.advance(2 * MINUTE_MS)
  await world.sweep()
  expect((await service.health())[1]).toEqual(["turns"])
})

test("Lists by state have them among the running turns, and blocked ones among the queued turns", async () => {
  const { turn_id } = await sendUntilItWaits(world, client, { space, text: refundText(90), conversation: "one" })
  const blocked = await turnOf(await client.sendTurn({ space, conversation: "one" }))
  const idsOf = async (state: string) => {
    const [, list] = await readJson(client.call("GET", `/v1/turns?state=${state}`))
    return (list as { data: { turn_id: string }[] }).data.map((turn) => turn.turn_id)
  }
  expect([await idsOf("running"), await idsOf("queued")]).toEqual([[turn_id], [blocked.turn_id]])
  await waiter(client).decide(turn_id, { decision: "allow" })
  expect([await idsOf("running"), await idsOf("queued")]).toEqual([[turn_id], [blocked.turn_id]])
})

test("An account gives its shards back although a turn waits, so that the service can sleep", async () => {
  await sendUntilItWaits(world, client, { space, text: refundText(90) })
  await giveShards(world, client)
  await world.advance(2 * 60 * MINUTE_MS)
  await cronOf(world).minute()
  expect(await world.sql("select from wallets where shards > 0")).toEqual([])
  await cronOf(world).untilAsleep()
})

test("A turn that is repaired into the queue of a waiting turn is blocked by it", async () => {
  await sendUntilItWaits(world, client, { space, text: refundText(90), conversation: "one" })
  const { turn_id } = await turnOf(await client.sendTurn({ space, conversation: "one" }))
  await world.sql("delete from open_turns where turn_id = $1", [turn_id])
  const admin = await signInAdmin(world)
  await world.advance(60 * MINUTE_MS)
  await reconcileAsAdmin(admin)
  const [repaired] = await world.sql("select state, wake_at::text from open_turns where turn_id = $1", [turn_id])
  expect(repaired).toEqual({ state: "blocked", wake_at: "infinity" })
})
