import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { adminRoute } from "../shell/app-route.tsx"
import { systemPages as pages } from "./pages.ts"

export const systemRoutes = [
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.system.path,
    component: lazyRouteComponent(() => import("./system-page.tsx"), "SystemPage"),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.billing.path,
    component: lazyRouteComponent(() => import("./billing-page.tsx"), "SystemBillingPage"),
  }),
] as const
