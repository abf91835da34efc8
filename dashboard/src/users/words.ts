export const USER_TABS = ["account", "spaces", "energy", "access", "history"] as const
export type UserTab = (typeof USER_TABS)[number]
