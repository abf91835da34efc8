import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { importsOf, source } from "./source.ts"

/** A row of the table of rooms in ARCHITECTURE.md. */
interface Room {
  name: string
  mayImport: string[]
}

const ALL_ABOVE = "every room above"

/** The header of that table: other tables may begin their rows with a word in backquotes too. */
const HEADER = "| room | what is in it | may import |"

/** From the lowest room to the highest. */
const table = readTable(readFileSync("ARCHITECTURE.md", "utf8"))

function readTable(text: string): Room[] {
  const rooms: Room[] = []
  const [rows = ""] = (text.split(HEADER)[1] ?? "").split("\n\n")
  for (const [, path = "", named = ""] of rows.matchAll(/^\| \*?`([\w./-]+)`\*? \|[^|]*\| ([^|]*) \|$/gm)) {
    const above = rooms.map(({ name }) => name)
    const mayImport = named === ALL_ABOVE ? above : named === "–" ? [] : named.split(", ")
    rooms.push({ name: path.split("/").find((part) => part !== "" && part !== "src") ?? "", mayImport })
  }
  return rooms
}

/** `src/turns/run.ts` is in `turns`, `src/sweeps.ts` a room of its own, and so is `functions/`. */
function roomOf(path: string): string {
  const [top = "", room = ""] = path.split("/")
  return top === "src" ? room : top
}

const imports = new Map(
  source.map((path) => {
    const named = importsOf(path).filter((name) => name.startsWith("."))
    return [path, named.map((name) => join(path, "..", name))]
  }),
)

test("the table has every room once, and each may import only rooms above it", () => {
  const names = table.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  expect([...new Set(source.map(roomOf))].filter((room) => !names.includes(room))).toEqual([])
  const wrong = table.flatMap(({ name, mayImport }, at) =>
    mayImport.filter((other) => !names.slice(0, at).includes(other)).map((other) => `${name} -> ${other}`),
  )
  expect(wrong).toEqual([])
})

test("no room imports one that its row does not name, neither values nor types", () => {
  const allowed = new Map(table.map(({ name, mayImport }) => [name, new Set([name, ...mayImport])]))
  const offenders = [...imports].flatMap(([path, targets]) =>
    targets.filter((target) => !allowed.get(roomOf(path))?.has(roomOf(target))).map((target) => `${path} -> ${target}`),
  )
  expect(offenders).toEqual([])
})

test("every import leads to a file", () => {
  const missing = [...imports].flatMap(([path, targets]) =>
    targets.filter((target) => !existsSync(target)).map((target) => `${path} -> ${target}`),
  )
  expect(missing).toEqual([])
  expect([...imports.values()].flat().length).toBeGreaterThan(1000)
})

test("no files import each other in a circle, neither values nor types", () => {
  const circles: string[] = []
  const done = new Set<string>()
  function visit(path: string, way: string[]): void {
    if (way.includes(path)) circles.push([...way.slice(way.indexOf(path)), path].join(" -> "))
    if (done.has(path) || way.includes(path)) return
    for (const target of imports.get(path) ?? []) visit(target, [...way, path])
    done.add(path)
  }
  for (const path of source) visit(path, [])
  expect(circles).toEqual([])
})
