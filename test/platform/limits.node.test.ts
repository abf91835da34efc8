import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { MAX_OBJECT_BYTES } from "../../src/agent/takes.ts"
import { FILE_POLICY } from "../../src/files/policies.ts"
import { MAX_JSON_BYTES } from "../../src/http/json-bodies.ts"
import { byteCounter, inspected, valueCounter } from "../../src/platform/inspected.ts"
import { type Loan, MEMORY, MemoryBudget } from "../../src/platform/memory.ts"
import { createOutbound } from "../../src/platform/outbound.ts"
import { Turnstile } from "../../src/platform/turnstile.ts"
import { TOOL_POLICY } from "../../src/tools/policies.ts"
import { failureOf } from "../harness/answers.ts"
import { createTestClock } from "../harness/clock.ts"
import { outboundRequest } from "../harness/outbound.ts"

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

describe("A turnstile", () => {
  test("A turnstile admits two at a time, the others in order, and refuses a caller that finds the queue full", async () => {
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

  test("A failing task frees its place", async () => {
    const turnstile = new Turnstile({ atOnce: 1, waiting: 0 })
    const full = () => new Error("full")
    await expect(turnstile.pass(() => Promise.reject(new Error("broken")), full)).rejects.toThrow("broken")
    expect(await turnstile.pass(async () => "in", full)).toBe("in")
  })

  describe("With holders", () => {
    beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] }))
    afterEach(() => void vi.useRealTimers())

    const full = () => new Error("full")

    /** Work that ends when the test says so. */
    function openWork(turnstile: Turnstile) {
      const started: string[] = []
      const ends: (() => void)[] = []
      const start = (holder: string) =>
        turnstile.pass(
          () => {
            started.push(holder)
            return new Promise<void>((resolve) => ends.push(resolve))
          },
          full,
          holder,
        )
      const endAll = async () => {
        while (ends.length > 0) {
          ends.shift()?.()
          await vi.advanceTimersByTimeAsync(200)
        }
      }
      return { started, ends, start, endAll }
    }

    test("A holder with many calls leaves others an equal share, without a wait", async () => {
      const { started, ends, start, endAll } = openWork(new Turnstile({ atOnce: 6, waiting: 100, longestMs: 60_000 }))
      const all = Array.from({ length: 20 }, () => start("many"))
      expect(started).toHaveLength(6)
      for (let n = 0; n < 5; n++) all.push(start("other"))
      expect(started.filter((holder) => holder === "other")).toHaveLength(3)
      // No other call enters before the calls above the limit have ended.
      for (const end of ends.splice(0, 3)) end()
      await vi.advanceTimersByTimeAsync(200)
      expect(started).toHaveLength(9)
      await endAll()
      await Promise.all(all)
      expect(started).toHaveLength(25)
    })

    test("Many holders with one call each share the places, and a newcomer passes only a holder with more", async () => {
      const { started, ends, start, endAll } = openWork(new Turnstile({ atOnce: 3, waiting: 100 }))
      const all = Array.from({ length: 5 }, (_, n) => start(`holder-${n}`))
      expect(started).toHaveLength(3)
      ends.shift()?.()
      await vi.advanceTimersByTimeAsync(200)
      expect(started).toHaveLength(4)
      await endAll()
      await Promise.all(all)
      const more = Array.from({ length: 3 }, () => start("one"))
      more.push(start("other"))
      expect(started.slice(5)).toEqual(["one", "one", "one", "other"])
      for (const end of ends.splice(0)) end()
      await Promise.all(more)
    })

    test("A call that has waited too long is refused, and its work does not run", async () => {
      const { started, ends, start } = openWork(new Turnstile({ atOnce: 1, waiting: 5, longestMs: 1_000 }))
      const first = start("one")
      const late = expect(start("one")).rejects.toThrow("full")
      await vi.advanceTimersByTimeAsync(1_100)
      await late
      ends[0]?.()
      await first
      expect(started).toEqual(["one"])
    })

    test("A call that finds a free place after a standstill of the machine enters, however long it has waited", async () => {
      const { started, ends, start, endAll } = openWork(new Turnstile({ atOnce: 1, waiting: 5, longestMs: 1_000 }))
      const all = [start("one"), start("other")]
      ends.shift()?.()
      vi.setSystemTime(Date.now() + 5_000)
      await vi.advanceTimersByTimeAsync(200)
      expect(started).toEqual(["one", "other"])
      await endAll()
      await Promise.all(all)
    })

    test("Calls that were cut off give their places back", async () => {
      const { started, start } = openWork(new Turnstile({ atOnce: 2, waiting: 5 }))
      for (let n = 0; n < 3; n++) void start("one")
      await vi.advanceTimersByTimeAsync(59_000)
      expect(started).toHaveLength(2)
      await vi.advanceTimersByTimeAsync(2_000)
      expect(started).toHaveLength(3)
    })
  })
})

