import { createRoute } from "@tanstack/react-router"
import type { Task } from "../api/operations.ts"
import { listSpaceInventoryQuery, TaskRules } from "../api/rules.ts"
import type { QueryWord } from "../api/words.ts"
import { type Archived, groupsIn } from "../operator/words.ts"
import { adminRoute } from "../shell/app-route.tsx"
import { lazyPage } from "../shell/lazy-page.ts"
import { countIn, offsetIn, oneIn, type RawSearch, textIn } from "../shell/search.ts"
import { inventoryPages as pages } from "./pages.ts"
import { ORIGINS, type Origin } from "./words.ts"

export const inventoryRoutes = [
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.spaces.path,
    validateSearch: (
      search: RawSearch,
    ): {
      q?: string
      origin?: Origin
      brand?: string
      archived?: Archived
      owner_id?: number
      workspace_id?: string
      sort?: QueryWord<"listSpaceInventory", "sort">
      direction?: "asc" | "desc"
      offset?: number
    } => ({
      ...groupsIn(search),
      origin: oneIn(search.origin, ORIGINS),
      brand: textIn(search.brand),
      owner_id: countIn(search.owner_id),
      workspace_id: textIn(search.workspace_id),
      sort: oneIn(search.sort, listSpaceInventoryQuery.sort.words),
      direction: oneIn(search.direction, listSpaceInventoryQuery.direction.words),
    }),
    component: lazyPage(() => import("./spaces-page.tsx"), "AllSpacesPage"),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.space.path,
    validateSearch: offsetIn,
    component: lazyPage(() => import("./space-page.tsx"), "AnySpacePage"),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.sessions.path,
    validateSearch: offsetIn,
    component: lazyPage(() => import("./sessions-page.tsx"), "SessionsPage"),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.tasks.path,
    validateSearch: (
      search: RawSearch,
    ): {
      q?: string
      space?: string
      brand?: string
      state?: Task["state"]
      assignee_user_id?: number
      creator_user_id?: number
      offset?: number
    } => ({
      q: textIn(search.q),
      space: textIn(search.space),
      brand: textIn(search.brand),
      state: oneIn(search.state, TaskRules.state.words),
      assignee_user_id: countIn(search.assignee_user_id),
      creator_user_id: countIn(search.creator_user_id),
      offset: countIn(search.offset),
    }),
    component: lazyPage(() => import("./tasks-page.tsx"), "TasksPage"),
  }),
] as const
