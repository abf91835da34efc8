import { createRoute } from "@tanstack/react-router"
import { adminRoute } from "../shell/app-route.tsx"
import { lazyPage } from "../shell/lazy-page.ts"
import { analyticsPages as pages } from "./pages.ts"
import { readReportSearch } from "./report-search.ts"

export const analyticsRoutes = [
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.usage.path,
    validateSearch: readReportSearch,
    component: lazyPage(() => import("./usage-page.tsx"), "AnalyticsUsagePage"),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.breakdown.path,
    validateSearch: readReportSearch,
    component: lazyPage(() => import("./breakdown-page.tsx"), "AnalyticsBreakdownPage"),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.costs.path,
    validateSearch: readReportSearch,
    component: lazyPage(() => import("./costs-page.tsx"), "AnalyticsCostsPage"),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.rates.path,
    validateSearch: readReportSearch,
    component: lazyPage(() => import("./rates-page.tsx"), "AnalyticsRatesPage"),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.energy.path,
    validateSearch: readReportSearch,
    component: lazyPage(() => import("./energy-page.tsx"), "AnalyticsEnergyPage"),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.balances.path,
    validateSearch: readReportSearch,
    component: lazyPage(() => import("./balances-page.tsx"), "AnalyticsBalancesPage"),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.topUsers.path,
    validateSearch: readReportSearch,
    component: lazyPage(() => import("./top-users-page.tsx"), "AnalyticsTopUsersPage"),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.topSpaces.path,
    validateSearch: readReportSearch,
    component: lazyPage(() => import("./top-spaces-page.tsx"), "AnalyticsTopSpacesPage"),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.subscriptions.path,
    validateSearch: readReportSearch,
    component: lazyPage(() => import("./subscriptions-page.tsx"), "AnalyticsSubscriptionsPage"),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.hourly.path,
    validateSearch: readReportSearch,
    component: lazyPage(() => import("./hourly-page.tsx"), "AnalyticsHourlyPage"),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.errors.path,
    validateSearch: readReportSearch,
    component: lazyPage(() => import("./errors-page.tsx"), "AnalyticsErrorsPage"),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: pages.context.path,
    validateSearch: readReportSearch,
    component: lazyPage(() => import("./context-page.tsx"), "AnalyticsContextPage"),
  }),
] as const
