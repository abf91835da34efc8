import { expect, test } from "vitest"
import type { ChannelMessage } from "../../src/platform/redis.ts"
import { type CallPush, pushOf, sharedChannels, TextPush } from "../../src/runs/push-text.ts"
import { ReaderBell } from "../../src/runs/reader-bell.ts"
import { PUSH_POLICY } from "../../src/turns/policies.ts"
import { publishPush } from "../../src/turns/pushed-text.ts"
import { createTestClock } from "../harness/clock.ts"

/** A push whose messages are noted instead of sent; `listeners` is the answer to each. */
function pushTo(
  listeners: (ms: number) => number,
  { inPlace = false, held }: { inPlace?: boolean; held?: Promise<number> } = {},
) {
  const clock = createTestClock(0)
  const sent: { at: number; text: string | null }[] = []
  const channels = {
    publish: async ([one]: ChannelMessage[]) => {
      sent.push({ at: clock.ms(), text: (JSON.parse(one?.message ?? "null") as { text: string } | null)?.text ?? null })
      if (held && sent.length === 1) return [await held]
      return [listeners(clock.ms())]
    },
    subscribe: async () =>
      (async function* () {
        for (;;) {
          yield* rung.splice(0)
          wake = Promise.withResolvers<void>()
          await wake.promise
        }
      })(),
  }
  const rung: string[] = []
  let wake = Promise.withResolvers<void>()
  const ring = () => {
    rung.push("turn_1")
    wake.resolve()
  }
  const keyRing = { seal: async (text: string) => text, open: async (text: string) => ({ text }) } as never
  const ctx = { clock, log: () => {}, background: () => {} }
  const bell = new ReaderBell({ ...ctx, channels, keyRing }, "worker_1")
  const push: CallPush = inPlace
    ? pushOf({ ...ctx, bell, channels, keyRing, meter: { calls: 0 } as never, ownReader: () => 1 }, "turn_1")
    : new TextPush({ ...ctx, bell }, "turn_1", (one) => publishPush({ channels, keyRing }, "turn_1", one))
  /** Lets promises settle, then time pass. */
  const pass = async (ms: number) => {
    for (let left = ms; left > 0; left--) {
      for (let tick = 0; tick < 20; tick++) await Promise.resolve()
      clock.advance(1)
    }
    for (let tick = 0; tick < 20; tick++) await Promise.resolve()
  }
  return { push, sent, pass, clock, ring }
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

test("A call that is over in the same moment sends nothing, and a short one without readers one message", async () => {
  const { push, sent, pass } = pushTo(() => 0)
  begin(push)
  push.add("whole", 0)
  push.end()
  await pass(5)
  expect(sent).toEqual([])
  begin(push)
  push.add("word ", 0)
  await pass(15)
  push.add("word ", 5)
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

test("A piece without its answer may have been shown, until the answer says that no reader listens", async () => {
  const answer = Promise.withResolvers<number>()
  const { push, pass } = pushTo(() => 0, { held: answer.promise })
  begin(push)
  push.add("a ", 0)
  await pass(5)
  push.end()
  expect(push.isShown).toBe(true)
  answer.resolve(0)
  await pass(5)
  expect(push.isShown).toBe(false)
})

/** The text of a call for `ms`, a word each 15 ms. A follower joins: it subscribes, and then rings the bell. */
async function streamTo(followers: readonly number[], ms: number, { inPlace = false, isDown = false } = {}) {
  const listeners = (now: number) => {
    if (isDown) throw new Error("down")
    return followers.filter((at) => at <= now).length
  }
  const { push, sent, pass, clock, ring } = pushTo(listeners, { inPlace })
  const found: number[] = []
  begin(push, () => found.push(clock.ms()))
  const ownFinds = found.length
  for (let nth = 0; nth * 15 < ms; nth++) {
    push.add("word ", 5 * nth)
    for (const at of followers) if (at <= clock.ms() && at > clock.ms() - 15) ring()
    await pass(15)
  }
  push.end()
  await pass(1)
  return { sent, found: found.slice(ownFinds) }
}

test.each([false, true])(
  "A follower that joins a call gets its text within 60 ms, whenever it comes (in place: %s)",
  async (inPlace) => {
    for (const joins of [3, 20, 45, 120, 400, 777, 2_900, 15_000]) {
      const { sent, found } = await streamTo([joins], joins + 1_000, { inPlace })
      const heard = sent.filter(({ at }) => at >= joins).map(({ at }) => at)
      expect((heard[0] ?? Number.POSITIVE_INFINITY) - joins, `joins at ${joins}`).toBeLessThanOrEqual(60)
      expect(found.length).toBeGreaterThanOrEqual(1)
      const gaps = heard.slice(1).map((at, nth) => at - (heard[nth] ?? 0))
      expect(Math.max(...gaps)).toBeLessThanOrEqual(PUSH_POLICY.gatherMs + 15)
    }
  },
)

test("Each follower gets the text so far from the log at once, although others listen already", async () => {
  const { found } = await streamTo([0, 500, 900], 1_500)
  for (const joins of [500, 900]) expect(found.some((at) => at >= joins && at <= joins + 20)).toBe(true)
})

test.each([false, true])(
  "A call without a follower costs two messages, however long it is (in place: %s)",
  async (inPlace) => {
    expect((await streamTo([], 20, { inPlace })).sent.length).toBe(1)
    expect((await streamTo([], 40_000, { inPlace })).sent.length).toBe(2)
  },
)

test("A call whose message failed does not ask Redis again by itself", async () => {
  const { sent } = await streamTo([], 3_000, { isDown: true })
  expect(sent.length).toBeLessThanOrEqual(2)
})

test("A reader that came while a message was under way is not forgotten by its answer", async () => {
  const answer = Promise.withResolvers<number>()
  const { push, sent, pass, ring } = pushTo((now) => (now > 100 ? 1 : 0), { held: answer.promise })
  begin(push)
  push.add("a ", 0)
  await pass(60)
  ring()
  await pass(1)
  answer.resolve(0)
  await pass(5)
  push.add("b ", 2)
  await pass(60)
  expect(sent.map(({ text }) => text)).toEqual(["a ", "b "])
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
