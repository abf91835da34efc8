import { describe, expect, test } from "vitest"
import { byteCounter, inspected, valueCounter } from "../../src/platform/inspected.ts"
import { MemoryBudget } from "../../src/platform/memory.ts"
import { createOutbound } from "../../src/platform/outbound.ts"
import { Turnstile } from "../../src/platform/turnstile.ts"
import { createTestClock } from "../harness/clock.ts"
import { failureOf } from "../harness/failure.ts"
import { request } from "../harness/outbound.ts"

const MiB = 1024 * 1024
const bytes = (text: string) => new TextEncoder().encode(text)

function streamOf(pieces: Uint8Array[]): ReadableStream<Uint8Array> {
  const left = [...pieces]
  return new ReadableStream({
    pull(controller) {
      const next = left.shift()
      if (next) controller.enqueue(next)
      else controller.close()
    },
  })
}

describe("a turnstile", () => {
  test("lets two in at a time, the others in their order, and turns away who finds the queue full", async () => {
    const turnstile = new Turnstile({ atOnce: 2, waiting: 3 })
    const [done, ends]: [number[], (() => void)[]] = [[], []]
    let inside = 0
    let most = 0
    const work = (n: number) => () =>
      new Promise<void>((resolve) => {
        most = Math.max(most, ++inside)
        ends.push(() => {
          inside--
          done.push(n)
          resolve()
        })
      })
    const full = () => new Error("full")
    const passing = [0, 1, 2, 3, 4].map((n) => turnstile.pass(work(n), full))
    await expect(turnstile.pass(work(5), full)).rejects.toThrow("full")
    for (let n = 0; n < 5; n++) {
      while (ends.length <= n) await new Promise((resolve) => setImmediate(resolve))
      ends[n]?.()
    }
    await Promise.all(passing)
    expect(most).toBe(2)
    expect(done).toEqual([0, 1, 2, 3, 4])
    const after = turnstile.pass(async () => "in", full)
    expect(await after).toBe("in")
  })

  test("one that fails leaves its place", async () => {
    const turnstile = new Turnstile({ atOnce: 1, waiting: 0 })
    const full = () => new Error("full")
    await expect(turnstile.pass(() => Promise.reject(new Error("broken")), full)).rejects.toThrow("broken")
    expect(await turnstile.pass(async () => "in", full)).toBe("in")
  })
})

describe("a budget of memory", () => {
  test("has a limit for all and for each, and forgets who says nothing any more", () => {
    const clock = createTestClock()
    const budget = new MemoryBudget({ all: 10, each: 6, lostMs: 1_000 })
    const [first, second, other] = [budget.open("a", clock), budget.open("a", clock), budget.open("b", clock)]
    expect([first.grow(4), second.grow(3), second.grow(2), other.grow(5), other.grow(4)]).toEqual([
      ...[true, false, true],
      ...[false, true],
    ])
    first.close()
    expect(other.grow(2)).toBe(true)
    clock.advance(1_001)
    expect(budget.open("c", clock).grow(6)).toBe(true)
  })

  test("large answers that are read at the same time share it; small ones need none", async () => {
    const clock = createTestClock()
    const budget = new MemoryBudget({ all: 4 * MiB, each: 4 * MiB, lostMs: 60_000 })
    const send = (size: number) => {
      const pieces = Array.from({ length: size / (128 * 1024) }, () => new Uint8Array(128 * 1024))
      const fetch = async () => new Response(streamOf(pieces))
      const policy = { allowLoopback: false, ownHosts: [] }
      const outbound = createOutbound({ fetch, clock, policy, memory: { budget, holder: "turn" } })
      return outbound.send({ ...request({}), maxBytes: 8 * MiB })
    }
    const [one, two] = [await send(3 * MiB), await send(3 * MiB)]
    const reading = one.body?.getReader()
    for (let n = 0; n < 23; n++) await reading?.read()
    expect(await failureOf(two.arrayBuffer())).toMatchObject({
      kind: "too_large",
      message: expect.stringContaining("Too many large answers"),
    })
    expect((await (await send(256 * 1024)).arrayBuffer()).byteLength).toBe(256 * 1024)
    while (!(await reading?.read())?.done);
    expect((await (await send(3 * MiB)).arrayBuffer()).byteLength).toBe(3 * MiB)
  })
})

describe("what comes is counted before it is parsed", () => {
  test("values, however the text is cut, and not what stands in texts", () => {
    const text = '{"a": [1, 2, "x, \\", y"], "b,": {"c": "\\\\", "d": 1}}\ndata: ["it\'s", 2]\n'
    for (let cut = 0; cut <= text.length; cut++) {
      const count = valueCounter()
      count(bytes(text.slice(0, cut)))
      expect(count(bytes(text.slice(cut)))).toBe(2 + 1 + 1 + 1)
    }
  })

  test("bytes, in all and in the last line", () => {
    const count = byteCounter()
    expect(count(bytes("ab"))).toEqual({ all: 2, line: 2 })
    expect(count(bytes("c\nd\nefg"))).toEqual({ all: 9, line: 3 })
    expect(count(bytes("h\n"))).toEqual({ all: 11, line: 0 })
  })

  test("what the inspection throws breaks the body, and the sender is told", async () => {
    let cancelled: unknown
    const source = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(bytes("more")),
      cancel: (reason) => {
        cancelled = reason
      },
    })
    const error = new Error("too much")
    let seen = 0
    const response = inspected(new Response(source), () => {
      if (++seen > 3) throw error
    })
    await expect(response.text()).rejects.toThrow("too much")
    expect(cancelled).toBe(error)
  })
})
