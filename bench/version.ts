import { join, resolve } from "node:path"
import { pathToFileURL } from "node:url"

/** A checkout of this project: all that the bench takes from one is here, so that two can be measured in one run. */
export interface Version {
  name: string
  dir: string
  /** Makes an empty database this version's. */
  fillDatabase(databaseUrl: string): Promise<void>
  /** Its own ways to make users, credit and keys. */
  seed: typeof import("../src/ops/seed.ts")
}

export async function readVersion(name: string, dir: string): Promise<Version> {
  const root = resolve(dir)
  const seed = await import(pathToFileURL(join(root, "src/ops/seed.ts")).href)
  return { name, dir: root, fillDatabase: (databaseUrl) => fillDatabase(root, databaseUrl), seed }
}

async function fillDatabase(dir: string, databaseUrl: string): Promise<void> {
  const own = (await import(
    pathToFileURL(join(dir, "src/local/databases.ts")).href
  )) as typeof import("../src/local/databases.ts")
  await own.applySchema(databaseUrl)
}
