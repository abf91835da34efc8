import * as z from "zod"
import { TASK_STATES } from "../../base/words.ts"
import type { App } from "../../http/app.ts"
import { brandParam, listOf, listQueryUpTo, numberParam, searchParam } from "../../http/query.ts"
import { sessionOf } from "../../http/session-of.ts"
import { listTasks, taskSchema } from "../../tasks/list-tasks.ts"

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
      }),
      answer: { status: 200, description: "A page of tasks.", schema: listOf(taskSchema) },
      errors: [],
    },
    async (c, { query: { limit, offset, ...filters } }) => ({
      ...(await listTasks(c.get("ctx"), sessionOf(c), { filters, limit, offset })),
      limit,
      offset,
    }),
  )
}
