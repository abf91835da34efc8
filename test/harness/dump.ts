import type { World } from "./world.ts"

/** Columns that a read may write, such as the last use of the key. */
const NOT_COUNTED: Record<string, string[]> = { api_keys: ["last_used_at"] }

const tablesOf = async (sql: World["sql"]) =>
  (
    await sql<{ name: string }>(
      "select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'",
    )
  ).map(({ name }) => name)

/**
 * Prevents PostgreSQL from starting parallel workers in a statement that reads all tables. For a
 * hundred small tables, starting them took most of the time.
 */
export const ALONE = "set_config('turnpike.alone', '', true)"

/**
 * Every row of every table as JSON, with its table. One statement reads all, because there are
 * nearly a hundred tables.
 */
export async function everyRow({ sql }: Pick<World, "sql">): Promise<{ name: string; text: string }[]> {
  const tables = await tablesOf(sql)
  const rows = tables.map((name) => `select '${name}' as name, to_jsonb(t)::text as text from "${name}" t`)
  return sql(`select name, text from (${rows.join(" union all ")}) all_rows, (select ${ALONE}) alone`)
}

/** Its rows are notes for the owner of a key whose request was refused (src/keys/note-refused.ts). */
const REFUSALS = "refused_requests"

/**
 * A hash of the rows of every table but the one of refusals, by table. Equal hashes show that nothing was written in
 * between.
 */
export async function dumpTables({ sql, settled }: Pick<World, "sql" | "settled">): Promise<Record<string, string>> {
  // Background work that has already started can still write.
  await settled()
  const tables = (await tablesOf(sql)).filter((name) => name !== REFUSALS)
  const rows = tables.map((name) => {
    const ignored = (NOT_COUNTED[name] ?? []).map((column) => ` - '${column}'`).join("")
    return `select '${name}' as name, md5(coalesce(string_agg(text, '|' order by text), '')) as hash
      from (select (to_jsonb(t)${ignored})::text as text from "${name}" t) rows`
  })
  const [row] = await sql<{ dump: Record<string, string> }>(
    `select jsonb_object_agg(name, hash) as dump, ${ALONE} from (${rows.join(" union all ")}) all_tables`,
  )
  return row?.dump ?? {}
}
