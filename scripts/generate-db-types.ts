import { execFile } from "node:child_process"
import { readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { addDatabase, applySchema, withClient } from "../src/local/databases.ts"
import { startPostgres } from "../src/local/postgres.ts"
import { makeTemporaryDirectory } from "../src/local/temporary-directory.ts"
import { readRelease } from "../src/ops/release.ts"
import { BASELINE, baselineOfSchema, isBaselineOpen } from "./baseline.ts"
import { capLists, keyCaps } from "./cap-lists.ts"
import { compareCatalogs, readCatalog } from "./catalog.ts"
import { procedureTypes } from "./procedure-types.ts"
import { settingDefaults } from "./setting-defaults.ts"
import { workerAccess } from "./worker-access.ts"

const run = promisify(execFile)

/**
 * Writes the baseline until the first release, the defaults of settings and the lists of caps as SQL, the types of
 * tables and procedures, and the access of each worker. With --check it writes nothing and fails if a file is stale. It
 * always fails if the migrations do not create the database of schema.sql.
 */
const isOpen = await isBaselineOpen()
if (isOpen) await keep(BASELINE, await baselineOfSchema())
await keep("src/settings/defaults.sql", settingDefaults())
await keep("src/actor/key-caps.sql", keyCaps())
await keep("src/quotas/cap-lists.sql", capLists())
const dir = await makeTemporaryDirectory("types")
const postgres = await startPostgres({ dataDir: join(dir, "postgres"), durable: false })
try {
  const url = await addDatabase(postgres.url, "types")
  await applySchema(url)
  if (!isOpen) await compareWithSchema(url)
  const tables = join(dir, "db-types.ts")
  const mapping = '{"int8":"number"}'
  await run("kysely-codegen", [
    "--dialect",
    "postgres",
    "--url",
    url,
    "--out-file",
    tables,
    "--type-mapping",
    mapping,
    "--default-schema",
    "public",
    "--include-pattern",
    "public.*",
  ])
  const procedures = join(dir, "procedures.ts")
  const release = await readRelease()
  // Compiles the bodies of SQL functions, after all functions exist.
  await withClient(url, (client) =>
    client.query(
      release.sql
        .replace(/^create (function|aggregate)/gm, "create or replace $1")
        .replace(/^create type [^;]+;/gm, ""),
    ),
  )
  await writeFile(procedures, await withClient(url, (client) => procedureTypes(client, release)))
  // Exports `DB` only, because the names of row types would be confused with the types of the domain.
  const tableTypes = (await readFile(tables, "utf8")).replace(/^export (?!interface DB )/gm, "")
  await keep("src/platform/db-types.ts", tableTypes)
  await keep("src/platform/procedures.ts", await readFile(procedures, "utf8"))
  // Last, because it bundles the workers, which import the generated types.
  await keep("src/ops/worker-access.ts", await withClient(url, (client) => workerAccess(client, release)))
} finally {
  await postgres.stop()
  await rm(dir, { recursive: true, force: true })
}

async function compareWithSchema(url: string): Promise<void> {
  const fromSchema = await addDatabase(postgres.url, "schema")
  const wanted = await withClient(fromSchema, async (client) => {
    await client.query(await readFile("schema.sql", "utf8"))
    return readCatalog(client)
  })
  const differences = compareCatalogs(wanted, await withClient(url, readCatalog))
  if (differences.length === 0) return
  throw new Error(
    `migrations/ does not create the database of schema.sql. Write the differences as a new file (CONTRIBUTING.md).\n${differences.join("\n")}`,
  )
}

async function keep(target: string, text: string): Promise<void> {
  if (!process.argv.includes("--check")) await writeFile(target, text)
  else if ((await readFile(target, "utf8")) !== text) throw new Error(`${target} is stale: run npm run db:types`)
}
