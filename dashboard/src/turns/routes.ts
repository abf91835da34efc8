import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { appRoute } from "../shell/app-route.tsx"
import { turnsPages as pages } from "./pages.ts"

export const turnsRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: pages.list.path,
    component: lazyRouteComponent(() => import("./turns-page.tsx"), "TurnsPage"),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: pages.detail.path,
    component: lazyRouteComponent(() => import("./turn-page.tsx"), "TurnPage"),
  }),
] as const
