import * as z from "zod"
import type { Context } from "../actor/context.ts"
import type { Profile } from "../base/profile.ts"
import type { TracedRow } from "../base/trace-context.ts"
import { TASK_STATES } from "../base/words.ts"
import { call } from "../platform/db.ts"
import { type BoundTool, builtin, errorRun, jsonRun, type ToolCallContext } from "./bound-tool.ts"

/**
 * The turn for which a built-in tool acts, and its worker's epoch. A worker with
 * an older epoch changes nothing.
 */
export interface ToolTurn extends TracedRow {
  epoch: number
  space_id: number
  space: string
  user_id: number
  conversation_id: string
  position: number
  config_version: number | null
  key_id: string | null
  end_user_ref: string
  metadata: Record<string, string>
  /** The end user's profile when the turn started; null: the turn uses none. */
  profile: Profile | null
  /** Servers that the turn lacks. */
  warnings: { server: string }[] | null
  test: boolean
}

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

export function createTask(ctx: Context, turn: ToolTurn): BoundTool {
  return builtin(
    { name: "create_task", description: "Creates a task for people to do. Answers its task_id.", input: newTask },
    async (task, { key }: ToolCallContext) => {
      const rows = await call(ctx.db, "create_task", {
        turn_id: turn.turn_id,
        epoch: turn.epoch,
        call_key: key,
        title: task.title,
        description: task.description ?? null,
        flow: task.flow ?? null,
        assign_to_owner: task.assign_to_owner ?? false,
        moment: ctx.clock.now(),
      })
      return rows[0] ? jsonRun(rows[0]) : errorRun("The turn has ended.")
    },
  )
}

/** Changes a task of the same space and end user. */
export function updateTask(ctx: Context, turn: ToolTurn): BoundTool {
  return builtin(
    { name: "update_task", description: "Changes a task's state, title or description.", input: changedTask },
    async ({ task_id, state, title, description }) => {
      const rows = await call(ctx.db, "update_task", {
        turn_id: turn.turn_id,
        epoch: turn.epoch,
        task_id,
        state: state ?? null,
        title: title ?? null,
        description: description ?? null,
        moment: ctx.clock.now(),
      })
      return rows[0] ? jsonRun(rows[0]) : errorRun(`There is no task ${task_id} of this customer in this space.`)
    },
  )
}
