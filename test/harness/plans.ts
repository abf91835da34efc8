import { type CompiledQuery, DefaultQueryExecutor, PostgresAdapter, PostgresQueryCompiler } from "kysely"
import type { Context } from "../../src/context.ts"
import { parseApiKey } from "../../src/identity/api-key.ts"
import type { KeyCredential } from "../../src/identity/credential.ts"
import type { TestClient, World } from "./world.ts"

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

/** How PostgreSQL carries out the statement of a verb: which indexes it uses, how many rows and pages it looks at. */
export async function planOf(
  world: World,
  client: TestClient,
  verb: (ctx: Context, credential: KeyCredential) => Promise<unknown>,
) {
  let captured: CompiledQuery | undefined
  const executor = new DefaultQueryExecutor(new PostgresQueryCompiler(), new PostgresAdapter(), {
    provideConnection: (work) =>
      work({
        async executeQuery(query) {
          captured = query
          throw new Error("only looked at")
        },
        // biome-ignore lint/correctness/useYield: nothing streams
        async *streamQuery() {
          throw new Error("nothing streams")
        },
      }),
  })
  const ctx = { clock: world.clock, db: { getExecutor: () => executor } } as unknown as Context
  const credential = parseApiKey(client.key, "turnpike") as KeyCredential
  await verb(ctx, credential).catch(() => {})
  if (!captured) throw new Error("the verb has sent no statement")
  const [row] = await world.sql<{ "QUERY PLAN": { Plan: PlanNode; "Execution Time": number }[] }>(
    `explain (analyze, buffers, format json) ${captured.sql}`,
    [...captured.parameters],
  )
  const plan = row?.["QUERY PLAN"][0]
  if (!plan) throw new Error("no plan")
  const nodes = flatten(plan.Plan)
  return {
    ms: plan["Execution Time"],
    pages: plan.Plan["Shared Hit Blocks"] + plan.Plan["Shared Read Blocks"],
    indexes: nodes.flatMap((node) => node["Index Name"] ?? []),
    /** Rows of a table that were looked at, those that a filter threw away included. */
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
