import type pg from "pg"
import type { OpenDatabase } from "./open-database.ts"

/** After this number of uses a database is vacuumed, so that scans of its small tables stay short. */
const USES_PER_VACUUM = 8
/** A larger table without references is emptied by TRUNCATE, which is faster but invalidates cached plans. */
const MOST_DELETED = 500
/** The number of databases that tests use at once. More would only keep connections open. */
const MOST_SPARE = 4

/** The state of a new copy of the template: rows, sequences, and a fingerprint of everything else. */
interface Pristine {
  tables: { name: string; columns: string; referenced: boolean; rows: string | null }[]
  sequences: { name: string; value: string; called: boolean }[]
  catalog: string
}

/** Changes with every DDL statement, grant, setting, statistic and large object, but not with TRUNCATE and VACUUM. */
const CATALOG = `select concat_ws(' ',
  (select sum(hashtext(concat_ws(' ', relname, relnamespace, relkind, relacl, reloptions, relhastriggers))) from pg_class),
  ${["pg_proc", "pg_attribute", "pg_trigger", "pg_constraint", "pg_index", "pg_namespace", "pg_type", "pg_attrdef"]
    .map((name) => `(select sum(xmin::text::bigint) from ${name})`)
    .join(", ")},
  (select count(*) from pg_statistic), (select count(*) from pg_largeobject_metadata),
  (select sum(hashtext(setconfig::text)) from pg_db_role_setting s join pg_database d on d.oid = s.setdatabase
    where d.datname = current_database())) as catalog`

/**
 * Keeps databases that were given back, emptied for their next use. Their connections stay open, because a new one
 * compiles and plans each procedure again, which took a third of the server's time in tests.
 */
export function createSpareDatabases() {
  const spare: OpenDatabase[] = []
  const uses = new WeakMap<OpenDatabase, number>()
  let pristine: Promise<Pristine> | null = null

  return {
    /** Must be called with a new copy of the template before anything is written to it. */
    async remember(database: OpenDatabase): Promise<void> {
      pristine ??= readPristine(database.direct)
      await pristine
    },
    take: (): OpenDatabase | undefined => spare.pop(),
    /** True if the database was emptied and kept. If it is in use or its schema was changed, the caller must drop it. */
    async giveBack(database: OpenDatabase): Promise<boolean> {
      if (!pristine || spare.length >= MOST_SPARE) return false
      const used = (uses.get(database) ?? 0) + 1
      uses.set(database, used)
      const isEmpty = await empty(database, await pristine, used % USES_PER_VACUUM === 0).catch(() => false)
      if (isEmpty) spare.push(database)
      return isEmpty
    },
    closeAll: () => Promise.all(spare.splice(0).map((database) => database.close())),
  }
}

async function readPristine(direct: pg.Pool): Promise<Pristine> {
  const { rows: found } = await direct.query<Omit<Pristine["tables"][number], "rows">>(
    `select c.oid::regclass::text as name, string_agg(quote_ident(a.attname), ', ' order by a.attnum) as columns,
       exists (select from pg_constraint k where k.confrelid = c.oid) as referenced
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace group by c.oid order by 1`,
  )
  const tables: Pristine["tables"] = []
  for (const table of found) {
    const { rows } = await direct.query<{ rows: string | null }>(
      `select jsonb_agg(to_jsonb(t))::text as rows from ${table.name} t`,
    )
    tables.push({ ...table, rows: rows[0]?.rows ?? null })
  }
  const { rows: sequences } = await direct.query<Pristine["sequences"][number]>(
    `select format('%I.%I', schemaname, sequencename) as name, coalesce(last_value, start_value)::text as value,
       last_value is not null as called from pg_sequences`,
  )
  const { rows } = await direct.query<{ catalog: string }>(CATALOG)
  return { tables, sequences, catalog: rows[0]?.catalog ?? "" }
}

/** Resets a database. False if a statement still runs, another program is connected, or the schema was changed. */
async function empty(database: OpenDatabase, pristine: Pristine, withVacuum: boolean): Promise<boolean> {
  const all = [...database.connections.pools.map(({ pool }) => pool), database.direct]
  if (!database.connections.isCalm() || database.direct.idleCount < database.direct.totalCount) return false
  const client = await database.direct.connect()
  let isBroken = true
  try {
    const sessions = all.reduce((sum, pool) => sum + pool.totalCount, 0)
    const isOurs = await isUnchanged(client, pristine, sessions)
    if (isOurs) await restoreRows(client, pristine)
    if (isOurs && withVacuum) await client.query(`vacuum ${pristine.tables.map(({ name }) => name).join(", ")}`)
    isBroken = false
    return isOurs
  } finally {
    client.release(isBroken)
  }
}

/** True if the database has only these sessions, and only rows were changed. */
async function isUnchanged(client: pg.ClientBase, { catalog }: Pristine, sessions: number): Promise<boolean> {
  const { rows } = await client.query<{ sessions: number; catalog: string }>(
    `select (select count(*)::int from pg_stat_activity where datname = current_database()) as sessions, c.* from (${CATALOG}) c`,
  )
  return (rows[0]?.sessions ?? 0) <= sessions && rows[0]?.catalog === catalog
}

async function restoreRows(client: pg.ClientBase, pristine: Pristine): Promise<void> {
  const names = await tablesWithRows(client, pristine)
  await client.query("begin; set local session_replication_role = replica")
  for (const { name, columns, referenced, rows } of pristine.tables) {
    const count = names.get(name) ?? 0
    if (count > MOST_DELETED && !referenced) await client.query(`truncate ${name}`)
    else if (count > 0) await client.query(`delete from ${name}`)
    if (rows === null) continue
    const values = `select ${columns} from jsonb_populate_recordset(null::${name}, $1::jsonb)`
    await client.query(`insert into ${name} (${columns}) overriding system value ${values}`, [rows])
  }
  const resets = pristine.sequences.map(({ name, value, called }) => `setval('${name}', ${value}, ${called})`)
  if (resets.length > 0) await client.query(`select ${resets.join(", ")}`)
  await client.query("commit")
}

/** The number of rows of each table that has any, counted up to one more than `MOST_DELETED`. */
async function tablesWithRows(client: pg.ClientBase, { tables }: Pristine): Promise<Map<string, number>> {
  const counts = tables.map(({ name }) => `(select count(*) from (select from ${name} limit ${MOST_DELETED + 1}) t)`)
  const { rows } = await client.query<{ counts: number[] }>(`select array[${counts.join(", ")}]::int[] as counts`)
  const all = rows[0]?.counts ?? []
  return new Map(tables.flatMap(({ name }, at) => ((all[at] ?? 0) > 0 ? [[name, all[at] ?? 0] as const] : [])))
}
