import { execFile } from "node:child_process"
import { readdir, readFile } from "node:fs/promises"
import { promisify } from "node:util"

export const BASELINE = "migrations/0001_baseline.sql"
const RELEASE_TAG = "v0.1.0"

/** The text of the baseline migration, which creates the database of schema.sql. */
export async function baselineOfSchema(): Promise<string> {
  return `-- phase: before-deploy\n${await readFile("schema.sql", "utf8")}`
}

/** True until the first release is tagged. Until then no user has a database from the baseline, so it can change. */
export async function isBaselineOpen(): Promise<boolean> {
  const files = (await readdir("migrations")).filter((file) => file.endsWith(".sql"))
  if (files.length > 1) return false
  const tagged = promisify(execFile)("git", ["rev-parse", "--quiet", "--verify", `refs/tags/${RELEASE_TAG}`])
  return tagged.then(
    () => false,
    () => true,
  )
}

/** Throws if the baseline differs from schema.sql. It has no server to compare databases, so later migrations pass. */
export async function requireBaseline(): Promise<void> {
  if (!(await isBaselineOpen())) return
  const written = await readFile(BASELINE, "utf8").catch(() => "")
  if (written !== (await baselineOfSchema())) throw new Error(`${BASELINE} is stale: run npm run db:types`)
}
