import { expect, test } from "vitest"
import type { Context } from "../../src/actor/context.ts"
import { PUSH_POLICY } from "../../src/turns/policies.ts"
import { Pushes } from "../../src/turns/pushes.ts"
import { createTestClock } from "../harness/clock.ts"

/** A reader's messages. `messages` makes those of its nth subscription. */
function pushesFrom(messages: (nth: number) => AsyncGenerator<string>) {
  const clock = createTestClock(0)
  const state = { subscribed: 0, left: 0 }
  const channels = {
    publish: async () => [],
    subscribe: async (_channel: string, signal: AbortSignal) => {
      signal.addEventListener("abort", () => {
        state.left++
      })
      return messages(state.subscribed++)
    },
  }
  const keyRing = { open: async (text: string) => ({ text, stale: false }) }
  const ctx = { clock, channels, keyRing, log: () => {} } as unknown as Context
  return { pushes: new Pushes(ctx, "turn_1", { signal: new AbortController().signal, own: null }), clock, state }
}

const settle = async () => {
  for (let tick = 0; tick < 50; tick++) await Promise.resolve()
}

test("A reader leaves its channel after many messages, and then only looks", async () => {
  let sent = 0
  const { pushes, clock, state } = pushesFrom(async function* () {
    for (; state.left === 0; sent++) yield "null"
  })
  pushes.open(null)
  while (state.left === 0) {
    await settle()
    pushes.take()
  }
  await settle()
  expect(sent).toBe(PUSH_POLICY.mostMessages)
  expect(pushes.isLive).toBe(false)
  clock.advance(2 * PUSH_POLICY.againMs)
  pushes.open(null)
  await settle()
  expect(state.subscribed).toBe(1)
})

test("A reader whose subscription ends or fails subscribes again, but not at once", async () => {
  const { pushes, clock, state } = pushesFrom(async function* (nth) {
    yield "null"
    if (nth === 1) throw new Error("broken")
  })
  for (const expected of [1, 2, 3]) {
    pushes.open(null)
    await settle()
    expect([pushes.take(), pushes.isLive]).toEqual([[null], false])
    pushes.open(null)
    await settle()
    expect(state.subscribed).toBe(expected)
    clock.advance(PUSH_POLICY.againMs)
  }
})

test("A reader that takes nothing keeps a bounded amount of text", async () => {
  const piece = { id: "e", of: "e", step: 1, at: 0, text: "x".repeat(8_000), time: 0 }
  const { pushes } = pushesFrom(async function* () {
    for (let nth = 0; nth < 100; nth++) yield JSON.stringify(piece)
  })
  pushes.open(null)
  for (let round = 0; round < 20; round++) await settle()
  const kept = pushes.take().reduce((sum, push) => sum + (push?.text.length ?? 0), 0)
  expect(kept).toBeGreaterThan(0)
  expect(kept).toBeLessThanOrEqual(PUSH_POLICY.heldChars)
})
