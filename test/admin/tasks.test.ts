import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type Admin, signInAdmin } from "../harness/books.ts"
import { parseCsv } from "../harness/csv.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

let world: World
let admin: Admin
let [one, other]: TestClient[] = []
let [desk, shop] = ["", ""]
beforeAll(async () => {
  world = await createWorld()
  admin = await signInAdmin(world)
  ;[one, other] = [await world.createAccount(), await world.createAccount()]
  await world.sql("update users set brand = 'acme' where user_id = $1", [other?.userId])
  const manifest = { builtin_tools: ["create_task", "update_task"] }
  desk = await client(one).space({ title: "Desk", manifest })
  shop = await client(other).space({ title: "Shop", manifest })
  await make(one, desk, { title: "Call back" })
  await make(one, desk, { title: "Send the parcel 100%", assign_to_owner: true, description: "To Bonn." })
  await make(other, shop, { title: "CALL the supplier", assign_to_owner: true }, "customer-9")
  const [{ task_id }] = await tasks("?q=parcel")
  await client(one).runTurn({ space: desk, text: `[call update_task {"task_id":${task_id},"state":"done"}]` })
})
afterAll(() => world.close())

const client = (known: TestClient | undefined) => known as TestClient
const get = (query = "") => admin.json("GET", `/api/admin/tasks${query}`)
const tasks = async (query = "") => (await get(query))[1].items
const titles = async (query = "") => (await tasks(query)).map(({ title }: { title: string }) => title)

/** Runs a turn whose agent creates a task. Returns the tool result. */
async function make(by: TestClient | undefined, space: string, task: object, end_user_ref = "customer-1") {
  const turn = await client(by).runTurn({ space, end_user_ref, text: `[call create_task ${JSON.stringify(task)}]` })
  expect(turn.state).toBe("done")
  return JSON.parse(/\{.*\}/.exec(turn.result ?? "")?.[0] ?? "null")
}

describe("GET /api/admin/tasks", () => {
  test("The list has the tasks of all spaces, newest first, each with its space", async () => {
    expect(await titles()).toEqual(["CALL the supplier", "Send the parcel 100%", "Call back"])
    const [supplier, parcel, back] = await tasks()
    expect(supplier).toMatchObject({
      space: { slug: shop, title: "Shop", brand: "acme" },
      brand: "acme",
      state: "open",
      end_user_ref: "customer-9",
      assignee: { user_id: other?.userId },
      creator: { user_id: other?.userId },
      flow: null,
      flow_place: null,
    })
    expect(parcel).toMatchObject({ space: { slug: desk, title: "Desk", brand: "turnpike" }, state: "done" })
    expect(parcel.description).toBe("To Bonn.")
    expect(back).toMatchObject({ assignee: null, creator: { user_id: one?.userId }, description: null })
    expect(back.turn_id).toMatch(/^turn_/)
  })

  test("The list filters by each field", async () => {
    const [call, parcel, supplier] = ["Call back", "Send the parcel 100%", "CALL the supplier"]
    const found: Record<string, string[]> = {
      [`space=${desk}`]: [parcel, call],
      "space=spc_nothing": [],
      "brand=acme": [supplier],
      "brand=turnpike": [parcel, call],
      "state=all": [supplier, parcel, call],
      "state=open": [supplier, call],
      "state=done": [parcel],
      "state=closed": [],
      "state=cancelled": [],
      [`assignee_user_id=${one?.userId}`]: [parcel],
      [`assignee_user_id=${other?.userId}`]: [supplier],
      [`creator_user_id=${one?.userId}`]: [parcel, call],
      "q=call": [supplier, call],
      "q=CALL%20B": [call],
      "q=%25": [parcel],
      "q=_": [],
      "q=": [supplier, parcel, call],
      [`space=${desk}&state=open&q=back&creator_user_id=${one?.userId}`]: [call],
      [`space=${shop}&state=done`]: [],
    }
    for (const [query, expected] of Object.entries(found)) {
      const [status, page] = await get(`?${query}`)
      expect([status, page.total], query).toEqual([200, expected.length])
      expect(await titles(`?${query}`), query).toEqual(expected)
    }
  })

  test("Pages have 1 to 500 tasks, 100 by default", async () => {
    expect((await get())[1]).toMatchObject({ total: 3, limit: 100, offset: 0 })
    const [, second] = await get("?limit=1&offset=1")
    expect(second).toMatchObject({ total: 3, limit: 1, offset: 1, items: [{ title: "Send the parcel 100%" }] })
    expect((await get("?limit=500"))[0]).toBe(200)
    for (const wrong of [
      "limit=0",
      "limit=501",
      "limit=x",
      "offset=-1",
      "state=shut",
      "assignee_user_id=x",
      "creator_user_id=0",
      "brand=No",
      "more=1",
    ]) {
      const [status, body] = await get(`?${wrong}`)
      expect([status, body.detail?.length], wrong).toEqual([422, 1])
    }
  })
})

describe("Flows of tasks", () => {
  test("Agents make a flow step by step and see all of it, and operators see each step's place", async () => {
    const first = await make(one, desk, { title: "Check", flow: "returns" })
    expect(first.flow).toEqual({
      name: "returns",
      place: 1,
      steps: [{ task_id: first.task_id, place: 1, title: "Check", state: "open" }],
    })
    const second = await make(one, desk, { title: "Pay back", flow: "returns" })
    expect(second.flow).toMatchObject({ place: 2, steps: [{ title: "Check" }, { title: "Pay back" }] })
    const theirs = await make(one, desk, { title: "Check", flow: "returns" }, "customer-2")
    expect(theirs.flow, "another customer's flow").toMatchObject({ place: 1, steps: [{ task_id: theirs.task_id }] })
    expect((await make(one, desk, { title: "Alone" })).flow).toBeNull()
    const update = `[call update_task {"task_id":${first.task_id},"state":"done"}]`
    const changed = await client(one).runTurn({ space: desk, text: update })
    expect(changed.result).toContain('"place":1,"title":"Check","state":"done"')
    expect(changed.result, "with the other steps").toContain('"place":2,"title":"Pay back","state":"open"')
    const shown = (await tasks("?q=pay%20back"))[0]
    expect(shown).toMatchObject({ flow: "returns", flow_place: 2, title: "Pay back" })
  })

  test("Steps that are made at the same moment get different places", async () => {
    const text = Array.from(
      { length: 6 },
      (_, n) => `${n > 0 ? "[and call" : "[call"} create_task {"title":"Step ${n}","flow":"at once"}]`,
    ).join("\n")
    await client(one).runTurn({ space: desk, text })
    const places = (await tasks("?q=step")).map(({ flow_place }: { flow_place: number }) => flow_place)
    expect(places.sort()).toEqual([1, 2, 3, 4, 5, 6])
  })
})

test("The CSV of tasks has all tasks of the filters, in the order of the list", async () => {
  const csv = await admin.call("GET", "/api/admin/tasks?format=csv&q=step")
  const [header, ...rows] = parseCsv(await csv.text())
  expect(header?.slice(0, 5)).toEqual(["task_id", "space", "brand", "state", "title"])
  expect(rows.map(([id]) => Number(id))).toEqual(
    (await tasks("?q=step")).map(({ task_id }: { task_id: number }) => task_id),
  )
  expect(rows.length).toBeGreaterThan(5)
})
