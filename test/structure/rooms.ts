import { read } from "./source.ts"

/** A row of a table of rooms in docs/architecture/rooms.md. */
export interface Room {
  name: string
  mayImport: string[]
}

const ALL_ABOVE = "every room above"

/**
 * The table with this header, from the lowest room to the highest. Rows of other tables may also
 * begin with a word in backquotes.
 */
export function readRooms(header: string): Room[] {
  const rooms: Room[] = []
  const [rows = ""] = (read("docs/architecture/rooms.md").split(header)[1] ?? "").split("\n\n")
  for (const [, path = "", named = ""] of rows.matchAll(/^\| \*?`([\w./-]+)`\*? \|[^|]*\| ([^|]*) \|$/gm)) {
    const above = rooms.map(({ name }) => name)
    const mayImport = named === ALL_ABOVE ? above : named === "–" ? [] : named.split(", ")
    rooms.push({ name: path.split("/").find((part) => part !== "" && part !== "src") ?? "", mayImport })
  }
  return rooms
}

/** Files that use a room that the table does not name for their own. */
export function forbiddenUses(used: Map<string, string[]>, table: Room[], roomOf: (path: string) => string): string[] {
  const allowed = new Map(table.map(({ name, mayImport }) => [name, new Set([name, ...mayImport])]))
  return [...used].flatMap(([path, targets]) =>
    targets.filter((target) => !allowed.get(roomOf(path))?.has(roomOf(target))).map((target) => `${path} -> ${target}`),
  )
}

/** Each circle of files that import each other, once. */
export function circles(used: Map<string, string[]>): string[] {
  const found: string[] = []
  const done = new Set<string>()
  function visit(path: string, way: string[]): void {
    if (way.includes(path)) found.push([...way.slice(way.indexOf(path)), path].join(" -> "))
    if (done.has(path) || way.includes(path)) return
    for (const target of used.get(path) ?? []) if (target !== path) visit(target, [...way, path])
    done.add(path)
  }
  for (const path of used.keys()) visit(path, [])
  return found
}
