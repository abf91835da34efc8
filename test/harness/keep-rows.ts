import type { World } from "./world.ts"

interface KeptTable {
  name: string
  columns: string
  rows: string | null
}

/** The quote of a literal. No row contains it. */
const QUOTE = "$kept$"

/**
 * Remembers every row of a world's database, or of these tables. The returned function restores them, so that one
 * prepared world serves many destructive calls. It restores no files of the bucket and nothing in Redis or the queue.
 */
export async function keepRows(
  { sql, settled }: Pick<World, "sql" | "settled">,
  only?: readonly string[],
): Promise<() => Promise<void>> {
  await settled()
  const found = await sql<Omit<KeptTable, "rows">>(
    `select c.oid::regclass::text as name, string_agg(quote_ident(a.attname), ', ' order by a.attnum) as columns
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace group by c.oid order by 1`,
  )
  const tables = found.filter(({ name }) => only?.includes(name) ?? true)
  const each = tables.map(
    ({ name, columns }) =>
      `select '${name}' as name, '${columns.replaceAll("'", "''")}' as columns, jsonb_agg(to_jsonb(t))::text as rows from ${name} t`,
  )
  const kept = await sql<KeptTable>(each.join(" union all "))
  const restored = kept.map(({ name, columns, rows }) => {
    const values = `select ${columns} from jsonb_populate_recordset(null::${name}, ${QUOTE}${rows}${QUOTE}::jsonb)`
    const insert = `insert into ${name} (${columns}) overriding system value ${values};`
    return `delete from ${name}; ${rows === null ? "" : insert}`
  })
  const text = `do $restore$ begin perform set_config('session_replication_role', 'replica', true); ${restored.join(" ")} end $restore$`
  return async () => {
    // Background work of an answer also writes.
    await settled()
    await sql(text)
  }
}

/**
 * Calls `ask` for each item, some at once. More at once would open connections, and each new connection plans every
 * procedure again.
 */
export async function inBatches<Item>(items: readonly Item[], ask: (item: Item) => Promise<void>, size = 6) {
  const left = [...items]
  const work = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await ask(item)
  }
  await Promise.all(Array.from({ length: size }, work))
}
