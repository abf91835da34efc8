import * as z from "zod"
import { TASK_STATES } from "../../base/words.ts"
import type { App } from "../../http/app.ts"
import { CSV_ANSWER, type CsvColumns, csvAnswer, csvQuery } from "../../http/csv.ts"
import { brandParam, listOf, listQueryUpTo, numberParam, searchParam } from "../../http/query.ts"
import { sessionOf } from "../../http/session-of.ts"
import { listTasks, type Task, taskSchema } from "../../tasks/list-tasks.ts"

const CSV: CsvColumns<Task> = {
  task_id: (task) => task.task_id,
  space: (task) => task.space.slug,
  brand: (task) => task.brand,
  state: (task) => task.state,
  title: (task) => task.title,
  description: (task) => task.description,
  flow: (task) => task.flow,
  flow_place: (task) => task.flow_place,
  assignee_user_id: (task) => task.assignee?.user_id ?? null,
  creator_user_id: (task) => task.creator?.user_id ?? null,
  end_user_ref: (task) => task.end_user_ref,
  turn_id: (task) => task.turn_id,
  created_at: (task) => task.created_at,
  updated_at: (task) => task.updated_at,
}

export function mountTasks(app: App) {
  app.operation(
    {
      method: "get",
      path: "/api/admin/tasks",
      id: "listTasks",
      tag: "admin-tasks",
      summary: "List tasks",
      description:
        "Tasks of all spaces, newest first. Agents create them with their built-in tools. A flow is a named list of steps. Each step is a " +
        "task with a position in the flow.",
      query: z.strictObject({
        space: z.string().min(1).max(128).optional().meta({ description: "A space's slug." }),
        brand: brandParam,
        state: z.enum([...TASK_STATES, "all"]).default("all"),
        assignee_user_id: numberParam.optional().meta({ description: "The user to whom the task is assigned." }),
        creator_user_id: numberParam.optional().meta({ description: "The account whose agent created the task." }),
        q: searchParam.meta({ description: "A part of the title. Case does not matter." }),
        ...listQueryUpTo(500, 100),
        ...csvQuery,
      }),
      answer: { status: 200, description: "A page of tasks.", schema: listOf(taskSchema), also: CSV_ANSWER },
      errors: [],
    },
    async (c, { query: { limit, offset, format, bom: _bom, ...filters } }) => {
      const [ctx, session] = [c.get("ctx"), sessionOf(c)]
      if (format === "csv")
        return csvAnswer(c, "tasks", CSV, async ({ limit, after }) => {
          const earlier = { ...filters, before_id: after?.task_id }
          return (await listTasks(ctx, session, { filters: earlier, limit, offset: 0 })).items
        })
      return { ...(await listTasks(ctx, session, { filters, limit, offset })), limit, offset }
    },
  )
}
