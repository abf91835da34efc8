import { expect, test } from "vitest"
import { createEdge, EDGE_LIMITS } from "../../src/local/edge-limits.ts"

/** A server whose answers the test gives, and an edge before it. */
function createCalls(limits?: { waiting: number; subrequests: number }) {
  const open: (() => void)[] = []
  const edge = createEdge(limits)
  const fetch = edge.boundFetch(() => new Promise((resolve) => open.push(() => resolve(new Response()))))
  return { edge, open, fetch }
}

const calm = () => new Promise((done) => setImmediate(done))
const URL = "https://server.test/"

test("A seventh call of an invocation is sent when one of six is answered, and other invocations do not wait for it", async () => {
  const { edge, open, fetch } = createCalls()
  const eight = edge.run(() => Array.from({ length: 8 }, () => fetch(URL)))
  await calm()
  expect(open).toHaveLength(EDGE_LIMITS.waiting)
  const other = edge.run(() => fetch(URL))
  await calm()
  expect(open).toHaveLength(7)
  open[6]?.()
  await other
  expect(open).toHaveLength(7)
  open[0]?.()
  await eight[0]
  await calm()
  expect(open).toHaveLength(8)
  for (const answer of open) answer()
  await calm()
  for (const answer of open) answer()
  expect((await Promise.all(eight)).map(({ status }) => status)).toEqual(Array(8).fill(200))
  expect(edge.peaks).toEqual({ waiting: 6, subrequests: 8, queued: 2, exceeded: 0 })
})

test("A call that waits for a place is ended by its signal and is never sent", async () => {
  const { edge, open, fetch } = createCalls({ waiting: 1, subrequests: 10 })
  const ending = new AbortController()
  const [first, second, third] = edge.run(() => [fetch(URL), fetch(URL, { signal: ending.signal }), fetch(URL)])
  await calm()
  ending.abort(new Error("enough"))
  await expect(second).rejects.toThrow("enough")
  open[0]?.()
  await first
  await calm()
  expect(open).toHaveLength(2)
  open[1]?.()
  await third
})

test("A call beyond the subrequests of an invocation fails, also in its background work", async () => {
  const { edge, open, fetch } = createCalls({ waiting: 6, subrequests: 2 })
  const late = edge.run(async () => {
    const both = Promise.all([fetch(URL), fetch(URL)])
    await calm()
    for (const answer of open) answer()
    await both
    await calm()
    return fetch(URL)
  })
  await expect(late).rejects.toThrow("Too many subrequests")
  expect(edge.peaks).toMatchObject({ subrequests: 2, exceeded: 1 })
})

test("Calls of a bucket and of its uploads count, and those outside an invocation do not", async () => {
  const edge = createEdge({ waiting: 6, subrequests: 3 })
  const upload = { uploadPart: async () => "part", key: "a" }
  const bucket = edge.boundBucket({
    get: async () => "object",
    createMultipartUpload: async () => upload,
    resumeMultipartUpload: () => upload,
  })
  await edge.run(async () => {
    expect(await bucket.get()).toBe("object")
    const made = await bucket.createMultipartUpload()
    expect(made.key).toBe("a")
    expect(await bucket.resumeMultipartUpload().uploadPart()).toBe("part")
    expect(await edge.outside(() => bucket.get())).toBe("object")
    await expect(bucket.get()).rejects.toThrow("Too many subrequests")
  })
  expect(await bucket.get()).toBe("object")
})

test("A call that is aborted frees its place, also if its server ignores the signal", async () => {
  const { edge, open, fetch } = createCalls({ waiting: 1, subrequests: 10 })
  const ending = new AbortController()
  const [first, second] = edge.run(() => [fetch(URL, { signal: ending.signal }), fetch(URL)])
  await calm()
  ending.abort(new Error("enough"))
  await expect(first).rejects.toThrow("enough")
  await calm()
  open[1]?.()
  expect((await second)?.status).toBe(200)
})
