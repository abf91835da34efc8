import { readFile } from "node:fs/promises"
import { join } from "node:path"
import pg from "pg"

/** Connects to the database of the `npm start` that uses `dataDir`, as its owner. */
export async function databaseOf(dataDir: string): Promise<pg.Client> {
  const [password, variables] = await Promise.all(
    ["postgres.password", "worker.env"].map((file) => readFile(join(dataDir, file), "utf8")),
  )
  const address = new URL(/DATABASE_URL="([^"]+)"/.exec(variables ?? "")?.[1] ?? "")
  address.username = "turnpike"
  address.password = password ?? ""
  const client = new pg.Client({ connectionString: address.href })
  await client.connect()
  return client
}
