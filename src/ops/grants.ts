import { randomBytes } from "node:crypto"
import pg from "pg"
import type { Release } from "./release.ts"
import { WORKER_ACCESS, type WorkerAccess } from "./worker-access.ts"

/** The prefix of the roles' names. A server with several installations has one for each. */
export const ROLE_PREFIX = "turnpike"

/** The workers that have a role of their own; `all` is for one worker with every group. */
export const WORKER_ROLES = [...Object.keys(WORKER_ACCESS), "all"]

/** What a worker's code asks for; for `all` what any of them does. */
export function accessOf(worker: string): WorkerAccess {
  const known = WORKER_ACCESS[worker]
  if (known) return known
  if (worker !== "all") throw new Error(`There is no worker ${worker}: name one of ${WORKER_ROLES.join(", ")}.`)
  const each = Object.values(WORKER_ACCESS)
  const union = (names: (access: WorkerAccess) => readonly string[]) => [...new Set(each.flatMap(names))].sort()
  const withheld = (table: string) =>
    each
      .flatMap(({ tables }) => (tables[table] ? [tables[table]] : []))
      .reduce((some, others) => some.filter((column) => others.includes(column)))
  return {
    procedures: union(({ procedures }) => procedures),
    inlined: union(({ inlined }) => inlined),
    tables: Object.fromEntries(union(({ tables }) => Object.keys(tables)).map((table) => [table, withheld(table)])),
    purposes: union(({ purposes }) => purposes),
  }
}

export const roleName = (worker: string, prefix = ROLE_PREFIX) => `${prefix}_${worker}`

/** `url` for another role. */
export function urlFor(url: string, role: string, password: string): string {
  const changed = new URL(url)
  changed.username = role
  changed.password = password
  return changed.href
}

/**
 * Makes the roles of these workers that are not there yet, and gives each of those a password, or all of them with `renew`. They may log in
 * and nothing else: `grantRelease` gives them what their workers need. Returns the new passwords by worker.
 */
export async function createRoles(
  client: pg.ClientBase,
  { workers = WORKER_ROLES, prefix = ROLE_PREFIX, renew = false, password = newPassword } = {},
): Promise<Record<string, string>> {
  for (const worker of workers) accessOf(worker)
  return inTransaction(client, async () => {
    // Of two that make the same role at once, the later finds it.
    await client.query("select pg_advisory_xact_lock(hashtext('turnpike roles'))")
    const made: Record<string, string> = {}
    for (const worker of workers) {
      const role = roleName(worker, prefix)
      const known = (await client.query("select 1 from pg_roles where rolname = $1", [role])).rowCount === 1
      if (known && !renew) continue
      const secret = password(worker)
      const change = `${known ? "alter" : "create"} role ${pg.escapeIdentifier(role)}`
      await client.query(`${change} login nocreatedb nocreaterole password ${pg.escapeLiteral(secret)}`)
      made[worker] = secret
    }
    return made
  })
}

async function inTransaction<T>(client: pg.ClientBase, work: () => Promise<T>): Promise<T> {
  await client.query("begin")
  try {
    const done = await work()
    await client.query("commit")
    return done
  } catch (error) {
    await client.query("rollback")
    throw error
  }
}

const newPassword = (_worker: string) => randomBytes(24).toString("base64url")

export async function dropRoles(client: pg.ClientBase, prefix: string): Promise<void> {
  for (const worker of WORKER_ROLES)
    await client.query(`drop role if exists ${pg.escapeIdentifier(roleName(worker, prefix))}`)
}

/**
 * Gives each role of a worker what that worker's code asks for in this release, and nothing else of it. Procedures run with their owner's
 * rights, so that no role needs a right to write a table. What a worker of another release needs stays, unless `exact`.
 */
export async function grantRelease(
  client: pg.ClientBase,
  { name: schema }: Pick<Release, "name">,
  { prefix = ROLE_PREFIX, exact = false } = {},
): Promise<string[]> {
  return inTransaction(client, async () => {
    await client.query("select pg_advisory_xact_lock(hashtext('turnpike releases'))")
    await secureDatabase(client)
    await secureProcedures(client, schema)
    const { rows } = await client.query<{ rolname: string }>("select rolname from pg_roles where rolname = any($1)", [
      WORKER_ROLES.map((worker) => roleName(worker, prefix)),
    ])
    const there = WORKER_ROLES.filter((worker) => rows.some(({ rolname }) => rolname === roleName(worker, prefix)))
    for (const worker of there) {
      await grantWorker(client, { schema, role: roleName(worker, prefix), exact }, accessOf(worker))
    }
    return there
  })
}

