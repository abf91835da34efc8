import type { QueryCreator } from "kysely"
import { jsonArrayFrom } from "kysely/helpers/postgres"
import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { type CallerDB, readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { storedRow } from "../base/casts.ts"
import { holds } from "../base/pagination.ts"
import { toInstant } from "../base/time.ts"
import { TASK_STATES } from "../base/words.ts"
import { knownBrand, unknownBrand } from "../spaces/known-brand.ts"

const person = z.object({ user_id: z.int(), name: z.string().nullable().meta({ example: "Ada" }) }).nullable()

export const taskSchema = z
  .object({
    task_id: z.int().meta({ example: 1207 }),
    space: z.object({
      slug: z.string().meta({ example: "spc_01jd3k9m2x4t8r5w6y7z0a1b2c" }),
      title: z.string().meta({ example: "Support desk" }),
      brand: z.string().meta({ example: "turnpike" }),
    }),
    brand: z.string().meta({ description: "The brand of the space when the task was created.", example: "turnpike" }),
    state: z.enum(TASK_STATES),
    title: z.string().meta({ example: "Call the customer back" }),
    description: z.string().nullable().meta({ example: "About order 1207." }),
    flow: z
      .string()
      .nullable()
      .meta({ description: "The flow to which the task belongs; null if none.", example: "returns" }),
    flow_place: z.int().nullable().meta({
      description: "The number of the step in the flow, from 1; null if the task belongs to no flow.",
      example: 2,
    }),
    assignee: person.meta({ description: "The user to whom the task is assigned; null if unassigned." }),
    creator: person.meta({ description: "The account whose agent created the task." }),
    end_user_ref: z.string().nullable().meta({ example: "customer-1" }),
    turn_id: z.string().nullable().meta({ description: "The turn in which the task was created." }),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: "Task" })

export type Task = z.infer<typeof taskSchema>

export interface TaskFilters {
  /** The slug of a space. */
  space?: string | undefined
  /** The name of a brand, or `all`. */
  brand: string
  state: (typeof TASK_STATES)[number] | "all"
  assignee_user_id?: number | undefined
  creator_user_id?: number | undefined
  q?: string | undefined
  /** Only tasks with a smaller id. */
  before_id?: number | undefined
}

/**
 * A page of the tasks of all spaces, newest first, for admins (docs/contract.md). `q`: part of the title,
 * case-insensitive. VALIDATION_FAILED for an unknown brand.
 */
export async function listTasks(
  ctx: Context,
  credential: SessionCredential,
  { filters, limit, offset }: { filters: TaskFilters; limit: number; offset: number },
) {
  const { rows } = await readAs(
    ctx,
    credential,
    (db) =>
      db
        .with(
          // A search scans all titles, so the count and the page share one scan. Without a search, two plans are faster.
          (cte) => (filters.q === undefined ? cte("found").notMaterialized() : cte("found").materialized()),
          () => filtered(db, filters),
        )
        .selectFrom("caller")
        .select((eb) => {
          const page = eb
            .selectFrom("found as f")
            .select("f.task_id")
            .orderBy("f.task_id", "desc")
            .limit(limit)
            .offset(offset)
          const shown = db
            .selectFrom(page.as("f"))
            .innerJoin("tasks as k", "k.task_id", "f.task_id")
            .innerJoin("spaces as s", "s.space_id", "k.space_id")
            .leftJoin("users as a", "a.user_id", "k.assignee_user_id")
            .leftJoin("users as c", "c.user_id", "k.creator_user_id")
            .selectAll("k")
            .select(["s.slug", "s.title as space_title", "s.brand as space_brand"])
            .select(["a.name as assignee_name", "c.name as creator_name"])
            .orderBy("k.task_id", "desc")
          return [
            eb
              .selectFrom("found")
              .select((of) => of.fn.countAll<number>().as("total"))
              .as("total"),
            jsonArrayFrom(shown).as("tasks"),
            knownBrand(filters.brand).as("known_brand"),
          ]
        }),
    { role: "admin" },
  )
  const { total, tasks = [], known_brand } = rows[0] ?? {}
  if (filters.brand !== ctx.brand && !known_brand) throw unknownBrand(filters.brand)
  return { total: total ?? 0, items: tasks.map((row) => serializeTask(storedRow<TaskRow>(row))) }
}

function filtered(db: QueryCreator<CallerDB>, filters: TaskFilters) {
  const { space, brand, state, assignee_user_id, creator_user_id, q, before_id } = filters
  return db
    .selectFrom("tasks as k")
    .select("k.task_id")
    .$if(space !== undefined, (query) =>
      query.where((eb) =>
        eb(
          "k.space_id",
          "=",
          eb
            .selectFrom("spaces as n")
            .select("n.space_id")
            .where("n.slug", "=", space ?? ""),
        ),
      ),
    )
    .$if(brand !== "all", (query) => query.where("k.brand", "=", brand))
    .$if(state !== "all", (query) => query.where("k.state", "=", state))
    .$if(assignee_user_id !== undefined, (query) => query.where("k.assignee_user_id", "=", assignee_user_id ?? 0))
    .$if(creator_user_id !== undefined, (query) => query.where("k.creator_user_id", "=", creator_user_id ?? 0))
    .$if(q !== undefined, (query) => query.where((eb) => holds(eb.ref("k.title"), q ?? "")))
    .$if(before_id !== undefined, (query) => query.where("k.task_id", "<", before_id ?? 0))
}

interface TaskRow {
  task_id: number
  slug: string
  space_title: string
  space_brand: string
  brand: string
  state: string
  title: string
  description: string | null
  flow: string | null
  flow_place: number | null
  assignee_user_id: number | null
  assignee_name: string | null
  creator_user_id: number | null
  creator_name: string | null
  end_user_ref: string | null
  turn_id: string | null
  created_at: string
  updated_at: string
}

function serializeTask(row: TaskRow): Task {
  const { task_id, slug, brand, state, title, description, flow, flow_place, end_user_ref, turn_id } = row
  const { assignee_user_id: assignee, creator_user_id: creator } = row
  return {
    task_id,
    space: { slug, title: row.space_title, brand: row.space_brand },
    brand,
    state: state as (typeof TASK_STATES)[number],
    title,
    description,
    flow,
    flow_place,
    assignee: assignee === null ? null : { user_id: assignee, name: row.assignee_name },
    creator: creator === null ? null : { user_id: creator, name: row.creator_name },
    end_user_ref,
    turn_id,
    created_at: toInstant(row.created_at),
    updated_at: toInstant(row.updated_at),
  }
}
