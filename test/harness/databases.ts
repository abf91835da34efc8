import { rm } from "node:fs/promises"
import { join } from "node:path"
import pg from "pg"
import { addDatabase, dropDatabase } from "../../src/local/databases.ts"
import { startPostgres } from "../../src/local/postgres.ts"
import { makeDataDirectory } from "./data-directory.ts"
import { ALONE } from "./dump.ts"

/** A database server without the service: the one at DATABASE_URL, or a new one. */
export async function startServer() {
  const dir = await makeDataDirectory("databases")
  const own = process.env.DATABASE_URL ? null : await startPostgres({ dataDir: join(dir, "postgres"), durable: false })
  const adminUrl = own?.url ?? (process.env.DATABASE_URL as string)
  const made: string[] = []
  const clients: pg.Client[] = []

  async function connect(url: string): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: url })
    // A test may terminate this connection.
    client.on("error", () => {})
    await client.connect()
    clients.push(client)
    return client
  }

  async function add(template?: string) {
    const name = `tp_${Math.random().toString(36).slice(2, 10)}`
    const url = await addDatabase(adminUrl, name, template)
    made.push(name)
    return { client: await connect(url), url, name }
  }

  return {
    adminUrl,
    connect,
    /** Creates an empty database and runs `texts` in it. */
    async create(...texts: string[]): Promise<{ client: pg.Client; url: string; name: string }> {
      const database = await add()
      for (const text of texts) await database.client.query(text)
      return database
    },
    /** Copies this database in its current state. It must have no connections. */
    copy: (name: string) => add(name),
    async close() {
      for (const client of clients) await client.end().catch(() => {})
      // Stopping our own server removes its databases too.
      if (own) await own.stop()
      else for (const name of made) await dropDatabase(adminUrl, name)
      await rm(dir, { recursive: true, force: true })
    },
  }
}

export type Server = Awaited<ReturnType<typeof startServer>>

/** Every row of every table, as sorted text, by table. */
export async function rowsOf(client: pg.Client): Promise<Record<string, Record<string, unknown>[]>> {
  const { rows: tables } = await client.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'public' and tablename <> 'schema_migrations' order by 1",
  )
  // One statement reads all tables, because there are nearly a hundred.
  const each = tables.map(({ name }) => `select '${name}' as name, to_jsonb(t) as row from ${name} t`)
  const { rows } = await client.query<{ name: string; row: Record<string, unknown> }>(
    `select name, row from (${each.join(" union all ")}) t, (select ${ALONE}) alone order by row::text`,
  )
  const all: Record<string, Record<string, unknown>[]> = Object.fromEntries(tables.map(({ name }) => [name, []]))
  for (const { name, row } of rows) all[name]?.push(row)
  return all
}
