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
        "Tasks of all spaces, newest first. Agents make them with their built-in tools. A flow is a named list of steps; each step is a " +
        "task with its place in it.",
      query: z.strictObject({
        space: z.string().min(1).max(128).optional().meta({ description: "A space's slug." }),
        brand: brandParam,
        state: z.enum([...TASK_STATES, "all"]).default("all"),
        assignee_user_id: numberParam.optional().meta({ description: "Who is to do it." }),
        creator_user_id: numberParam.optional().meta({ description: "The account whose agent made it." }),
        q: searchParam.meta({ description: "A part of the title. Upper and lower case count as the same." }),
        ...listQueryUpTo(500, 100),
      }),
      answer: { status: 200, description: "A page of tasks.", schema: listOf(taskSchema) },
      errors: ["ADMIN_REQUIRED"],
    },
    async (c, { query: { limit, offset, ...filters } }) => ({
      ...(await listTasks(c.get("ctx"), sessionOf(c), { filters, limit, offset })),
      limit,
      offset,
    }),
  )
}
