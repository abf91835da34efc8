import type { Task } from "../api/operations.ts"
import { everyOf, type QueryWord } from "../api/words.ts"

/** The API takes any text here, so its document has no list of these. */
export const ORIGINS = ["api", "dashboard", "messenger"] as const
export type Origin = (typeof ORIGINS)[number]

export const SPACE_SORTS = everyOf<QueryWord<"listSpaceInventory", "sort">>()([
  "title",
  "created_at",
  "last_activity",
  "messages",
  "cost",
])
export type SpaceSort = (typeof SPACE_SORTS)[number]

export const DIRECTIONS = everyOf<QueryWord<"listSpaceInventory", "direction">>()(["asc", "desc"])

export const TASK_STATES = everyOf<Task["state"]>()(["open", "closed", "done", "cancelled"])
export type TaskState = (typeof TASK_STATES)[number]
