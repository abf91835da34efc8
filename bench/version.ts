import { access, readFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { withClient } from "../src/local/databases.ts"

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

/** Versions from before there were migrations have their whole database in schema.sql. */
async function fillDatabase(dir: string, databaseUrl: string): Promise<void> {
  const isOld = await access(join(dir, "migrations")).then(
    () => false,
    () => true,
  )
  if (isOld) {
    const schema = await readFile(join(dir, "schema.sql"), "utf8")
    await withClient(databaseUrl, (client) => client.query(schema))
    return
  }
  const own = (await import(
    pathToFileURL(join(dir, "src/local/databases.ts")).href
  )) as typeof import("../src/local/databases.ts")
  await own.applySchema(databaseUrl)
}
