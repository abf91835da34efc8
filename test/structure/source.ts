import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"

export const read = (path: string) => readFileSync(path, "utf8")

export function filesBelow(dir: string): string[] {
  return readdirSync(dir).flatMap((name) => {
    const path = join(dir, name)
    return statSync(path).isDirectory() ? filesBelow(path) : /\.tsx?$/.test(path) ? [path] : []
  })
}

/** Every file that is deployed, run locally or installed by customers. */
export const source = ["src", "functions", "client"].flatMap(filesBelow)

/** The imports of a file, values or types: specifiers as they are written. */
export const importsOf = (path: string) =>
  [...read(path).matchAll(/(?:\bfrom|\bimport)\s*\(?\s*"([^"]+)"/g)].map((match) => match[1] as string)
