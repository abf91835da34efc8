import { createRoute } from "@tanstack/react-router"
import { groupsIn } from "../operator/words.ts"
import { adminRoute } from "../shell/app-route.tsx"
import { lazyPage } from "../shell/lazy-page.ts"
import { teamsPages as pages } from "./pages.ts"

export const teamsRoutes = [
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.teams.path,
    validateSearch: groupsIn,
    component: lazyPage(() => import("./teams-page.tsx"), "TeamsPage"),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.team.path,
    component: lazyPage(() => import("./team-page.tsx"), "TeamPage"),
  }),
] as const
