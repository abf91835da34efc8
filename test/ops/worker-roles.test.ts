import { NeonDbError, neon, neonConfig } from "@neondatabase/serverless"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { createKeyRing, deriveRing, parseKeyRing } from "../../src/base/key-ring.ts"
import { accessOf, WORKER_ROLES } from "../../src/ops/grants.ts"
import { RELEASE } from "../../src/platform/procedures.ts"
import { openNamespace, RING, type TestNamespace } from "../harness/namespace.ts"

/**
 * The tests of all operations show that each operation works with its worker's role and keys
 * (test/harness/deployed.ts).
 */
let namespace: TestNamespace
beforeAll(async () => {
  namespace = await openNamespace({ isNew: true })
})
beforeEach(() => {
  neonConfig.fetchEndpoint = namespace.env.DATABASE_HTTP_URL as string
})
afterAll(() => namespace.close())

const sqlOf = (worker: string) => neon(namespace.workerUrls[worker] as string)
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => "done",
    (error: unknown) => (error instanceof NeonDbError ? error.code : String(error)),
  )
const DENIED = "42501"

/**
 * Statements that no worker runs, each refused for lack of a privilege. A later test also tries
 * every table.
 */
const FORBIDDEN = [
  "insert into ledger (user_id) values (1)",
  "update wallets set balance_credit_micros = 1",
  "delete from turns",
  "truncate audit_log",
  "select nextval('users_user_id_seq')",
  "create table public.mine (a integer)",
  "create temporary table mine (a integer)",
  "create schema mine",
  `create function ${RELEASE}.mine() returns integer language sql as 'select 1'`,
  "create function public.mine() returns integer language sql as 'select 1'",
  "create function pg_temp.mine() returns integer language sql as 'select 1'",
  `alter function ${RELEASE}.get_balance security invoker`,
  "create extension pg_trgm",
  "create role another",
  "copy (select 1) to program 'true'",
  "copy (select 1) to '/tmp/mine'",
  "select pg_read_file('/etc/hostname')",
  "select lo_create(0)",
  "select lo_from_bytea(0, 'x')",
  "select password_hash from users",
  "select hash from api_keys",
  "select hash from former_key_values",
  "select token_hash from sessions",
  "select token_hash from acting_sessions",
  "select secret, recovery_hashes from second_factors",
  "select link_hash, mail_hash from account_invitations",
  "select passwd from pg_shadow",
]

test.each(WORKER_ROLES)("The role of %s has only the rights that its worker needs", async (worker) => {
  const sql = sqlOf(worker)
  const [me] =
    await sql`select current_user as name, rolsuper, rolcreaterole, rolcreatedb from pg_roles where rolname = current_user`
  expect(me).toMatchObject({ rolsuper: false, rolcreaterole: false, rolcreatedb: false })
  expect((me as { name: string }).name).toMatch(new RegExp(`_${worker}$`))
  const owner = `set role ${new URL(namespace.ownerUrl).username}`
  for (const statement of [...FORBIDDEN, owner]) expect(await codeOf(sql.query(statement)), statement).toBe(DENIED)
})

test.each(WORKER_ROLES)("The role of %s cannot write a table, use a sequence or create an object", async (worker) => {
  const role = new URL(namespace.workerUrls[worker] as string).username
  const may = await namespace.sql<{ what: string }>(
    `select c.relname as what from pg_class c where c.relnamespace = 'public'::regnamespace and case c.relkind
       when 'S' then has_sequence_privilege($1, c.oid, 'usage, select, update')
       when 'i' then false else has_table_privilege($1, c.oid, 'insert, update, delete, truncate, references, trigger')
         or has_any_column_privilege($1, c.oid, 'insert, update, references') end
     union all
     select p.oid::regprocedure::text from pg_proc p where p.pronamespace = 'pg_catalog'::regnamespace
       and (p.proname ~ '^lo_' or p.proname in ('loread', 'lowrite')) and has_function_privilege($1, p.oid, 'execute')
     union all
     select n.nspname from pg_namespace n where has_schema_privilege($1, n.oid, 'create')
     union all
     select 'the database' where has_database_privilege($1, current_database(), 'create, temporary')`,
    [role],
  )
  expect(may).toEqual([])
})

test.each(WORKER_ROLES)("The role of %s reads no column that is withheld from it", async (worker) => {
  const withheld = Object.entries(accessOf(worker).tables).flatMap(([table, columns]) =>
    columns.map((column) => `select ${column} from ${table}`),
  )
  for (const statement of withheld) expect(await codeOf(sqlOf(worker).query(statement)), statement).toBe(DENIED)
})

