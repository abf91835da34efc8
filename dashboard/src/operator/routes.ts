import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { adminRoute } from "../shell/app-route.tsx"
import { countIn, instantIn, oneIn, type RawSearch, textIn } from "../shell/search.ts"
import { operatorPages as pages } from "./pages.ts"
import {
  ARCHIVED,
  type Archived,
  DIRECTIONS,
  ORIGINS,
  type Origin,
  ROLES,
  type Role,
  SPACE_SORTS,
  type SpaceSort,
  TASK_STATES,
  type TaskState,
  USER_TABS,
  type UserTab,
} from "./search-words.ts"

const offsetOf = (search: RawSearch): { offset?: number } => ({ offset: countIn(search.offset) })

const listOf = (search: RawSearch): { q?: string; archived?: Archived; offset?: number } => ({
  q: textIn(search.q),
  archived: oneIn(search.archived, ARCHIVED),
  ...offsetOf(search),
})

export const operatorRoutes = [
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.overview.path,
    component: lazyRouteComponent(() => import("./overview-page.tsx"), "OperatorOverviewPage"),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.users.path,
    validateSearch: (search: RawSearch): { q?: string; role?: Role; offset?: number } => ({
      q: textIn(search.q),
      role: oneIn(search.role, ROLES),
      ...offsetOf(search),
    }),
    component: lazyRouteComponent(() => import("./users-page.tsx"), "OperatorUsersPage"),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.user.path,
    validateSearch: (search: RawSearch): { tab?: UserTab; days?: number; entry?: number; offset?: number } => ({
      tab: oneIn(search.tab, USER_TABS),
      entry: countIn(search.entry),
      days: countIn(search.days),
      ...offsetOf(search),
    }),
    component: lazyRouteComponent(() => import("./user-page.tsx"), "OperatorUserPage"),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.subscriptions.path,
    validateSearch: (search: RawSearch): { days?: number } => ({ days: countIn(search.days) }),
    component: lazyRouteComponent(() => import("./subscriptions-page.tsx"), "OperatorSubscriptionsPage"),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.catalog.path,
    component: lazyRouteComponent(() => import("./catalog-page.tsx"), "OperatorCatalogPage"),
  }),
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
      ...listOf(search),
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
    validateSearch: offsetOf,
    component: lazyRouteComponent(() => import("./space-page.tsx"), "OperatorSpacePage"),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.sessions.path,
    validateSearch: offsetOf,
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
      ...offsetOf(search),
    }),
    component: lazyRouteComponent(() => import("./tasks-page.tsx"), "OperatorTasksPage"),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.teams.path,
    validateSearch: listOf,
    component: lazyRouteComponent(() => import("./teams-page.tsx"), "OperatorTeamsPage"),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.team.path,
    component: lazyRouteComponent(() => import("./team-page.tsx"), "OperatorTeamPage"),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.workspaces.path,
    validateSearch: listOf,
    component: lazyRouteComponent(() => import("./workspaces-page.tsx"), "OperatorWorkspacesPage"),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.workspace.path,
    component: lazyRouteComponent(() => import("./workspace-page.tsx"), "OperatorWorkspacePage"),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.containers.path,
    validateSearch: (search: RawSearch): { space?: string; container?: string; offset?: number } => ({
      space: textIn(search.space),
      container: textIn(search.container),
      ...offsetOf(search),
    }),
    component: lazyRouteComponent(() => import("./containers-page.tsx"), "OperatorContainersPage"),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.keys.path,
    component: lazyRouteComponent(() => import("./keys-page.tsx"), "OperatorKeysPage"),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.settings.path,
    component: lazyRouteComponent(() => import("./settings-page.tsx"), "OperatorSettingsPage"),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.audit.path,
    validateSearch: (
      search: RawSearch,
    ): {
      actor_user_id?: number
      subject_type?: string
      subject_id?: string
      action?: string
      created_after?: string
      created_before?: string
      entry?: number
      offset?: number
    } => ({
      actor_user_id: countIn(search.actor_user_id),
      subject_type: textIn(search.subject_type),
      subject_id: textIn(search.subject_id),
      action: textIn(search.action),
      created_after: instantIn(search.created_after),
      created_before: instantIn(search.created_before),
      entry: countIn(search.entry),
      ...offsetOf(search),
    }),
    component: lazyRouteComponent(() => import("./audit-page.tsx"), "OperatorAuditPage"),
  }),
] as const
