import { join } from "node:path"
import { readRooms } from "./rooms.ts"
import { importsOf, procedures, read, source, withoutComments } from "./source.ts"

/** The rooms of the service, from the lowest to the highest. */
export const rooms = readRooms("| room | what is in it | may import |")

/** `src/runs/run.ts` is in the room `runs`; `src/sweeps.ts` and `functions/` are separate rooms. */
export function roomOf(path: string): string {
  const [top = "", room = ""] = path.split("/")
  return top === "src" ? room : top
}

/** The files that a file of TypeScript imports. */
export const imports = new Map(
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
export const calls = new Map(
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
  "src/home/get-setup.ts shared_space",
])

/** The files of the procedures that a file of TypeScript names, to call them. */
export const named = new Map(
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

/** What a file uses: imports, procedures and types. */
export const dependencies = new Map<string, string[]>([
  ...[...imports].map(([path, targets]): [string, string[]] => [path, [...targets, ...(named.get(path) ?? [])]]),
  ...[...calls].map(([path, used]): [string, string[]] => [path, used.map(({ target }) => target)]),
])

const SQL_WRITE = /\b(?:insert into|delete from|update)\s+(?:only\s+)?"?([a-z_]+)"?/g
const KYSELY_WRITE = /\.(?:insertInto|updateTable|deleteFrom)\("(\w+)/g
const SQL_READ = /\b(?:from|join)\s+(?:only\s+)?"?([a-z_]+)"?/g
const KYSELY_READ = /\.(?:selectFrom|(?:inner|left|right|full|cross)Join(?:Lateral)?)\("(\w+)/g
const schema = withoutComments(read("schema.sql"))
const tableNames = new Set([...schema.matchAll(/^create table (\w+)/gm)].map(([, name]) => name as string))
const order = rooms.map(({ name }) => name)

/** The rooms of the code that uses each table as one of the patterns says, from the lowest room to the highest. */
function usersOfTables(...patterns: RegExp[]): Map<string, string[]> {
  const users = new Map<string, Set<string>>()
  for (const { path, text } of [...procedures, ...source.map((path) => ({ path, text: read(path) }))]) {
    const code = path.endsWith(".sql") ? withoutComments(text) : text
    for (const [, name = ""] of patterns.flatMap((pattern) => [...code.matchAll(pattern)])) {
      if (tableNames.has(name)) users.set(name, (users.get(name) ?? new Set()).add(roomOf(path)))
    }
  }
  const sorted = (of: Set<string>) => [...of].sort((a, b) => order.indexOf(a) - order.indexOf(b))
  return new Map([...users].sort().map(([name, of]) => [name, sorted(of)]))
}

export const writersOfTables = usersOfTables(SQL_WRITE, KYSELY_WRITE)
export const readersOfTables = usersOfTables(SQL_READ, KYSELY_READ)

/** The tables that each function of a trigger writes. */
export const writtenByTriggers = new Map(
  [...schema.matchAll(/^create function (\w+)\(\) returns trigger[\s\S]*?\$\$;/gm)].map(([body, name]) => [
    name as string,
    [...new Set([...body.matchAll(SQL_WRITE)].map(([, one]) => one as string))].filter((one) => tableNames.has(one)),
  ]),
)
