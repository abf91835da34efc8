import type { World } from "./world.ts"

/** The columns that a read may write: when the key was last used. */
const NOT_COUNTED: Record<string, string[]> = { api_keys: ["last_used_at"] }

const tablesOf = async (sql: World["sql"]) =>
  (
    await sql<{ name: string }>(
      "select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'",
    )
  ).map(({ name }) => name)

/**
 * In a statement that reads all tables: keeps PostgreSQL from starting processes that share the work. For a hundred small tables they took
 * most of the time.
 */
export const ALONE = "set_config('turnpike.alone', '', true)"

/** Every row of every table as JSON, with its table. One statement for all: there are nearly a hundred. */
export async function everyRow({ sql }: Pick<World, "sql">): Promise<{ name: string; text: string }[]> {
  const tables = await tablesOf(sql)
  const rows = tables.map((name) => `select '${name}' as name, to_jsonb(t)::text as text from "${name}" t`)
  return sql(`select name, text from (${rows.join(" union all ")}) all_rows, (select ${ALONE}) alone`)
}

/** A hash of every table's rows, by table: equal when nothing at all was written in between. */
export async function dumpTables({ sql, settled }: Pick<World, "sql" | "settled">): Promise<Record<string, string>> {
  // What was begun before may still write.
  await settled()
  const rows = (await tablesOf(sql)).map((name) => {
    const ignored = (NOT_COUNTED[name] ?? []).map((column) => ` - '${column}'`).join("")
    return `select '${name}' as name, md5(coalesce(string_agg(text, '|' order by text), '')) as hash
      from (select (to_jsonb(t)${ignored})::text as text from "${name}" t) rows`
  })
  const [row] = await sql<{ dump: Record<string, string> }>(
    `select jsonb_object_agg(name, hash) as dump, ${ALONE} from (${rows.join(" union all ")}) all_tables`,
  )
  return row?.dump ?? {}
}
