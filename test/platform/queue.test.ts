import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest"
import { createContext } from "../../src/actor/context.ts"
import { parseBaseEnv } from "../../src/base/env.ts"
import { contextOf } from "../harness/context.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterEach(async () => {
  vi.restoreAllMocks()
  await world.clearFaults()
})
afterAll(() => world.close())

const queueOf = () => contextOf(world).queue

test("A publish says where, when, how often and which others it repeats", async () => {
  const { queue, meter } = contextOf(world)
  const path = "/callbacks/turns/turn_1"
  const flow = { of: "turns", user_id: 7, test: true } as const
  await queue.publish({ path, flow, delayMs: 1500, dedupe: "one" })
  await queue.publish({ path, flow, delayMs: 1500, dedupe: "one" })
  expect(meter.header(0)).toMatch(/qstash;dur=[\d.]+;desc="calls=2"/)
  expect(await world.qstash.pending()).toMatchObject([
    { url: `https://callbacks.test${path}`, not_before_ms: world.clock.ms() + 2000, flow_control_key: "turns.7.test" },
  ])
  await world.advance(2000)
  const [delivery] = await world.qstash.due()
  expect(delivery).toMatchObject({ body: btoa("{}") })
  expect(delivery?.headers["Content-Type"]).toBe("application/json")
})

test("Each kind of work has the configured number of slots of its own", async () => {
  const slots = { TURN_SLOTS: "4", TEST_TURN_SLOTS: "3", WEBHOOK_SLOTS: "2", TEST_WEBHOOK_SLOTS: "1" }
  const { queue } = createContext(parseBaseEnv({ ...world.env, ...slots }), () => {}, { clock: world.clock })
  const kinds = [
    ["turns", false, 4],
    ["begun-turns", false, 4],
    ["webhooks", false, 2],
    ["turns", true, 3],
    ["begun-turns", true, 3],
    ["webhooks", true, 1],
  ] as const
  const pathOf = (of: string, test: boolean) => `/callbacks/slots/${of}/${test ? "test" : "live"}/`
  for (const [of, test] of kinds) {
    const flow = { of, user_id: 8, test }
    for (let n = 0; n < 6; n++) await queue.publish({ path: `${pathOf(of, test)}${n}`, flow })
  }
  const due = await world.qstash.due()
  for (const [of, test, atOnce] of kinds) {
    const path = pathOf(of, test)
    expect(due.filter(({ url }) => url.includes(path)).length, path).toBe(atOnce)
  }
})

test("Turns whose messages were lost share their slots equally, and each account has one of its own at most", async () => {
  const env = parseBaseEnv({ ...world.env, LATE_TURN_SLOTS: "9", TURN_SLOTS: "3", TEST_TURN_SLOTS: "2" })
  const { queue } = createContext(env, () => {}, { clock: world.clock })
  const publish = async (sharers: number) => {
    for (const user_id of [100, 200]) {
      const flow = { of: "late-turns", user_id: user_id + sharers, test: user_id === 200, sharers } as const
      for (let n = 0; n < 5; n++) await queue.publish({ path: `/callbacks/late/${sharers}/${user_id}/${n}`, flow })
    }
    const due = (await world.qstash.due()).filter(({ url }) => url.includes(`/late/${sharers}/`))
    return [100, 200].map((id) => due.filter(({ url }) => url.includes(`/${id}/`)).length)
  }
  expect([await publish(1), await publish(4), await publish(6), await publish(50)]).toEqual([
    [3, 2],
    [2, 2],
    [1, 1],
    [1, 1],
  ])
})

test("Many messages are one request, and each is accepted or refused separately", async () => {
  const { queue, meter } = contextOf(world)
  const path = (n: number) => `/callbacks/together/${n}`
  const year = 366 * 86_400_000
  const taken = await queue.publishAll([
    { path: path(1), flow: { of: "turns", user_id: 9, test: false }, dedupe: "first" },
    { path: path(2), flow: null, delayMs: year },
    { path: path(3), flow: { of: "begun-turns", user_id: 9, test: true }, delayMs: 1500 },
    { path: path(1), flow: { of: "turns", user_id: 9, test: false }, dedupe: "first" },
  ])
  expect(taken).toEqual([true, false, true, true])
  expect(meter.header(0)).toMatch(/qstash;dur=[\d.]+;desc="calls=1"/)
  const pending = (await world.qstash.pending()).filter(({ url }) => url.includes("/together/"))
  expect(pending).toMatchObject([
    { url: `https://callbacks.test${path(1)}`, flow_control_key: "turns.9.live" },
    {
      url: `https://callbacks.test${path(3)}`,
      flow_control_key: "begun-turns.9.test",
      not_before_ms: world.clock.ms() + 2000,
    },
  ])
  const [delivery] = (await world.qstash.due()).filter(({ url }) => url.includes("/together/"))
  expect(delivery).toMatchObject({ body: btoa("{}") })
  expect(delivery?.headers["Content-Type"]).toBe("application/json")
})

test("A message that QStash refuses is tried once", async () => {
  await world.plan([{ service: "qstash", call: 1, times: 9, action: "fail", when: "before" }])
  await expect(queueOf().publish({ path: "/callbacks/turns/turn_2", flow: null })).rejects.toThrow(
    "failed by the fault plan",
  )
  await world.plan([{ service: "qstash", call: 1, times: 9, action: "cut", when: "before" }])
  await expect(queueOf().publish({ path: "/callbacks/turns/turn_2", flow: null })).rejects.toThrow()
  expect(await world.calls()).toHaveLength(1)
})

test("A QStash that hangs is given up after 5 s", async () => {
  const over = new AbortController()
  const timeout = vi.spyOn(AbortSignal, "timeout").mockReturnValue(over.signal)
  await world.plan([{ service: "qstash", call: 1, action: "hold", when: "before" }])
  const published = queueOf().publish({ path: "/callbacks/turns/turn_3", flow: null })
  over.abort(new Error("five seconds have gone"))
  await expect(published).rejects.toThrow("five seconds have gone")
  expect(timeout).toHaveBeenCalledExactlyOnceWith(5000)
  await world.clearFaults()
})

test("No variable of the SDK's redirects a publish", async () => {
  process.env.QSTASH_DEV = "1"
  try {
    await queueOf().publish({ path: "/callbacks/turns/turn_4", flow: null })
  } finally {
    delete process.env.QSTASH_DEV
  }
  expect((await world.qstash.pending()).map(({ url }) => url)).toContain(
    "https://callbacks.test/callbacks/turns/turn_4",
  )
})
