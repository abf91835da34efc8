import { execFile } from "node:child_process"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { addDatabase, applySchema, withClient } from "../src/local/databases.ts"
import { startPostgres } from "../src/local/postgres.ts"
import { readRelease } from "../src/ops/release.ts"
import { procedureTypes } from "./procedure-types.ts"
import { settingDefaults } from "./setting-defaults.ts"
import { workerAccess } from "./worker-access.ts"

const run = promisify(execFile)

/**
 * Writes the defaults of settings as SQL; from a database that has tables and procedures the types of both; and what each worker uses. With
 * --check fails when they differ.
 */
await keep("src/settings/defaults.sql", settingDefaults())
const dir = await mkdtemp(join(tmpdir(), "turnpike-types-"))
const postgres = await startPostgres({ dataDir: join(dir, "postgres"), durable: false })
try {
  const url = await addDatabase(postgres.url, "types")
  await applySchema(url)
  const tables = join(dir, "db-types.ts")
  const mapping = '{"int8":"number"}'
  await run("kysely-codegen", [
    ...["--dialect", "postgres", "--url", url, "--out-file", tables, "--type-mapping", mapping],
    ...["--default-schema", "public", "--include-pattern", "public.*"],
  ])
  const procedures = join(dir, "procedures.ts")
  const release = await readRelease()
  // SQL bodies are compiled here, once all functions are there.
  await withClient(url, (client) =>
    client.query(
      release.sql
        .replace(/^create (function|aggregate)/gm, "create or replace $1")
        .replace(/^create type [^;]+;/gm, ""),
    ),
  )
  await writeFile(procedures, await withClient(url, (client) => procedureTypes(client, release)))
  const access = await withClient(url, (client) => workerAccess(client, release))
  // Only `DB` goes out: the names of the tables' rows would stand beside those of the domain.
  const tableTypes = (await readFile(tables, "utf8")).replace(/^export (?!interface DB )/gm, "")
  await keep("src/platform/db-types.ts", tableTypes)
  await keep("src/platform/procedures.ts", await readFile(procedures, "utf8"))
  await keep("src/ops/worker-access.ts", access)
} finally {
  await postgres.stop()
  await rm(dir, { recursive: true, force: true })
}

async function keep(target: string, text: string): Promise<void> {
  if (!process.argv.includes("--check")) await writeFile(target, text)
  else if ((await readFile(target, "utf8")) !== text) throw new Error(`${target} is stale: run npm run db:types`)
}
