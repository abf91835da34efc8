import { join } from "node:path"
import { expect, test } from "vitest"
import { circles, forbiddenUses, readRooms } from "./rooms.ts"
import { filesBelow, importsOf } from "./source.ts"

const webApp = filesBelow("dashboard/src")
const table = readRooms("| folder of `dashboard/src/` | what is in it | may import |")
const roomOf = (path: string) => path.split("/")[2] ?? ""

/** Imports of values and types, and of pages that are loaded on demand. */
const imports = new Map(
  webApp.map((path) => {
    const named = importsOf(path).filter((name) => /^\..*\.tsx?$/.test(name))
    return [path, named.map((name) => join(path, "..", name))]
  }),
)

test("The table of the web app has every folder once, and each may import only folders above it", () => {
  const names = table.map(({ name }) => name)
  expect([...names].sort()).toEqual([...new Set(webApp.map(roomOf))].sort())
  const wrong = table.flatMap(({ name, mayImport }, at) =>
    mayImport.filter((other) => !names.slice(0, at).includes(other)).map((other) => `${name} -> ${other}`),
  )
  expect(wrong).toEqual([])
})

test("A folder of the web app imports only folders that its row names", () => {
  expect(forbiddenUses(imports, table, roomOf)).toEqual([])
  expect([...imports.values()].flat().length).toBeGreaterThan(1000)
  const planted = new Map([["dashboard/src/shell/planted.ts", ["dashboard/src/users/pages.ts"]]])
  expect(forbiddenUses(planted, table, roomOf)).toEqual([
    "dashboard/src/shell/planted.ts -> dashboard/src/users/pages.ts",
  ])
})

test("Every row of the web app's table names only folders that are imported", () => {
  const used = new Set(
    [...imports].flatMap(([path, targets]) => targets.map((to) => `${roomOf(path)} -> ${roomOf(to)}`)),
  )
  const named = table
    .filter(({ name }) => name !== "app")
    .flatMap(({ name, mayImport }) => mayImport.map((to) => `${name} -> ${to}`))
  expect(named.filter((arrow) => !used.has(arrow))).toEqual([])
})

test("No files of the web app import each other in a circle", () => {
  expect(circles(imports)).toEqual([])
})
