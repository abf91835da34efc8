import { afterAll, beforeAll, expect, test } from "vitest"
import { RELEASE } from "../../src/platform/procedures.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld({ isNew: true })
})
afterAll(() => world.close())

interface Procedure {
  name: string
  /** The words that the procedure compares with. */
  words: string[]
  /** The types of its arguments, with the columns of composite types. */
  args: { type: string; columns: { name: string; type: string }[] | null }[]
}

const boolean = () =>
  world.sql<Procedure>(
    `select p.proname as name, array(select distinct m[1] from regexp_matches(
         case when p.provolatile = 'v' then '' else p.prosrc end, $r$'(\\w+)'$r$, 'g') m order by 1 limit 6) as words, (
       select coalesce(jsonb_agg(jsonb_build_object('type', format_type(a.type, null), 'columns', (
         select jsonb_agg(jsonb_build_object('name', c.attname, 'type', format_type(c.atttypid, c.atttypmod)) order by c.attnum)
         from pg_attribute c where c.attrelid = t.typrelid and t.typrelid <> 0 and c.attnum > 0 and not c.attisdropped
       )) order by a.place), '[]')
       from unnest(p.proargtypes::oid[]) with ordinality a (type, place) join pg_type t on t.oid = a.type
     ) as args
     from pg_proc p where p.pronamespace = '${RELEASE}'::regnamespace and p.prorettype = 'boolean'::regtype and not p.proretset
       and p.proargmodes is null order by p.proname`,
  )

/** A sample value of a type. */
function sample(type: string): string {
  if (type.endsWith("[]")) return `'{}'::${type}`
  if (type === "boolean") return "false"
  if (/^(bigint|integer|smallint|numeric|double precision)/.test(type)) return `1::${type}`
  if (/^(timestamp|date)/.test(type)) return `'2026-01-01'::${type}`
  if (/^json/.test(type)) return `'{}'::${type}`
  if (type === "uuid") return `gen_random_uuid()`
  return `'x'::${type}`
}

type Arg = Procedure["args"][number]
const literalOf = ({ type, columns }: Arg, of = (column: { type: string }, _at: number) => sample(column.type)) =>
  columns ? `row(${columns.map(of).join(", ")})::${type}` : sample(type)

/** An argument with each of the words, or with the word in each column. */
function told(arg: Arg, words: string[]): string[] {
  if (!arg.columns) return arg.type === "text" ? words.map((word) => `'${word}'::text`) : []
  const texts = arg.columns.flatMap(({ type }, at) => (type === "text" ? [at] : []))
  return texts.flatMap((place) =>
    words.map((word) => literalOf(arg, (column, at) => (at === place ? `'${word}'::text` : sample(column.type)))),
  )
}

/**
 * Calls with no values, and with each argument or column missing on its own, for all words that the
 * procedure compares with.
 */
function callsOf({ name, words, args }: Procedure): string[] {
  const full = args.map((arg) => literalOf(arg))
  const cases = [full, ...args.flatMap((arg, at) => told(arg, words).map((value) => full.with(at, value)))]
  const missing = cases.flatMap((given) => args.map(({ type }, at) => given.with(at, `null::${type}`)))
  const columns = args.flatMap((arg, at) =>
    (arg.columns ?? []).map((_, place) =>
      full.with(
        at,
        literalOf(arg, ({ type }, column) => (column === place ? `null::${type}` : sample(type))),
      ),
    ),
  )
  const calls = [args.map(({ type }) => `null::${type}`), ...cases, ...missing, ...columns]
  return [...new Set(calls.map((given) => `${RELEASE}.${name}(${given.join(", ")})`))]
}

/** The calls that answer null. Their writes are rolled back; a call that fails counts as a refusal. */
async function callsWithoutAnswer(calls: string[]): Promise<string[]> {
  await world.sql(`create or replace function public.unanswered(calls text[]) returns table (call text) language plpgsql as $$
    declare answer boolean; answered boolean;
    begin
      foreach call in array calls loop
        begin
          answered := true;
          execute 'select ' || call into answer;
          answered := answer is not null;
          raise exception using errcode = 'TP999';
        exception when others then
        end;
        if not answered then return next; end if;
      end loop;
    end $$`)
  const rows = await world.sql<{ call: string }>("select call from public.unanswered($1)", [calls])
  return rows.map(({ call }) => call.replaceAll(`${RELEASE}.`, ""))
}

