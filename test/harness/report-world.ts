import { expect } from "vitest"
import { createUser } from "../../src/ops/seed.ts"
import { adminOperations } from "./admin-requests.ts"
import { ANALYTICS, type Planted, plantTurns, readReport, rollUp } from "./analytics-world.ts"
import { signInAdmin } from "./books.ts"
import { createWorld } from "./world.ts"

// biome-ignore lint/suspicious/noExplicitAny: each report has its own shape
export type Json = any

export type ReportWorld = Awaited<ReturnType<typeof createReportWorld>>

/** A world at this moment without any usage, and its admin. */
export async function createReportWorld(moment: string) {
  const world = await createWorld()
  await world.advance(Date.parse(moment) - world.clock.ms())
  const admin = await signInAdmin(world)
  return {
    ...world,
    admin,
    read: (path: string): Promise<Json> => readReport(admin, path),
    plant: (...turns: Planted[]) => plantTurns(world, turns),
    /** Reads a report now and again after everything was rolled up, and asserts that both are equal. */
    async twice(path: string): Promise<Json> {
      const before = await readReport(admin, path)
      await rollUp(world)
      expect(await readReport(admin, path)).toEqual(before)
      return before
    },
    /** A space of a new account. */
    async place(title = "A space") {
      const user = await createUser(world.sql, { name: "Somebody" })
      const [row] = await world.sql<{ space: number; slug: string; chatKey: string }>(
        `insert into spaces (slug, user_id, title, created_at, updated_at)
         values ('spc_' || gen_random_uuid(), $1, $2, now(), now()) returning space_id::int as space, slug, chat_key as "chatKey"`,
        [user, title],
      )
      if (!row) throw new Error("no space")
      return { user, ...row }
    },
  }
}

/** The rows of a report that have usage. */
export const usedRows = (report: Json) => (report.items ?? report).filter(({ turns }: Json) => turns > 0)

export const NO_USE = {
  turns: 0,
  model_calls: 0,
  tokens_input: 0,
  tokens_cached: 0,
  tokens_output: 0,
  billed_cost_usd: 0,
  refunded_usd: 0,
  net_usd: 0,
}

/** Asserts that a report matches the schema of its operation and has no other fields. */
export function declaredReport<Report>(path: string, report: Report): Report {
  const operation = adminOperations.find((one) => `${ANALYTICS}/${path}`.split("?")[0] === one.path)
  if (!operation) throw new Error(`no operation is at ${path}`)
  const declared = operation.answer.schema.parse(report)
  if (JSON.stringify(declared) !== JSON.stringify(report)) throw new Error(`${path} answers more than it declares`)
  return report
}
