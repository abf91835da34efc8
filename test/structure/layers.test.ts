import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { circles, forbiddenUses, readRooms } from "./rooms.ts"
import { importsOf, procedures, read, source, withoutComments } from "./source.ts"

const table = readRooms("| room | what is in it | may import |")

/** `src/runs/run.ts` is in the room `runs`; `src/sweeps.ts` and `functions/` are separate rooms. */
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

/** The file that defines each procedure and type of the database. */
const definedIn = new Map(
  procedures.flatMap(({ path, text }) =>
    [...text.matchAll(/^create (?:function|type|aggregate) turnpike\.(\w+)/gm)].map(([, name]) => [
      name as string,
      path,
    ]),
  ),
)

/** The files whose procedures and types a file of procedures uses. */
const calls = new Map(
  procedures.map(({ path, text }) => {
    const names = [...withoutComments(text).matchAll(/\bturnpike\.(\w+)/g)].map(([, name]) => name as string)
    return [path, [...new Set(names)].map((name) => ({ name, target: definedIn.get(name) ?? "" }))]
  }),
)

const functions = new Set(
  procedures.flatMap(({ text }) => [...text.matchAll(/^create function turnpike\.(\w+)/gm)].map(([, name]) => name)),
)

/** Texts in TypeScript that are no procedure, but are written like one. */
const OTHER_WORDS = new Set([
  "src/agent/finish.ts end_turn",
  "src/agent-config/manifest.ts image_model",
  "src/agent-config/names.ts create_task",
  "src/agent-config/names.ts update_task",
  "src/local/provider-models.ts end_turn",
  "src/spaces/change-config.ts image_model",
  "src/users/get-setup.ts shared_space",
])

/** The files of the procedures that a file of TypeScript names, to call them. */
const named = new Map(
  source
    .filter(
      (path) => /^(src|functions)\//.test(path) && !/^src\/(platform\/procedures|ops\/worker-access)\.ts$/.test(path),
    )
    .map((path) => {
      const words = [
        ...read(path)
          .replace(/\/\*\*[\s\S]*?\*\//g, "")
          .matchAll(/"(\w+)"/g),
      ].map(([, word]) => word as string)
      const names = words.filter((word) => functions.has(word) && !OTHER_WORDS.has(`${path} ${word}`))
      const targets = names.flatMap((name) => definedIn.get(name) ?? [])
      return [path, [...new Set(targets)]] as const
    }),
)

const dependencies = new Map<string, string[]>([
  ...[...imports].map(([path, targets]): [string, string[]] => [path, [...targets, ...(named.get(path) ?? [])]]),
  ...[...calls].map(([path, used]): [string, string[]] => [path, used.map(({ target }) => target)]),
])

test("The table has every room once, and each may import only rooms above it", () => {
  const names = table.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  expect([...new Set(source.map(roomOf))].filter((room) => !names.includes(room))).toEqual([])
  const wrong = table.flatMap(({ name, mayImport }, at) =>
    mayImport.filter((other) => !names.slice(0, at).includes(other)).map((other) => `${name} -> ${other}`),
  )
  expect(wrong).toEqual([])
})

test("A room uses only rooms that its row names: values, types, and procedures that TypeScript or SQL calls", () => {
  expect(forbiddenUses(dependencies, table, roomOf)).toEqual([])
})

test("A call from a low room's procedure to a high room's is rejected", () => {
  const planted = new Map([["src/billing/planted.sql", ["src/analytics/cut-spaces.sql"]]])
  expect(forbiddenUses(planted, table, roomOf)).toEqual(["src/billing/planted.sql -> src/analytics/cut-spaces.sql"])
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

const SQL_WRITE = /\b(?:insert into|delete from|update)\s+(?:only\s+)?"?([a-z_]+)"?/g
const KYSELY_WRITE = /\.(?:insertInto|updateTable|deleteFrom)\("(\w+)/g
const tableNames = new Set([...read("schema.sql").matchAll(/^create table (\w+)/gm)].map(([, name]) => name as string))

/** The rooms whose code writes each table, according to the source. */
function writersOfTables(): Map<string, string[]> {
  const writers = new Map<string, Set<string>>()
  const texts = [...procedures, ...source.map((path) => ({ path, text: read(path) }))]
  for (const { path, text } of texts) {
    const code = path.endsWith(".sql") ? withoutComments(text) : text
    for (const [, name = ""] of [...code.matchAll(SQL_WRITE), ...code.matchAll(KYSELY_WRITE)]) {
      if (tableNames.has(name)) writers.set(name, (writers.get(name) ?? new Set()).add(roomOf(path)))
    }
  }
  const order = table.map(({ name }) => name)
  const sorted = (rooms: Set<string>) => [...rooms].sort((a, b) => order.indexOf(a) - order.indexOf(b))
  return new Map([...writers].sort().map(([name, rooms]) => [name, sorted(rooms)]))
}

test("Each table is written by exactly the rooms that rooms.md names for it", () => {
  const [rows = ""] = (
    readFileSync("docs/architecture/rooms.md", "utf8").split("| table | written by |")[1] ?? ""
  ).split("\n\n")
  const documented = [...rows.matchAll(/^\| ([^|]+) \| ([^|]+) \|$/gm)]
    .filter(([, names = ""]) => !names.startsWith("-"))
    .flatMap(([, names = "", rooms = ""]) =>
      names.split(", ").map((name) => [name.replaceAll("`", ""), rooms.split(", ")] as const),
    )
  expect(new Map(documented)).toEqual(writersOfTables())
})