test("Only the listed roles can read identity proofs and sealed columns", async () => {
  const readers = async (table: string, column: string) => {
    const codes = await Promise.all(
      WORKER_ROLES.map(async (worker) => [worker, await codeOf(sqlOf(worker).query(`select ${column} from ${table}`))]),
    )
    return codes.flatMap(([worker, code]) => (code === "done" ? [worker] : []))
  }
  expect(await readers("users", "password_hash")).toEqual([])
  expect(await readers("users", "has_password")).toEqual(["auth", "account", "admin", "all"])
  expect(await readers("sessions", "token_hash")).toEqual([])
  expect(await readers("second_factors", "secret")).toEqual([])
  expect(await readers("second_factors", "recovery_hashes")).toEqual([])
  expect(await readers("api_keys", "hash")).toEqual([])
  expect(await readers("brands", "bot_token")).toEqual(["auth", "all"])
  expect(await readers("space_secrets", "sealed")).toEqual(["callbacks", "all"])
  expect(await readers("environment_files", "sealed")).toEqual(["admin", "all"])
  expect(await readers("provider_credentials", "sealed")).toEqual(["admin", "callbacks", "all"])
  expect(await readers("audit_log", "action")).toEqual(["account", "admin", "all"])
})

test("The role of v1 can read the usage records, and no call of a web chat", async () => {
  for (const [view, turn] of [
    ["usage", "turn_keyed"],
    ["chat_calls", "turn_chat"],
  ]) {
    await namespace.sql(`insert into ${view} select * from jsonb_populate_record(null::${view}, $1)`, [
      JSON.stringify({
        turn_id: turn,
        step: 0,
        user_id: 1,
        space_id: 1,
        key_id: "key_1",
        end_user_ref: "",
        conversation_id: "conv_1",
        test: false,
        provider: "rehearsal",
        model: "rehearsal/standard",
        role: "orchestrator",
        tokens_input: 1,
        tokens_cached: 0,
        tokens_cache_written: 0,
        tokens_cache_written_hour: 0,
        tokens_output: 1,
        duration_sec: 1,
        price_version: 1,
        cost_credit_micros: 1,
        billed_credit_micros: 1,
        created_at: "2026-11-01T00:00:00Z",
      }),
    ])
  }
  expect(await sqlOf("v1").query("select turn_id from usage")).toEqual([{ turn_id: "turn_keyed" }])
  for (const table of ["chat_calls", "model_calls"]) {
    expect(await codeOf(sqlOf("v1").query(`select turn_id from ${table}`)), table).toBe(DENIED)
  }
  const calls = "select turn_id, chat from model_calls order by turn_id"
  expect(await sqlOf("admin").query(calls), "an admin's reports count both").toEqual([
    { turn_id: "turn_chat", chat: true },
    { turn_id: "turn_keyed", chat: false },
  ])
})

test("A worker can call its own procedures and no other worker's", async () => {
  const setting = `select * from ${RELEASE}.put_setting(jsonb_populate_record(null::${RELEASE}.request, '{}'), 'plans', '{}', null)`
  expect(await codeOf(sqlOf("v1").query(setting))).toBe(DENIED)
  expect(await codeOf(sqlOf("auth").query(setting))).toBe(DENIED)
  expect(await codeOf(sqlOf("admin").query(setting))).not.toBe(DENIED)
  for (const worker of WORKER_ROLES) {
    const rows = await namespace.sql<{ name: string }>(
      `select distinct p.proname as name from pg_proc p
       where p.pronamespace = '${RELEASE}'::regnamespace and has_function_privilege($1, p.oid, 'execute') order by 1`,
      [new URL(namespace.workerUrls[worker] as string).username],
    )
    const { procedures, inlined } = accessOf(worker)
    expect(rows.map(({ name }) => name)).toEqual([...new Set([...procedures, ...inlined])].sort())
  }
})

test("A worker's keys open its own secrets and no others", async () => {
  const ring = createKeyRing(parseKeyRing(RING))
  const target = (table: string) => ({ table, column: "sealed", row: "1", owner: 1 })
  const secret = await ring.seal("open sesame", target("space_secrets"))
  const ringOf = async (worker: string) =>
    createKeyRing(parseKeyRing(await deriveRing(RING, accessOf(worker).purposes)))
  expect(await (await ringOf("callbacks")).open(secret, target("space_secrets"))).toEqual({
    text: "open sesame",
    stale: false,
  })
  await expect((await ringOf("auth")).open(secret, target("space_secrets"))).rejects.toThrow(
    /not for seal-space_secrets/,
  )
  await expect((await ringOf("v1")).derive("sessions")).rejects.toThrow(/not for sessions/)
  expect(await (await ringOf("account")).derive("sessions")).toEqual(await ring.derive("sessions"))
  // Each table has its own key, not only its own additional data.
  await expect(ring.open(secret.replace("space_secrets", "brands"), target("brands"))).rejects.toThrow()
})

test("Each purpose has its own key, which differs from the ring's", async () => {
  const { purposes } = accessOf("all")
  const keysOf = (ring: string) => ring.split(",").map((entry) => entry.split(":")[1]?.replace(/=+$/, ""))
  const keys = [...keysOf(await deriveRing(RING, purposes)), ...keysOf(RING)]
  expect(new Set(keys).size).toBe(purposes.length + 1)
})
