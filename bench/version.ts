import { join, resolve } from "node:path"
import { pathToFileURL } from "node:url"

/**
 * Everything that the bench imports from a checkout of this project, so that it can measure two versions in one run.
 */
export interface Version {
  name: string
  dir: string
  /** Applies this version's schema to an empty database. */
  fillDatabase(databaseUrl: string): Promise<void>
  /** This version's functions that create users, credit and keys. */
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
