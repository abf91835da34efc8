import { execFile } from "node:child_process"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { applySchema, createDatabase } from "../src/local/databases.ts"
import { startPostgres } from "../src/local/postgres.ts"

const TARGET = "src/platform/db-types.ts"

/** Writes the table types of schema.sql; with --check fails when they differ from what is there. */
const dir = await mkdtemp(join(tmpdir(), "turnpike-types-"))
const postgres = await startPostgres({ dataDir: join(dir, "postgres"), durable: false })
try {
  const url = await createDatabase(postgres.url, "types")
  await applySchema(url)
  const out = join(dir, "db-types.ts")
  const options = ["--dialect", "postgres", "--url", url, "--out-file", out, "--type-mapping", '{"int8":"number"}']
  await promisify(execFile)("kysely-codegen", options)
  const types = await readFile(out, "utf8")
  if (!process.argv.includes("--check")) await writeFile(TARGET, types)
  else if ((await readFile(TARGET, "utf8")) !== types) throw new Error(`${TARGET} is stale: run npm run db:types`)
} finally {
  await postgres.stop()
  await rm(dir, { recursive: true, force: true })
}
