import type { User } from "../api/operations.ts"
import { everyOf } from "../api/words.ts"

export const ROLES = everyOf<User["role"]>()(["user", "admin"])
export type Role = (typeof ROLES)[number]

export const USER_TABS = ["account", "spaces", "energy", "access", "history"] as const
export type UserTab = (typeof USER_TABS)[number]
