import { createRoute } from "@tanstack/react-router"
import { adminRoute } from "../shell/app-route.tsx"
import { lazyPage } from "../shell/lazy-page.ts"
import { systemPages as pages } from "./pages.ts"

export const systemRoutes = [
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.system.path,
    component: lazyPage(() => import("./system-page.tsx"), "SystemPage"),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.billing.path,
    component: lazyPage(() => import("./billing-page.tsx"), "SystemBillingPage"),
  }),
] as const
