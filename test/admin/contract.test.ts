import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type Admin, signInAdmin } from "../harness/books.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
let admin: Admin
beforeAll(async () => {
  world = await createWorld()
  admin = await signInAdmin(world)
})
afterAll(() => world.close())

/** Every numeric query parameter of contract 4.3 to 4.7: its path, minimum, maximum and default. */
const NUMBERS: [path: string, name: string, least: number, most: number | null, usual: number | null][] = [
  ["/users", "limit", 1, 2000, 50],
  ["/users", "offset", 0, null, 0],
  ["/subscriptions/usage", "days", 1, 365, 30],
  ["/spaces/list", "owner_id", 1, null, null],
  ["/spaces/list", "limit", 1, 200, 50],
  ["/spaces/list", "offset", 0, null, 0],
  ["/tasks", "assignee_user_id", 1, null, null],
  ["/tasks", "creator_user_id", 1, null, null],
  ["/tasks", "limit", 1, 500, 100],
  ["/providers/capacity", "hours", 1, 2160, 72],
]

describe.each(NUMBERS)("The parameter %s: %s", (path, name, least, most, usual) => {
  const get = (value: string) => admin.json("GET", `/api/admin${path}?${name}=${encodeURIComponent(value)}`)

  test("The parameter has its bounds and its default", async () => {
    for (const value of [least, ...(most === null ? [] : [most])]) {
      const [status, answer] = await get(String(value))
      expect([status, name in answer ? answer[name] : value], String(value)).toEqual([200, value])
    }
    for (const value of [least - 1, ...(most === null ? [] : [most + 1])]) {
      expect(await get(String(value)), String(value)).toMatchObject([422, { detail: [{ loc: ["query", name] }] }])
    }
    if (usual !== null) expect(await admin.json("GET", `/api/admin${path}`)).toEqual(await get(String(usual)))
  })

  test.each([" ", "0x10", "1e1", "1.5", "+5", "true", "ten", "Infinity"])("The parameter refuses %j", async (value) => {
    expect(await get(value)).toMatchObject([422, { detail: [{ loc: ["query", name] }] }])
  })
})

test.each(["0x10", "1e3", "1.0e1", "%20", "true", "-1", "0"])("An integer in a path refuses %s", async (id) => {
  for (const path of ["users", "teams", "spaces/by-id"]) {
    expect((await admin.json("GET", `/api/admin/${path}/${id}`))[0], path).toBe(422)
  }
  expect((await admin.json("DELETE", `/api/admin/subscriptions/${id}`))[0]).toBe(422)
})

test.each([
  "users",
  "users/1/spaces",
  "model-catalog",
  "spaces",
  "spaces/list",
  "spaces/sessions",
  "tasks",
  "teams",
  "settings",
  "system/containers/mappings",
  "api-keys",
  "workspaces",
  "providers",
  "providers/",
  "audit",
])("The operation %s lists its rows with their total", async (path) => {
  const [status, list] = await admin.json("GET", `/api/admin/${path}`)
  expect([status, Object.keys(list).sort()]).toEqual([200, ["items", "limit", "offset", "total"]])
  expect([list.total, list.offset]).toEqual([list.items.length, 0])
})

test.each(["users", "tasks", "teams", "workspaces", "spaces/list"])(
  "The search of %s finds all rows for an empty text",
  async (path) => {
    const all = await admin.json("GET", `/api/admin/${path}`)
    expect(await admin.json("GET", `/api/admin/${path}?q=`)).toEqual(all)
  },
)

/**
 * The rows of contract 4.7 without the logins: method, path, and a status that proves that the
 * operation exists.
 */
test.each([
  ["GET", "/", 200],
  ["GET", "/pool", 200],
  ["GET", "/capacity", 200],
  ["POST", "/nobody/disable", 404],
  ["POST", "/nobody/enable", 404],
  ["POST", "/nobody/refresh-limits", 404],
  ["DELETE", "/nobody", 404],
  ["GET", "/alt-pool", 200],
  ["POST", "/alt-pool/accounts/nobody/disable", 404],
  ["POST", "/alt-pool/accounts/nobody/enable", 404],
] as const)("The provider operation %s %s exists", async (method, path, expected) => {
  const body = path === "/nobody/disable" ? {} : undefined
  const [status, answer] = await admin.json(method, `/api/admin/providers${path}`, body)
  expect([status, answer.code]).toEqual([expected, expected === 404 ? "NOT_FOUND" : undefined])
  const other = method === "GET" ? "PUT" : "PATCH"
  expect((await admin.json(other, `/api/admin/providers${path}`, {}))[0]).toBe(405)
})

test.each(["main", "alt-pool"])("The capacity report of the pool %s exists", async (provider) => {
  const [status, answer] = await admin.json("GET", `/api/admin/providers/capacity?provider=${provider}`)
  expect([status, answer.provider]).toEqual([200, provider])
})

test.each(["media", "Main", "all"])("The unknown pool %j is refused", async (provider) => {
  const answer = await admin.json("GET", `/api/admin/providers/capacity?provider=${provider}`)
  expect(answer).toMatchObject([422, { detail: [{ loc: ["query", "provider"] }] }])
})
