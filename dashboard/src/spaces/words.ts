import { choicesOf, type QueryWord } from "../api/words.ts"

export const SPACE_TABS = [
  "instructions",
  "tools",
  "mcp",
  "secrets",
  "versions",
  "files",
  "sharing",
  "retention",
  "use",
] as const
export type SpaceTab = (typeof SPACE_TABS)[number]

/** The values of the filter besides its default, which lists active spaces. */
export type ShownArchived = Exclude<QueryWord<"listSpaces", "archived">, "active">
export const SHOWN_ARCHIVED = choicesOf<ShownArchived>({ archived: "Archived", all: "Active and archived" })
