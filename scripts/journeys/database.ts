import { readFile } from "node:fs/promises"
import { join } from "node:path"
import pg from "pg"

/** Connects to the database of the `npm start` that uses `dataDir`, as its owner. */
export async function openStartedDatabase(dataDir: string): Promise<pg.Client> {
  const [password = "", bindings = ""] = await Promise.all(
    ["postgres.password", "worker.json"].map((file) => readFile(join(dataDir, file), "utf8")),
  )
  const address = new URL((JSON.parse(bindings) as { DATABASE_URL: string }).DATABASE_URL)
  address.username = "turnpike"
  address.password = password
  const client = new pg.Client({ connectionString: address.href })
  await client.connect()
  return client
}