/**
 * Takes from all roles what PostgreSQL gives to everyone and no worker needs: temporary tables and large objects, in which a role could
 * store without bound. The functions of large objects are their superuser's: where we act as another role, as on Neon, they stay.
 */
export async function secureDatabase(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ change: string }>(
    `select format('revoke temporary on database %I from public', d.datname) as change from pg_database d
     where d.datname = current_database() and pg_has_role(d.datdba, 'usage') and exists (
       select from aclexplode(coalesce(d.datacl, acldefault('d', d.datdba))) a where a.grantee = 0 and a.privilege_type = 'TEMPORARY')
     union all
     select format('revoke execute on function %s from public', p.oid::regprocedure) from pg_proc p
     where p.pronamespace = 'pg_catalog'::regnamespace and (p.proname ~ '^lo_' or p.proname in ('loread', 'lowrite'))
       and pg_has_role(p.proowner, 'usage') and exists (
         select from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a where a.grantee = 0)`,
  )
  if (rows.length > 0) await client.query(rows.map(({ change }) => change).join("; "))
}

/**
 * The search path is theirs: a caller could else put a table of its own before ours. A function of the planner's language that reads no
 * table needs nobody's rights, and is inlined where others call it for each row.
 */
async function secureProcedures(client: pg.ClientBase, schema: string): Promise<void> {
  const { procedures, inlined } = accessOf("all")
  await client.query(`revoke all on all functions in schema ${schema} from public`)
  const { rows } = await client.query<{ signature: string }>(
    `select p.oid::regprocedure as signature from pg_proc p where p.pronamespace = $1::regnamespace and p.prokind = 'f' and not p.prosecdef
       and p.proname = any($2) and not (p.provolatile <> 'v' and p.prolang = (select oid from pg_language where lanname = 'sql')
         and (p.proname = any($3) or p.prosrc !~ '\\mfrom\\M'))`,
    [schema, procedures, inlined],
  )
  const changes = rows.map(
    ({ signature }) =>
      `alter function ${signature} security definer; alter function ${signature} set search_path = public, pg_temp`,
  )
  if (changes.length > 0) await client.query(changes.join("; "))
}

interface Grantee {
  schema: string
  role: string
  exact: boolean
}

async function grantWorker(
  client: pg.ClientBase,
  { schema, role, exact }: Grantee,
  access: WorkerAccess,
): Promise<void> {
  const grantee = pg.escapeIdentifier(role)
  const { rows } = await client.query<{ table: string; columns: string[] }>(
    `select c.relname as table, array(select quote_ident(a.attname) from pg_attribute a
       where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and not (a.attname = any(array(
         select jsonb_array_elements_text($2::jsonb -> c.relname::text))))) as columns
     from pg_class c where c.relnamespace = 'public'::regnamespace and c.relname = any($1)`,
    [Object.keys(access.tables), JSON.stringify(access.tables)],
  )
  const withheld = (table: string) => (access.tables[table] ?? []).length > 0
  const reads = rows.map(
    ({ table, columns }) =>
      `grant select ${withheld(table) ? `(${columns.join(", ")}) ` : ""}on public.${table} to ${grantee}`,
  )
  const { rows: functions } = await client.query<{ signature: string }>(
    "select p.oid::regprocedure as signature from pg_proc p where p.pronamespace = $1::regnamespace and p.proname = any($2)",
    [schema, [...access.procedures, ...access.inlined]],
  )
  const signatures = functions.map(({ signature }) => signature).join(", ")
  await client.query(
    [
      ...(exact ? [`revoke all on all tables in schema public from ${grantee}`] : []),
      `revoke all on all functions in schema ${schema} from ${grantee}`,
      `grant usage on schema ${schema} to ${grantee}`,
      `grant execute on function ${signatures} to ${grantee}`,
      ...reads,
    ].join("; "),
  )
}
