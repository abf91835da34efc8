import type { KeyCredential } from "../../src/actor/actor.ts"
import type { Context } from "../../src/actor/context.ts"
import { parseApiKey } from "../../src/keys/api-key.ts"
import { databaseOver } from "../../src/platform/db.ts"
import { RELEASE } from "../../src/platform/procedures.ts"
import { contextOf } from "./context.ts"
import type { TestClient, World } from "./world.ts"

type Verb = (ctx: Context, credential: KeyCredential) => Promise<unknown>

interface Statement {
  sql: string
  parameters: readonly unknown[]
}

interface PlanNode {
  "Node Type": string
  "Relation Name"?: string
  "Index Name"?: string
  "Actual Rows": number
  "Actual Loops": number
  "Rows Removed by Filter"?: number
  "Shared Hit Blocks": number
  "Shared Read Blocks": number
  Plans?: PlanNode[]
}

type Explained = { Plan: PlanNode; "Execution Time": number }[]

/** The first statement of a verb. The statement is not sent, and the verb gets no answer. */
async function statementOf(world: World, client: TestClient, verb: Verb): Promise<Statement> {
  let captured: Statement | undefined
  const db = databaseOver(async (statement) => {
    captured ??= statement
    throw new Error("only looked at")
  })
  const ctx = { ...contextOf(world), db }
  await verb(ctx, parseApiKey(client.key) as KeyCredential).catch(() => {})
  if (!captured) throw new Error("the verb has sent no statement")
  return captured
}

/** The plan of a verb's statement: the indexes that it uses, and the rows and pages that it reads. */
export async function planOf(world: World, client: TestClient, verb: Verb) {
  const { sql, parameters } = await statementOf(world, client, verb)
  if (sql.startsWith(`select * from ${RELEASE}.`)) throw new Error("a procedure has no visible plan: use effortOf")
  const [row] = await world.sql<{ "QUERY PLAN": Explained }>(`explain (analyze, buffers, format json) ${sql}`, [
    ...parameters,
  ])
  const plan = row?.["QUERY PLAN"][0]
  if (!plan) throw new Error("the statement has no plan")
  const nodes = flatten(plan.Plan)
  return {
    ms: plan["Execution Time"],
    pages: pagesOf(plan.Plan),
    indexes: nodes.flatMap((node) => node["Index Name"] ?? []),
    /** The rows of a table that the statement read, including rows that a filter dropped. */
    rowsOf: (table: string) =>
      nodes
        .filter((node) => node["Relation Name"] === table)
        .reduce(
          (sum, node) => sum + (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"],
          0,
        ),
    scans: nodes.filter((node) => node["Node Type"] === "Seq Scan").map((node) => node["Relation Name"]),
  }
}

const flatten = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(flatten)]
const pagesOf = (node: PlanNode) => node["Shared Hit Blocks"] + node["Shared Read Blocks"]

/** Accesses to a table or to one of its indexes. */
interface Touched {
  table: string
  /** Null for the table itself. */
  index: string | null
  scans: number
  /** Index entries that were read, or the rows of a sequential scan. */
  rows: number
  inserted: number
  updated: number
  /** Updates that wrote no index entry. */
  hot: number
  deleted: number
}

const COUNTS = `jsonb_build_object('scans', pg_stat_get_xact_numscans(c.oid), 'rows', pg_stat_get_xact_tuples_returned(c.oid),
  'inserted', pg_stat_get_xact_tuples_inserted(c.oid), 'updated', pg_stat_get_xact_tuples_updated(c.oid),
  'hot', pg_stat_get_xact_tuples_hot_updated(c.oid), 'deleted', pg_stat_get_xact_tuples_deleted(c.oid))`
const RELATIONS = "pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'i')"

// The name has the prefix of a release, so triggers treat it as a procedure of the service.
const MEASURE = `create or replace function turnpike_effort(statement text, scans text) returns jsonb language plpgsql as $$
  declare
    earlier jsonb := (select jsonb_object_agg(c.oid, ${COUNTS}) from ${RELATIONS});
    plan jsonb;
  begin
    perform set_config('enable_seqscan', scans, true);
    -- Plans that this session cached were made under the former setting.
    discard plans;
    execute 'explain (analyze, buffers, format json) ' || statement into plan;
    return jsonb_build_object('plan', plan, 'touched', (
      select jsonb_agg(jsonb_build_object('table', coalesce(i.indrelid, c.oid)::regclass::text,
          'index', case when i.indrelid is not null then c.relname end)
        || (select jsonb_object_agg(key, value::bigint - (earlier -> c.oid::text ->> key)::bigint) from jsonb_each_text(${COUNTS})))
      from (select c.* from ${RELATIONS}) c left join pg_index i on i.indexrelid = c.oid));
  end $$`

/**
 * Counts the table and index accesses of a verb's procedure, including its statements, triggers and
 * foreign keys. It calls the procedure once; the verb gets no answer. `indexes: "always"`
 * discourages sequential scans, which are otherwise right for small tables with statistics.
 */
export async function effortOf(
  world: World,
  client: TestClient,
  verb: Verb,
  { indexes }: { indexes: "always" | "when cheaper" } = { indexes: "when cheaper" },
) {
  const { sql, parameters } = await statementOf(world, client, verb)
  await world.sql(MEASURE)
  const text = sql.replace(/\$(\d+)/g, (_, place) => literal(parameters[Number(place) - 1]))
  const [row] = await world.sql<{ turnpike_effort: { plan: Explained; touched: Touched[] } }>(
    "select * from turnpike_effort($1, $2)",
    [text, indexes === "always" ? "off" : "on"],
  )
  const { plan, touched } = row?.turnpike_effort ?? { plan: [], touched: [] }
  if (!plan[0]) throw new Error("the procedure has no plan")
  const sum = (found: Touched[], count: "scans" | "rows") => found.reduce((total, one) => total + one[count], 0)
  const written = (table: string) => {
    const {
      inserted = 0,
      updated = 0,
      hot = 0,
      deleted = 0,
    } = touched.find((one) => one.table === table && one.index === null) ?? {}
    return { inserted, updated, hot, deleted }
  }
  return {
    ms: plan[0]["Execution Time"],
    pages: pagesOf(plan[0].Plan),
    /** The rows of a table that were read through any index or by a full scan. */
    rowsOf: (table: string) =>
      sum(
        touched.filter((one) => one.table === table),
        "rows",
      ),
    /** The number of index lookups in a table. */
    lookupsIn: (table: string) =>
      sum(
        touched.filter((one) => one.table === table && one.index !== null),
        "scans",
      ),
    indexes: touched.filter((one) => one.index !== null && one.scans > 0).map((one) => one.index as string),
    /** Tables that were read by a sequential scan. */
    scans: touched.filter((one) => one.index === null && one.scans > 0).map((one) => one.table),
    written,
  }
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return "null"
  const text =
    value instanceof Date ? value.toISOString() : Array.isArray(value) ? `{${value.map(element)}}` : `${value}`
  return `'${text.replaceAll("'", "''")}'`
}

const element = (value: unknown) => `"${String(value).replace(/["\\]/g, "\\$&")}"`
