import { describe, expect, test } from "vitest"
import { Gather } from "../../src/base/gather.ts"

interface Sent {
  items: number[]
  answer(): void
  fail(error: Error): void
}

/** A gather whose groups the test answers. */
function createGather({ most = 3, atOnce = 1 } = {}) {
  const sent: Sent[] = []
  const gather = new Gather<number, string>(
    (items) =>
      new Promise((resolve, reject) => {
        sent.push({ items, answer: () => resolve(items.map((item) => `answer ${item}`)), fail: reject })
      }),
    { most, atOnce },
  )
  const groups = () => sent.map(({ items }) => items)
  return { sent, groups, add: (item: number) => gather.add(item) }
}

/** Lets all work that is ready run. */
const calm = () => new Promise((done) => setImmediate(done))

describe("A gather", () => {
  test("A single item is sent at once", async () => {
    const { sent, groups, add } = createGather()
    const answer = add(1)
    await calm()
    expect(groups()).toEqual([[1]])
    sent[0]?.answer()
    expect(await answer).toBe("answer 1")
  })

  test("Items of the same moment are sent together, and each gets its own answer", async () => {
    const { sent, groups, add } = createGather()
    const answers = [add(1), add(2), add(3)]
    await calm()
    expect(groups()).toEqual([[1, 2, 3]])
    sent[0]?.answer()
    expect(await Promise.all(answers)).toEqual(["answer 1", "answer 2", "answer 3"])
  })

  test("Items that arrive while a group is in progress wait for it and are then sent together, up to the maximum group size", async () => {
    const { sent, groups, add } = createGather()
    const answers = [add(1)]
    await calm()
    for (const item of [2, 3, 4, 5]) answers.push(add(item))
    await calm()
    expect(groups()).toEqual([[1]])
    sent[0]?.answer()
    await calm()
    expect(groups()).toEqual([[1], [2, 3, 4]])
    sent[1]?.answer()
    await calm()
    expect(groups()).toEqual([[1], [2, 3, 4], [5]])
    sent[2]?.answer()
    expect(await Promise.all(answers)).toHaveLength(5)
  })

  test("Groups run concurrently up to the limit, and a slow group delays no other", async () => {
    const { sent, groups, add } = createGather({ atOnce: 2 })
    const slow = add(1)
    await calm()
    const quick = add(2)
    await calm()
    const waiting = add(3)
    await calm()
    expect(groups()).toEqual([[1], [2]])
    sent[1]?.answer()
    expect(await quick).toBe("answer 2")
    await calm()
    sent[2]?.answer()
    expect(await waiting).toBe("answer 3")
    sent[0]?.answer()
    expect(await slow).toBe("answer 1")
  })

  test("An error applies to each item of its group, and the next group is still sent", async () => {
    const { sent, groups, add } = createGather()
    const failing = Promise.allSettled([add(1), add(2)])
    await calm()
    const later = add(3)
    sent[0]?.fail(new Error("no answer"))
    expect(await failing).toMatchObject([
      { status: "rejected", reason: { message: "no answer" } },
      { status: "rejected", reason: { message: "no answer" } },
    ])
    await calm()
    expect(groups()).toEqual([[1, 2], [3]])
    sent[1]?.answer()
    expect(await later).toBe("answer 3")
  })

  test("A send that throws synchronously is an error of its group alone", async () => {
    let calls = 0
    const gather = new Gather<number, number>(
      (items) => {
        if (calls++ === 0) throw new Error("at once")
        return Promise.resolve(items)
      },
      { most: 1, atOnce: 1 },
    )
    const [first, second] = await Promise.allSettled([gather.add(1), gather.add(2)])
    expect([first, second]).toMatchObject([{ reason: { message: "at once" } }, { value: 2 }])
  })
})
