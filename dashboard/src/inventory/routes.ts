import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { type Archived, groupsIn } from "../operator/words.ts"
import { adminRoute } from "../shell/app-route.tsx"
import { countIn, offsetIn, oneIn, type RawSearch, textIn } from "../shell/search.ts"
import { inventoryPages as pages } from "./pages.ts"
import { DIRECTIONS, ORIGINS, type Origin, SPACE_SORTS, type SpaceSort, TASK_STATES, type TaskState } from "./words.ts"

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
      sort?: SpaceSort
      direction?: "asc" | "desc"
      offset?: number
    } => ({
      ...groupsIn(search),
      origin: oneIn(search.origin, ORIGINS),
      brand: textIn(search.brand),
      owner_id: countIn(search.owner_id),
      workspace_id: textIn(search.workspace_id),
      sort: oneIn(search.sort, SPACE_SORTS),
      direction: oneIn(search.direction, DIRECTIONS),
    }),
    component: lazyRouteComponent(() => import("./spaces-page.tsx"), "OperatorSpacesPage"),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.space.path,
    validateSearch: offsetIn,
    component: lazyRouteComponent(() => import("./space-page.tsx"), "OperatorSpacePage"),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.sessions.path,
    validateSearch: offsetIn,
    component: lazyRouteComponent(() => import("./sessions-page.tsx"), "OperatorSessionsPage"),
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
      state?: TaskState
      assignee_user_id?: number
      creator_user_id?: number
      offset?: number
    } => ({
      q: textIn(search.q),
      space: textIn(search.space),
      brand: textIn(search.brand),
      state: oneIn(search.state, TASK_STATES),
      assignee_user_id: countIn(search.assignee_user_id),
      creator_user_id: countIn(search.creator_user_id),
      offset: countIn(search.offset),
    }),
    component: lazyRouteComponent(() => import("./tasks-page.tsx"), "OperatorTasksPage"),
  }),
] as const
