export const SPACE_TABS = ["instructions", "tools", "mcp", "secrets", "versions", "files", "sharing", "use"] as const
export type SpaceTab = (typeof SPACE_TABS)[number]
