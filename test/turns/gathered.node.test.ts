import { expect, test } from "vitest"
import { TurnpikeError } from "../../src/base/errors.ts"
import { DatabaseError } from "../../src/platform/db.ts"
import { gathered } from "../../src/runs/gathered.ts"

interface Item {
  name: string
}

const items = (names: string): Item[] => [...names].map((name) => ({ name }))
const namesOf = (group: readonly Item[]) => group.map(({ name }) => name).join("")

test("An item whose group got no answer from the database is sent alone when it is repeated", async () => {
  const sent: string[] = []
  const group = gathered<Item, string>(
    async (some) => {
      sent.push(namesOf(some))
      if (some.length > 1) throw new TurnpikeError("UNAVAILABLE", "no answer")
      return some.map(({ name }) => name)
    },
    () => false,
  )
  const all = items("abc")
  const first = await Promise.allSettled(all.map((item) => group.add(item)))
  expect(first.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"])
  expect(await Promise.all(all.map((item) => group.add(item)))).toEqual(["a", "b", "c"])
  expect(sent).toEqual(["abc", "a", "b", "c"])
})

test("An item that makes its group fail fails alone, also in a group of one", async () => {
  const one = async ([item]: Item[]) => {
    if (item?.name === "b") throw new DatabaseError({ message: "broken", code: "P0001" })
    return [`${item?.name} alone`]
  }
  const refused = async (): Promise<string[]> => {
    throw new DatabaseError({ message: "another turn is broken", code: "P0001" })
  }
  const group = gathered<Item, string>(refused, () => false, one)
  const [a, b] = await Promise.allSettled(items("ab").map((item) => group.add(item)))
  expect(a).toMatchObject({ status: "fulfilled", value: "a alone" })
  expect(b).toMatchObject({ status: "rejected", reason: { message: "broken" } })
  expect(await group.add({ name: "c" })).toBe("c alone")
})
