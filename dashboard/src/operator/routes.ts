import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { adminRoute } from "../shell/app-route.tsx"
import { operatorPages as pages } from "./pages.ts"

export const operatorRoutes = [
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.overview.path,
    component: lazyRouteComponent(() => import("./overview-page.tsx"), "OperatorOverviewPage"),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.users.path,
    component: lazyRouteComponent(() => import("./users-page.tsx"), "OperatorUsersPage"),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.user.path,
    component: lazyRouteComponent(() => import("./user-page.tsx"), "OperatorUserPage"),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.subscriptions.path,
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
    component: lazyRouteComponent(() => import("./spaces-page.tsx"), "OperatorSpacesPage"),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.space.path,
    component: lazyRouteComponent(() => import("./space-page.tsx"), "OperatorSpacePage"),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.sessions.path,
    component: lazyRouteComponent(() => import("./sessions-page.tsx"), "OperatorSessionsPage"),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.tasks.path,
    component: lazyRouteComponent(() => import("./tasks-page.tsx"), "OperatorTasksPage"),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.teams.path,
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
    component: lazyRouteComponent(() => import("./audit-page.tsx"), "OperatorAuditPage"),
  }),
] as const
