import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { appRoute } from "../shell/app-route.tsx"
import { usagePages as pages } from "./pages.ts"

export const usageRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: pages.usage.path,
    component: lazyRouteComponent(() => import("./usage-page.tsx"), "UsagePage"),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: pages.energy.path,
    component: lazyRouteComponent(() => import("./energy-page.tsx"), "EnergyPage"),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: pages.balance.path,
    component: lazyRouteComponent(() => import("./balance-page.tsx"), "BalancePage"),
  }),
] as const
