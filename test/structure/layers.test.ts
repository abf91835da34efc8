import { existsSync } from "node:fs"
import { expect, test } from "vitest"
import { FOREIGN_READS } from "./foreign-reads.ts"
import {
  calls,
  dependencies,
  imports,
  named,
  readersOfTables,
  roomOf,
  rooms,
  writersOfTables,
  writtenByTriggers,
} from "./room-uses.ts"
import { circles, forbiddenUses } from "./rooms.ts"
import { read, source } from "./source.ts"

test("The table has every room once, and each may import only rooms above it", () => {
  const names = rooms.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  expect([...new Set(source.map(roomOf))].filter((room) => !names.includes(room))).toEqual([])
  const wrong = rooms.flatMap(({ name, mayImport }, at) =>
    mayImport.filter((other) => !names.slice(0, at).includes(other)).map((other) => `${name} -> ${other}`),
  )
  expect(wrong).toEqual([])
})

test("A room uses only rooms that its row names: values, types, and procedures that TypeScript or SQL calls", () => {
  expect(forbiddenUses(dependencies, rooms, roomOf)).toEqual([])
})

test("A call from a low room's procedure to a high room's is rejected", () => {
  const planted = new Map([["src/billing/planted.sql", ["src/analytics/cut-spaces.sql"]]])
  expect(forbiddenUses(planted, rooms, roomOf)).toEqual(["src/billing/planted.sql -> src/analytics/cut-spaces.sql"])
})

test("Every import leads to a file, and every call to a procedure", () => {
  const missing = [...imports].flatMap(([path, targets]) =>
    targets.filter((target) => !existsSync(target)).map((target) => `${path} -> ${target}`),
  )
  const undefinedCalls = [...calls].flatMap(([path, used]) =>
    used.filter(({ target }) => target === "").map(({ name }) => `${path} -> ${name}`),
  )
  expect([...missing, ...undefinedCalls]).toEqual([])
  expect([...imports.values()].flat().length).toBeGreaterThan(1000)
  expect([...calls.values()].flat().length).toBeGreaterThan(500)
  expect([...named.values()].flat().length).toBeGreaterThan(200)
})

test("No files import each other in a circle, neither values nor types, in TypeScript or in SQL", () => {
  expect(circles(dependencies)).toEqual([])
  expect(
    circles(
      new Map([
        ["a", ["b"]],
        ["b", ["c"]],
        ["c", ["b"]],
      ]),
    ),
  ).toEqual(["b -> c -> b"])
})

/** The rows of a table of rooms.md whose first column names things in backquotes: each of them with its rooms. */
function rowsOf(header: string): (readonly [string, string[]])[] {
  const [rows = ""] = (read("docs/architecture/rooms.md").split(header)[1] ?? "").split("\n\n")
  return [...rows.matchAll(/^\| ([^|]+) \| ([^|]+) \|$/gm)]
    .filter(([, names = ""]) => !names.startsWith("-"))
    .flatMap(([, names = "", of = ""]) =>
      names.split(", ").map((name) => [name.replaceAll("`", ""), of.split(", ")] as const),
    )
}

test("Each table is written by exactly the rooms that rooms.md names for it", () => {
  expect(new Map(rowsOf("| table | written by |"))).toEqual(writersOfTables)
})

test("A table of balances, entries or spend is written by at most two rooms", () => {
  const tables = ["wallets", "wallet_shards", "end_user_wallets", "ledger", "postings", "spend_counters"]
  expect(tables.filter((table) => ![1, 2].includes(writersOfTables.get(table)?.length ?? 0))).toEqual([])
})

test("Each function of a trigger that writes belongs to a room that writes the same tables", () => {
  const owners = new Map(rowsOf("| function of a trigger | room |"))
  const writing = [...writtenByTriggers].filter(([, written]) => written.length > 0)
  expect([...owners.keys()].sort()).toEqual(writing.map(([name]) => name).sort())
  const wrong = writing.flatMap(([name, written]) =>
    written
      .filter((table) => !owners.get(name)?.every((room) => (writersOfTables.get(table) ?? [room]).includes(room)))
      .map((table) => `${name}: ${table}`),
  )
  expect(wrong).toEqual([])
})

test("A room reads tables of its own and of rooms that it may import; other reads are listed, and the list shrinks", () => {
  const foreign = rooms.flatMap(({ name, mayImport }) => {
    const tables = [...readersOfTables].filter(([table, readers]) => {
      const writers = writersOfTables.get(table) ?? []
      return readers.includes(name) && writers.length > 0 && !writers.some((one) => [name, ...mayImport].includes(one))
    })
    return tables.length > 0 ? [[name, tables.map(([table]) => table)] as const] : []
  })
  expect(Object.fromEntries(foreign)).toEqual(FOREIGN_READS)
})

test("A room uses each room that its row names: something of it, or a table that it writes", () => {
  const ofCode = [...dependencies].flatMap(([path, targets]) =>
    targets.map((target) => [path, target].map(roomOf).join(" ")),
  )
  const ofTables = [...readersOfTables].flatMap(([table, readers]) =>
    readers.flatMap((reader) => (writersOfTables.get(table) ?? []).map((writer) => `${reader} ${writer}`)),
  )
  const used = new Set([...ofCode, ...ofTables])
  const unused = rooms
    .filter(({ name }) => name !== "routes")
    .flatMap(({ name, mayImport }) => mayImport.map((other) => `${name} ${other}`).filter((one) => !used.has(one)))
  expect(unused).toEqual([])
})
