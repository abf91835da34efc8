import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest"
import { createContext } from "../../src/actor/context.ts"
import { parseBaseEnv } from "../../src/base/env.ts"
import type { Flow } from "../../src/platform/queue.ts"
import { RUNNERS_PATH } from "../../src/turns/call-runner.ts"
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

test("A publish contains the destination, the delay, the retries and the deduplication id", async () => {
  const { queue, meter } = contextOf(world)
  const message = { path: RUNNERS_PATH, flow: { of: "turns" }, delayMs: 1500, dedupe: "one" } as const
  await queue.publish(message)
  await queue.publish(message)
  expect(meter.header(0)).toMatch(/qstash;dur=[\d.]+;desc="calls=2"/)
  expect(await world.qstash.pending()).toMatchObject([
    { url: `https://callbacks.test${RUNNERS_PATH}`, not_before_ms: world.clock.ms() + 2000, flow_control_key: "turns" },
  ])
  await world.advance(2000)
  const [delivery] = await world.qstash.due()
  expect(delivery).toMatchObject({ body: btoa("{}") })
  expect(delivery?.headers["Content-Type"]).toBe("application/json")
  await world.qstash.reset()
})

/**
 * Publishes this many messages with other bindings. Returns how many of each path are delivered
 * concurrently.
 */
async function atOnce(slots: Record<string, string>, messages: { path: string; flow: Flow }[], each = 12) {
  const { queue } = createContext(parseBaseEnv({ ...world.env, ...slots }), () => {}, { clock: world.clock })
  for (const message of messages) for (let n = 0; n < each; n++) await queue.publish(message)
  const due = await world.qstash.due()
  await world.qstash.reset()
  return messages.map(({ path }) => due.filter(({ url }) => url.endsWith(path)).length)
}

const webhooksOf = (user_id: number) =>
  ({ path: `/callbacks/webhooks/${user_id}`, flow: { of: "webhooks", user_id } }) as const
const runners = { path: RUNNERS_PATH, flow: { of: "turns" } } as const

test("Runners are delivered concurrently up to their limit, plus half as many that only finish their turns", async () => {
  expect(await atOnce({ RUNNERS: "4" }, [runners])).toEqual([6])
  expect(await atOnce({ RUNNERS: "1" }, [runners])).toEqual([2])
})

test("Webhooks and runners do not use each other's share of the queue", async () => {
  expect(await atOnce({ RUNNERS: "2", WEBHOOK_RUNS: "3" }, [runners, webhooksOf(7)])).toEqual([3, 3])
})

test("The dispatchers of all accounts together are no more than the configured number", async () => {
  const accounts = [1, 2, 3, 4, 5, 6, 7].map(webhooksOf)
  for (const most of [1, 2, 3, 7, 12]) {
    const delivered = await atOnce({ WEBHOOK_RUNS: String(most) }, accounts)
    const all = delivered.reduce((sum, one) => sum + one)
    expect(all, `of ${most}`).toBeLessThanOrEqual(most)
    expect(all, `of ${most}`).toBeGreaterThanOrEqual(most - 2)
  }
})

test("An account whose webhooks are slow delays only accounts in its own lane", async () => {
  // Two lanes of three dispatchers.
  expect(await atOnce({ WEBHOOK_RUNS: "6" }, [webhooksOf(10), webhooksOf(11)])).toEqual([3, 3])
  const [slow = 0, other = 0] = await atOnce({ WEBHOOK_RUNS: "6" }, [webhooksOf(10), webhooksOf(12)])
  expect(slow + other, "both in one lane").toBe(3)
})

test("A message that QStash rejects is tried once", async () => {
  await world.plan([{ service: "qstash", call: 1, times: 9, action: "fail", when: "before" }])
  await expect(queueOf().publish({ path: RUNNERS_PATH, flow: null })).rejects.toThrow("failed by the fault plan")
  await world.plan([{ service: "qstash", call: 1, times: 9, action: "cut", when: "before" }])
  await expect(queueOf().publish({ path: RUNNERS_PATH, flow: null })).rejects.toThrow()
  expect(await world.calls()).toHaveLength(1)
})

test("A call of a QStash that hangs is abandoned after 5 s", async () => {
  const over = new AbortController()
  const timeout = vi.spyOn(AbortSignal, "timeout").mockReturnValue(over.signal)
  await world.plan([{ service: "qstash", call: 1, action: "hold", when: "before" }])
  const published = queueOf().publish({ path: RUNNERS_PATH, flow: null })
  over.abort(new Error("five seconds have gone"))
  await expect(published).rejects.toThrow("five seconds have gone")
  expect(timeout).toHaveBeenCalledExactlyOnceWith(5000)
  await world.clearFaults()
})

test("No variable of the SDK redirects a publish", async () => {
  process.env.QSTASH_DEV = "1"
  try {
    await queueOf().publish({ path: RUNNERS_PATH, flow: null })
  } finally {
    delete process.env.QSTASH_DEV
  }
  expect((await world.qstash.pending()).map(({ url }) => url)).toContain(`https://callbacks.test${RUNNERS_PATH}`)
})
