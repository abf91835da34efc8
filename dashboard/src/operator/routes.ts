import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { adminRoute } from "../shell/app-route.tsx"
import { operatorPages as pages } from "./pages.ts"

export const operatorRoutes = [
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.overview.path,
    component: lazyRouteComponent(() => import("./overview-page.tsx"), "OperatorOverviewPage"),
  }),
] as const
