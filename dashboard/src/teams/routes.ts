import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { groupsIn } from "../operator/words.ts"
import { adminRoute } from "../shell/app-route.tsx"
import { teamsPages as pages } from "./pages.ts"

export const teamsRoutes = [
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.teams.path,
    validateSearch: groupsIn,
    component: lazyRouteComponent(() => import("./teams-page.tsx"), "OperatorTeamsPage"),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.team.path,
    component: lazyRouteComponent(() => import("./team-page.tsx"), "OperatorTeamPage"),
  }),
] as const
