import type { Sql } from "./site.ts"

/** A turn as a procedure has left it, and how many of the same kind there are to be. */
interface Cloning {
  turnId: string
  count: number
  /** Numbers the clones: no two clonings of a turn have the same. */
  from: number
}

interface Column {
  table: string
  name: string
}

const IDS = ["turn_id", "conversation_id", "event_id"]
const DIGITS = 8

/**
 * Clones a turn that a procedure has made, with all rows that name it and with its hold. Each clone has its own end
 * user. The result equals that many calls of the procedure. Triggers are off, because their rows are cloned too.
 */
export async function cloneTurns(sql: Sql, { turnId, count, from }: Cloning): Promise<void> {
  const [turn] = await sql<{ conversation_id: string; end_user_ref: string }>(
    "select conversation_id, end_user_ref from turns where turn_id = $1",
    [turnId],
  )
  if (!turn) throw new Error(`There is no turn ${turnId}.`)
  const columns = await sql<Column>(
    `select c.relname as table, a.attname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
     left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
     where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and a.attnum > 0 and not a.attisdropped
       and a.attidentity = '' and a.attgenerated = '' and coalesce(pg_get_expr(d.adbin, d.adrelid) not like 'nextval%', true)
     order by c.relname, a.attnum`,
  )
  const tables = Map.groupBy(columns, ({ table }) => table)
  const writes = [...tables].flatMap(([table, of]) => {
    const names = of.map(({ name }) => name)
    if (table === "conversations") return [writeOf(table, names, "conversation_id", turn.conversation_id)]
    return names.includes("turn_id") ? [writeOf(table, names, "turn_id", turnId)] : []
  })
  const range = `generate_series(${from}, ${from + count - 1})`
  await sql(`do $$ begin
    perform set_config('session_replication_role', 'replica', true);
    ${writes.map((write) => `${write.replaceAll("{range}", range)};`).join("\n")}
    update wallets w set held_credit_micros = w.held_credit_micros + ${count} * t.hold_credit_micros
      from turns t where t.turn_id = '${turnId}' and w.user_id = t.user_id;
  end $$`)
}

function writeOf(table: string, names: string[], key: string, id: string): string {
  const renamed = IDS.filter((name) => names.includes(name)).map(
    (name) => `'${name}', left(t.${name}, length(t.${name}) - ${DIGITS}) || lpad(n::text, ${DIGITS}, '0')`,
  )
  const own = (name: string, value: string) => (names.includes(name) ? [`'${name}', ${value}`] : [])
  const changed = [
    ...renamed,
    ...own("idempotency_key", "t.idempotency_key || '-' || n"),
    ...own("end_user_ref", "t.end_user_ref || '-' || n"),
    ...own("lane", "hashtext('lane ' || n)"),
  ]
  const list = names.map((name) => `"${name}"`).join(", ")
  return `insert into ${table} (${list}) select ${names.map((name) => `r."${name}"`).join(", ")}
    from ${table} t, {range} n,
      lateral jsonb_populate_record(null::${table}, to_jsonb(t) || jsonb_build_object(${changed.join(", ")})) r
    where t.${key} = '${id}'`
}
