import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { expand } from "../../src/ops/release.ts"

export const read = (path: string) => readFileSync(path, "utf8")

export function filesBelow(dir: string): string[] {
  const names = readdirSync(dir).filter((name) => name !== "node_modules")
  return names.flatMap((name) => {
    const path = join(dir, name)
    return statSync(path).isDirectory() ? filesBelow(path) : /\.tsx?$/.test(path) ? [path] : []
  })
}

/** Every file that is deployed, run locally or installed by customers. */
export const source = ["src", "functions", "client", "ai-sdk"].flatMap(filesBelow)

/** Every file of procedures, with its SQL after templates are filled in. */
export const procedures: { path: string; text: string }[] = readdirSync("src", { recursive: true })
  .map(String)
  .filter((path) => path.endsWith(".sql"))
  .sort()
  .map((path) => ({ path: join("src", path), text: expand(read(join("src", path))) }))

/** The same SQL without its comments, line for line. */
export const withoutComments = (sql: string) => sql.replace(/--[^\n]*/g, "")

/** The imports of a file, for values or types, as written. */
export const importsOf = (path: string) =>
  [...read(path).matchAll(/(?:\bfrom|\bimport)\s*\(?\s*"([^"]+)"/g)].map((match) => match[1] as string)

/** The text between an opening parenthesis and its closing one, split at the commas of that level. */
export function argumentsAt(text: string, open: number): string[] {
  const found = [""]
  let depth = 0
  let quoted = false
  for (let at = open; ; at++) {
    const char = text[at] as string
    if (char === "'") quoted = !quoted
    if (!quoted && (char === "(" || char === "[") && depth++ === 0) continue
    if (!quoted && (char === ")" || char === "]") && --depth === 0) break
    if (!quoted && depth === 1 && char === ",") found.push("")
    else found[found.length - 1] += char
  }
  return found.map((one) => one.trim()).filter(Boolean)
}
