import { afterAll, beforeAll, expect, test } from "vitest"
import { folded } from "../../src/base/folded.ts"
import { type Admin, signInAdmin } from "../harness/books.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

let world: World
let admin: Admin
let client: TestClient
let browser: Awaited<ReturnType<World["signIn"]>>
beforeAll(async () => {
  world = await createWorld()
  admin = await signInAdmin(world)
  const { userId } = await world.createAccount()
  client = world.createClient(userId, (await world.makeKey(userId, { scope: "all" })).value)
  browser = await world.signIn(client.userId)
})
afterAll(() => world.close())

/** A name, and texts with which it must be found: as typed, in lower and in upper case, decomposed. */
const NAMES: [name: string, finds: string[]][] = [
  ["Ärzte Köln", ["Ärzte Köln", "ärzte köln", "ÄRZTE KÖLN", "A\u0308rzte Ko\u0308ln", "a\u0308RZTE"]],
  ["Иван Петров", ["Иван Петров", "иван петров", "ИВАН ПЕТРОВ"]],
  ["Żółw", ["Żółw", "żółw", "ŻÓŁW", "Z\u0307o\u0301łw"]],
  ["ΟΔΥΣΣΕΥΣ", ["ΟΔΥΣΣΕΥΣ", "οδυσσευς", "οδυσσευσ", "ΟΔΥΣΣΕΥς"]],
  ["İstanbul Işık", ["İstanbul Işık", "i\u0307stanbul", "I\u0307STANBUL"]],
  ["E\u0301te\u0301 100%_\\", ["été 100%_\\", "ÉTÉ", "Éte\u0301"]],
  ["Ångström", ["Ångström", "ångström", "A\u030Angstro\u0308m", "\u212Bngström"]],
]

test.each(NAMES)("%s is found in each list by every spelling, and never by another name", async (name, finds) => {
  const [status] = await admin.json("POST", "/api/admin/users", { name, email: `${crypto.randomUUID()}@people.test` })
  expect(status).toBe(200)
  const space = await client.space({ title: name, manifest: { builtin_tools: ["create_task"] } })
  await client.sendTurn({ space, end_user_ref: name })
  await client.runTurn({ space, text: `[call create_task ${JSON.stringify({ title: name })}]` })
  await world.drain()
  const total = async (path: string) => (await admin.json("GET", path))[1].total as number
  for (const find of finds) {
    const q = encodeURIComponent(find)
    const found = {
      users: await total(`/api/admin/users?q=${q}`),
      spaces: await total(`/api/admin/spaces/list?q=${q}`),
      tasks: await total(`/api/admin/tasks?q=${q}`),
      end_users: ((await (await client.call("GET", `/v1/end-users?q=${q}`)).json()) as { data: object[] }).data.length,
      own_spaces: (await browser.json("GET", `/api/account/spaces?q=${q}`))[1].items.length,
      turns: (await browser.json("GET", `/api/account/turn-summaries?q=${q}`))[1].items.length > 0,
    }
    expect(found, find).toEqual({ users: 1, spaces: 1, tasks: 1, end_users: 1, own_spaces: 1, turns: true })
  }
  expect(await total(`/api/admin/users?q=${encodeURIComponent("ärztin")}`)).toBe(0)
})

test.each([
  ["ÜBER@people.test", "über@people.test"],
  ["jose\u0301@people.test", "josé@people.test"],
  ["ΣΟΦΙΑΣ@people.test", "σοφιας@people.test"],
])("%s and %s are one email", async (email, same) => {
  expect((await admin.json("POST", "/api/admin/users", { name: "First", email }))[0]).toBe(200)
  expect((await admin.json("POST", "/api/admin/users", { name: "Second", email: same }))[0]).toBe(409)
})

test.each([
  ["mike@one.test", "mıke@one.test"],
  ["mike@two.test", "MİKE@two.test"],
  ["strasse@one.test", "straße@one.test"],
])("%s and %s are two emails", async (email, other) => {
  expect((await admin.json("POST", "/api/admin/users", { name: "First", email }))[0]).toBe(200)
  expect((await admin.json("POST", "/api/admin/users", { name: "Second", email: other }))[0]).toBe(200)
})

test("The database folds every letter as the source does", async () => {
  const unequal: string[] = []
  for (let from = 1; from < 0x20000; from += 0x4000) {
    const letters = Array.from({ length: 0x4000 }, (_, at) => from + at)
      .filter((code) => code < 0xd800 || code > 0xdfff)
      .map((code) => String.fromCodePoint(code))
    const rows = await world.sql<{ letter: string; folded: string }>(
      "select letter, folded('x' || letter || 'y') as folded from unnest($1::text[]) letter",
      [letters],
    )
    for (const { letter, folded: of } of rows) if (of !== folded(`x${letter}y`)) unequal.push(letter)
  }
  expect(unequal.filter((letter) => !isNew(letter))).toEqual([])
})

/** Letters of Unicode 16 and 17, which PostgreSQL 15 or the runtime of the tests may not know. */
function isNew(letter: string): boolean {
  const code = letter.codePointAt(0) ?? 0
  const ranges = [
    [0x1c89, 0x1c89],
    [0xa7cb, 0xa7dc],
    [0x10d50, 0x10d65],
    [0x16ea0, 0x16eb8],
  ] as const
  return ranges.some(([first, last]) => code >= first && code <= last)
}
