import { spawn } from "node:child_process"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import pg from "pg"
import { addDatabase } from "../../src/local/databases.ts"
import { startPostgres } from "../../src/local/postgres.ts"
import { makeDataDirectory } from "./data-directory.ts"

/** Runs `npm run admin -- …` on the database of `env`. Returns its exit code and output. */
export function runAdmin(env: NodeJS.ProcessEnv, ...args: string[]): Promise<[number | null, string]> {
  const child = spawn(process.execPath, ["src/ops/admin.ts", ...args], { env: { ...process.env, ...env } })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk))
  return new Promise((resolve) => child.once("close", (code) => resolve([code, output.trim()])))
}

/** An empty database for the command line, on a server of its own. */
export async function startAdminDatabase() {
  const dir = await makeDataDirectory("command")
  const server = await startPostgres({ dataDir: join(dir, "postgres"), durable: false })
  const url = await addDatabase(server.url, "command")
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return {
    client,
    url,
    close: async () => {
      await client.end()
      await server.stop()
      await rm(dir, { recursive: true, force: true })
    },
  }
}
