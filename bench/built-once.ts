import { readFile, writeFile } from "node:fs/promises"

const built = new Map<string, Promise<string>>()

/** Writes a bundle to `file`. `build` runs once for each `name`: all measurements of a run have the same sources. */
export async function buildOnce(name: string, file: string, build: (file: string) => Promise<unknown>): Promise<void> {
  const building = built.get(name) ?? build(file).then(() => readFile(file, "utf8"))
  built.set(name, building)
  await writeFile(file, await building)
}
