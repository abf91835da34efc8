import { expect, test } from "vitest"
import type { ChannelMessage } from "../../src/platform/redis.ts"
import { type CallPush, pushOf, sharedChannels, TextPush } from "../../src/runs/push-text.ts"
import { PUSH_POLICY } from "../../src/turns/policies.ts"
import { publishPush } from "../../src/turns/pushed-text.ts"
import { createTestClock } from "../harness/clock.ts"

/** A push whose messages are noted instead of sent; `listeners` is the answer to each. */
function pushTo(listeners: (ms: number) => number, { inPlace = false } = {}) {
  const clock = createTestClock(0)
  const sent: { at: number; text: string | null }[] = []
  const channels = {
    publish: async ([one]: ChannelMessage[]) => {
      sent.push({ at: clock.ms(), text: (JSON.parse(one?.message ?? "null") as { text: string } | null)?.text ?? null })
      return [listeners(clock.ms())]
    },
    subscribe: () => Promise.reject(new Error("unused")),
  }
  const keyRing = { seal: async (text: string) => text } as never
  const ctx = { clock, log: () => {}, background: () => {} }
  const push: CallPush = inPlace
    ? pushOf({ ...ctx, channels, keyRing, meter: { calls: 0 } as never, ownReader: () => 1 }, "turn_1")
    : new TextPush(ctx, "turn_1", (one) => publishPush({ channels, keyRing }, "turn_1", one))
  /** Lets promises settle, then time pass. */
  const pass = async (ms: number) => {
    for (let left = ms; left > 0; left--) {
      for (let tick = 0; tick < 20; tick++) await Promise.resolve()
      clock.advance(1)
    }
    for (let tick = 0; tick < 20; tick++) await Promise.resolve()
  }
  return { push, sent, pass }
}

const begin = (push: CallPush, onReader = () => {}) => push.begin({ of: "evt_1", step: 1, onReader })

test("The first piece of a call is sent at once, and later ones are gathered for 40 ms", async () => {
  const { push, sent, pass } = pushTo(() => 1)
  begin(push)
  for (let nth = 0; nth < 20; nth++) {
    push.add(`${nth} `.padStart(4), 4 * nth)
    await pass(15)
  }
  push.end()
  await pass(1)
  expect(sent[0]).toEqual({ at: 1, text: "  0 " })
  for (const [nth, { at }] of sent.slice(1, -1).entries()) {
    expect(at - (sent[nth]?.at ?? 0)).toBeLessThanOrEqual(PUSH_POLICY.gatherMs + 15)
    expect(at - (sent[nth]?.at ?? 0)).toBeGreaterThanOrEqual(PUSH_POLICY.gatherMs)
  }
  expect(sent.map(({ text }) => text).join("")).toBe(
    Array.from({ length: 20 }, (_, nth) => `${nth} `.padStart(4)).join(""),
  )
})

test("A call that is over in the same moment sends nothing, and one without readers sends one message", async () => {
  const { push, sent, pass } = pushTo(() => 0)
  begin(push)
  push.add("whole", 0)
  push.end()
  await pass(5)
  expect(sent).toEqual([])
  begin(push)
  for (let nth = 0; nth < 20; nth++) {
    push.add("word ", 5 * nth)
    await pass(15)
  }
  push.end()
  push.tellGrown()
  await pass(5)
  expect(sent).toHaveLength(1)
  expect([push.isShown, push.hasReaders]).toEqual([false, false])
})

test("A reader that is found is announced once, and hears when the log has grown", async () => {
  const { push, sent, pass } = pushTo(() => 2)
  let found = 0
  begin(push, () => {
    found++
  })
  push.add("a ", 0)
  await pass(60)
  push.add("b ", 2)
  await pass(60)
  push.end()
  push.tellGrown()
  await pass(5)
  expect(found).toBe(1)
  expect(sent.map(({ text }) => text)).toEqual(["a ", "b ", null])
})

test("Text without an answer from Redis may have been shown, so it must be in the log", async () => {
  const { push, pass } = pushTo(() => {
    throw new Error("lost")
  })
  begin(push)
  push.add("a ", 0)
  await pass(5)
  expect([push.isShown, push.hasReaders]).toEqual([true, false])
})

/** The text of a run in place for `ms`, a word each 15 ms. */
async function streamInPlace(listeners: (ms: number) => number, ms: number) {
  const { push, sent, pass } = pushTo(listeners, { inPlace: true })
  let found = 0
  begin(push, () => {
    found++
  })
  const ownFinds = found
  for (let nth = 0; nth * 15 < ms; nth++) {
    push.add("word ", 5 * nth)
    await pass(15)
  }
  push.end()
  await pass(1)
  return { sent, found: found - ownFinds }
}

test("A follower that joins a run in place gets its text soon, and the gap does not grow again", async () => {
  for (const joins of [5, 40, 130, 400, 777, 1_500, 2_900]) {
    const { sent, found } = await streamInPlace((now) => Number(now >= joins), 6_000)
    const heard = sent.filter(({ at }) => at >= joins).map(({ at }) => at)
    expect((heard[0] ?? Number.POSITIVE_INFINITY) - joins).toBeLessThanOrEqual(150)
    expect(found).toBe(1)
    const gaps = heard.slice(1).map((at, nth) => at - (heard[nth] ?? 0))
    expect(Math.max(...gaps)).toBeLessThanOrEqual(PUSH_POLICY.gatherMs + 15)
  }
  const { sent } = await streamInPlace((now) => Number(now >= 15_000), 17_000)
  expect((sent.find(({ at }) => at >= 15_000)?.at ?? 0) - 15_000).toBeLessThanOrEqual(PUSH_POLICY.askMs.most)
})

test("A run in place without a follower asks less and less often: 43 times in 6 s, and 68 times in 20 s", async () => {
  expect((await streamInPlace(() => 0, 90)).sent.length).toBe(1)
  expect((await streamInPlace(() => 0, 2_000)).sent.length).toBeLessThanOrEqual(21)
  expect((await streamInPlace(() => 0, 6_000)).sent.length).toBeLessThanOrEqual(43)
  expect((await streamInPlace(() => 0, 20_000)).sent.length).toBeLessThanOrEqual(68)
  expect((await streamInPlace(() => 0, 40_000)).sent.length).toBeLessThanOrEqual(88)
})

test("A run in place whose message failed does not ask Redis again by itself", async () => {
  const isDown = () => {
    throw new Error("down")
  }
  const { sent } = await streamInPlace(isDown, 3_000)
  expect(sent).toHaveLength(1)
})

test("Messages of a runner's turns that are ready at the same time are one request", async () => {
  const requests: number[] = []
  let answer = () => {}
  const channels = sharedChannels({
    subscribe: () => Promise.reject(new Error("unused")),
    publish: async (messages) => {
      requests.push(messages.length)
      await new Promise<void>((resolve) => {
        answer = resolve
      })
      return messages.map((_, nth) => nth)
    },
  })
  const all = ["a", "b", "c", "d"].map((channel) => channels.publish([{ channel, message: "x" }]))
  const late = channels.publish([{ channel: "e", message: "x" }])
  for (let tick = 0; tick < 5; tick++) await Promise.resolve()
  const later = channels.publish([{ channel: "f", message: "x" }])
  answer()
  for (let tick = 0; tick < 20; tick++) await Promise.resolve()
  answer()
  expect(await Promise.all([...all, late, later])).toEqual([[0], [1], [2], [3], [4], [0]])
  expect(requests).toEqual([5, 1])
})
