import { expect } from "vitest"
import { createUser } from "../../src/ops/seed.ts"
import { type Planted, plantTurns, read, roll } from "./analytics-world.ts"
import { signInAdmin } from "./books.ts"
import { createWorld } from "./world.ts"

// biome-ignore lint/suspicious/noExplicitAny: each report has its own shape
export type Json = any

export type ReportWorld = Awaited<ReturnType<typeof openReports>>

/** A world at this moment, in which nothing was used, and its admin. */
export async function openReports(moment: string) {
  const world = await createWorld()
  await world.advance(Date.parse(moment) - world.clock.ms())
  const admin = await signInAdmin(world)
  return {
    ...world,
    admin,
    read: (path: string): Promise<Json> => read(admin, path),
    plant: (...turns: Planted[]) => plantTurns(world, turns),
    /** A report as it is now and, once all is rolled up, still. */
    async twice(path: string): Promise<Json> {
      const before = await read(admin, path)
      await roll(world)
      expect(await read(admin, path)).toEqual(before)
      return before
    },
    /** A space of somebody of its own. */
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

/** The rows of a report in which something was used. */
export const used = (report: Json) => (report.items ?? report).filter(({ turns }: Json) => turns > 0)

export const NO_USE = {
  ...{ turns: 0, model_calls: 0, tokens_input: 0, tokens_cached: 0, tokens_output: 0, billed_cost_usd: 0 },
}
