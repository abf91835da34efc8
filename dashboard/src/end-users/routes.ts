import { createRoute } from "@tanstack/react-router"
import { listCustomersQuery, PortalThemeRules } from "../api/rules.ts"
import { appRoute } from "../shell/app-route.tsx"
import { lazyPage } from "../shell/lazy-page.ts"
import { countIn, oneIn, type RawSearch, textIn } from "../shell/search.ts"
import { type UsageGroupBy, usageGroupIn } from "../usage/usage-search.ts"
import { endUsersPages as pages } from "./pages.ts"

interface EndUsersSearch {
  q?: string
  blocked?: "true" | "false"
  sort?: (typeof listCustomersQuery.sort.words)[number]
  direction?: (typeof listCustomersQuery.direction.words)[number]
  offset?: number
}

interface EndUserSearch {
  days?: number
  /** The grouping that explains the spend. */
  why?: UsageGroupBy
  /** The id of the erasure whose receipt is shown. */
  erasure?: string
}

interface PortalSearch {
  /** The scopes, joined by commas. */
  scopes?: string
  /** The facts that the customer may change, joined by commas. */
  facts?: string
  mode?: (typeof PortalThemeRules.mode.words)[number]
  accent?: string
  logo?: string
}

export const endUsersRoutes = [
  createRoute({
    getParentRoute: () => appRoute,
    path: pages.list.path,
    validateSearch: (search: RawSearch): EndUsersSearch => ({
      q: textIn(search.q),
      blocked: oneIn(search.blocked, ["true", "false"]),
      sort: oneIn(search.sort, listCustomersQuery.sort.words),
      direction: oneIn(search.direction, listCustomersQuery.direction.words),
      offset: countIn(search.offset),
    }),
    component: lazyPage(() => import("./end-users-page.tsx"), "EndUsersPage"),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: pages.prices.path,
    component: lazyPage(() => import("./prices-page.tsx"), "PricesPage"),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: pages.detail.path,
    validateSearch: (search: RawSearch): EndUserSearch => ({
      days: countIn(search.days) || undefined,
      why: usageGroupIn(search.why),
      erasure: textIn(search.erasure),
    }),
    component: lazyPage(() => import("./end-user-page.tsx"), "EndUserPage"),
  }),
  createRoute({
    getParentRoute: () => appRoute,
    path: pages.portal.path,
    validateSearch: (search: RawSearch): PortalSearch => ({
      scopes: textIn(search.scopes),
      facts: textIn(search.facts),
      mode: oneIn(search.mode, PortalThemeRules.mode.words),
      accent: textIn(search.accent),
      logo: textIn(search.logo),
    }),
    component: lazyPage(() => import("./portal-page.tsx"), "PortalPage"),
  }),
] as const
