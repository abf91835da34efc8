import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { expand } from "../../src/ops/release.ts"

export const read = (path: string) => readFileSync(path, "utf8")

export function filesBelow(dir: string): string[] {
  return readdirSync(dir).flatMap((name) => {
    const path = join(dir, name)
    return statSync(path).isDirectory() ? filesBelow(path) : /\.tsx?$/.test(path) ? [path] : []
  })
}

/** Every file that is deployed, run locally or installed by customers. */
export const source = ["src", "functions", "client"].flatMap(filesBelow)

/** Every file of procedures, with the SQL that it stands for. */
export const procedures: { path: string; text: string }[] = readdirSync("src", { recursive: true })
  .map(String)
  .filter((path) => path.endsWith(".sql"))
  .sort()
  .map((path) => ({ path: join("src", path), text: expand(read(join("src", path))) }))

/** The same SQL without its comments, line for line. */
export const withoutComments = (sql: string) => sql.replace(/--[^\n]*/g, "")

/** The imports of a file, values or types: specifiers as they are written. */
export const importsOf = (path: string) =>
  [...read(path).matchAll(/(?:\bfrom|\bimport)\s*\(?\s*"([^"]+)"/g)].map((match) => match[1] as string)
