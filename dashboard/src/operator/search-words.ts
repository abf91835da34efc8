/** The words that the URLs of these pages may have. */
export const ROLES = ["user", "admin"] as const
export type Role = (typeof ROLES)[number]

export const ARCHIVED = ["active", "archived", "all"] as const
export type Archived = (typeof ARCHIVED)[number]

export const ORIGINS = ["api", "dashboard", "messenger"] as const
export type Origin = (typeof ORIGINS)[number]

export const SPACE_SORTS = ["title", "created_at", "last_activity", "messages", "cost"] as const
export type SpaceSort = (typeof SPACE_SORTS)[number]

export const DIRECTIONS = ["asc", "desc"] as const

export const TASK_STATES = ["open", "closed", "done", "cancelled"] as const
export type TaskState = (typeof TASK_STATES)[number]

export const USER_TABS = ["account", "spaces", "energy", "access", "history"] as const
export type UserTab = (typeof USER_TABS)[number]
