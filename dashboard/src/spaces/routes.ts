import { createRoute } from "@tanstack/react-router"
import { appRoute } from "../shell/app-route.tsx"
import { lazyPage } from "../shell/lazy-page.ts"
import { countIn, oneIn, type RawSearch, textIn } from "../shell/search.ts"
import { spacesPages as pages } from "./pages.ts"
import { SHOWN_ARCHIVED, type ShownArchived, SPACE_TABS, type SpaceTab } from "./words.ts"

interface SpacesSearch {
  q?: string
  archived?: ShownArchived
  offset?: number
}

interface SpaceSearch {
  tab?: SpaceTab
  /** The tool that is tested. */
  tool?: string
  /** The MCP server that was checked. */
  server?: string
  /** The two versions that are compared. */
  older?: number
  newer?: number
  cursor?: number
  offset?: number
  days?: number
}

export const spacesRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: pages.list.path,
    validateSearch: (search: RawSearch): SpacesSearch => ({
      q: textIn(search.q),
      archived: oneIn(
        search.archived,
        SHOWN_ARCHIVED.map(([word]) => word),
      ),
      offset: countIn(search.offset),
    }),
    component: lazyPage(() => import("./spaces-page.tsx"), "SpacesPage"),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: pages.detail.path,
    validateSearch: (search: RawSearch): SpaceSearch => ({
      tab: oneIn(search.tab, SPACE_TABS),
      tool: textIn(search.tool),
      server: textIn(search.server),
      older: countIn(search.older) || undefined,
      newer: countIn(search.newer) || undefined,
      cursor: countIn(search.cursor) || undefined,
      offset: countIn(search.offset),
      days: countIn(search.days) || undefined,
    }),
    component: lazyPage(() => import("./space-page.tsx"), "SpacePage"),
  }),
] as const
