import { choicesOf, type QueryWord } from "../api/words.ts"
import { spacesPages } from "./pages.ts"

export const SPACE_TABS = spacesPages.detail.tabs
export type SpaceTab = (typeof SPACE_TABS)[number]

/** The values of the filter besides its default, which lists active spaces. */
export type ShownArchived = Exclude<QueryWord<"listSpaces", "archived">, "active">
export const SHOWN_ARCHIVED = choicesOf<ShownArchived>({ archived: "Archived", all: "Active and archived" })