test("Every boolean procedure answers true or false, whichever of its arguments is missing", async () => {
  const procedures = await boolean()
  expect(procedures.length).toBeGreaterThan(70)
  const silent: string[] = []
  for (const procedure of procedures) silent.push(...(await callsWithoutAnswer(callsOf(procedure))))
  expect(silent).toEqual([])
})

test("A procedure that answers null for a missing argument is found", async () => {
  await world.sql(
    `create function ${RELEASE}.planted(a bigint, b bigint) returns boolean language sql as $$ select a = b $$`,
  )
  const [planted] = (await boolean()).filter(({ name }) => name === "planted")
  const silent = await callsWithoutAnswer(callsOf(planted as Procedure))
  await world.sql(`drop function ${RELEASE}.planted`)
  expect(silent).toEqual([
    "planted(null::bigint, null::bigint)",
    "planted(null::bigint, 1::bigint)",
    "planted(1::bigint, null::bigint)",
  ])
})

interface Check {
  name: string
  rule: string
  columns: { name: string; type: string; nullable: boolean }[]
}

/**
 * Checks over several columns, where one column may be null. A check of a single column correctly
 * ignores a missing value.
 */
const checks = () =>
  world.sql<Check>(
    `select n.conrelid::regclass || '.' || n.conname as name, pg_get_expr(n.conbin, n.conrelid) as rule, (
       select jsonb_agg(jsonb_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod), 'nullable', not a.attnotnull))
       from pg_attribute a where a.attrelid = n.conrelid and a.attnum = any (n.conkey)) as columns
     from pg_constraint n where n.contype = 'c' and n.connamespace = 'public'::regnamespace and cardinality(n.conkey) > 1
     order by 1`,
  )

/** Values of a column that a rule may distinguish: the values that it names, and others. */
function valuesOf({ type, nullable }: Check["columns"][number], rule: string): string[] {
  const named = /^(text|character)/.test(type)
    ? [...rule.matchAll(/'([^']*)'::text/g)].map(([, text]) => `'${text}'`)
    : []
  const values = type === "boolean" ? ["true", "false"] : [...named.slice(0, 6), sample(type)]
  if (/^(bigint|integer|smallint|numeric)/.test(type)) values.push(`0::${type}`)
  return [...values, ...(nullable ? ["null"] : [])].map((value) => `(${value})::${type}`)
}

/**
 * Rows for which a check is neither true nor false, so that it lets them pass although some of its
 * columns have a value.
 */
async function undecided({ name, rule, columns }: Check): Promise<string[]> {
  const tables = columns.map(
    (column) =>
      `(values ${valuesOf(column, rule)
        .map((value) => `(${value})`)
        .join(", ")}) as "of ${column.name}" ("${column.name}")`,
  )
  const names = columns.map((column) => `"${column.name}"`).join(", ")
  const rows = await world.sql<{ row: string }>(
    `select row(${names})::text as row from ${tables.join(" cross join ")} where (${rule}) is null and num_nonnulls(${names}) > 0 limit 3`,
  )
  return rows.map(({ row }) => `${name}: ${rule}: ${row}`)
}

test("Every check over several columns decides, whichever of them is missing", async () => {
  const rules = (await checks()).filter(({ columns }) => columns.some(({ nullable }) => nullable))
  expect(rules.length).toBeGreaterThan(5)
  const found: string[] = []
  for (const check of rules) found.push(...(await undecided(check)))
  expect(found).toEqual([])
})

test("A check that lets a missing value pass is found", async () => {
  await world.sql("create table public.planted (low integer not null, high integer, check (high > low))")
  const planted = (await checks()).filter(({ name }) => name.startsWith("planted."))
  const [first] = await undecided(planted[0] as Check)
  await world.sql("drop table public.planted")
  expect(first).toContain("(high > low)")
})
