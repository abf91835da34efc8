import { sql } from "kysely"
import * as z from "zod"
import type { Context } from "../context.ts"
import { type BoundTool, errorRun, jsonRun, type ToolCallPlace } from "./bound-tool.ts"
import { builtin } from "./builtin.ts"

/** The turn that a built-in tool acts for, and its worker's epoch: a stale worker changes nothing. */
export interface ToolTurn {
  turn_id: string
  epoch: number
  space_id: number
  space: string
  user_id: number
  conversation_id: string
  position: number
  end_user_ref: string
}

const TASK_STATES = ["open", "closed", "done", "cancelled"] as const

const newTask = z.strictObject({
  title: z.string().trim().min(1).max(300).meta({ description: "What is to be done, in one line." }),
  description: z.string().max(10_000).optional(),
  flow: z.string().min(1).max(100).optional().meta({ description: "The name of the flow that this is a step of." }),
  assign_to_owner: z.boolean().optional().meta({ description: "Whether the account's owner is to do it." }),
})

const changedTask = z.strictObject({
  task_id: z.int(),
  state: z.enum(TASK_STATES).optional(),
  title: newTask.shape.title.optional(),
  description: newTask.shape.description,
})

interface TaskRow {
  task_id: number
  state: string
  title: string
}

export function createTask(ctx: Context, turn: ToolTurn): BoundTool {
  return builtin(
    { name: "create_task", description: "Creates a task for people to do. Answers its task_id.", input: newTask },
    async (task, { key }: ToolCallPlace) => {
      const now = ctx.clock.now()
      const { rows } = await sql<TaskRow>`insert into tasks (space_id, brand, title, description, flow, end_user_ref,
          assignee_user_id, creator_user_id, turn_id, call_key, created_at, updated_at)
        select s.space_id, s.brand, ${task.title}, ${task.description ?? null}, ${task.flow ?? null}, t.end_user_ref,
          case when ${task.assign_to_owner ?? false} then t.user_id end, t.user_id, t.turn_id, ${key},
          ${now}::timestamptz, ${now}::timestamptz
        from turns t join spaces s on s.space_id = t.space_id
        where t.turn_id = ${turn.turn_id} and t.epoch = ${turn.epoch} and t.state = 'running'
        -- The call is repeated: the task it made is the answer.
        on conflict (call_key) do update set call_key = excluded.call_key
        returning task_id, state, title`.execute(ctx.db)
      return rows[0] ? jsonRun(rows[0]) : errorRun("The turn has ended.")
    },
  )
}

/** Changes a task of the same space and end user. */
export function updateTask(ctx: Context, turn: ToolTurn): BoundTool {
  return builtin(
    { name: "update_task", description: "Changes a task's state, title or description.", input: changedTask },
    async ({ task_id, state, title, description }) => {
      const { rows } = await sql<TaskRow>`update tasks k set state = coalesce(${state ?? null}, k.state),
          title = coalesce(${title ?? null}, k.title), description = coalesce(${description ?? null}, k.description),
          updated_at = ${ctx.clock.now()}::timestamptz
        from turns t
        where t.turn_id = ${turn.turn_id} and t.epoch = ${turn.epoch} and t.state = 'running'
          and k.task_id = ${task_id} and k.space_id = t.space_id and k.end_user_ref = t.end_user_ref
        returning k.task_id, k.state, k.title`.execute(ctx.db)
      return rows[0] ? jsonRun(rows[0]) : errorRun(`There is no task ${task_id} of this customer in this space.`)
    },
  )
}
