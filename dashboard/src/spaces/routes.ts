import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { appRoute } from "../shell/app-route.tsx"
import { spacesPages as pages } from "./pages.ts"

export const spacesRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: pages.list.path,
    component: lazyRouteComponent(() => import("./spaces-page.tsx"), "SpacesPage"),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: pages.detail.path,
    component: lazyRouteComponent(() => import("./space-page.tsx"), "SpacePage"),
  }),
] as const
