import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { appRoute } from "../shell/app-route.tsx"
import { homePages as pages } from "./pages.ts"

export const homeRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: pages.home.path,
    component: lazyRouteComponent(() => import("./home-page.tsx"), "HomePage"),
  }),
] as const
