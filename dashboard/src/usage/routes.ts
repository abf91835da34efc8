import { createRoute } from "@tanstack/react-router"
import { appRoute } from "../shell/app-route.tsx"
import { lazyPage } from "../shell/lazy-page.ts"
import { countIn, type RawSearch } from "../shell/search.ts"
import { usagePages as pages } from "./pages.ts"
import { readLedgerSearch, readUsageSearch } from "./usage-search.ts"

export const usageRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: pages.usage.path,
    validateSearch: readUsageSearch,
    component: lazyPage(() => import("./usage-page.tsx"), "UsagePage"),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: pages.energy.path,
    validateSearch: (search: RawSearch): { days?: number } => ({ days: countIn(search.days) || undefined }),
    component: lazyPage(() => import("./energy-page.tsx"), "EnergyPage"),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: pages.balance.path,
    validateSearch: readLedgerSearch,
    component: lazyPage(() => import("./balance-page.tsx"), "BalancePage"),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: pages.statements.path,
    component: lazyPage(() => import("./statements-page.tsx"), "StatementsPage"),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: pages.statement.path,
    component: lazyPage(() => import("./statement-page.tsx"), "StatementPage"),
  }),
] as const