describe("A budget of memory", () => {
  test("A budget has a limit for all callers and for each, and forgets idle callers", () => {
    const clock = createTestClock()
    const budget = new MemoryBudget({ all: 10, lostMs: 1_000 })
    const share = { all: 10, each: 6, copies: 1, waitMs: 20_000 }
    const [first, second, other] = ["a", "a", "b"].map((holder) => budget.open(share, holder, clock)) as [
      Loan,
      Loan,
      Loan,
    ]
    expect([first.grow(4), second.grow(3), second.grow(2), other.grow(5), other.grow(4)]).toEqual([
      true,
      false,
      true,
      false,
      true,
    ])
    first.close()
    expect(other.grow(2)).toBe(true)
    clock.advance(1_001)
    expect(budget.open(share, "c", clock).grow(6)).toBe(true)
  })

  test("A budget is shared by all kinds, each with its part, and counts each byte as often as it is held", async () => {
    const clock = createTestClock()
    const budget = new MemoryBudget({ all: 100, lostMs: 1_000 })
    const [once, thrice] = [
      { all: 60, each: 60, copies: 1, waitMs: 20_000 },
      { all: 90, each: 90, copies: 3, waitMs: 20_000 },
    ]
    const upload = budget.open(once, "a", clock)
    expect([upload.grow(60), budget.open(once, "b", clock).grow(1)]).toEqual([true, false])
    const answer = budget.open(thrice, "c", clock)
    expect([answer.grow(14), answer.grow(13), answer.grow(1)]).toEqual([false, true, false])
    const never = new AbortController()
    const waiting = budget.borrow(thrice, "d", clock, 13, never.signal)
    answer.close()
    const borrowed = await waiting
    expect(borrowed).not.toBeNull()
    const aborted = budget.borrow(thrice, "e", clock, 13, never.signal)
    never.abort(new Error("over"))
    await expect(aborted).rejects.toThrow("over")
  })

  test("An isolate's loans fit next to its fixed memory, and the largest loan of each kind fits into them", () => {
    const { all, shares } = MEMORY
    expect(all + 40 * MiB).toBeLessThanOrEqual(128 * MiB)
    for (const { all: most, each } of Object.values(shares)) expect(Math.max(most, each)).toBeLessThanOrEqual(all)
    expect(MAX_OBJECT_BYTES * shares.object.copies).toBeLessThanOrEqual(shares.object.each)
    expect(TOOL_POLICY.maxPictureAnswerBytes * shares.picture.copies).toBeLessThanOrEqual(shares.picture.each)
    expect(TOOL_POLICY.maxMcpBytes * shares.answer.copies).toBeLessThanOrEqual(shares.answer.each)
    expect(MAX_JSON_BYTES * shares.body.copies).toBeLessThanOrEqual(shares.body.each)
    expect(FILE_POLICY.partBytes, "an account may send four files at a time").toBeLessThanOrEqual(
      shares.upload.each / 4,
    )
  })

  test("Large answers that are read concurrently share the budget, and small answers need none", async () => {
    const clock = createTestClock()
    const budget = new MemoryBudget({ all: 4 * MiB * MEMORY.shares.answer.copies, lostMs: 60_000 })
    const send = (size: number) => {
      const pieces = Array.from({ length: size / (128 * 1024) }, () => new Uint8Array(128 * 1024))
      const fetch = async () => new Response(streamOf(pieces))
      const policy = { allowLoopback: false, ownHosts: [] }
      const outbound = createOutbound({ fetch, clock, policy, memory: { budget, holder: "turn" } })
      return outbound.send({ ...outboundRequest({}), maxBytes: 8 * MiB })
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

describe("Counting input before it is parsed", () => {
  test("Values are counted in any chunks, and texts do not count as values", () => {
    const text = '{"a": [1, 2, "x, \\", y"], "b,": {"c": "\\\\", "d": 1}}\ndata: ["it\'s", 2]\n'
    for (let cut = 0; cut <= text.length; cut++) {
      const count = valueCounter()
      count(bytes(text.slice(0, cut)))
      expect(count(bytes(text.slice(cut)))).toBe(2 + 1 + 1 + 1)
    }
  })

  test("Bytes are counted, in total and in the last line", () => {
    const count = byteCounter()
    expect(count(bytes("ab"))).toEqual({ all: 2, line: 2 })
    expect(count(bytes("c\nd\nefg"))).toEqual({ all: 9, line: 3 })
    expect(count(bytes("h\n"))).toEqual({ all: 11, line: 0 })
  })

  test("An error of the inspection breaks the body, and the sender gets it", async () => {
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
