import { expect, test } from "vitest"
import { WaitingCalls } from "../../src/platform/waiting-calls.ts"

interface Sent {
  url: string
  answer(): void
  fail(error: Error): void
}

/** Bounded calls whose answers the test gives. */
function createCalls(most: number) {
  const sent: Sent[] = []
  const calls = new WaitingCalls(most)
  const bounded = calls.bound(
    (input) =>
      new Promise((resolve, reject) => {
        const url = input instanceof Request ? input.url : String(input)
        sent.push({ url, answer: () => resolve(new Response(url)), fail: reject })
      }),
  )
  return { calls, sent, urls: () => sent.map(({ url }) => new URL(url).pathname), fetch: bounded }
}

const calm = () => new Promise((done) => setImmediate(done))
const urlOf = (name: string) => `https://model.test/${name}`

test("Calls above the limit wait for the first byte of another call's answer, in their order", async () => {
  const { calls, sent, urls, fetch } = createCalls(2)
  const answers = ["a", "b", "c", "d"].map((name) => fetch(urlOf(name)))
  await calm()
  expect([urls(), calls.size]).toEqual([["/a", "/b"], 4])
  sent[1]?.answer()
  await answers[1]
  await calm()
  expect([urls(), calls.size]).toEqual([["/a", "/b", "/c"], 3])
  for (const n of [0, 2]) sent[n]?.answer()
  await calm()
  expect(urls()).toEqual(["/a", "/b", "/c", "/d"])
  sent[3]?.answer()
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 200, 200])
  expect(calls.size).toBe(0)
})

test("A call that fails frees a place for the next call", async () => {
  const { calls, sent, urls, fetch } = createCalls(1)
  const [failing, next] = [fetch(urlOf("a")), fetch(urlOf("b"))]
  await calm()
  sent[0]?.fail(new Error("no connection"))
  await expect(failing).rejects.toThrow("no connection")
  await calm()
  expect(urls()).toEqual(["/a", "/b"])
  sent[1]?.answer()
  await next
  expect(calls.size).toBe(0)
})

test.each([
  ["its own signal", (signal: AbortSignal): Parameters<typeof fetch> => [urlOf("b"), { signal }]],
  ["its request's signal", (signal: AbortSignal): Parameters<typeof fetch> => [new Request(urlOf("b"), { signal })]],
])("A call that waits is ended by %s, is never sent and holds no place", async (_, callWith) => {
  const { calls, sent, urls, fetch } = createCalls(1)
  const over = new AbortController()
  const first = fetch(urlOf("a"))
  const waiting = fetch(...callWith(over.signal))
  const last = fetch(urlOf("c"))
  await calm()
  over.abort(new Error("cancelled"))
  await expect(waiting).rejects.toThrow("cancelled")
  expect(calls.size).toBe(2)
  sent[0]?.answer()
  await first
  await calm()
  sent[1]?.answer()
  await last
  expect([urls(), calls.size]).toEqual([["/a", "/c"], 0])
})

test("A call that ended before it had to wait is not sent later", async () => {
  const { calls, sent, fetch } = createCalls(1)
  const first = fetch(urlOf("a"))
  await expect(fetch(urlOf("b"), { signal: AbortSignal.abort(new Error("before")) })).rejects.toThrow("before")
  sent[0]?.answer()
  await first
  await calm()
  expect([sent.length, calls.size]).toEqual([1, 0])
})

test("The calls in progress never exceed the limit, whatever order they end in", async () => {
  const { calls, sent, fetch } = createCalls(3)
  const answers = Array.from({ length: 30 }, (_, n) => fetch(urlOf(String(n))))
  let answered = 0
  for (let round = 0; answered < 30; round++) {
    await calm()
    expect(sent.length - answered, `round ${round}`).toBeLessThanOrEqual(3)
    // The newest first, and every other time two in one moment.
    const under = sent.slice(answered)
    for (const call of under.slice(0, 1 + (round % 2))) {
      call.answer()
      answered++
    }
  }
  await Promise.all(answers)
  expect(calls.size).toBe(0)
})

test("A caller that calls again as soon as it has its answer waits after the calls that already wait", async () => {
  const { calls, sent, urls, fetch } = createCalls(1)
  const twice = fetch(urlOf("a")).then(() => fetch(urlOf("again")))
  const waiting = fetch(urlOf("b"))
  await calm()
  sent[0]?.answer()
  await calm()
  expect(urls()).toEqual(["/a", "/b"])
  sent[1]?.answer()
  await waiting
  await calm()
  sent[2]?.answer()
  await twice
  expect([urls(), calls.size]).toEqual([["/a", "/b", "/again"], 0])
})

test("A holder that is not alone has two places, and its other calls delay no other holder", async () => {
  const sent: (() => void)[] = []
  const calls = new WaitingCalls(4)
  const fetchOf = (holder: string) =>
    calls.bound(() => new Promise((resolve) => sent.push(() => resolve(new Response(holder)))), { holder })
  calls.enter("slow")
  const leave = calls.enter("other")
  const slow = ["a", "b", "c"].map((name) => fetchOf("slow")(urlOf(name)))
  await calm()
  expect([sent.length, calls.size]).toEqual([2, 2])
  const other = fetchOf("other")(urlOf("d"))
  await calm()
  expect([sent.length, calls.size]).toEqual([3, 3])
  sent[2]?.()
  expect(await (await other).text()).toBe("other")
  leave()
  await calm()
  expect(sent, "a single holder has all places").toHaveLength(4)
  for (const answer of sent) answer()
  await Promise.all(slow)
  expect(calls.size).toBe(0)
})

test("A wait for room keeps no place, and can be ended", async () => {
  const { calls, sent, fetch } = createCalls(1)
  const first = fetch(urlOf("a"))
  await calm()
  let hasRoom = false
  const free = calls.whenFree("").then(() => {
    hasRoom = true
  })
  const over = new AbortController()
  const ended = calls.whenFree("", over.signal)
  over.abort(new Error("over"))
  await expect(ended).rejects.toThrow("over")
  await calm()
  expect(hasRoom).toBe(false)
  sent[0]?.answer()
  await Promise.all([first, free])
  expect([hasRoom, calls.size]).toEqual([true, 0])
})

test("Many callers that wait for room each get it, one after the other", async () => {
  const { calls, sent, fetch } = createCalls(1)
  const first = fetch(urlOf("a"))
  await calm()
  const free = Array.from({ length: 5 }, () => calls.whenFree(""))
  sent[0]?.answer()
  await Promise.all([first, ...free])
  expect(calls.size).toBe(0)
})

test("A call that had to wait checks whether it may still be sent", async () => {
  const sent: (() => void)[] = []
  const calls = new WaitingCalls(1)
  const send = () => new Promise<Response>((resolve) => sent.push(() => resolve(new Response(""))))
  const afterWait = async () => {
    throw new Error("cancelled")
  }
  const bounded = calls.bound(send, { afterWait })
  const [first, second] = [bounded(urlOf("a")), bounded(urlOf("b"))]
  await calm()
  sent[0]?.()
  await first
  await expect(second).rejects.toMatchObject({ name: "NotSent", reason: new Error("cancelled") })
  expect([sent.length, calls.size, calls.sent]).toEqual([1, 0, 1])
})
